"""The worked examples hold for the plain evaluator: the two independent readings agree."""

from __future__ import annotations

import pytest

from tests.golden.example import AS_OF, Example, tape_of
from tests.golden.examples_basis import basis
from tests.golden.examples_boards import BOARD_24H, boards
from tests.golden.examples_prices import prices
from tests.reference.evaluate import evaluate

EXAMPLES = [*basis.examples.values(), *prices.examples.values(), *boards.examples.values()]


@pytest.fixture(scope="module")
def tables() -> dict:
    return evaluate(tape_of(EXAMPLES), AS_OF)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_example_by_reference(example: Example, tables: dict) -> None:
    differing = example.check(tables)
    assert not differing, "\n".join(differing)


def test_board_order_by_reference(tables: dict) -> None:
    board = [row["wallet"] for row in tables["leaderboard"] if row["window"] == "24h"]
    names = [wallet.removeprefix("W-") for wallet in board]
    assert names[: len(BOARD_24H)] == BOARD_24H
