"""One method's replay: Arrow in, Arrow out, no I/O."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from dagster_project.lib import exact
from dagster_project.lib.exact import compiled
from dagster_project.lib.replay import average, fifo, tables
from dagster_project.lib.replay.axes import ReplayAxes
from dagster_project.lib.replay.errors import ReplayInputError, ReplayOverflow
from dagster_project.lib.replay.events import BUY, KINDS, SELL, TRANSFER_IN, Events, read_events
from dagster_project.lib.replay.memory import addresses


@dataclass(frozen=True)
class ReplayResult:
    """What a replay gives, each a table of the schema of the same name in `tables`.

    Attributes:
        fills: what each sale took from a lot or from the pool.
        lots: every lot with what is left of it; empty for an average.
        positions: what is held at the end, one row per position.
        closed_trades: the ended closed trades; empty for lots.
    """

    fills: pa.Table
    lots: pa.Table
    positions: pa.Table
    closed_trades: pa.Table


SORTED, UNSORTED, NOT_POSITIVE, UNKNOWN_KIND = range(4)
_COMPLAINTS = {
    UNSORTED: "events must ascend by position and, within it, by event; sort them",
    NOT_POSITIVE: "qty_raw must be above 0; leave such rows out",
    UNKNOWN_KIND: f"kind must be 0 to {len(KINDS) - 1} ({', '.join(KINDS)})",
}


@compiled
def _check(position_id, event_id, kind, qty, found):
    """Count positions and kinds into `found`; returns (complaint, row)."""
    for i in range(len(kind)):
        if i == 0 or position_id[i] != position_id[i - 1]:
            found[4] += 1
            if i > 0 and position_id[i] < position_id[i - 1]:
                return UNSORTED, i
        elif event_id[i] <= event_id[i - 1]:
            return UNSORTED, i
        if kind[i] < 0 or kind[i] > 3:
            return UNKNOWN_KIND, i
        if np.int64(qty[i, 1]) < 0 or (qty[i, 0] == 0 and qty[i, 1] == 0):
            return NOT_POSITIVE, i
        found[kind[i]] += 1
    return SORTED, 0


def _checked(events: Events) -> tuple[np.ndarray, int]:
    found = np.zeros(len(KINDS) + 1, np.int64)
    complaint, row = _check(events.position_id, events.event_id, events.kind, events.qty, found)
    if complaint != SORTED:
        raise ReplayInputError(
            f"position {events.position_id[row]}, event {events.event_id[row]}: "
            f"{_COMPLAINTS[complaint]}"
        )
    return found[: len(KINDS)], int(found[len(KINDS)])


def replay(events: pa.Table, axes: ReplayAxes) -> ReplayResult:
    """Replay one method's events.

    Args:
        events: the columns of `events.SCHEMA`, sorted by (position_id, event_id). Amounts are raw
            integers of the smallest unit, values dollars at 1e-9; a null value is not priced.
        axes: the method's choices; `axes.replays` must hold.

    Returns:
        Fills, lots, positions and closed trades, in the order of the events.

    Raises:
        ReplayInputError: the events are unsorted or incomplete.
        ReplayOverflow: an amount passes 38 digits; names the position and the event.
    """
    if not axes.replays:
        raise ValueError(f"axis basis: {axes.basis!r} does not replay")
    view = read_events(events)
    counts, n_positions = _checked(view)
    # Both kernels leave the row they are at in the first cell, for the error's sake.
    marks = np.zeros(average.MARKS, np.int64)
    try:
        return _REPLAYS[axes.basis](view, axes, counts, n_positions, marks)
    except OverflowError:
        row = marks[0]
        raise ReplayOverflow(int(view.position_id[row]), int(view.event_id[row])) from None


def _choices(axes):
    return (
        axes.transfer_in != "ignored",
        axes.transfer_in == "estimated",
        axes.unpriced == "estimated",
        axes.estimated == "share",
        axes.oversell == "zero_profit",
    )


def _replay_average(view, axes, counts, n_positions, marks):
    # A sale is at most the rest and the excess, and where the axes part them units of unknown cost
    # and estimated ones.
    parted = axes.estimated == "share" or "unknown_cost" in (axes.transfer_in, axes.unpriced)
    fills = tables.new_fills((4 if parted else 2) * int(counts[SELL]))
    positions = tables.new_positions(n_positions)
    trades = tables.new_trades(int(counts[BUY]))
    limit = exact.to_limbs(int(axes.close_below_usd * 10**9))
    pool = np.zeros((average.AMOUNTS, 2), np.uint64)
    n_fills, n_trades = average.replay_average(
        len(view.kind),
        addresses(view),
        _choices(axes),
        limit,
        marks.ctypes.data,
        pool.ctypes.data,
        addresses(fills),
        addresses(positions),
        addresses(trades),
    )
    return ReplayResult(
        tables.fills_table(fills, n_fills),
        tables.LOTS.empty_table(),
        tables.positions_table(positions),
        tables.trades_table(trades, n_trades),
    )


def _replay_fifo(view, axes, counts, n_positions, marks):
    # Every fill ends a lot or ends its sale.
    n_opening = int(counts[BUY] + counts[TRANSFER_IN])
    fills = tables.new_fills(int(counts[SELL]) + n_opening)
    lots = tables.new_lots(n_opening)
    positions = tables.new_positions(n_positions)
    n_fills, n_lots = fifo.replay_fifo(
        len(view.kind),
        addresses(view),
        _choices(axes),
        marks.ctypes.data,
        addresses(fills),
        addresses(lots),
        addresses(positions),
    )
    return ReplayResult(
        tables.fills_table(fills, n_fills),
        tables.lots_table(lots, n_lots),
        tables.positions_table(positions),
        tables.CLOSED_TRADES.empty_table(),
    )


_REPLAYS = {"moving_average": _replay_average, "fifo": _replay_fifo}
