"""Replay with a moving average: one pool of units and cost per position (METHODS 3.1 and 6).

The pool's cost belongs to its units of known and of estimated cost; units of unknown cost lie in
it without any. Units that leave take their share of each, rounded half to even from what is left,
and the last units take the rest: cost in = cost out + cost left, exactly.
"""

from dagster_project.lib.exact import (
    NOTHING,
    add,
    compare,
    compare_products,
    compiled,
    is_zero,
    kernel_part,
    rare_part,
    share_of,
    subtract,
)
from dagster_project.lib.replay.events import BUY, SELL, TRANSFER_IN
from dagster_project.lib.replay.filling import NO_LOT, native_side, start_fill, usd_side
from dagster_project.lib.replay.memory import (
    at,
    byte_at,
    flag_at,
    load,
    put,
    put_byte,
    put_int32,
    store,
)
from dagster_project.lib.replay.tables import (
    COST_KNOWN,
    COUNTED_IN,
    ESTIMATED_COST,
    NOT_PRICED,
    OVERSOLD,
    UNKNOWN_COST,
)

# Rows of the pool, limbs. PART_* are the units and amounts of the sale that are still to be split.
POOL_QTY, POOL_USD, POOL_NATIVE, POOL_ESTIMATED, POOL_UNKNOWN = range(5)
TRADE_BOUGHT, TRADE_SOLD, TRADE_PROFIT = 5, 6, 7
PART_QTY, PART_USD, PART_NATIVE, PART_COST, PART_COST_NATIVE = range(8, 13)
OUT_ESTIMATED, OUT_UNKNOWN = 13, 14
AMOUNTS = 15

# Cells of the marks, int64. ROW is the event being replayed.
(
    ROW,
    N_FILLS,
    N_TRADES,
    FILL_NO,
    NATIVE_KNOWN,
    OPEN,
    TRADE_NO,
    OPENED_ROW,
    TAINTED,
    UNKNOWN_SEEN,
    UNPRICED_SALE,
    WASH_LIKE,
    BUYS_PRICED,
    SALES,
    SALES_PRICED,
    SALES_KNOWN,
) = range(16)
MARKS = 16


@kernel_part
def _take_out(pool, qty):
    """Remove units, at most those held; leave what they cost in PART_COST and PART_COST_NATIVE."""
    held = load(pool, POOL_QTY)
    estimated, unknown = load(pool, POOL_ESTIMATED), load(pool, POOL_UNKNOWN)
    out_estimated = share_of(estimated, qty, held)
    out_unknown = NOTHING
    costed, held_costed = qty, held
    if not is_zero(unknown):
        out_unknown = share_of(unknown, subtract(qty, out_estimated), subtract(held, estimated))
        costed, held_costed = subtract(qty, out_unknown), subtract(held, unknown)
    for total, part in ((POOL_USD, PART_COST), (POOL_NATIVE, PART_COST_NATIVE)):
        cost = load(pool, total)
        out = share_of(cost, costed, held_costed)
        store(pool, part, out)
        store(pool, total, subtract(cost, out))
    store(pool, OUT_ESTIMATED, out_estimated)
    store(pool, OUT_UNKNOWN, out_unknown)
    store(pool, POOL_ESTIMATED, subtract(estimated, out_estimated))
    store(pool, POOL_UNKNOWN, subtract(unknown, out_unknown))
    store(pool, POOL_QTY, subtract(held, qty))


@kernel_part
def _increase(pool, cell, amount):
    store(pool, cell, add(load(pool, cell), amount))


@kernel_part
def _enter(events, i, pool, marks, has_value, as_estimated):
    """Units arrive: at their value, else as estimated with what value there is, else unknown."""
    qty = load(events.qty, i)
    _increase(pool, POOL_QTY, qty)
    if has_value or as_estimated:
        if flag_at(events.has_usd, i):
            _increase(pool, POOL_USD, load(events.usd, i))
        if flag_at(events.has_native, i):
            _increase(pool, POOL_NATIVE, load(events.native, i))
        elif has_value:
            put(marks, NATIVE_KNOWN, 0)
        if not has_value:
            _increase(pool, POOL_ESTIMATED, qty)
            put(marks, TAINTED, 1)
    else:
        _increase(pool, POOL_UNKNOWN, qty)
        put(marks, UNKNOWN_SEEN, 1)


