"""Random tapes through the command agree with the plain evaluator, table by table.

Quantities, reasons and nulls must be the same; dollars may differ by a millionth.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.golden.tapes import TAPES, exports_of
from tests.reference.compare import KEYS, report, table_differences
from tests.reference.evaluate import evaluate
from tests.reference.exports import read_csv, read_parquet
from tests.reference.random_tape import AS_OF
from tests.reference.tape import Row

READERS = {"csv": read_csv, "parquet": read_parquet}
RANDOM = ("everybody", "watched")


@cache
def evaluated(tape: str) -> dict[str, list[Row]]:
    return evaluate(TAPES[tape](), AS_OF)


@pytest.mark.slow
@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("table", KEYS)
@pytest.mark.parametrize("tape", TAPES)
def test_table_agrees(tape: str, table: str, form: str) -> None:
    expected = evaluated(tape)
    actual = READERS[form](exports_of(tape), table)
    if table == "trades":  # those of wallets that nobody watches are not figures
        tracked = {(row["chain"], row["wallet"]) for row in expected["wallet_pnl"]}
        actual = [row for row in actual if (row["chain"], row["wallet"]) in tracked]
    differing = table_differences(table, expected[table], actual)
    assert not differing, report(TAPES[tape](), differing)


@pytest.mark.parametrize("tape", RANDOM)
def test_every_nasty_case_is_on_the_tape(tape: str) -> None:
    """A generator that stopped making a case would pass in silence."""
    tables = evaluated(tape)
    reasons = {row["left_out_reason"] for row in tables["fills"]}
    assert reasons == {None, "not_priced", "estimated_cost", "oversold"}
    not_counted = {row["not_counted_reason"] for row in tables["closed_trades"]}
    assert not_counted == {
        *(None, "transferred_away", "estimated_cost"),
        *("not_priced", "wash_like", "small"),
    }
    assert {row["window"] for row in tables["leaderboard"]} >= {"24h", "7d"}
    sources = {str(row["price_source"]).partition(":")[0] for row in tables["trades"]}
    assert sources == {"par", "minute", "tick", "None"}
