"""FIELD_REPORTS E1 and E3 through the tape door: decimals are never guessed, raw amounts stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.example import AS_OF, Example, tape_of
from tests.reference.exports import build, read_csv, run_build
from tests.reference.tape import Row, Tape

pytestmark = pytest.mark.slow


def _buyer(name: str, qty: str) -> Example:
    """One purchase for $50 of a token with six decimals."""
    example = Example(name)
    example.buy(0, qty, "50")
    return example


def _trader() -> Example:
    """Enough good rows that the held ones stay under five in a hundred."""
    example = Example("trader")
    for number in range(100):
        example.buy(number * 120, "1", "10", token=f"T{number:02d}")
    return example


# At 6 decimals a launch of 1,000,000 units is 1e12 raw, at 9 it is 1e15: a factor of a thousand.
CONFLICT = _buyer("conflict", "1000000")
MISSING = _buyer("missing", "1000000")
NAMELESS = _buyer("nameless", "1000000")
SEVEN_PLACES = _buyer("seven", "1.0000001")
TRAILING_ZEROS = _buyer("zeros", "1.5000000000")
TRADER = _trader()


def _whole_tape() -> Tape:
    tape = tape_of([CONFLICT, MISSING, NAMELESS, SEVEN_PLACES, TRAILING_ZEROS, TRADER])
    for row in tape.assets:
        if row["address"] == NAMELESS.token():
            row["symbol"] = None
    return tape


def _holed_tape() -> Tape:
    """Two sources disagree on one token's decimals; another token is not listed at all."""
    tape = _whole_tape()
    (known,) = [row for row in tape.assets if row["address"] == CONFLICT.token()]
    tape.assets.append({**known, "decimals": 9})
    tape.assets = [row for row in tape.assets if row["address"] != MISSING.token()]
    return tape


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("units")


@pytest.fixture(scope="module")
def held(folder: Path) -> dict[str, list[Row]]:
    return _tables(build(_holed_tape(), AS_OF, folder))


@pytest.fixture(scope="module")
def mended(folder: Path, held: dict) -> dict[str, list[Row]]:
    """The same data folder built again once the metadata has come."""
    return _tables(build(_whole_tape(), AS_OF, folder))


def _tables(exports: Path) -> dict[str, list[Row]]:
    return {
        table: read_csv(exports, table) for table in ("movements", "trades", "positions", "rejects")
    }


def _of(rows: list[Row], example: Example) -> list[Row]:
    return [row for row in rows if row["wallet"] == example.wallet()]


def _lines(rows: list[Row], column: str, value: str) -> list[str]:
    """Lines of a file where a column has a value, the header being line 1."""
    return [str(line) for line, row in enumerate(rows, start=2) if row[column] == value]


def _rejected(tables: dict[str, list[Row]], file: str, column: str | None = None) -> list[str]:
    return [
        row["row"]
        for row in tables["rejects"]
        if row["file"] == file and column in (None, row["column"])
    ]


def test_e1_two_sources_that_disagree_hold_the_token(held: dict) -> None:
    tape = _holed_tape()
    # Neither 6 nor 9 is taken: both asset rows and the movement that rests on them are held.
    assert _rejected(held, "assets.csv") == _lines(tape.assets, "address", CONFLICT.token())
    assert set(_lines(tape.movements, "wallet", CONFLICT.wallet())) <= set(
        _rejected(held, "movements.csv", "received_asset")
    )
    assert _of(held["movements"], CONFLICT) == _of(held["positions"], CONFLICT) == []


def test_e1_more_places_than_the_decimals_are_never_rounded(held: dict) -> None:
    tape = _holed_tape()
    assert _rejected(held, "movements.csv", "received_amount") == _lines(
        tape.movements, "wallet", SEVEN_PLACES.wallet()
    )
    assert _of(held["movements"], SEVEN_PLACES) == []


def test_e1_trailing_zeros_are_no_places(held: dict) -> None:
    (movement,) = _of(held["movements"], TRAILING_ZEROS)
    assert movement["received_raw"] == "1500000"


def test_e1_every_held_row_says_why_and_nothing_else_is_held(held: dict) -> None:
    assert len(held["rejects"]) == 5  # two assets; three movements
    assert all(row["reason"] for row in held["rejects"])
    assert len(_of(held["positions"], TRADER)) == 100


def test_e3_a_token_without_a_name_keeps_amounts_and_dollars(held: dict) -> None:
    (movement,) = _of(held["movements"], NAMELESS)
    assert movement["received_raw"] == "1000000000000"
    (trade,) = _of(held["trades"], NAMELESS)
    assert (trade["qty"], float(trade["value_usd"])) == ("1000000", 50.0)


def test_e3_a_missing_token_is_held_with_its_reason(held: dict) -> None:
    tape = _holed_tape()
    assert set(_lines(tape.movements, "wallet", MISSING.wallet())) <= set(
        _rejected(held, "movements.csv", "received_asset")
    )
    assert _of(held["movements"], MISSING) == []


def test_e3_metadata_that_comes_later_brings_the_figures(mended: dict) -> None:
    assert _rejected(mended, "movements.csv", "received_asset") == []
    for example in (MISSING, CONFLICT):
        (movement,) = _of(mended["movements"], example)
        assert movement["received_raw"] == "1000000000000"
        (position,) = _of(mended["positions"], example)
        assert (position["open_qty"], float(position["open_cost_usd"])) == ("1000000", 50.0)


def test_e1_too_many_held_rows_stop_the_build_before_anything_is_published(
    tmp_path: Path,
) -> None:
    tape = tape_of([SEVEN_PLACES])  # one movement of one is held
    done = run_build(tape, AS_OF, tmp_path)
    assert done.returncode != 0
    assert "movements.csv" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "data" / "exports" / "positions.csv").exists()
