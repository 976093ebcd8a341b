"""The kernel's output: arrays that the kernels fill, and the Arrow tables made of them."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from dagster_project.lib import exact
from dagster_project.lib.exact import compiled
from dagster_project.lib.replay.memory import put_anywhere

# Bits of Fills.flags: which figures are known.
HAS_PROCEEDS_USD, HAS_COST_USD, HAS_REALIZED_USD = 1, 2, 4
HAS_PROCEEDS_NATIVE, HAS_COST_NATIVE, HAS_REALIZED_NATIVE = 8, 16, 32
COST_KNOWN = 64

LEFT_OUT_REASONS = (
    None,
    "not_priced",
    "estimated_cost",
    "unknown_cost",
    "no_usd_price",
    "oversold",
)
COUNTED_IN, NOT_PRICED, ESTIMATED_COST, UNKNOWN_COST, NO_USD_PRICE, OVERSOLD = range(6)

OUTCOMES = ("closed", "transferred_away")
NOT_COUNTED_REASONS = (
    None,
    "transferred_away",
    "estimated_cost",
    "unknown_cost",
    "not_priced",
    "wash_like",
    "small",
)


class Fills(NamedTuple):
    """Rows of fills; amounts as limbs, `flags` their validity, `lot_event_id` -1 without a lot."""

    position_id: np.ndarray
    event_id: np.ndarray
    fill_no: np.ndarray
    lot_event_id: np.ndarray
    qty: np.ndarray
    proceeds_usd: np.ndarray
    cost_usd: np.ndarray
    realized_usd: np.ndarray
    proceeds_native: np.ndarray
    cost_native: np.ndarray
    realized_native: np.ndarray
    flags: np.ndarray
    reason: np.ndarray


class Lots(NamedTuple):
    """Rows of lots; amounts as limbs, each side of the cost with its validity."""

    position_id: np.ndarray
    event_id: np.ndarray
    qty: np.ndarray
    usd: np.ndarray
    has_usd: np.ndarray
    native: np.ndarray
    has_native: np.ndarray
    cost_known: np.ndarray
    qty_left: np.ndarray
    usd_left: np.ndarray
    native_left: np.ndarray


class Positions(NamedTuple):
    """Rows of positions; amounts as limbs."""

    position_id: np.ndarray
    qty: np.ndarray
    usd: np.ndarray
    native: np.ndarray
    has_native: np.ndarray
    estimated: np.ndarray
    unknown: np.ndarray


class Trades(NamedTuple):
    """Rows of closed trades; amounts as limbs, each with its validity."""

    position_id: np.ndarray
    number: np.ndarray
    opened_event_id: np.ndarray
    closed_event_id: np.ndarray
    opened_at_s: np.ndarray
    closed_at_s: np.ndarray
    bought: np.ndarray
    has_bought: np.ndarray
    sold: np.ndarray
    has_sold: np.ndarray
    profit: np.ndarray
    has_profit: np.ndarray
    outcome: np.ndarray
    reason: np.ndarray


def _column(rows, kind):
    """Room for a column, from Arrow's pool: what a replay frees, the next one takes warm.

    The columns are sized for the worst case; memory is spent only where rows are written.
    """
    return np.frombuffer(pa.allocate_buffer(max(rows, 1) * np.dtype(kind).itemsize), kind)[:rows]


def _amounts(rows):
    return _column(2 * rows, np.uint64).reshape(rows, 2)


def new_fills(rows: int) -> Fills:
    """Room for at most so many fills."""
    return Fills(
        _column(rows, np.int64),
        _column(rows, np.int64),
        _column(rows, np.int32),
        _column(rows, np.int64),
        *(_amounts(rows) for _ in range(7)),
        _column(rows, np.uint8),
        _column(rows, np.int8),
    )


def new_lots(rows: int) -> Lots:
    """Room for at most so many lots."""
    return Lots(
        _column(rows, np.int64),
        _column(rows, np.int64),
        _amounts(rows),
        _amounts(rows),
        _column(rows, np.bool_),
        _amounts(rows),
        _column(rows, np.bool_),
        _column(rows, np.bool_),
        _amounts(rows),
        _amounts(rows),
        _amounts(rows),
    )


def new_positions(rows: int) -> Positions:
    """Room for so many positions."""
    return Positions(
        _column(rows, np.int64),
        _amounts(rows),
        _amounts(rows),
        _amounts(rows),
        _column(rows, np.bool_),
        _amounts(rows),
        _amounts(rows),
    )


def new_trades(rows: int) -> Trades:
    """Room for at most so many closed trades."""
    return Trades(
        _column(rows, np.int64),
        _column(rows, np.int32),
        _column(rows, np.int64),
        _column(rows, np.int64),
        _column(rows, np.int64),
        _column(rows, np.int64),
        _amounts(rows),
        _column(rows, np.bool_),
        _amounts(rows),
        _column(rows, np.bool_),
        _amounts(rows),
        _column(rows, np.bool_),
        _column(rows, np.int8),
        _column(rows, np.int8),
    )


# No word is longer. Writing as many letters every time costs less than asking how many there are.
_LETTERS = 16


@compiled
def _spell(codes, words, lengths, offsets, data):
    """Write the word of each code where the one before ends; offsets[0] is 0."""
    end = 0
    for i in range(len(codes)):
        code = np.uint8(codes[i])
        put_anywhere(data + end, 0, words[code, 0])
        put_anywhere(data + end, 1, words[code, 1])
        end += lengths[code]
        offsets[i + 1] = end


def _text(codes, names):
    """Turn codes into their names; code 0 of a list that starts with None is null."""
    words = [(name or "").encode() for name in names]
    lengths = np.array([len(word) for word in words])
    size = sum(np.count_nonzero(codes == code) * len(word) for code, word in enumerate(words))
    if size >= 1 << 31:
        raise ValueError("more than 2 GiB of words in one column; replay the events in parts")
    offsets, data = _column(len(codes) + 1, np.int32), _column(size + _LETTERS, np.uint8)
    offsets[0] = 0
    padded = b"".join(word.ljust(_LETTERS, b"\0") for word in words)
    letters = np.frombuffer(padded, np.uint64).reshape(-1, 2)
    _spell(codes, letters, lengths, offsets, data.ctypes.data)
    known = None if names[0] else exact.bitmap(codes > 0)
    buffers = [known, pa.py_buffer(offsets), pa.py_buffer(data[:size])]
    return pa.Array.from_buffers(pa.string(), len(codes), buffers)


_USD, _RAW = pa.decimal128(38, 9), pa.decimal128(38, 0)
FILLS = pa.schema(
    [
        ("position_id", pa.int64()),
        ("event_id", pa.int64()),
        ("fill_no", pa.int32()),
        ("lot_event_id", pa.int64()),
        ("qty_raw", _RAW),
        ("proceeds_usd", _USD),
        ("cost_usd", _USD),
        ("realized_usd", _USD),
        ("proceeds_native_raw", _RAW),
        ("cost_native_raw", _RAW),
        ("realized_native_raw", _RAW),
        ("cost_known", pa.bool_()),
        ("left_out_reason", pa.string()),
    ]
)
LOTS = pa.schema(
    [
        ("position_id", pa.int64()),
        ("event_id", pa.int64()),
        ("qty_raw", _RAW),
        ("cost_usd", _USD),
        ("cost_native_raw", _RAW),
        ("cost_known", pa.bool_()),
        ("qty_left_raw", _RAW),
        ("cost_left_usd", _USD),
        ("cost_left_native_raw", _RAW),
    ]
)
POSITIONS = pa.schema(
    [
        ("position_id", pa.int64()),
        ("open_qty_raw", _RAW),
        ("open_cost_usd", _USD),
        ("open_cost_native_raw", _RAW),
        ("estimated_qty_raw", _RAW),
        ("unknown_cost_qty_raw", _RAW),
    ]
)
CLOSED_TRADES = pa.schema(
    [
        ("position_id", pa.int64()),
        ("number", pa.int32()),
        ("opened_event_id", pa.int64()),
        ("closed_event_id", pa.int64()),
        ("opened_at_s", pa.int64()),
        ("closed_at_s", pa.int64()),
        ("bought_usd", _USD),
        ("sold_usd", _USD),
        ("profit_usd", _USD),
        ("outcome", pa.string()),
        ("counted", pa.bool_()),
        ("not_counted_reason", pa.string()),
        ("hold_s", pa.int64()),
    ]
)


def fills_table(fills: Fills, rows: int) -> pa.Table:
    """The first `rows` fills as a table of `FILLS`."""
    flags = fills.flags[:rows]
    lot = fills.lot_event_id[:rows]

    def amount(values, scale, bit):
        return exact.decimals(values[:rows], scale, (flags & bit) != 0)

    columns = [
        exact.integers(fills.position_id[:rows]),
        exact.integers(fills.event_id[:rows]),
        exact.integers(fills.fill_no[:rows]),
        exact.integers(lot, lot >= 0),
        exact.decimals(fills.qty[:rows], 0),
        amount(fills.proceeds_usd, 9, HAS_PROCEEDS_USD),
        amount(fills.cost_usd, 9, HAS_COST_USD),
        amount(fills.realized_usd, 9, HAS_REALIZED_USD),
        amount(fills.proceeds_native, 0, HAS_PROCEEDS_NATIVE),
        amount(fills.cost_native, 0, HAS_COST_NATIVE),
        amount(fills.realized_native, 0, HAS_REALIZED_NATIVE),
        exact.booleans((flags & COST_KNOWN) != 0),
        _text(fills.reason[:rows], LEFT_OUT_REASONS),
    ]
    return pa.Table.from_arrays(columns, schema=FILLS)


def lots_table(lots: Lots, rows: int) -> pa.Table:
    """The first `rows` lots as a table of `LOTS`."""
    has_usd, has_native = lots.has_usd[:rows], lots.has_native[:rows]
    columns = [
        exact.integers(lots.position_id[:rows]),
        exact.integers(lots.event_id[:rows]),
        exact.decimals(lots.qty[:rows], 0),
        exact.decimals(lots.usd[:rows], 9, has_usd),
        exact.decimals(lots.native[:rows], 0, has_native),
        exact.booleans(lots.cost_known[:rows]),
        exact.decimals(lots.qty_left[:rows], 0),
        exact.decimals(lots.usd_left[:rows], 9, has_usd),
        exact.decimals(lots.native_left[:rows], 0, has_native),
    ]
    return pa.Table.from_arrays(columns, schema=LOTS)


def positions_table(positions: Positions) -> pa.Table:
    """All positions as a table of `POSITIONS`."""
    columns = [
        exact.integers(positions.position_id),
        exact.decimals(positions.qty, 0),
        exact.decimals(positions.usd, 9),
        exact.decimals(positions.native, 0, positions.has_native),
        exact.decimals(positions.estimated, 0),
        exact.decimals(positions.unknown, 0),
    ]
    return pa.Table.from_arrays(columns, schema=POSITIONS)


def trades_table(trades: Trades, rows: int) -> pa.Table:
    """The first `rows` closed trades as a table of `CLOSED_TRADES`."""
    opened, closed = trades.opened_at_s[:rows], trades.closed_at_s[:rows]
    reason = trades.reason[:rows]
    columns = [
        exact.integers(trades.position_id[:rows]),
        exact.integers(trades.number[:rows]),
        exact.integers(trades.opened_event_id[:rows]),
        exact.integers(trades.closed_event_id[:rows]),
        exact.integers(opened),
        exact.integers(closed),
        exact.decimals(trades.bought[:rows], 9, trades.has_bought[:rows]),
        exact.decimals(trades.sold[:rows], 9, trades.has_sold[:rows]),
        exact.decimals(trades.profit[:rows], 9, trades.has_profit[:rows]),
        _text(trades.outcome[:rows], OUTCOMES),
        exact.booleans(reason == 0),
        _text(reason, NOT_COUNTED_REASONS),
        exact.integers(closed - opened),
    ]
    return pa.Table.from_arrays(columns, schema=CLOSED_TRADES)
