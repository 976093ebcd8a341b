"""What the kernel and its axes refuse, and how they say it."""

from decimal import Decimal

import pyarrow as pa
import pytest

from dagster_project.lib.replay import ReplayAxes, ReplayInputError, ReplayOverflow, replay
from dagster_project.lib.replay.run import SCHEMAS, replay_all
from tests.property.reference_replay import Event
from tests.property.streams import as_table

AVERAGE = {
    "method": "average",
    "basis": "moving_average",
    "transfer_in": "estimated",
    "estimated": "sale",
    "oversell": "zero_profit",
    "unpriced": "estimated",
}
LOTS = {
    "method": "lots",
    "basis": "fifo",
    "transfer_in": "unknown_cost",
    "estimated": "none",
    "oversell": "unknown_cost",
    "unpriced": "unknown_cost",
}
AXES = [ReplayAxes.from_row(AVERAGE), ReplayAxes.from_row(LOTS)]


@pytest.mark.parametrize("axis", ["basis", "transfer_in", "estimated", "oversell", "unpriced"])
def test_a_wrong_choice_names_its_axis_and_what_is_allowed(axis):
    with pytest.raises(ValueError, match=f"axis {axis}: 'guess' is not one of .*, "):
        ReplayAxes.from_row(AVERAGE | {axis: "guess"})


def test_estimated_units_need_a_way_to_leave_out_their_sales():
    with pytest.raises(ValueError, match="axis estimated: 'none' is not one of sale, share"):
        ReplayAxes.from_row(AVERAGE | {"estimated": None})


@pytest.mark.parametrize("limit", ["-1", "much", "NaN", "0.0000000001"])
def test_a_closing_threshold_is_an_amount_of_dollars(limit):
    with pytest.raises(ValueError, match="axis close_below_usd"):
        ReplayAxes.from_row(AVERAGE | {"close_below_usd": limit})


def test_a_threshold_is_read_exactly_and_is_a_dollar_by_default():
    assert ReplayAxes.from_row(AVERAGE).close_below_usd == 1
    row = AVERAGE | {"close_below_usd": "0.1"}
    assert ReplayAxes.from_row(row).close_below_usd == Decimal("0.1")


def test_an_aggregate_average_does_not_replay_whatever_its_other_axes_say():
    axes = ReplayAxes.from_row({"basis": "aggregate_average", "oversell": "capped"})
    assert not axes.replays
    with pytest.raises(ValueError, match="does not replay"):
        replay(as_table([]), axes)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ([(0, 1), (0, 0)], "position 0, event 0"),
        ([(0, 1), (0, 1)], "position 0, event 1"),
        ([(1, 0), (0, 1)], "position 0, event 1"),
    ],
)
def test_unsorted_events_are_refused_by_name(axes, keys, named):
    events = [Event(p, e, "buy", 0, 1, 1) for p, e in keys]
    with pytest.raises(ReplayInputError, match=f"{named}: events must ascend"):
        replay(as_table(events), axes)


@pytest.mark.parametrize("qty", [0, -1])
def test_a_quantity_that_is_not_above_zero_is_refused(qty):
    with pytest.raises(ReplayInputError, match="qty_raw must be above 0"):
        replay(as_table([Event(0, 0, "buy", 0, qty, 1)]), AXES[0])


def test_a_missing_column_a_wrong_type_and_a_null_are_refused():
    table = as_table([Event(0, 0, "buy", 0, 1, 1)])
    with pytest.raises(ReplayInputError, match="column qty_raw is missing"):
        replay(table.drop_columns(["qty_raw"]), AXES[0])
    floats = table.set_column(4, "qty_raw", pa.array([1.0]))
    with pytest.raises(ReplayInputError, match=r"events.qty_raw: expected decimal128"):
        replay(floats, AXES[0])
    nulls = table.set_column(4, "qty_raw", pa.nulls(1, pa.decimal128(38, 0)))
    with pytest.raises(ReplayInputError, match=r"events.qty_raw: 1 rows have no value"):
        replay(nulls, AXES[0])


@pytest.mark.parametrize("axes", AXES)
def test_an_overflow_names_its_position_and_event(axes):
    large = 6 * 10**37
    events = [Event(3, 0, "buy", 0, large, 1), Event(4, 1, "buy", 0, large, 1)]
    events.append(Event(4, 2, "buy", 0, large, 1))
    with pytest.raises(ReplayOverflow, match="position 4, event 2: an amount passes 38") as caught:
        replay(as_table(events), axes)
    assert (caught.value.position_id, caught.value.event_id) == (4, 2)


def with_method(method, events):
    table = as_table(events)
    names = pa.array([e.kind for e in events], pa.string())
    table = table.set_column(table.column_names.index("kind"), "kind", names)
    return table.add_column(0, "method", pa.array([method] * len(events), pa.string()))


TRIP = [Event(0, 0, "buy", 0, 2, 10**9), Event(0, 1, "sell", 1, 2, 3 * 10**9)]
OTHER = [Event(1, 2, "buy", 0, 2, 10**9), Event(1, 3, "sell", 1, 2, 3 * 10**9)]


def test_each_method_replays_its_own_events_and_always_gives_four_tables():
    events = pa.concat_tables([with_method("average", TRIP), with_method("lots", OTHER)])
    tables = replay_all(events, [LOTS, AVERAGE, {"method": "sums", "basis": "aggregate_average"}])
    assert {name: table.schema for name, table in tables.items()} == SCHEMAS
    assert tables["fills"].column("method").to_pylist() == ["average", "lots"]
    assert tables["fills"].column("realized_usd").to_pylist() == [2, 2]
    assert tables["lots"].column("method").to_pylist() == ["lots"]
    assert tables["closed_trades"].column("method").to_pylist() == ["average"]
    empty = replay_all(events.slice(0, 0), [LOTS, AVERAGE])
    assert {name: (table.schema, len(table)) for name, table in empty.items()} == {
        name: (schema, 0) for name, schema in SCHEMAS.items()
    }


def test_events_of_a_method_that_does_not_replay_are_refused():
    with pytest.raises(ReplayInputError, match="'average', which no row of methods replays"):
        replay_all(with_method("average", TRIP), [LOTS])


def test_events_of_one_method_must_stand_together():
    parts = [with_method("lots", TRIP), with_method("average", OTHER), with_method("lots", TRIP)]
    with pytest.raises(ReplayInputError, match="method lots do not stand together"):
        replay_all(pa.concat_tables(parts), [LOTS, AVERAGE])


def test_an_unknown_kind_is_refused_by_its_name():
    events = with_method("lots", [Event(0, 0, "buy", 0, 1, 1)])
    events = events.set_column(events.column_names.index("kind"), "kind", pa.array(["gift"]))
    with pytest.raises(ReplayInputError, match="'gift' is not one of buy, sell"):
        replay_all(events, [LOTS])
