"""Replay of all methods: the tables that the replay step writes (pure, no I/O)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from dagster_project.lib.replay import tables
from dagster_project.lib.replay.axes import ReplayAxes
from dagster_project.lib.replay.errors import ReplayInputError
from dagster_project.lib.replay.events import KINDS, SCHEMA
from dagster_project.lib.replay.kernel import replay

METHOD = pa.field("method", pa.string())
SCHEMAS = {
    name: pa.schema([METHOD, *schema])
    for name, schema in (
        ("fills", tables.FILLS),
        ("lots", tables.LOTS),
        ("positions", tables.POSITIONS),
        ("closed_trades", tables.CLOSED_TRADES),
    )
}


def _events_of(events: pa.Table, method: str) -> pa.Table:
    """The rows of one method, as a view: they stand together."""
    column = events.column("method")
    first = pc.index(column, pa.scalar(method, column.type)).as_py()
    if first < 0:
        return events.slice(0, 0)
    rows = pc.sum(pc.equal(column, method)).as_py()
    part = events.slice(first, rows)
    if not pc.all(pc.equal(part.column("method"), method)).as_py():
        raise ReplayInputError(f"events of method {method} do not stand together; sort them")
    return part


def _with_kind_codes(events: pa.Table) -> pa.Table:
    """Replace the names of the kinds by the kernel's codes."""
    names = events.column("kind").cast(pa.string())
    codes = pc.index_in(names, value_set=pa.array(KINDS)).cast(pa.int8())
    if codes.null_count:
        wrong = pc.unique(names.filter(pc.is_null(codes))).to_pylist()
        raise ReplayInputError(f"events.kind: {wrong[0]!r} is not one of {', '.join(KINDS)}")
    return events.set_column(events.column_names.index("kind"), "kind", codes)


def _check_methods(events: pa.Table, axes: Mapping[str, ReplayAxes]) -> None:
    replaying = {method for method, choices in axes.items() if choices.replays}
    for method in pc.unique(events.column("method")).to_pylist():
        if method not in replaying:
            raise ReplayInputError(f"events of method {method!r}, which no row of methods replays")


def replay_all(events: pa.Table, methods: Sequence[Mapping[str, Any]]) -> dict[str, pa.Table]:
    """Replay every method that replays, one after the other.

    Args:
        events: `method` and the columns of `events.SCHEMA`, with `kind` by name; ordered by
            (method, position_id, event_id). Other columns are not looked at.
        methods: rows of the methods table; `ReplayAxes.from_row` reads them.

    Returns:
        `fills`, `lots`, `positions` and `closed_trades`, always all four, with a leading
        `method` column, in the order of `SCHEMAS` and of the methods by name.

    Raises:
        ReplayInputError: unsorted, incomplete or unexpected events.
        ReplayOverflow: an amount passes 38 digits.
    """
    axes = {row["method"]: ReplayAxes.from_row(row) for row in methods}
    _check_methods(events, axes)
    parts: dict[str, list[pa.Table]] = {name: [] for name in SCHEMAS}
    for method in sorted(axes):
        if not axes[method].replays:
            continue
        rows = _events_of(events, method).select([field.name for field in SCHEMA])
        result = replay(_with_kind_codes(rows), axes[method])
        for name, tables_so_far in parts.items():
            tables_so_far.append(_with_method(getattr(result, name), method))
    return {name: _joined(parts[name], schema) for name, schema in SCHEMAS.items()}


def _with_method(table: pa.Table, method: str) -> pa.Table:
    return table.add_column(0, METHOD, pa.repeat(pa.scalar(method, METHOD.type), len(table)))


def _joined(parts: Iterable[pa.Table], schema: pa.Schema) -> pa.Table:
    return pa.concat_tables([schema.empty_table(), *parts])
