"""FIELD_REPORTS E1 and E3 through the tape door: decimals are never guessed, raw amounts stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.example import AS_OF, Example, tape_of
from tests.reference.exports import BuildError, build, read_csv, run_build
from tests.reference.tape import Row, Tape

pytestmark = pytest.mark.slow


def _trader() -> Example:
    """Enough good rows that a few bad ones stay under five in a hundred."""
    example = Example("trader")
    for number in range(60):
        example.buy(number * 120, "1", "10", token=f"T{number:02d}")
    return example


def _with(*odd: Example) -> Tape:
    return tape_of([_trader(), *odd])


def _of(rows: list[Row], example: Example) -> list[Row]:
    return [row for row in rows if row["wallet"] == example.wallet()]


def _forget(tape: Tape, example: Example) -> Tape:
    """The tape without the metadata of the example's token."""
    tape.assets = [row for row in tape.assets if row["address"] != example.token()]
    return tape


def _line_of(tape: Tape, example: Example) -> str:
    """The line of the example's first movement, the header being line 1."""
    wallets = [row["wallet"] for row in tape.movements]
    return str(wallets.index(example.wallet()) + 2)


@pytest.fixture
def launch() -> Example:
    """A purchase of 1,000,000 units for $50: 1e12 raw at 6 decimals, 1e15 at 9."""
    example = Example("launch")
    example.buy(0, "1000000", "50")
    return example


def test_e1_two_sources_that_disagree_on_decimals_hold_the_token(
    launch: Example, tmp_path: Path
) -> None:
    tape = _with(launch)
    known = next(row for row in tape.assets if row["address"] == launch.token())
    tape.assets.append({**known, "decimals": 9})
    exports = build(tape, AS_OF, tmp_path)
    # Neither 6 nor 9 is taken: both asset rows and the movement that rests on them are held.
    assert _of(read_csv(exports, "movements"), launch) == []
    assert _of(read_csv(exports, "positions"), launch) == []
    rejects = read_csv(exports, "rejects")
    held = [(row["file"], row["row"]) for row in rejects]
    lines = [n for n, r in enumerate(tape.assets, start=2) if r["address"] == launch.token()]
    assert sorted(held) == sorted(
        [*(("assets.csv", str(n)) for n in lines), ("movements.csv", _line_of(tape, launch))]
    )
    assert all(row["reason"] for row in rejects)
    # Everybody else's figures stand.
    assert len(_of(read_csv(exports, "positions"), _trader())) == 60


def test_e1_more_places_than_the_decimals_are_never_rounded(tmp_path: Path) -> None:
    odd = Example("odd")
    odd.buy(0, "1.0000001", "50")  # seven places, six decimals
    tape = _with(odd)
    exports = build(tape, AS_OF, tmp_path)
    assert _of(read_csv(exports, "movements"), odd) == []
    (reject,) = read_csv(exports, "rejects")
    assert (reject["file"], reject["row"]) == ("movements.csv", _line_of(tape, odd))
    assert reject["column"] == "received_amount"


def test_e1_trailing_zeros_are_no_places(tmp_path: Path) -> None:
    fine = Example("fine")
    fine.buy(0, "1.5000000000", "50")
    exports = build(_with(fine), AS_OF, tmp_path)
    (movement,) = _of(read_csv(exports, "movements"), fine)
    assert movement["received_raw"] == "1500000"
    assert read_csv(exports, "rejects") == []


def test_e3_metadata_that_comes_later_brings_the_figures(launch: Example, tmp_path: Path) -> None:
    without = _forget(_with(launch), launch)
    exports = build(without, AS_OF, tmp_path)
    assert _of(read_csv(exports, "movements"), launch) == []
    (reject,) = read_csv(exports, "rejects")
    assert (reject["file"], reject["row"]) == ("movements.csv", _line_of(without, launch))
    assert reject["column"] == "received_asset"

    exports = build(_with(launch), AS_OF, tmp_path)  # the same data folder, metadata added
    assert read_csv(exports, "rejects") == []
    (movement,) = _of(read_csv(exports, "movements"), launch)
    assert movement["received_raw"] == "1000000000000"
    (position,) = _of(read_csv(exports, "positions"), launch)
    assert (position["open_qty"], float(position["open_cost_usd"])) == ("1000000", 50.0)


def test_e3_a_token_without_a_name_keeps_amounts_and_dollars(
    launch: Example, tmp_path: Path
) -> None:
    tape = _with(launch)
    for row in tape.assets:
        if row["address"] == launch.token():
            row["symbol"] = None
    exports = build(tape, AS_OF, tmp_path)
    (movement,) = _of(read_csv(exports, "movements"), launch)
    assert movement["received_raw"] == "1000000000000"
    (trade,) = _of(read_csv(exports, "trades"), launch)
    assert (trade["qty"], float(trade["value_usd"])) == ("1000000", 50.0)


def test_e1_too_many_held_rows_stop_the_build_before_anything_is_published(
    launch: Example, tmp_path: Path
) -> None:
    tape = _forget(tape_of([launch]), launch)  # one movement of one is held
    tape.write(tmp_path / "tape")
    with pytest.raises(BuildError, match=r"movements\.csv"):
        run_build(tmp_path / "tape", tmp_path / "data", AS_OF)
    assert not (tmp_path / "data" / "exports" / "positions.csv").exists()
