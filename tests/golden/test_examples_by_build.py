"""The worked examples hold for what the warehouse publishes, read through its public door."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.example import AS_OF, ORDER, Example, tape_of
from tests.golden.examples_basis import basis
from tests.golden.examples_boards import BOARD_24H, boards
from tests.golden.examples_prices import prices
from tests.reference.exports import build, read_csv, read_parquet

pytestmark = pytest.mark.slow
EXAMPLES = [*basis.examples.values(), *prices.examples.values(), *boards.examples.values()]


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tape_of(EXAMPLES), AS_OF, tmp_path_factory.mktemp("examples"))


@pytest.fixture(scope="module")
def csv_tables(exports: Path) -> dict:
    return {table: read_csv(exports, table) for table in ORDER}


@pytest.fixture(scope="module")
def parquet_tables(exports: Path) -> dict:
    return {table: read_parquet(exports, table) for table in ORDER}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_example_in_csv(example: Example, csv_tables: dict) -> None:
    differing = example.check(csv_tables)
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_example_in_parquet(example: Example, parquet_tables: dict) -> None:
    differing = example.check(parquet_tables)
    assert not differing, "\n".join(differing)


def test_board_is_listed_in_its_order(csv_tables: dict) -> None:
    names = [
        row["wallet"].removeprefix("W-")
        for row in csv_tables["leaderboard"]
        if row["window"] == "24h"
    ]
    assert names[: len(BOARD_24H)] == BOARD_24H


def test_an_average_has_no_lots(exports: Path) -> None:
    assert read_csv(exports, "lots") == []
    assert read_parquet(exports, "lots") == []


def test_a_clean_tape_has_no_rejects(exports: Path) -> None:
    assert read_csv(exports, "rejects") == []
