"""The worked examples hold for the plain evaluator: the two independent readings agree."""

from __future__ import annotations

import pytest

from tests.golden.example import Example
from tests.golden.examples_boards import BOARD_24H
from tests.golden.examples_watch import watch
from tests.golden.tapes import EXAMPLES, examples_tape, watched_tape
from tests.reference.evaluate import evaluate
from tests.reference.random_tape import AS_OF


@pytest.fixture(scope="module")
def tables() -> dict:
    return evaluate(examples_tape(), AS_OF)


@pytest.fixture(scope="module")
def watched_tables() -> dict:
    return evaluate(watched_tape(), AS_OF)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_example_by_reference(example: Example, tables: dict) -> None:
    differing = example.check(tables)
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("example", watch.examples.values(), ids=lambda example: example.name)
def test_watched_example_by_reference(example: Example, watched_tables: dict) -> None:
    differing = example.check(watched_tables)
    assert not differing, "\n".join(differing)


def test_board_order_by_reference(tables: dict) -> None:
    board = [row["wallet"] for row in tables["leaderboard"] if row["window"] == "24h"]
    names = [wallet.removeprefix("W-") for wallet in board]
    assert names[: len(BOARD_24H)] == BOARD_24H
