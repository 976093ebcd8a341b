"""The worked examples hold for what the warehouse publishes, read through its public door."""

from __future__ import annotations

from functools import cache

import pytest

from tests.golden.example import ORDER, Example
from tests.golden.examples_boards import BOARD_24H
from tests.golden.examples_watch import watch
from tests.golden.tapes import EXAMPLES, exports_of
from tests.reference.exports import read_csv, read_parquet
from tests.reference.tape import Row

pytestmark = pytest.mark.slow
READERS = {"csv": read_csv, "parquet": read_parquet}


@cache
def tables_of(tape: str, form: str) -> dict[str, list[Row]]:
    return {table: READERS[form](exports_of(tape), table) for table in ORDER}


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_example_by_build(example: Example, form: str) -> None:
    differing = example.check(tables_of("examples", form))
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("example", watch.examples.values(), ids=lambda example: example.name)
def test_watched_example_by_build(example: Example, form: str) -> None:
    differing = example.check(tables_of("watched", form))
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("form", READERS)
def test_board_is_listed_in_its_order(form: str) -> None:
    board = [
        r["wallet"] for r in tables_of("examples", form)["leaderboard"] if r["window"] == "24h"
    ]
    names = [wallet.removeprefix("W-") for wallet in board]
    assert names[: len(BOARD_24H)] == BOARD_24H


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("table", ["lots", "rejects", "completeness"])
def test_a_table_with_nothing_to_say_is_empty(table: str, form: str) -> None:
    # An average has no lots, a tape of the contract no rejects, and a tape no accounts to chain.
    assert READERS[form](exports_of("examples"), table) == []
