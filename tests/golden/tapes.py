"""The tapes that several test modules ask questions of, each built once in a session."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.golden.example import Example, tape_of
from tests.golden.examples_basis import basis
from tests.golden.examples_boards import boards
from tests.golden.examples_order import order
from tests.golden.examples_prices import prices
from tests.golden.examples_watch import add_watch_examples
from tests.reference.exports import build
from tests.reference.random_tape import AS_OF, random_tape, watched
from tests.reference.tape import Tape

EXAMPLES: list[Example] = [
    *basis.examples.values(),
    *prices.examples.values(),
    *boards.examples.values(),
]


@cache
def examples_tape() -> Tape:
    """Every worked example that needs no watch list."""
    return tape_of([*EXAMPLES, *order.examples.values()])


@cache
def everybody_tape() -> Tape:
    """Random, every wallet tracked, balances from its movements."""
    return random_tape(seed=20_260_510, wallets=320)


@cache
def watched_tape() -> Tape:
    """Random, with a watch list and balances from the chain, and the worked examples of both."""
    return add_watch_examples(watched(random_tape(seed=4, wallets=160), seed=5))


TAPES = {"examples": examples_tape, "everybody": everybody_tape, "watched": watched_tape}


@cache
def exports_of(name: str) -> Path:
    """The exports folder of one of TAPES, built at the first call."""
    folder = TemporaryDirectory(prefix=f"tradebasis-{name}-")
    _FOLDERS.append(folder)
    return build(TAPES[name](), AS_OF, Path(folder.name))


_FOLDERS: list[TemporaryDirectory] = []  # kept, so that they go when the session ends
