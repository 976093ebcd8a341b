"""Writing fills, the same for lots and for the pool."""

from dagster_project.lib.exact import kernel_part, subtract
from dagster_project.lib.replay.memory import at, put, put_int32, store
from dagster_project.lib.replay.tables import (
    HAS_COST_NATIVE,
    HAS_COST_USD,
    HAS_PROCEEDS_NATIVE,
    HAS_PROCEEDS_USD,
    HAS_REALIZED_NATIVE,
    HAS_REALIZED_USD,
)

NO_LOT = -1


@kernel_part
def start_fill(events, i, fills, n, fill_no, lot_event_id, qty):
    """Write what fill n of event i is; its sides, flags and reason follow."""
    put(fills.position_id, n, at(events.position_id, i))
    put(fills.event_id, n, at(events.event_id, i))
    put_int32(fills.fill_no, n, fill_no)
    put(fills.lot_event_id, n, lot_event_id)
    store(fills.qty, n, qty)


@kernel_part
def usd_side(fills, n, has_proceeds, proceeds, has_cost, cost, realizes):
    """Write the dollars of fill n; returns the flags of what is known."""
    flags = 0
    if has_proceeds:
        flags |= HAS_PROCEEDS_USD
        store(fills.proceeds_usd, n, proceeds)
    if has_cost:
        flags |= HAS_COST_USD
        store(fills.cost_usd, n, cost)
    if realizes and has_proceeds and has_cost:
        flags |= HAS_REALIZED_USD
        store(fills.realized_usd, n, subtract(proceeds, cost))
    return flags


@kernel_part
def native_side(fills, n, has_proceeds, proceeds, has_cost, cost, realizes):
    """Write the native units of fill n; returns the flags of what is known."""
    flags = 0
    if has_proceeds:
        flags |= HAS_PROCEEDS_NATIVE
        store(fills.proceeds_native, n, proceeds)
    if has_cost:
        flags |= HAS_COST_NATIVE
        store(fills.cost_native, n, cost)
    if realizes and has_proceeds and has_cost:
        flags |= HAS_REALIZED_NATIVE
        store(fills.realized_native, n, subtract(proceeds, cost))
    return flags
