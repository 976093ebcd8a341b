"""The rules of lots, each worked by hand (METHODS 3.3, 3.4 and 6)."""

from dataclasses import replace

from dagster_project.lib.replay import ReplayAxes
from tests.unit.replay.test_average import DOLLAR, column, event, run

AXES = ReplayAxes("fifo")


def lots_of(*events, axes=AXES):
    return run(*events, axes=axes)


def test_a_sale_takes_the_oldest_lots_and_splits_its_proceeds_by_units():
    # 10 for $10, 10 for $30; 15 sold for $60 are $40 against $10 and $20 against $15.
    out = lots_of(event("buy", 10, 10), event("buy", 10, 30), event("sell", 15, 60))
    assert column(out["fills"], "lot_event_id") == [0, 1]
    assert column(out["fills"], "fill_no") == [0, 1]
    assert column(out["fills"], "proceeds_usd") == [40 * DOLLAR, 20 * DOLLAR]
    assert column(out["fills"], "realized_usd") == [30 * DOLLAR, 5 * DOLLAR]
    assert column(out["lots"], "qty_left_raw") == [0, 5]
    assert column(out["lots"], "cost_left_usd") == [0, 15 * DOLLAR]
    assert out["closed_trades"] == []


def test_a_transfer_in_opens_a_lot_of_unknown_cost_at_its_place():
    events = (event("buy", 5, 5), event("transfer_in", 5, 9), event("buy", 5, 5))
    out = lots_of(*events, event("sell", 12, 24))
    assert column(out["fills"], "left_out_reason") == [None, "unknown_cost", None]
    assert column(out["fills"], "realized_usd") == [5 * DOLLAR, None, 2 * DOLLAR]
    assert column(out["fills"], "cost_known") == [True, False, True]
    assert out["fills"][1]["proceeds_usd"] == 10 * DOLLAR
    assert column(out["lots"], "cost_usd") == [5 * DOLLAR, None, 5 * DOLLAR]


def test_a_transfer_out_consumes_the_oldest_lot_without_a_result():
    out = lots_of(event("buy", 5, 5), event("buy", 5, 10), event("transfer_out", 7))
    assert out["fills"] == []
    assert column(out["lots"], "qty_left_raw") == [0, 3]
    assert out["positions"][0]["open_cost_usd"] == 6 * DOLLAR


def test_units_over_all_lots_are_of_unknown_cost():
    out = lots_of(event("buy", 5, 5), event("sell", 6, 12))
    excess = out["fills"][1]
    assert (excess["proceeds_usd"], excess["cost_usd"]) == (2 * DOLLAR, None)
    assert (excess["realized_usd"], excess["left_out_reason"]) == (None, "oversold")
    assert (excess["lot_event_id"], excess["cost_known"]) == (None, False)


def test_dollars_and_native_units_stand_side_by_side():
    out = lots_of(event("buy", 4, 8, native=40), event("sell", 2, 10, native=30))
    (fill,) = out["fills"]
    assert (fill["realized_usd"], fill["realized_native_raw"]) == (6 * DOLLAR, 10)
    assert out["positions"][0]["open_cost_native_raw"] == 20


def test_a_missing_dollar_price_leaves_the_native_result():
    out = lots_of(event("buy", 4, None, native=40), event("sell", 4, 10, native=70))
    (fill,) = out["fills"]
    assert (fill["realized_usd"], fill["realized_native_raw"]) == (None, 30)
    assert (fill["cost_known"], fill["left_out_reason"]) == (True, "no_usd_price")


def test_an_unpriced_buy_is_of_unknown_cost_and_an_unpriced_sale_earns_nothing():
    out = lots_of(event("buy", 4), event("buy", 4, 4), event("sell", 5, 10), event("sell", 3))
    assert column(out["fills"], "left_out_reason") == ["unknown_cost", None, "not_priced"]
    assert column(out["fills"], "realized_usd") == [None, DOLLAR, None]


def test_open_units_without_a_cost_are_counted_apart():
    out = lots_of(event("buy", 4, 4), event("transfer_in", 3), event("buy", 2, None, native=9))
    (position,) = out["positions"]
    assert (position["open_qty_raw"], position["unknown_cost_qty_raw"]) == (9, 5)
    assert position["open_cost_usd"] == 4 * DOLLAR
    assert position["open_cost_native_raw"] is None


def test_estimated_lots_leave_out_their_sale_or_their_share():
    axes = replace(AXES, transfer_in="estimated", estimated="share")
    events = (event("transfer_in", 2, 2), event("buy", 2, 2), event("sell", 4, 12))
    by_share = lots_of(*events, axes=axes)["fills"]
    assert column(by_share, "left_out_reason") == ["estimated_cost", None]
    assert column(by_share, "realized_usd") == [None, 4 * DOLLAR]
    whole = lots_of(*events, axes=replace(axes, estimated="sale"))["fills"]
    assert column(whole, "left_out_reason") == ["estimated_cost"] * 2
    assert column(whole, "realized_usd") == [None, None]


def test_ignored_transfers_move_nothing_in_either_direction():
    events = (event("buy", 4, 4), event("transfer_in", 9), event("transfer_out", 3))
    (position,) = lots_of(*events, axes=replace(AXES, transfer_in="ignored"))["positions"]
    assert position["open_qty_raw"] == 4
