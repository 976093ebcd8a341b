"""Random tapes through the command agree with the plain evaluator, table by table.

Quantities, reasons and nulls must be the same; dollars may differ by a millionth.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.reference.compare import KEYS, report, table_differences
from tests.reference.evaluate import evaluate
from tests.reference.exports import build, read_csv, read_parquet
from tests.reference.random_tape import AS_OF, random_tape, watched
from tests.reference.tape import Row, Tape

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Built:
    """One tape with both readings of it."""

    tape: Tape
    expected: dict[str, list[Row]]
    exports: Path


@pytest.fixture(scope="module", params=["everybody", "watch list"])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    if request.param == "everybody":
        tape = random_tape(seed=20_260_510, wallets=320)
    else:
        tape = watched(random_tape(seed=4, wallets=160), seed=5)
    exports = build(tape, AS_OF, tmp_path_factory.mktemp("random"))
    return Built(tape, evaluate(tape, AS_OF), exports)


@pytest.mark.parametrize("table", sorted(KEYS))
def test_table_agrees(built: Built, table: str) -> None:
    expected, actual = built.expected[table], read_parquet(built.exports, table)
    if table == "trades":  # those of wallets that nobody watches are not figures
        tracked = {(r["chain"], r["wallet"]) for r in built.expected["wallet_pnl"]}
        actual = [row for row in actual if (row["chain"], row["wallet"]) in tracked]
    blocks = table_differences(table, expected, actual)
    assert not blocks, report(built.tape, blocks)


@pytest.mark.parametrize("table", sorted(KEYS))
def test_csv_and_parquet_hold_the_same_rows(built: Built, table: str) -> None:
    assert len(read_csv(built.exports, table)) == len(read_parquet(built.exports, table))


def test_every_nasty_case_is_on_the_tape(built: Built) -> None:
    """A generator that stopped making a case would pass in silence."""
    reasons = {row["left_out_reason"] for row in built.expected["fills"]}
    assert reasons == {None, "not_priced", "estimated_cost", "oversold"}
    not_counted = {row["not_counted_reason"] for row in built.expected["closed_trades"]}
    assert not_counted == {
        *(None, "transferred_away", "estimated_cost"),
        *("not_priced", "wash_like", "small"),
    }
    assert {row["window"] for row in built.expected["leaderboard"]} >= {"24h", "7d"}
    assert any(
        row["price_source"] and row["price_source"].startswith("tick:")
        for row in built.expected["trades"]
    )
