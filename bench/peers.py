"""Replay speed beside other engines that compute cost basis, in one run.

The engines live in an environment of their own, since they pin what this project pins otherwise:
`make bench-peers` builds `.venv-peers` from the hash-locked `peers.txt`, or the environment
variable TRADEBASIS_PEERS names another interpreter that has them. Every engine gets the same
events: positions of 25 purchases and sales that never sell more than is held. Slow ones get the
first part of them. See `peers_engines` for what is timed of each.
"""

import os
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from dagster_project.lib import exact
from dagster_project.lib.replay import ReplayAxes, replay
from dagster_project.lib.replay.events import KINDS, SCHEMA

HERE = Path(__file__).parent
EVENTS = 100_000
PER_POSITION = 25
# Engine: the events it gets, the basis it computes and how many times its speed is due (DESIGN 5).
ENGINES = {
    "rp2": (20_000, "fifo", 100),
    "beancount": (20_000, "fifo", 100),
    "bittytax": (EVENTS, "moving_average", 100),
    "coinbasis": (EVENTS, "fifo", 100),
    "vectorbt": (EVENTS, "moving_average", 1),
}

Row = tuple[int, str, int, int]


def _interpreter() -> Path | None:
    named = os.environ.get("TRADEBASIS_PEERS")
    if named:
        return Path(named)
    # The stamp is made last, so an environment that was cut short counts as none.
    folder = HERE.parent / ".venv-peers"
    return folder / "bin" / "python" if (folder / "installed").exists() else None


def _events() -> Iterator[Row]:
    """Position, kind, raw quantity and value in 1e-9 dollar."""
    chance = random.Random(7)
    held = 0
    for number in range(EVENTS):
        position, place = divmod(number, PER_POSITION)
        held = 0 if place == 0 else held
        is_buy = held == 0 or chance.random() < 0.5
        qty = chance.randrange(10**6, 10**12) if is_buy else chance.randint(1, held)
        held += qty if is_buy else -qty
        value = int(qty * chance.uniform(0.0005, 0.005) + 1) * 1000
        yield position, "buy" if is_buy else "sell", qty, value


def _as_table(rows: list[Row]) -> pa.Table:
    position, kind, qty, value = (list(column) for column in zip(*rows, strict=True))
    count = len(rows)

    def amounts(values, scale):
        words = np.zeros((count, 2), np.uint64)
        words[:, 0] = values
        return exact.decimals(words, scale)

    columns = [
        pa.array(position, pa.int64()),
        pa.array(range(count), pa.int64()),
        pa.array([KINDS.index(name) for name in kind], pa.int8()),
        pa.array(range(count), pa.int64()),
        amounts(qty, 0),
        amounts(value, 9),
        pa.nulls(count, pa.decimal128(38, 0)),
        pa.array([False] * count),
        pa.nulls(count, pa.decimal128(38, 9)),
        pa.nulls(count, pa.decimal128(38, 0)),
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def _theirs(python: Path, engine: str, events: Path, rows: int) -> float:
    """Seconds of an engine on the first rows."""
    command = [python, HERE / "peers_engines.py", engine, events, str(rows)]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{engine} failed in {python}: {done.stderr.strip()[-500:]}")
    return float(done.stdout)


def rows(best_of: Callable[[int, Callable], float]) -> list[dict]:
    """Measure; one row per engine with our speed, its speed and the ratio of the two."""
    python = _interpreter()
    if python is None:
        missing = {"measured": "-", "against": "not installed: make bench-peers", "ratio": "-"}
        return [
            {"what": f"replay beside {engine}", "size": "-", **missing, "must": "-", "ok": False}
            for engine in ENGINES
        ]
    events = list(_events())
    table = _as_table(events)
    ours = {}
    for basis in ("fifo", "moving_average"):
        axes = ReplayAxes(basis)
        replay(table, axes)
        ours[basis] = EVENTS / best_of(20, lambda axes=axes: replay(table, axes))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.csv"
        path.write_text("".join(f"{p},{k},{q},{v}\n" for p, k, q, v in events))
        return [
            _row(engine, ours[basis], count / _theirs(python, engine, path, count), basis, due)
            for engine, (count, basis, due) in ENGINES.items()
        ]


def _row(engine: str, ours: float, theirs: float, basis: str, due: int) -> dict:
    return {
        "what": f"replay beside {engine}",
        "size": f"{EVENTS} events, {basis}",
        "measured": f"{ours / 1e6:.1f} M events/s",
        "against": f"{engine} {theirs / 1e3:.0f} k events/s",
        "ratio": round(ours / theirs, 1),
        "must": f">= {due}",
        "ok": ours >= due * theirs,
    }
