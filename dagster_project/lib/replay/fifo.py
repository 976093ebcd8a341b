"""Replay first in, first out: a queue of lots per position (METHODS 3.3, 3.4 and 6).

The rows of the lots table are the queue: a position's lots stand together in the order they were
opened, and `HEAD` is the oldest with something left. A lot gives up its cost, and a sale its
proceeds, in shares rounded half to even from what is left; the last units take the rest.
"""

from dagster_project.lib.exact import (
    NOTHING,
    add,
    compare,
    compiled,
    is_zero,
    kernel_part,
    rare_part,
    share_of,
    subtract,
)
from dagster_project.lib.replay.events import BUY, SELL, TRANSFER_IN
from dagster_project.lib.replay.filling import NO_LOT, native_side, start_fill, usd_side
from dagster_project.lib.replay.memory import at, byte_at, flag_at, load, put, put_byte, store
from dagster_project.lib.replay.tables import (
    COST_KNOWN,
    COUNTED_IN,
    ESTIMATED_COST,
    HAS_REALIZED_NATIVE,
    HAS_REALIZED_USD,
    NO_USD_PRICE,
    NOT_PRICED,
    OVERSOLD,
    UNKNOWN_COST,
)

NOT_REALIZED = 255 - HAS_REALIZED_USD - HAS_REALIZED_NATIVE
# Cells of the marks, int64. ROW is the event being replayed.
ROW, N_FILLS, N_LOTS, HEAD = range(4)
MARKS = 4


@kernel_part
def _open_lot(events, i, marks, lots, has_value, as_estimated):
    """Units arrive: a lot at its value, else at an estimate (zero without one), else unknown."""
    n = at(marks, N_LOTS)
    put(lots.position_id, n, at(events.position_id, i))
    put(lots.event_id, n, at(events.event_id, i))
    qty = load(events.qty, i)
    store(lots.qty, n, qty)
    store(lots.qty_left, n, qty)
    costed = has_value or as_estimated
    put_byte(lots.cost_known, n, has_value)
    has_usd = costed and flag_at(events.has_usd, i)
    usd = load(events.usd, i) if has_usd else NOTHING
    put_byte(lots.has_usd, n, has_usd or (costed and not has_value))
    store(lots.usd, n, usd)
    store(lots.usd_left, n, usd)
    has_native = costed and flag_at(events.has_native, i)
    native = load(events.native, i) if has_native else NOTHING
    put_byte(lots.has_native, n, has_native)
    store(lots.native, n, native)
    store(lots.native_left, n, native)
    put(marks, N_LOTS, n + 1)


@kernel_part
def _take(left, lot, part, whole):
    """Take the part's share out of what a lot has left of a cost, and return it."""
    cost = load(left, lot)
    out = share_of(cost, part, whole)
    store(left, lot, subtract(cost, out))
    return out


@kernel_part
def _take_from_head(marks, lots, wanted):
    """Take at most the wanted units from the oldest lot; returns units, USD cost, native cost."""
    lot = at(marks, HEAD)
    held = load(lots.qty_left, lot)
    qty = wanted
    if compare(held, wanted) <= 0:
        qty = held
        put(marks, HEAD, lot + 1)
    usd, native = NOTHING, NOTHING
    if flag_at(lots.has_usd, lot):
        usd = _take(lots.usd_left, lot, qty, held)
    if flag_at(lots.has_native, lot):
        native = _take(lots.native_left, lot, qty, held)
    store(lots.qty_left, lot, subtract(held, qty))
    return qty, usd, native


@rare_part
def _transfer_out(events, i, marks, lots):
    """Units leave the oldest lots without a result; units never seen to arrive leave nothing."""
    left = load(events.qty, i)
    while not is_zero(left) and at(marks, HEAD) < at(marks, N_LOTS):
        qty, _, _ = _take_from_head(marks, lots, left)
        left = subtract(left, qty)


@kernel_part
def _reason(lots, lot, priced):
    if not priced:
        return NOT_PRICED
    if flag_at(lots.cost_known, lot):
        return COUNTED_IN
    return ESTIMATED_COST if flag_at(lots.has_usd, lot) else UNKNOWN_COST


@kernel_part
def _next_fill(marks):
    n = at(marks, N_FILLS)
    put(marks, N_FILLS, n + 1)
    return n


@kernel_part
def _sell_from_lot(events, i, marks, lots, fills, fill_no, left, usd_left, native_left):
    """Sell what the oldest lot has of the units still to sell; returns units, proceeds, reason."""
    lot = at(marks, HEAD)
    has_usd, has_native = flag_at(events.has_usd, i), flag_at(events.has_native, i)
    lot_usd, lot_native = flag_at(lots.has_usd, lot), flag_at(lots.has_native, lot)
    qty, cost_usd, cost_native = _take_from_head(marks, lots, left)
    usd, native = share_of(usd_left, qty, left), share_of(native_left, qty, left)
    reason = _reason(lots, lot, has_usd or has_native)
    real = reason == COUNTED_IN
    n = _next_fill(marks)
    start_fill(events, i, fills, n, fill_no, at(lots.event_id, lot), qty)
    flags = usd_side(fills, n, has_usd, usd, lot_usd, cost_usd, real)
    flags |= native_side(fills, n, has_native, native, lot_native, cost_native, real)
    put_byte(fills.flags, n, flags | (COST_KNOWN if flag_at(lots.cost_known, lot) else 0))
    if real and not (has_usd and lot_usd):
        reason = NO_USD_PRICE
    put_byte(fills.reason, n, reason)
    return qty, usd, native, reason


