"""Between plain events with integers and the Arrow tables of the kernel."""

from decimal import Context, Decimal

import pyarrow as pa

from dagster_project.lib.replay.events import KINDS, SCHEMA

_WIDE = Context(prec=60)


def _decimal(value, scale):
    return None if value is None else Decimal(value).scaleb(-scale, _WIDE)


def as_table(events):
    """Write events as the kernel's input."""
    rows = [
        {
            "position_id": e.position_id,
            "event_id": e.event_id,
            "kind": KINDS.index(e.kind),
            "block_time_s": e.time_s,
            "qty_raw": _decimal(e.qty, 0),
            "value_usd": _decimal(e.usd, 9),
            "value_native_raw": _decimal(e.native, 0),
            "is_wash_like": e.wash,
            "tick_value_usd": _decimal(e.tick_usd, 9),
            "tick_qty_raw": None if e.tick_usd is None else _decimal(e.tick_qty, 0),
        }
        for e in events
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


# The columns and their order are a contract with the models, so they are written out here.
FILLS = """position_id event_id fill_no lot_event_id qty_raw proceeds_usd cost_usd realized_usd
proceeds_native_raw cost_native_raw realized_native_raw cost_known left_out_reason"""
LOTS = """position_id event_id qty_raw cost_usd cost_native_raw cost_known
qty_left_raw cost_left_usd cost_left_native_raw"""
POSITIONS = """position_id open_qty_raw open_cost_usd open_cost_native_raw
estimated_qty_raw unknown_cost_qty_raw"""
CLOSED_TRADES = """position_id number opened_event_id closed_event_id opened_at_s closed_at_s
bought_usd sold_usd profit_usd outcome counted not_counted_reason hold_s"""
ORDER = {
    name: tuple(columns.split())
    for name, columns in {
        "fills": FILLS,
        "lots": LOTS,
        "positions": POSITIONS,
        "closed_trades": CLOSED_TRADES,
    }.items()
}


def _integer(value):
    """A decimal as its integer of the column's smallest step; anything else as it is."""
    if not isinstance(value, Decimal):
        return value
    return int(value.scaleb(-value.as_tuple().exponent, _WIDE))


def as_tuples(name, table):
    """Read an output table as tuples in the order of `ORDER`, amounts as integers."""
    assert tuple(table.column_names) == ORDER[name]
    columns = [[_integer(v) for v in table.column(c).to_pylist()] for c in ORDER[name]]
    return list(zip(*columns, strict=True))
