"""The moving average's rules, each worked by hand (METHODS 3.1 and 6).

Amounts are whole dollars and whole units here: a dollar is 10^9 in the events.
"""

from dataclasses import replace

import pytest

from dagster_project.lib.replay import ReplayAxes, replay
from tests.property.reference_replay import Event
from tests.property.streams import ORDER, as_table, as_tuples

AXES = ReplayAxes("moving_average", "estimated", "sale", "zero_profit", "estimated")
DOLLAR = 10**9


def event(kind, qty, dollars=None, at=0, **more):
    usd = None if dollars is None else round(dollars * DOLLAR)
    return Event(0, 0, kind, at, qty, usd, **more)


def run(*events, axes=AXES):
    """Replay events of one position; tables as lists of dicts with amounts as integers."""
    numbered = [replace(e, event_id=number) for number, e in enumerate(events)]
    result = replay(as_table(numbered), axes)
    return {
        name: [dict(zip(ORDER[name], row, strict=True)) for row in as_tuples(name, table)]
        for name, table in vars(result).items()
    }


def column(rows, name):
    return [row[name] for row in rows]


def test_a_sale_takes_its_share_of_the_pool():
    # 10 for $10 and 10 for $30 average $2; 5 sold for $20 earn 20 − 10.
    out = run(event("buy", 10, 10), event("buy", 10, 30), event("sell", 5, 20))
    (fill,) = out["fills"]
    assert (fill["cost_usd"], fill["realized_usd"]) == (10 * DOLLAR, 10 * DOLLAR)
    assert fill["cost_known"]
    assert out["positions"][0]["open_qty_raw"] == 15
    assert out["positions"][0]["open_cost_usd"] == 30 * DOLLAR


def test_a_cost_that_does_not_divide_rounds_half_to_even_and_the_last_takes_the_rest():
    # A third of 10e-9 is 3, half of the 7 left is 3.5 → 4, the last unit takes 3.
    events = [Event(0, 0, "buy", 0, 3, 10), *(event("sell", 1, 1) for _ in range(3))]
    assert column(run(*events)["fills"], "cost_usd") == [3, 4, 3]


def test_the_excess_over_the_holding_sells_at_zero_profit():
    # 4 of 6 were held: two thirds of $12 against $4, the other $4 earn nothing.
    out = run(event("buy", 4, 4), event("sell", 6, 12))
    held, excess = out["fills"]
    assert (held["qty_raw"], held["realized_usd"]) == (4, 4 * DOLLAR)
    assert (excess["qty_raw"], excess["proceeds_usd"], excess["cost_usd"]) == (
        2,
        4 * DOLLAR,
        4 * DOLLAR,
    )
    assert (excess["realized_usd"], excess["cost_known"]) == (0, False)
    assert excess["left_out_reason"] == "oversold"
    assert out["closed_trades"][0]["profit_usd"] == 4 * DOLLAR


def test_an_excess_of_unknown_cost_has_no_result():
    axes = replace(AXES, oversell="unknown_cost")
    _, excess = run(event("buy", 4, 4), event("sell", 6, 12), axes=axes)["fills"]
    assert (excess["cost_usd"], excess["realized_usd"]) == (None, None)
    assert excess["left_out_reason"] == "oversold"


def test_a_sale_while_estimated_units_are_held_is_left_out_whole():
    out = run(event("buy", 9, 9), event("transfer_in", 1, 1), event("sell", 5, 50))
    (fill,) = out["fills"]
    assert (fill["cost_usd"], fill["realized_usd"]) == (5 * DOLLAR, None)
    assert (fill["left_out_reason"], fill["cost_known"]) == ("estimated_cost", False)
    # Half of the one estimated unit is a tie: it rounds to 0, so one stays.
    assert out["positions"][0]["estimated_qty_raw"] == 1


def test_by_share_only_the_estimated_units_are_left_out():
    # Of 5 units sold 1 is estimated; a fifth of $50 and of the $5 cost goes with it.
    axes = replace(AXES, estimated="share")
    events = (event("buy", 8, 8), event("transfer_in", 2, 2), event("sell", 5, 50))
    estimated, known = run(*events, axes=axes)["fills"]
    assert (estimated["qty_raw"], estimated["proceeds_usd"]) == (1, 10 * DOLLAR)
    assert (estimated["realized_usd"], estimated["left_out_reason"]) == (None, "estimated_cost")
    assert (known["qty_raw"], known["realized_usd"]) == (4, 36 * DOLLAR)


def test_a_transfer_without_a_tick_enters_at_zero():
    out = run(event("transfer_in", 5))
    assert out["positions"][0]["open_cost_usd"] == 0
    assert out["positions"][0]["estimated_qty_raw"] == 5


def test_an_unpriced_buy_enters_as_estimated_at_zero():
    out = run(event("buy", 5, 10), event("buy", 5), event("sell", 5, 30))
    assert out["fills"][0]["left_out_reason"] == "estimated_cost"
    assert out["fills"][0]["cost_usd"] == 5 * DOLLAR


def test_an_unpriced_sale_takes_units_and_cost_and_earns_nothing():
    out = run(event("buy", 10, 10), event("sell", 4))
    (fill,) = out["fills"]
    assert (fill["proceeds_usd"], fill["cost_usd"], fill["realized_usd"]) == (
        None,
        4 * DOLLAR,
        None,
    )
    assert fill["left_out_reason"] == "not_priced"
    assert out["positions"][0]["open_cost_usd"] == 6 * DOLLAR


