"""The kernel's input: one method's events as arrays, checked."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from dagster_project.lib import exact
from dagster_project.lib.replay.errors import ReplayInputError

KINDS = ("buy", "sell", "transfer_in", "transfer_out")
BUY, SELL, TRANSFER_IN, TRANSFER_OUT = range(4)

SCHEMA = pa.schema(
    [
        pa.field("position_id", pa.int64(), nullable=False),
        pa.field("event_id", pa.int64(), nullable=False),
        pa.field("kind", pa.int8(), nullable=False),
        pa.field("block_time_s", pa.int64(), nullable=False),
        pa.field("qty_raw", pa.decimal128(38, 0), nullable=False),
        pa.field("value_usd", pa.decimal128(38, 9)),
        pa.field("value_native_raw", pa.decimal128(38, 0)),
        pa.field("is_wash_like", pa.bool_(), nullable=False),
        pa.field("tick_value_usd", pa.decimal128(38, 9)),
        pa.field("tick_qty_raw", pa.decimal128(38, 0)),
    ]
)


class Events(NamedTuple):
    """Columns of equal length; amounts as limbs (n, 2), each nullable one with its validity."""

    position_id: np.ndarray
    event_id: np.ndarray
    kind: np.ndarray
    time_s: np.ndarray
    qty: np.ndarray
    usd: np.ndarray
    has_usd: np.ndarray
    native: np.ndarray
    has_native: np.ndarray
    is_wash_like: np.ndarray
    tick_usd: np.ndarray
    tick_qty: np.ndarray
    has_tick: np.ndarray


def _column(table: pa.Table, field: pa.Field) -> pa.Array:
    if field.name not in table.column_names:
        raise ReplayInputError(f"events: column {field.name} is missing")
    column = table.column(field.name)
    if column.type != field.type:
        raise ReplayInputError(f"events.{field.name}: expected {field.type}, got {column.type}")
    if not field.nullable and column.null_count:
        raise ReplayInputError(f"events.{field.name}: {column.null_count} rows have no value")
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def read_events(table: pa.Table) -> Events:
    """View a table of `SCHEMA`'s columns as the kernel's arrays.

    Raises:
        ReplayInputError: a column is missing, of another type or null where it must not be.
    """
    column = {field.name: _column(table, field) for field in SCHEMA}
    return Events(
        position_id=column["position_id"].to_numpy(),
        event_id=column["event_id"].to_numpy(),
        kind=column["kind"].to_numpy(),
        time_s=column["block_time_s"].to_numpy(),
        qty=exact.limbs(column["qty_raw"]),
        usd=exact.limbs(column["value_usd"]),
        has_usd=exact.validity(column["value_usd"]),
        native=exact.limbs(column["value_native_raw"]),
        has_native=exact.validity(column["value_native_raw"]),
        is_wash_like=exact.flags(column["is_wash_like"]),
        tick_usd=exact.limbs(column["tick_value_usd"]),
        tick_qty=exact.limbs(column["tick_qty_raw"]),
        has_tick=exact.validity(column["tick_value_usd"]) & exact.validity(column["tick_qty_raw"]),
    )
