"""Replay with a moving average: one pool of units and cost per position (METHODS 3.1 and 6).

The pool's cost belongs to its units of known and of estimated cost; units of unknown cost lie in
it without any. Units that leave take their share of each, rounded half to even from what is left,
and the last units take the rest: cost in = cost out + cost left, exactly.
"""

import numpy as np

from dagster_project.lib.exact import (
    NOTHING,
    add,
    compare,
    compare_products,
    compiled,
    is_zero,
    load,
    share_of,
    store,
    subtract,
)
from dagster_project.lib.replay.events import BUY, SELL, TRANSFER_IN
from dagster_project.lib.replay.tables import (
    COST_KNOWN,
    COST_NATIVE,
    COST_USD,
    COUNTED_IN,
    ESTIMATED_COST,
    HAS_COST_NATIVE,
    HAS_COST_USD,
    HAS_PROCEEDS_NATIVE,
    HAS_PROCEEDS_USD,
    HAS_REALIZED_NATIVE,
    HAS_REALIZED_USD,
    NOT_PRICED,
    OVERSOLD,
    PROCEEDS_NATIVE,
    PROCEEDS_USD,
    QTY,
    REALIZED_NATIVE,
    REALIZED_USD,
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


@compiled
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


@compiled
def _put(pool, cell, amount):
    store(pool, cell, add(load(pool, cell), amount))


@compiled
def _enter(events, i, pool, marks, has_value, as_estimated):
    """Units arrive: at their value, else as estimated with what value there is, else unknown."""
    qty = load(events.qty, i)
    _put(pool, POOL_QTY, qty)
    if has_value or as_estimated:
        if events.has_usd[i]:
            _put(pool, POOL_USD, load(events.usd, i))
        if events.has_native[i]:
            _put(pool, POOL_NATIVE, load(events.native, i))
        elif has_value:
            marks[NATIVE_KNOWN] = 0
        if not has_value:
            _put(pool, POOL_ESTIMATED, qty)
            marks[TAINTED] = 1
    else:
        _put(pool, POOL_UNKNOWN, qty)
        marks[UNKNOWN_SEEN] = 1


@compiled
def _buy(events, i, pool, marks, unpriced_estimated):
    priced = events.has_usd[i]
    _enter(events, i, pool, marks, priced, unpriced_estimated)
    if marks[OPEN] == 0:
        _open_trade(pool, marks, i)
    if priced:
        _put(pool, TRADE_BOUGHT, load(events.usd, i))
        marks[BUYS_PRICED] = 1
    if events.is_wash_like[i]:
        marks[WASH_LIKE] = 1


@compiled
def _open_trade(pool, marks, i):
    marks[OPEN] = 1
    marks[OPENED_ROW] = i
    marks[TAINTED] = not is_zero(load(pool, POOL_ESTIMATED))
    marks[UNKNOWN_SEEN] = not is_zero(load(pool, POOL_UNKNOWN))
    marks[UNPRICED_SALE] = 0
    marks[WASH_LIKE] = 0
    marks[BUYS_PRICED] = 0
    marks[SALES] = 0
    marks[SALES_PRICED] = 0
    marks[SALES_KNOWN] = 0
    for cell in (TRADE_BOUGHT, TRADE_SOLD, TRADE_PROFIT):
        store(pool, cell, NOTHING)


@compiled
def _close_trade(events, i, pool, marks, trades, transferred_away, share, close_below):
    """Write the open trade as ended by event i."""
    n = marks[N_TRADES]
    first = marks[OPENED_ROW]
    marks[TRADE_NO] += 1
    trades.position_id[n] = events.position_id[i]
    trades.number[n] = marks[TRADE_NO]
    trades.opened_event_id[n] = events.event_id[first]
    trades.closed_event_id[n] = events.event_id[i]
    trades.opened_at_s[n] = events.time_s[first]
    trades.closed_at_s[n] = events.time_s[i]
    bought = load(pool, TRADE_BOUGHT)
    store(trades.bought, n, bought)
    store(trades.sold, n, load(pool, TRADE_SOLD))
    store(trades.profit, n, load(pool, TRADE_PROFIT))
    trades.has_bought[n] = marks[BUYS_PRICED] == 1
    trades.has_sold[n] = marks[SALES] == 0 or marks[SALES_PRICED] == 1
    trades.has_profit[n] = marks[SALES] == 0 or marks[SALES_KNOWN] == 1
    trades.outcome[n] = 1 if transferred_away else 0
    # The order of the tests is the precedence of the reasons, numbered as NOT_COUNTED_REASONS.
    reason = 0
    if transferred_away:
        reason = 1
    elif marks[TAINTED] == 1 and not share:
        reason = 2
    elif marks[UNKNOWN_SEEN] == 1:
        reason = 3
    elif marks[UNPRICED_SALE] == 1:
        reason = 4
    elif marks[WASH_LIKE] == 1:
        reason = 5
    elif compare(bought, close_below) < 0:
        reason = 6
    trades.reason[n] = reason
    marks[N_TRADES] = n + 1
    marks[OPEN] = 0


@compiled
def _fill(events, i, pool, marks, fills, qty, usd, native, reason, has_cost):
    """Write one fill; its cost stands in PART_COST when it has one."""
    n = marks[N_FILLS]
    fills.position_id[n] = events.position_id[i]
    fills.event_id[n] = events.event_id[i]
    fills.fill_no[n] = marks[FILL_NO]
    fills.lot_event_id[n] = -1
    store(fills.amounts[QTY], n, qty)
    fills.reason[n] = reason
    flags = 0
    if has_cost and reason <= NOT_PRICED:
        flags = COST_KNOWN
    realizes = reason == COUNTED_IN
    cost = load(pool, PART_COST)
    if has_cost:
        flags |= HAS_COST_USD
        store(fills.amounts[COST_USD], n, cost)
    if events.has_usd[i]:
        flags |= HAS_PROCEEDS_USD
        store(fills.amounts[PROCEEDS_USD], n, usd)
        if realizes:
            flags |= HAS_REALIZED_USD
            realized = subtract(usd, cost)
            store(fills.amounts[REALIZED_USD], n, realized)
            _put(pool, TRADE_PROFIT, realized)
            marks[SALES_KNOWN] = 1
    fills.flags[n] = flags | _fill_native(events, i, pool, marks, fills, native, has_cost, realizes)
    marks[N_FILLS] = n + 1
    marks[FILL_NO] += 1


@compiled
def _fill_native(events, i, pool, marks, fills, native, has_cost, realizes):
    """Write the native side of the fill that _fill writes; returns its flags."""
    n = marks[N_FILLS]
    flags = 0
    cost = load(pool, PART_COST_NATIVE)
    known = has_cost and marks[NATIVE_KNOWN] == 1
    if known:
        flags |= HAS_COST_NATIVE
        store(fills.amounts[COST_NATIVE], n, cost)
    if events.has_native[i]:
        flags |= HAS_PROCEEDS_NATIVE
        store(fills.amounts[PROCEEDS_NATIVE], n, native)
        if known and realizes:
            flags |= HAS_REALIZED_NATIVE
            store(fills.amounts[REALIZED_NATIVE], n, subtract(native, cost))
    return flags


@compiled
def _sell(events, i, pool, marks, fills, share, zero_profit):
    """A sale: the held part, split where parts of it are left out, then the excess."""
    qty = load(events.qty, i)
    held = load(pool, POOL_QTY)
    usd, native = load(events.usd, i), load(events.native, i)
    reason = COUNTED_IN
    if not events.has_usd[i]:
        usd = NOTHING
        reason = NOT_PRICED
    elif not share and not is_zero(load(pool, POOL_ESTIMATED)):
        reason = ESTIMATED_COST
    if not events.has_native[i]:
        native = NOTHING
    marks[FILL_NO] = 0
    if marks[OPEN] == 1:
        marks[SALES] = 1
        if events.has_usd[i]:
            _put(pool, TRADE_SOLD, usd)
            marks[SALES_PRICED] = 1
        else:
            marks[UNPRICED_SALE] = 1
        if events.is_wash_like[i]:
            marks[WASH_LIKE] = 1
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


@compiled
def _oversell(events, i, pool, marks, fills, qty, usd, native, reason, zero_profit):
    """The excess over what was held: at zero profit its proceeds are its cost."""
    cost_native_known = marks[NATIVE_KNOWN]
    if reason == COUNTED_IN:
        reason = OVERSOLD
    if zero_profit:
        store(pool, PART_COST, usd)
        store(pool, PART_COST_NATIVE, native)
        marks[NATIVE_KNOWN] = events.has_native[i]
    else:
        marks[UNKNOWN_SEEN] = 1
    n = marks[N_FILLS]
    _fill(
        events, i, pool, marks, fills, qty, usd, native, reason, zero_profit and events.has_usd[i]
    )
    marks[NATIVE_KNOWN] = cost_native_known
    if zero_profit and reason == OVERSOLD:
        store(fills.amounts[REALIZED_USD], n, NOTHING)
        fills.flags[n] |= HAS_REALIZED_USD
        marks[SALES_KNOWN] = 1
        if events.has_native[i]:
            store(fills.amounts[REALIZED_NATIVE], n, NOTHING)
            fills.flags[n] |= HAS_REALIZED_NATIVE


@compiled
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
        _sell_part(events, i, pool, marks, fills, rest, reason, True)


@compiled
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
    _fill(events, i, pool, marks, fills, qty, part_usd, part_native, reason, has_cost)
    store(pool, PART_QTY, subtract(whole, qty))
    store(pool, PART_USD, subtract(usd, part_usd))
    store(pool, PART_NATIVE, subtract(native, part_native))
    store(pool, PART_COST, subtract(cost, part_cost))
    store(pool, PART_COST_NATIVE, subtract(cost_native, part_cost_native))


@compiled
def _is_below(pool, has_value, value, qty, limit):
    """Whether what is held is worth less than the limit at value ÷ qty, exactly."""
    held = load(pool, POOL_QTY)
    if is_zero(held):
        return True
    return has_value and compare_products(held, value, limit, qty) < 0


@compiled
def _after_sale(events, i, pool, marks, trades, share, close_below):
    if marks[OPEN] == 1 and _is_below(
        pool, events.has_usd[i], load(events.usd, i), load(events.qty, i), close_below
    ):
        _close_trade(events, i, pool, marks, trades, False, share, close_below)
        store(pool, POOL_ESTIMATED, NOTHING)


@compiled
def _transfer_out(events, i, pool, marks, trades, share, close_below):
    qty, held = load(events.qty, i), load(pool, POOL_QTY)
    if compare(qty, held) > 0:
        qty = held
    if not is_zero(qty):
        _take_out(pool, qty)
    if marks[OPEN] == 1 and _is_below(
        pool, events.has_tick[i], load(events.tick_usd, i), load(events.tick_qty, i), close_below
    ):
        _close_trade(events, i, pool, marks, trades, True, share, close_below)


@compiled
def _start_position(pool, marks):
    for cell in range(AMOUNTS):
        store(pool, cell, NOTHING)
    marks[NATIVE_KNOWN] = 1
    marks[OPEN] = 0
    marks[TRADE_NO] = 0


@compiled
def _end_position(position_id, n, pool, marks, positions):
    positions.position_id[n] = position_id
    store(positions.qty, n, load(pool, POOL_QTY))
    store(positions.usd, n, load(pool, POOL_USD))
    store(positions.native, n, load(pool, POOL_NATIVE))
    unknown = load(pool, POOL_UNKNOWN)
    positions.has_native[n] = marks[NATIVE_KNOWN] == 1 and is_zero(unknown)
    store(positions.estimated, n, load(pool, POOL_ESTIMATED))
    store(positions.unknown, n, unknown)


@compiled
def replay_average(events, choices, close_below, marks, fills, positions, trades):
    """Replay every event in order.

    Args:
        events: an `Events`.
        choices: five bools: transfers move units, transfers in are estimated, unpriced buys are
            estimated, only the estimated share of a sale is left out, the excess sells at zero
            profit.
        close_below: the closing threshold in 1e-9 dollar, a limb tuple.
        marks: int64 cells; ROW is left at the event that raised.
        fills: room for the fills.
        positions: one row per position.
        trades: room for the closed trades.

    Returns:
        The numbers of fills and of closed trades.
    """
    moves, in_estimated, unpriced_estimated, share, zero_profit = choices
    pool = np.zeros((AMOUNTS, 2), np.uint64)
    n_positions = 0
    last = len(events.kind) - 1
    for i in range(last + 1):
        marks[ROW] = i
        position_id = events.position_id[i]
        if i == 0 or events.position_id[i - 1] != position_id:
            _start_position(pool, marks)
        kind = events.kind[i]
        if kind == BUY:
            _buy(events, i, pool, marks, unpriced_estimated)
        elif kind == SELL:
            _sell(events, i, pool, marks, fills, share, zero_profit)
            _after_sale(events, i, pool, marks, trades, share, close_below)
        elif moves and kind == TRANSFER_IN:
            _enter(events, i, pool, marks, False, in_estimated)
        elif moves:
            _transfer_out(events, i, pool, marks, trades, share, close_below)
        if is_zero(load(pool, POOL_QTY)):
            marks[NATIVE_KNOWN] = 1
        if i == last or events.position_id[i + 1] != position_id:
            _end_position(position_id, n_positions, pool, marks, positions)
            n_positions += 1
    return marks[N_FILLS], marks[N_TRADES]