@kernel_part
def _buy(events, i, pool, marks, unpriced_estimated):
    priced = flag_at(events.has_usd, i)
    _enter(events, i, pool, marks, priced, unpriced_estimated)
    if at(marks, OPEN) == 0:
        _open_trade(pool, marks, i)
    if priced:
        _increase(pool, TRADE_BOUGHT, load(events.usd, i))
        put(marks, BUYS_PRICED, 1)
    if flag_at(events.is_wash_like, i):
        put(marks, WASH_LIKE, 1)


@kernel_part
def _open_trade(pool, marks, i):
    put(marks, OPEN, 1)
    put(marks, OPENED_ROW, i)
    put(marks, TAINTED, not is_zero(load(pool, POOL_ESTIMATED)))
    put(marks, UNKNOWN_SEEN, not is_zero(load(pool, POOL_UNKNOWN)))
    put(marks, UNPRICED_SALE, 0)
    put(marks, WASH_LIKE, 0)
    put(marks, BUYS_PRICED, 0)
    put(marks, SALES, 0)
    put(marks, SALES_PRICED, 0)
    put(marks, SALES_KNOWN, 0)
    for cell in (TRADE_BOUGHT, TRADE_SOLD, TRADE_PROFIT):
        store(pool, cell, NOTHING)


@rare_part
def _close_trade(events, i, pool, marks, trades, transferred_away, share, close_below):
    """Write the open trade as ended by event i."""
    n = at(marks, N_TRADES)
    first = at(marks, OPENED_ROW)
    put(marks, TRADE_NO, at(marks, TRADE_NO) + 1)
    put(trades.position_id, n, at(events.position_id, i))
    put_int32(trades.number, n, at(marks, TRADE_NO))
    put(trades.opened_event_id, n, at(events.event_id, first))
    put(trades.closed_event_id, n, at(events.event_id, i))
    put(trades.opened_at_s, n, at(events.time_s, first))
    put(trades.closed_at_s, n, at(events.time_s, i))
    bought = load(pool, TRADE_BOUGHT)
    store(trades.bought, n, bought)
    store(trades.sold, n, load(pool, TRADE_SOLD))
    store(trades.profit, n, load(pool, TRADE_PROFIT))
    put_byte(trades.has_bought, n, at(marks, BUYS_PRICED) == 1)
    put_byte(trades.has_sold, n, at(marks, SALES) == 0 or at(marks, SALES_PRICED) == 1)
    put_byte(trades.has_profit, n, at(marks, SALES) == 0 or at(marks, SALES_KNOWN) == 1)
    put_byte(trades.outcome, n, 1 if transferred_away else 0)
    # The order of the tests is the precedence of the reasons, numbered as NOT_COUNTED_REASONS.
    reason = 0
    if transferred_away:
        reason = 1
    elif at(marks, TAINTED) == 1 and not share:
        reason = 2
    elif at(marks, UNKNOWN_SEEN) == 1:
        reason = 3
    elif at(marks, UNPRICED_SALE) == 1:
        reason = 4
    elif at(marks, WASH_LIKE) == 1:
        reason = 5
    elif compare(bought, close_below) < 0:
        reason = 6
    put_byte(trades.reason, n, reason)
    put(marks, N_TRADES, n + 1)
    put(marks, OPEN, 0)


@kernel_part
def _fill(events, i, pool, marks, fills, qty, usd, native, reason, cost_usd, cost_native):
    """Write one fill; PART_COST and PART_COST_NATIVE are its costs, where it has them."""
    n = at(marks, N_FILLS)
    start_fill(events, i, fills, n, at(marks, FILL_NO), NO_LOT, qty)
    put_byte(fills.reason, n, reason)
    has_usd, has_native = flag_at(events.has_usd, i), flag_at(events.has_native, i)
    real = reason in (COUNTED_IN, OVERSOLD)
    cost = load(pool, PART_COST)
    flags = usd_side(fills, n, has_usd, usd, cost_usd, cost, real)
    flags |= native_side(
        fills, n, has_native, native, cost_native, load(pool, PART_COST_NATIVE), real
    )
    if cost_usd and reason <= NOT_PRICED:
        flags |= COST_KNOWN
    put_byte(fills.flags, n, flags)
    if real and has_usd and cost_usd:
        _increase(pool, TRADE_PROFIT, subtract(usd, cost))
        put(marks, SALES_KNOWN, 1)
    put(marks, N_FILLS, n + 1)
    put(marks, FILL_NO, at(marks, FILL_NO) + 1)