def test_a_transfer_out_takes_units_and_cost_without_a_result():
    out = run(event("buy", 10, 10), event("transfer_out", 4))
    assert out["fills"] == []
    assert out["positions"][0]["open_cost_usd"] == 6 * DOLLAR


@pytest.mark.parametrize(("left", "closes"), [(99, True), (100, False)])
def test_a_trade_closes_when_less_than_a_dollar_is_left(left, closes):
    # At one cent a unit 99 units are $0.99 and 100 are exactly $1.00, which is not less.
    sold = 1000
    out = run(event("buy", sold + left, 5, at=7), event("sell", sold, 10, at=19))
    assert len(out["closed_trades"]) == closes
    if closes:
        (trade,) = out["closed_trades"]
        assert (trade["number"], trade["opened_at_s"], trade["closed_at_s"]) == (1, 7, 19)
        assert (trade["hold_s"], trade["outcome"], trade["counted"]) == (12, "closed", True)
        assert trade["bought_usd"] == 5 * DOLLAR
        assert trade["sold_usd"] == 10 * DOLLAR


def test_the_closing_threshold_is_compared_beyond_64_bits():
    # 10^30 raw units in a dollar: one unit short of a dollar closes, a dollar does not.
    unit = 10**30
    for left, closes in ((unit - 1, 1), (unit, 0)):
        events = (event("buy", 9 * unit + left, 9), event("sell", 9 * unit, 9))
        assert len(run(*events)["closed_trades"]) == closes


@pytest.mark.parametrize(
    ("dollars", "reason"), [(1, None), (0.999999999, "small")], ids=["met", "missed"]
)
def test_a_trade_counts_from_one_dollar_on(dollars, reason):
    (trade,) = run(event("buy", 10, dollars), event("sell", 10, 20))["closed_trades"]
    assert (trade["counted"], trade["not_counted_reason"]) == (reason is None, reason)


def test_closing_ends_the_taint():
    # 99 % of 400 units leave, so 3 of the 300 estimated ones stay among the last 4.
    bought = (event("buy", 100, 10), event("transfer_in", 300, 30))
    tainted = run(*bought, event("sell", 396, 3960), event("buy", 1, 5), event("sell", 5, 20))
    assert column(tainted["fills"], "left_out_reason") == ["estimated_cost", "estimated_cost"]
    # At 20 cents a unit the last 4 are $0.80: the trade closes and the next one is clean.
    clean = run(*bought, event("sell", 396, 79.2), event("buy", 1, 5), event("sell", 5, 20))
    assert column(clean["fills"], "left_out_reason") == ["estimated_cost", None]
    assert column(clean["closed_trades"], "not_counted_reason") == ["estimated_cost", None]
    assert clean["closed_trades"][0]["profit_usd"] is None
    # The last 4 units cost $0.40, the new one $5.
    assert clean["closed_trades"][1]["profit_usd"] == (20 - 5) * DOLLAR - 4 * DOLLAR // 10


def test_a_trade_opened_on_estimated_units_is_tainted_from_its_start():
    out = run(event("transfer_in", 5, 5), event("buy", 5, 5), event("sell", 10, 20))
    assert column(out["closed_trades"], "not_counted_reason") == ["estimated_cost"]


@pytest.mark.parametrize(("cents", "ends"), [(99, 1), (100, 0)])
def test_a_transfer_out_below_a_dollar_ends_the_trade_uncounted(cents, ends):
    tick = {"tick_usd": cents * DOLLAR // 100, "tick_qty": 1}
    out = run(event("buy", 10, 10), event("transfer_out", 9, **tick))
    assert column(out["closed_trades"], "outcome") == ["transferred_away"] * ends
    assert column(out["closed_trades"], "not_counted_reason") == ["transferred_away"] * ends
    assert column(out["closed_trades"], "profit_usd") == [0] * ends


def test_without_a_tick_a_transfer_out_ends_the_trade_only_when_nothing_is_left():
    assert run(event("buy", 10, 10), event("transfer_out", 9))["closed_trades"] == []
    (trade,) = run(event("buy", 10, 10), event("transfer_out", 10))["closed_trades"]
    assert trade["outcome"] == "transferred_away"


def test_ending_by_transfer_keeps_the_taint():
    tick = {"tick_usd": 1, "tick_qty": 1}
    out = run(
        event("buy", 5, 5),
        event("transfer_in", 5, 5),
        event("transfer_out", 8, **tick),
        event("sell", 1, 5),
    )
    assert column(out["fills"], "left_out_reason") == ["estimated_cost"]


def test_an_unpriced_sale_closes_a_trade_only_when_nothing_is_left():
    assert run(event("buy", 10, 10), event("sell", 9))["closed_trades"] == []
    (trade,) = run(event("buy", 10, 10), event("sell", 10))["closed_trades"]
    assert (trade["not_counted_reason"], trade["sold_usd"]) == ("not_priced", None)


def test_a_wash_like_leg_keeps_a_trade_from_counting():
    (trade,) = run(event("buy", 10, 10), event("sell", 10, 10, wash=True))["closed_trades"]
    assert (trade["counted"], trade["not_counted_reason"]) == (False, "wash_like")


def test_trades_are_numbered_within_their_position():
    trip = (event("buy", 10, 10), event("sell", 10, 20))
    assert column(run(*trip, *trip)["closed_trades"], "number") == [1, 2]
