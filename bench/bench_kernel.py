"""Replay speed, as ratios in one run: against bare passes, a plain Python replay and peers.

Run `python -m bench.bench_kernel [EVENTS]` in the checkout. One core. The stream is shaped like
traders: some 25 events a position, as many sales as purchases. A replay is timed from Arrow to
Arrow. One bare pass reads every array that the replay reads and adds it up, in the same compiler;
the other also fills columns of the outputs' shape with a constant, since a replay that returns its
fills and lots cannot take less than the memory it writes. The plain Python replay is the one that
the property tests use, on a slice of the same stream. Peers are in `peers`.
"""

import sys
import time

import numpy as np
import pyarrow as pa

from bench import peers
from dagster_project.lib import exact
from dagster_project.lib.exact import compiled
from dagster_project.lib.replay import ReplayAxes, replay, tables
from dagster_project.lib.replay.events import SCHEMA, Events, read_events
from tests.property.reference_replay import Event
from tests.property.reference_replay import replay as slow_replay

AXES = {
    "moving_average": ReplayAxes("moving_average", "estimated", "sale", "zero_profit", "estimated"),
    "fifo": ReplayAxes("fifo"),
}


def stream(rows: int) -> pa.Table:
    """A random stream of so many events, sorted, with 1 % transfers and 1 % without a value."""
    random = np.random.default_rng(7)
    position = np.sort(random.integers(0, max(1, rows // 25), rows))
    kind = random.choice(np.array([0, 1, 2, 3], np.int8), rows, p=(0.46, 0.52, 0.01, 0.01))
    qty = random.integers(1_000_000, 10**12, rows)
    value = (qty * random.uniform(0.0005, 0.005, rows)).astype(np.int64) * 1000

    def amounts(values, scale, valid=None):
        return exact.decimals(
            np.stack([values.view(np.uint64), np.zeros(rows, np.uint64)], 1), scale, valid
        )

    priced = random.random(rows) > 0.01
    traded = kind < 2
    columns = [
        exact.integers(position),
        exact.integers(np.arange(rows)),
        exact.integers(kind),
        exact.integers(np.arange(rows) // 10),
        amounts(qty, 0),
        amounts(value, 9, priced & traded),
        pa.nulls(rows, pa.decimal128(38, 0)),
        exact.booleans(random.random(rows) < 0.01),
        amounts(value, 9, kind == 3),
        amounts(qty, 0, kind == 3),
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


@compiled
def _bare_pass(events):
    total = np.uint64(0)
    for i in range(len(events.kind)):
        total += np.uint64(events.position_id[i] + events.event_id[i] + events.time_s[i])
        total += np.uint64(events.kind[i]) + np.uint64(events.is_wash_like[i])
        total += events.qty[i, 0] + events.qty[i, 1] + events.usd[i, 0] + events.usd[i, 1]
        total += events.native[i, 0] + events.native[i, 1]
        total += events.tick_usd[i, 0] + events.tick_usd[i, 1]
        total += events.tick_qty[i, 0] + events.tick_qty[i, 1]
        total += np.uint64(events.has_usd[i]) + np.uint64(events.has_native[i])
        total += np.uint64(events.has_tick[i])
    return total


def best_of(times: int, call) -> float:
    """Seconds of the fastest of so many calls."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def plain_python(table: pa.Table, axes: ReplayAxes) -> float:
    """Seconds of the plain Python replay on the same events."""

    def integers(name):
        column = table.column(name)
        return [None if v is None else int(v.scaleb(column.type.scale)) for v in column.to_pylist()]

    names = ("qty_raw", "value_usd", "value_native_raw", "tick_value_usd", "tick_qty_raw")
    qty, usd, native, tick_usd, tick_qty = (integers(name) for name in names)
    kinds = ("buy", "sell", "transfer_in", "transfer_out")
    events = [
        Event(p, e, kinds[k], t, *amounts[:3], wash, *amounts[3:])
        for p, e, k, t, wash, *amounts in zip(
            *(table.column(c).to_pylist() for c in ("position_id", "event_id", "kind")),
            table.column("block_time_s").to_pylist(),
            table.column("is_wash_like").to_pylist(),
            qty,
            usd,
            native,
            tick_usd,
            tick_qty,
            strict=True,
        )
    ]
    return best_of(1, lambda: slow_replay(events, axes))


def _write_pass(view: Events, fills: int, lots: int) -> None:
    """Read every input array and write fresh columns of the outputs' shape."""
    _bare_pass(view)
    for columns in (tables.new_fills(fills), tables.new_lots(lots)):
        for column in columns:
            column.fill(1)


def _rows_of(basis: str, axes: ReplayAxes, rows: int) -> list[dict]:
    table = stream(rows)
    view = read_events(table)
    result = replay(table, axes)
    fills, lots = len(result.fills), len(result.lots)
    del result
    _bare_pass(view)
    seconds = best_of(7, lambda: replay(table, axes))
    bare = best_of(7, lambda: _bare_pass(view))
    written = best_of(7, lambda: _write_pass(view, fills, lots))
    few = table.slice(0, 20_000)
    plain = plain_python(few, axes) / len(few)
    size = f"{rows} events, {fills} fills, {lots} lots"
    speed = rows / seconds / 1e6

    def row(against, ratio, must, ok):
        return {
            "what": f"replay {basis}, one core",
            "size": size,
            "measured": f"{speed:.1f} M events/s",
            "against": against,
            "ratio": round(ratio, 2),
            "must": must,
            "ok": ok,
        }

    return [
        row("20 M events/s", speed / 20, ">= 1", speed >= 20),
        row(
            f"reading the inputs {rows / bare / 1e6:.0f} M/s",
            seconds / bare,
            "<= 5",
            seconds <= 5 * bare,
        ),
        row(
            f"reading the inputs, filling the outputs {rows / written / 1e6:.0f} M/s",
            seconds / written,
            "<= 5",
            seconds <= 5 * written,
        ),
        row(
            f"the same in plain Python {1e-3 / plain:.0f} k/s",
            plain * rows / seconds,
            ">= 1",
            plain * rows >= seconds,
        ),
    ]


def run(rows: int = 4_000_000) -> list[dict]:
    """Measure; for each basis a row per comparison, then a row per peer."""
    found = [row for basis, axes in AXES.items() for row in _rows_of(basis, axes, rows)]
    return found + peers.rows(best_of)


def main() -> None:
    """Print the table."""
    rows = run(*(int(argument) for argument in sys.argv[1:2]))
    print(" | ".join(rows[0]))
    for row in rows:
        print(" | ".join(str(value) for value in row.values()))


if __name__ == "__main__":
    main()