@kernel_part
def _sell(events, i, pool, marks, fills, share, zero_profit):
    """A sale: the held part, split where parts of it are left out, then the excess."""
    qty = load(events.qty, i)
    held = load(pool, POOL_QTY)
    usd, native = load(events.usd, i), load(events.native, i)
    reason = COUNTED_IN
    if not flag_at(events.has_usd, i):
        usd = NOTHING
        reason = NOT_PRICED
    elif not share and not is_zero(load(pool, POOL_ESTIMATED)):
        reason = ESTIMATED_COST
    if not flag_at(events.has_native, i):
        native = NOTHING
    put(marks, FILL_NO, 0)
    if at(marks, OPEN) == 1:
        put(marks, SALES, 1)
        if flag_at(events.has_usd, i):
            _increase(pool, TRADE_SOLD, usd)
            put(marks, SALES_PRICED, 1)
        else:
            put(marks, UNPRICED_SALE, 1)
        if flag_at(events.is_wash_like, i):
            put(marks, WASH_LIKE, 1)
    if compare(qty, held) <= 0:
        _sell_held(events, i, pool, marks, fills, qty, usd, native, reason, share)
        return
    held_usd, held_native = NOTHING, NOTHING
    if not is_zero(held):
        held_usd, held_native = share_of(usd, held, qty), share_of(native, held, qty)
        _sell_held(events, i, pool, marks, fills, held, held_usd, held_native, reason, share)
    _oversell(
        events,
        i,
        pool,
        marks,
        fills,
        subtract(qty, held),
        subtract(usd, held_usd),
        subtract(native, held_native),
        reason,
        zero_profit,
    )


@kernel_part
def _oversell(events, i, pool, marks, fills, qty, usd, native, reason, zero_profit):
    """The excess over what was held: at zero profit its proceeds are its cost."""
    priced = zero_profit and reason != NOT_PRICED
    if priced:
        store(pool, PART_COST, usd)
        store(pool, PART_COST_NATIVE, native)
    if not zero_profit:
        put(marks, UNKNOWN_SEEN, 1)
    why = OVERSOLD if reason == COUNTED_IN else reason
    has_native = priced and flag_at(events.has_native, i)
    _fill(events, i, pool, marks, fills, qty, usd, native, why, priced, has_native)


@kernel_part
def _sell_held(events, i, pool, marks, fills, qty, usd, native, reason, share):
    """Sell units that are held: those of unknown cost, the estimated share, then the rest."""
    _take_out(pool, qty)
    unknown, estimated = load(pool, OUT_UNKNOWN), load(pool, OUT_ESTIMATED)
    store(pool, PART_QTY, qty)
    store(pool, PART_USD, usd)
    store(pool, PART_NATIVE, native)
    if not is_zero(unknown):
        why = UNKNOWN_COST if reason == COUNTED_IN else reason
        _sell_part(events, i, pool, marks, fills, unknown, why, False)
    if share and reason == COUNTED_IN and not is_zero(estimated):
        _sell_part(events, i, pool, marks, fills, estimated, ESTIMATED_COST, True)
    rest = load(pool, PART_QTY)
    if not is_zero(rest):
        usd, native = load(pool, PART_USD), load(pool, PART_NATIVE)
        native_known = at(marks, NATIVE_KNOWN) == 1
        _fill(events, i, pool, marks, fills, rest, usd, native, reason, True, native_known)


@rare_part
def _sell_part(events, i, pool, marks, fills, qty, reason, has_cost):
    """Write a part of the sale as its own fill, with its share of what is still unsplit."""
    whole = load(pool, PART_QTY)
    usd, native = load(pool, PART_USD), load(pool, PART_NATIVE)
    part_usd, part_native = share_of(usd, qty, whole), share_of(native, qty, whole)
    cost, cost_native = load(pool, PART_COST), load(pool, PART_COST_NATIVE)
    part_cost, part_cost_native = NOTHING, NOTHING
    if has_cost:
        part_cost, part_cost_native = share_of(cost, qty, whole), share_of(cost_native, qty, whole)
        store(pool, PART_COST, part_cost)
        store(pool, PART_COST_NATIVE, part_cost_native)
    native_known = has_cost and at(marks, NATIVE_KNOWN) == 1
    _fill(events, i, pool, marks, fills, qty, part_usd, part_native, reason, has_cost, native_known)
    store(pool, PART_QTY, subtract(whole, qty))
    store(pool, PART_USD, subtract(usd, part_usd))
    store(pool, PART_NATIVE, subtract(native, part_native))
    store(pool, PART_COST, subtract(cost, part_cost))
    store(pool, PART_COST_NATIVE, subtract(cost_native, part_cost_native))