@kernel_part
def _oversell(events, i, marks, fills, fill_no, qty, usd, native, zero_profit):
    """Sell units beyond all lots: at zero profit their proceeds are their cost."""
    has_usd, has_native = flag_at(events.has_usd, i), flag_at(events.has_native, i)
    n = _next_fill(marks)
    start_fill(events, i, fills, n, fill_no, NO_LOT, qty)
    flags = usd_side(fills, n, has_usd, usd, zero_profit and has_usd, usd, True)
    flags |= native_side(fills, n, has_native, native, zero_profit and has_native, native, True)
    put_byte(fills.flags, n, flags)
    put_byte(fills.reason, n, OVERSOLD if has_usd or has_native else NOT_PRICED)


@kernel_part
def _sell(events, i, marks, lots, fills, share, zero_profit):
    """A sale consumes the oldest lots, one fill each, then sells what it has beyond them."""
    first_fill = at(marks, N_FILLS)
    left = load(events.qty, i)
    usd_left = load(events.usd, i) if flag_at(events.has_usd, i) else NOTHING
    native_left = load(events.native, i) if flag_at(events.has_native, i) else NOTHING
    fill_no = 0
    estimated = False
    while not is_zero(left) and at(marks, HEAD) < at(marks, N_LOTS):
        qty, usd, native, reason = _sell_from_lot(
            events, i, marks, lots, fills, fill_no, left, usd_left, native_left
        )
        estimated |= reason == ESTIMATED_COST
        left = subtract(left, qty)
        usd_left, native_left = subtract(usd_left, usd), subtract(native_left, native)
        fill_no += 1
    if not is_zero(left):
        _oversell(events, i, marks, fills, fill_no, left, usd_left, native_left, zero_profit)
    if estimated and not share:
        _leave_out(fills, first_fill, at(marks, N_FILLS))


@rare_part
def _leave_out(fills, first, end):
    """Leave a sale out whole, for the estimated units in it."""
    for n in range(first, end):
        put_byte(fills.reason, n, ESTIMATED_COST)
        put_byte(fills.flags, n, byte_at(fills.flags, n) & NOT_REALIZED)


@rare_part
def _end_position(position_id, n, marks, lots, positions):
    """Add up what the position's lots have left."""
    qty, usd, native, estimated, unknown = NOTHING, NOTHING, NOTHING, NOTHING, NOTHING
    has_native = True
    for lot in range(at(marks, HEAD), at(marks, N_LOTS)):
        left = load(lots.qty_left, lot)
        qty = add(qty, left)
        if flag_at(lots.has_usd, lot):
            usd = add(usd, load(lots.usd_left, lot))
            if not flag_at(lots.cost_known, lot):
                estimated = add(estimated, left)
        else:
            unknown = add(unknown, left)
        if flag_at(lots.has_native, lot):
            native = add(native, load(lots.native_left, lot))
        else:
            has_native = False
    put(positions.position_id, n, position_id)
    store(positions.qty, n, qty)
    store(positions.usd, n, usd)
    store(positions.native, n, native)
    put_byte(positions.has_native, n, has_native)
    store(positions.estimated, n, estimated)
    store(positions.unknown, n, unknown)


@compiled
def replay_fifo(rows, events, choices, marks, fills, lots, positions):
    """Replay every event in order.

    Args:
        rows: how many events.
        events: addresses of an `Events`.
        choices: five bools: transfers move units, transfers in are estimated, unpriced buys are
            estimated, only the estimated share of a sale is left out, the excess sells at zero
            profit.
        marks: address of `MARKS` int64 zeros; ROW is left at the event that raised.
        fills: addresses of room for the fills.
        lots: addresses of room for the lots.
        positions: addresses of one row per position.

    Returns:
        The numbers of fills and of lots.
    """
    moves, in_estimated, unpriced_estimated, share, zero_profit = choices
    n_positions = 0
    last = rows - 1
    for i in range(rows):
        put(marks, ROW, i)
        kind = byte_at(events.kind, i)
        if kind == BUY:
            priced = flag_at(events.has_usd, i) or flag_at(events.has_native, i)
            _open_lot(events, i, marks, lots, priced, unpriced_estimated)
        elif kind == SELL:
            _sell(events, i, marks, lots, fills, share, zero_profit)
        elif moves and kind == TRANSFER_IN:
            _open_lot(events, i, marks, lots, False, in_estimated)
        elif moves:
            _transfer_out(events, i, marks, lots)
        if i == last or at(events.position_id, i + 1) != at(events.position_id, i):
            _end_position(at(events.position_id, i), n_positions, marks, lots, positions)
            n_positions += 1
            put(marks, HEAD, at(marks, N_LOTS))
    return at(marks, N_FILLS), at(marks, N_LOTS)
