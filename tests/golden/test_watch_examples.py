"""The examples with a watch list and chain balances, by the evaluator and by a build."""

from __future__ import annotations

import pytest

from tests.golden.example import AS_OF, ORDER, Example
from tests.golden.examples_watch import watch, watched_tape
from tests.reference.evaluate import evaluate
from tests.reference.exports import build, read_csv

by_example = pytest.mark.parametrize("example", watch.examples.values(), ids=lambda x: x.name)


@pytest.fixture(scope="module")
def evaluated() -> dict:
    return evaluate(watched_tape(), AS_OF)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict:
    exports = build(watched_tape(), AS_OF, tmp_path_factory.mktemp("watched"))
    return {table: read_csv(exports, table) for table in ORDER}


@by_example
def test_example_by_reference(example: Example, evaluated: dict) -> None:
    differing = example.check(evaluated)
    assert not differing, "\n".join(differing)


@pytest.mark.slow
@by_example
def test_example_by_build(example: Example, exported: dict) -> None:
    differing = example.check(exported)
    assert not differing, "\n".join(differing)