@kernel_part
def _is_below(pool, has_value, value, qty, limit):
    """Whether what is held is worth less than the limit at value ÷ qty, exactly."""
    held = load(pool, POOL_QTY)
    if is_zero(held):
        return True
    return has_value and compare_products(held, value, limit, qty) < 0


@kernel_part
def _after_sale(events, i, pool, marks, trades, share, close_below):
    if at(marks, OPEN) == 1 and _is_below(
        pool, flag_at(events.has_usd, i), load(events.usd, i), load(events.qty, i), close_below
    ):
        _close_trade(events, i, pool, marks, trades, False, share, close_below)
        store(pool, POOL_ESTIMATED, NOTHING)


@rare_part
def _transfer_out(events, i, pool, marks, trades, share, close_below):
    qty, held = load(events.qty, i), load(pool, POOL_QTY)
    if compare(qty, held) > 0:
        qty = held
    if not is_zero(qty):
        _take_out(pool, qty)
    has_tick = flag_at(events.has_tick, i)
    tick_usd, tick_qty = load(events.tick_usd, i), load(events.tick_qty, i)
    if at(marks, OPEN) == 1 and _is_below(pool, has_tick, tick_usd, tick_qty, close_below):
        _close_trade(events, i, pool, marks, trades, True, share, close_below)


@rare_part
def _start_position(pool, marks):
    for cell in range(AMOUNTS):
        store(pool, cell, NOTHING)
    put(marks, NATIVE_KNOWN, 1)
    put(marks, OPEN, 0)
    put(marks, TRADE_NO, 0)


@rare_part
def _end_position(position_id, n, pool, marks, positions):
    put(positions.position_id, n, position_id)
    store(positions.qty, n, load(pool, POOL_QTY))
    store(positions.usd, n, load(pool, POOL_USD))
    store(positions.native, n, load(pool, POOL_NATIVE))
    unknown = load(pool, POOL_UNKNOWN)
    put_byte(positions.has_native, n, at(marks, NATIVE_KNOWN) == 1 and is_zero(unknown))
    store(positions.estimated, n, load(pool, POOL_ESTIMATED))
    store(positions.unknown, n, unknown)


@compiled
def replay_average(rows, events, choices, close_below, marks, pool, fills, positions, trades):
    """Replay every event in order.

    Args:
        rows: how many events.
        events: addresses of an `Events`.
        choices: five bools: transfers move units, transfers in are estimated, unpriced buys are
            estimated, only the estimated share of a sale is left out, the excess sells at zero
            profit.
        close_below: the closing threshold in 1e-9 dollar, a limb tuple.
        marks: address of `MARKS` int64 zeros; ROW is left at the event that raised.
        pool: address of `AMOUNTS` limbs.
        fills: addresses of room for the fills.
        positions: addresses of one row per position.
        trades: addresses of room for the closed trades.

    Returns:
        The numbers of fills and of closed trades.
    """
    moves, in_estimated, unpriced_estimated, share, zero_profit = choices
    n_positions = 0
    last = rows - 1
    for i in range(rows):
        put(marks, ROW, i)
        position_id = at(events.position_id, i)
        if i == 0 or at(events.position_id, i - 1) != position_id:
            _start_position(pool, marks)
        kind = byte_at(events.kind, i)
        if kind == BUY:
            _buy(events, i, pool, marks, unpriced_estimated)
        elif kind == SELL:
            _sell(events, i, pool, marks, fills, share, zero_profit)
            _after_sale(events, i, pool, marks, trades, share, close_below)
        elif moves and kind == TRANSFER_IN:
            _enter(events, i, pool, marks, False, in_estimated)
        elif moves:
            _transfer_out(events, i, pool, marks, trades, share, close_below)
        put(marks, NATIVE_KNOWN, at(marks, NATIVE_KNOWN) | is_zero(load(pool, POOL_QTY)))
        if i == last or at(events.position_id, i + 1) != position_id:
            _end_position(position_id, n_positions, pool, marks, positions)
            n_positions += 1
    return at(marks, N_FILLS), at(marks, N_TRADES)
