"""Cost basis, estimates, oversells, closed trades and wash-like pairs (METHODS 3.1, 6)."""

from __future__ import annotations

from tests.golden.example import USDX, Collection, D, Example
from tests.reference.tape import SOL

basis = Collection()


def closed(profit: str | None, reason: str | None = None, **columns: object) -> dict:
    """A closed trade's profit and whether it counts."""
    return {
        "profit_usd": None if profit is None else D(profit),
        "counted": reason is None,
        "not_counted_reason": reason,
        **columns,
    }


def fill(
    qty: str,
    proceeds: str | None,
    cost: str | None,
    realized: str | None,
    reason: str | None = None,
    **columns: object,
) -> dict:
    """A fill's figures."""
    money = {"proceeds_usd": proceeds, "cost_usd": cost, "realized_usd": realized}
    return {
        "qty": D(qty),
        **{name: None if text is None else D(text) for name, text in money.items()},
        "left_out_reason": reason,
        **columns,
    }


@basis()
def buys_are_averaged(x: Example) -> None:
    x.buy(0, "10", "20")
    x.buy(100, "10", "40")
    x.sell(200, "5", "25")
    # cost 60 for 20 units: 5 units take 60 x 5 / 20 = 15; realized 25 - 15 = 10.
    x.expect("fills", fill("5", "25", "15", "10", lot_id=None, cost_known=True))
    # Left 15 units for 45; the last tick is 25 / 5 = 5: worth 75, unrealized 30.
    x.expect(
        "positions",
        {
            "open_qty": D(15),
            "open_cost_usd": D(45),
            "estimated_qty": D(0),
            "balance": D(15),
            "price_now_usd": 5.0,
            "value_usd": D(75),
            "unrealized_usd": D(30),
        },
    )
    x.expect("closed_trades")  # 15 x 5 = 75 is not under $1
    figures = {
        "bought_usd": D(60),
        "sold_usd": D(25),
        "realized_usd": D(10),
        "unrealized_usd": D(30),
        "total_usd": D(40),
    }
    x.expect(
        "wallet_token_pnl",
        {
            "bought_qty": D(20),
            "sold_qty": D(5),
            "buys": 2,
            "sells": 1,
            "first_trade_at": x.time(0),
            "last_trade_at": x.time(200),
            **figures,
        },
        window="24h",
    )
    x.expect(
        "wallet_pnl",
        {
            "realized_usd": D(10),
            "unrealized_usd": D(30),
            "total_usd": D(40),
            "volume_usd": D(85),  # 20 + 40 + 25
            "trades": 3,
            "sells": 1,
            "tokens_traded": 1,
            "closed_trades": 0,
            "win_rate": None,
            "avg_hold_s": None,
            "sales_left_out": 0,
            "trades_not_priced": 0,
            "positions_without_price": 0,
            "wash_share": 0.0,
            "failed_transactions": 0,
        },
        window="24h",
    )


@basis()
def the_last_part_takes_the_rest(x: Example) -> None:
    x.token(decimals=0)
    x.buy(0, "3", "10")
    x.sell(100, "1", "5")
    x.sell(200, "1", "5")
    x.sell(300, "1", "5")
    # 10 x 1/3 = 3.333333333(3); then 6.666666667 x 1/2 = 3.3333333335, a tie, to even ...334;
    # the last takes what is left, 3.333333333. Together exactly 10.
    x.expect(
        "fills",
        fill("1", "5", "3.333333333", "1.666666667"),
        fill("1", "5", "3.333333334", "1.666666666"),
        fill("1", "5", "3.333333333", "1.666666667"),
    )
    x.expect(
        "closed_trades",
        closed("5", number=1, bought_usd=D(10), sold_usd=D(15), outcome="closed", hold_s=300),
    )
    x.expect("positions")


@basis()
def proceeds_split_half_even(x: Example) -> None:
    x.token(decimals=0)
    x.buy(0, "2", "1")
    x.sell(100, "3", "1")
    # 2 of 3 units were held: 1 x 2/3 = 0.666666667 proceeds against cost 1; the excess takes the
    # rest, 0.333333333, at zero profit.
    x.expect(
        "fills",
        fill("2", "0.666666667", "1", "-0.333333333"),
        fill("1", "0.333333333", "0.333333333", "0", "oversold", cost_known=False),
    )


@basis()
def an_unpriced_buy_enters_estimated_at_zero(x: Example) -> None:
    x.buy(0, "10", "1", cash=SOL)  # no candle anywhere near: not priced
    x.buy(100, "10", "40")
    x.sell(200, "20", "100")
    x.expect("fills", fill("20", "100", "40", None, "estimated_cost"))
    x.expect(
        "closed_trades",
        closed(None, "estimated_cost", bought_usd=D(40), sold_usd=D(100), outcome="closed"),
    )
    x.expect(
        "trades",
        {"priced": False, "value_usd": None, "price_usd": None, "value_native": D(1)},
        {"priced": True, "value_usd": D(40), "price_source": "par"},
        {"priced": True, "value_usd": D(100), "price_usd": 5.0},
    )
    x.expect(
        "wallet_pnl",
        {
            "realized_usd": None,  # there was a sale and none is known
            "sales_left_out": 1,
            "trades_not_priced": 1,
            "trades": 3,  # one that is not priced is a trade
            "volume_usd": D(140),  # but adds no volume
            "win_rate": None,
        },
        window="24h",
    )


@basis()
def an_unpriced_sale_takes_its_part_without_pnl(x: Example) -> None:
    x.buy(0, "10", "20")
    x.sell(100, "5", "1", cash=SOL)
    x.sell(200, "5", "20")
    x.expect(
        "fills",
        fill("5", None, "10", None, "not_priced"),
        fill("5", "20", "10", "10"),
    )
    x.expect("closed_trades", closed("10", "not_priced", bought_usd=D(20), sold_usd=D(20)))
    x.expect(
        "wallet_pnl",
        {"realized_usd": D(10), "trades_not_priced": 1, "sales_left_out": 0, "trades": 3},
        window="24h",
    )


@basis()
def an_unpriced_sale_of_everything_closes(x: Example) -> None:
    x.buy(0, "4", "8")
    x.sell(100, "4", "1", cash=SOL)
    x.expect("closed_trades", closed(None, "not_priced", bought_usd=D(8), sold_usd=None))


@basis()
def an_unpriced_sale_of_almost_everything_does_not_close(x: Example) -> None:
    x.buy(0, "4", "8")
    x.sell(100, "3.999999", "1", cash=SOL)
    x.expect("closed_trades")


@basis()
def an_unpriced_sale_of_estimated_units_is_not_priced(x: Example) -> None:
    x.arrive(0, "4")
    x.sell(100, "4", "1", cash=SOL)
    x.expect("fills", fill("4", None, "0", None, "not_priced"))
    x.expect("wallet_pnl", {"trades_not_priced": 1, "sales_left_out": 0}, window="24h")


@basis()
def a_transfer_in_costs_its_tick(x: Example) -> None:
    x.tick(0, "2")
    x.arrive(900, "5")  # the tick is exactly 900 s old
    x.expect("positions", {"open_qty": D(5), "open_cost_usd": D(10), "estimated_qty": D(5)})
    x.expect("closed_trades")


@basis()
def a_transfer_in_with_an_old_tick_costs_nothing(x: Example) -> None:
    x.tick(0, "2")
    x.arrive(901, "5")
    x.expect(
        "positions",
        {
            "open_qty": D(5),
            "open_cost_usd": D(0),
            "estimated_qty": D(5),
            "unrealized_usd": D(10),
        },
    )


@basis()
def a_tick_of_the_same_transaction_is_not_before(x: Example) -> None:
    x.tick(0, "2")
    x.arrive(0, "5", tx_id=x.tx(1), tx_index=1)
    x.expect("positions", {"open_cost_usd": D(0)})


@basis()
def a_tick_with_a_lower_index_is_before(x: Example) -> None:
    x.tick(0, "2", tx_index=7)
    x.arrive(0, "5", tx_index=8)
    x.expect("positions", {"open_cost_usd": D(10)})


@basis()
def a_tick_with_a_higher_index_is_not_before(x: Example) -> None:
    x.tick(0, "2", tx_index=8)
    x.arrive(0, "5", tx_index=7)
    x.expect("positions", {"open_cost_usd": D(0)})


@basis()
def a_known_index_is_before_an_unknown_one(x: Example) -> None:
    x.tick(0, "2", tx_index=8)
    x.arrive(0, "5", tx_index=None)
    x.expect("positions", {"open_cost_usd": D(10)})


@basis()
def an_unknown_index_is_not_before_a_known_one(x: Example) -> None:
    x.tick(0, "2", tx_index=None)
    x.arrive(0, "5", tx_index=8)
    x.expect("positions", {"open_cost_usd": D(0)})


@basis()
def two_unknown_indexes_are_not_before_each_other(x: Example) -> None:
    x.tick(0, "2", tx_index=None, seq=1)
    x.arrive(0, "5", tx_index=None, seq=2)
    x.expect("positions", {"open_cost_usd": D(0)})


@basis()
def the_latest_of_two_ticks_in_one_transaction_is_the_later_leg(x: Example) -> None:
    x.tick(0, "2", leg=0)
    x.tick(0, "3", leg=1, tx_id=x.tx(1), tx_index=1)
    x.arrive(60, "5")
    x.expect("positions", {"open_cost_usd": D(15)})


@basis()
def an_oversell_has_zero_profit_on_the_excess(x: Example) -> None:
    x.buy(0, "10", "20")
    x.sell(100, "15", "45")
    # 10 of 15 units: proceeds 30, cost 20; the other 5 sell 15 for 15.
    x.expect(
        "fills",
        fill("10", "30", "20", "10", cost_known=True),
        fill("5", "15", "15", "0", "oversold", cost_known=False),
    )
    x.expect("closed_trades", closed("10", bought_usd=D(20), sold_usd=D(45)))
    x.expect("positions")  # -5 units are a balance of 0
    x.expect("wallet_pnl", {"realized_usd": D(10), "win_rate": 1.0, "wins": 1}, window="24h")


@basis()
def a_sale_of_units_never_seen_is_all_excess(x: Example) -> None:
    x.sell(0, "5", "10")
    x.expect("fills", fill("5", "10", "10", "0", "oversold", cost_known=False))
    x.expect("closed_trades")
    x.expect("wallet_pnl", {"realized_usd": D(0), "total_usd": D(0), "sells": 1}, window="24h")


@basis()
def a_balance_never_falls_below_zero_but_the_position_goes_on(x: Example) -> None:
    x.sell(0, "5", "10")
    x.buy(100, "8", "16")
    x.expect("positions", {"open_qty": D(8), "open_cost_usd": D(16), "balance": D(3)})


@basis()
def estimated_units_leave_the_sale_out_until_the_trade_closes(x: Example) -> None:
    x.tick(0, "2")
    x.arrive(60, "10")  # cost 20, estimated
    x.buy(120, "10", "60")
    x.sell(300, "10", "80")  # 10 of 20 units: cost 80 x 10/20 = 40; left out
    x.sell(400, "10", "90")  # 5 estimated units are still held: left out too; closes
    x.buy(500, "10", "10")
    x.sell(700, "10", "15")  # the taint ended: 15 - 10 = 5
    x.expect(
        "fills",
        fill("10", "80", "40", None, "estimated_cost"),
        fill("10", "90", "40", None, "estimated_cost"),
        fill("10", "15", "10", "5", cost_known=True),
    )
    x.expect(
        "closed_trades",
        closed(None, "estimated_cost", number=1, bought_usd=D(60), sold_usd=D(170)),
        closed("5", number=2, hold_s=200, bought_usd=D(10), sold_usd=D(15)),
    )
    x.expect(
        "wallet_pnl",
        {
            "realized_usd": D(5),
            "sales_left_out": 2,
            "closed_trades": 1,
            "win_units": 1,
            "wins": 1,
            "win_rate": 1.0,
            "avg_hold_s": 200.0,
            "sells": 3,
        },
        window="24h",
    )


@basis()
def closing_ends_the_taint_of_what_is_left(x: Example) -> None:
    x.tick(0, "2")
    x.arrive(60, "10")  # cost 20
    x.buy(120, "10", "20")
    # Leaves 0.4 units x $2 = $0.80 < $1: closes. Cost left 40 x 0.4/20 = 0.80; the 0.2 estimated
    # units that stay are estimated no more.
    x.sell(300, "19.6", "39.2")
    x.buy(400, "10", "20")
    x.expect(
        "positions", {"open_qty": D("10.4"), "open_cost_usd": D("20.8"), "estimated_qty": D(0)}
    )


@basis()
def units_left_from_a_closed_trade_sell_at_their_known_cost(x: Example) -> None:
    x.tick(0, "2")
    x.arrive(60, "10")
    x.buy(120, "10", "20")
    x.sell(300, "19.6", "39.2")
    x.buy(400, "10", "20")
    x.sell(500, "10.4", "26")  # 26 - 20.8 = 5.2
    x.expect(
        "closed_trades",
        closed(None, "estimated_cost", number=1),
        closed("5.2", number=2, bought_usd=D(20)),
    )


@basis()
def an_estimated_sale_with_an_excess_is_left_out_whole(x: Example) -> None:
    x.tick(0, "2")
    x.arrive(60, "10")
    x.sell(120, "15", "30")
    # 10 of 15 units were held: 20 of the proceeds; the other 10 are left out with them.
    x.expect(
        "fills",
        fill("10", "20", "20", None, "estimated_cost"),
        fill("5", "10", "10", None, "estimated_cost"),
    )
    x.expect("wallet_pnl", {"realized_usd": None, "sales_left_out": 1}, window="24h")


@basis()
def a_trade_opened_over_estimated_units_is_tainted(x: Example) -> None:
    x.arrive(0, "1")
    x.buy(100, "10", "20")
    x.leave(200, "11")
    x.expect("closed_trades", closed("0", "transferred_away", outcome="transferred_away"))


@basis()
def a_transfer_out_takes_its_part_of_the_cost(x: Example) -> None:
    x.buy(0, "10", "20")
    x.leave(100, "4")
    x.expect("positions", {"open_qty": D(6), "open_cost_usd": D(12), "balance": D(6)})
    x.expect("fills")
    x.expect("wallet_pnl", {"realized_usd": D(0), "trades": 1}, window="24h")


@basis()
def a_transfer_out_of_more_than_is_held_takes_what_is_there(x: Example) -> None:
    x.buy(0, "10", "20")
    x.leave(100, "14")
    x.buy(200, "3", "9")
    x.expect("positions", {"open_qty": D(3), "open_cost_usd": D(9), "balance": D(0)})


@basis()
def a_holding_of_exactly_a_dollar_keeps_the_trade_open(x: Example) -> None:
    x.buy(0, "10", "20")
    x.sell(100, "9", "9")  # 1 unit x $1 = $1.00
    x.expect("closed_trades")
    x.expect("wallet_pnl", {"realized_usd": D(-9), "closed_trades": 0}, window="24h")


@basis()
def a_holding_under_a_dollar_closes_the_trade(x: Example) -> None:
    x.buy(0, "10", "20")
    x.sell(100, "9.000001", "9.000001")  # 0.999999 units x $1
    # cost 20 x 9.000001 / 10 = 18.000002; 9.000001 - 18.000002 = -9.000001
    x.expect("closed_trades", closed("-9.000001", outcome="closed", hold_s=100))
    x.expect("wallet_pnl", {"win_rate": 0.0, "wins": 0, "win_units": 1}, window="24h")


@basis()
def a_transfer_that_leaves_exactly_a_dollar_does_not_end_the_trade(x: Example) -> None:
    x.buy(0, "10", "10")
    x.leave(900, "9")  # 1 unit x $1, the tick exactly 900 s old
    x.expect("closed_trades")


@basis()
def a_transfer_that_leaves_under_a_dollar_ends_the_trade(x: Example) -> None:
    x.buy(0, "10", "10")
    x.leave(900, "9.000001")
    x.buy(1000, "5", "50")
    x.sell(2000, "5.999999", "120")
    # Trade 2 closes with what trade 1 left: cost 10 x 0.999999/10 + 50 = 50.999999.
    x.expect(
        "closed_trades",
        closed(
            "0",
            "transferred_away",
            number=1,
            outcome="transferred_away",
            bought_usd=D(10),
            sold_usd=D(0),
            hold_s=900,
        ),
        closed("69.000001", number=2, bought_usd=D(50), sold_usd=D(120), hold_s=1000),
    )


@basis()
def a_transfer_without_a_tick_ends_the_trade_only_at_nothing(x: Example) -> None:
    x.buy(0, "10", "10")
    x.leave(901, "9.5")  # the tick is 901 s old
    x.expect("closed_trades")


@basis()
def a_transfer_of_everything_ends_the_trade(x: Example) -> None:
    x.buy(0, "10", "10")
    x.leave(901, "9.5")
    x.leave(902, "0.5")
    x.expect(
        "closed_trades",
        closed("0", "transferred_away", closed_at=x.time(902), opened_at=x.time(0)),
    )


@basis()
def ending_by_transfer_is_not_closing_and_keeps_the_taint(x: Example) -> None:
    x.tick(0, "1")
    x.arrive(60, "5")  # cost 5, estimated
    x.buy(120, "5", "5")
    x.leave(180, "9.2")  # 0.8 left, worth $0.80: transferred away; estimated 5 x 0.8/10 = 0.4
    x.expect("positions", {"open_qty": D("0.8"), "estimated_qty": D("0.4")})
    x.expect("closed_trades", closed("0", "transferred_away"))


@basis()
def a_trade_of_exactly_a_dollar_counts(x: Example) -> None:
    x.buy(0, "1", "1")
    x.sell(100, "1", "1.5")
    x.expect("closed_trades", closed("0.5", bought_usd=D(1)))


@basis()
def a_trade_under_a_dollar_is_small(x: Example) -> None:
    x.buy(0, "1", "0.999999")
    x.sell(100, "1", "1.5")
    x.expect("closed_trades", closed("0.500001", "small", bought_usd=D("0.999999")))
    x.expect("wallet_pnl", {"closed_trades": 0, "win_rate": None, "trades": 1}, window="24h")


@basis()
def sixty_seconds_apart_is_wash_like(x: Example) -> None:
    x.buy(0, "10", "100")
    x.sell(60, "10", "100.499999")  # 0.499999 % of the lower price
    x.expect("trades", {"wash_like": True}, {"wash_like": True})
    x.expect("closed_trades", closed("0.499999", "wash_like"))
    x.expect(
        "wallet_pnl",
        {"wash_share": 1.0, "win_rate": None, "realized_usd": D("0.499999")},
        window="24h",
    )


@basis()
def sixty_one_seconds_apart_is_not(x: Example) -> None:
    x.buy(0, "10", "100")
    x.sell(61, "10", "100.499999")
    x.expect("trades", {"wash_like": False}, {"wash_like": False})
    x.expect("closed_trades", closed("0.499999"))


@basis()
def half_a_percent_apart_is_not_wash_like(x: Example) -> None:
    x.buy(0, "10", "100")
    x.sell(60, "10", "100.5")  # exactly 0.5 % of the lower price
    x.expect("trades", {"wash_like": False}, {"wash_like": False})
    x.expect("closed_trades", closed("0.5"))


@basis()
def a_sale_before_the_buy_is_wash_like_too(x: Example) -> None:
    x.buy(0, "20", "200")
    x.sell(1000, "10", "100")
    x.buy(1030, "10", "100")
    x.sell(5000, "20", "300")
    x.expect(
        "trades",
        {"wash_like": False},
        {"wash_like": True},
        {"wash_like": True},
        {"wash_like": False},
    )
    # Profit (100 - 100) + (300 - 200); 200 of 700 are flagged.
    x.expect("closed_trades", closed("100", "wash_like", bought_usd=D(300), sold_usd=D(400)))
    x.expect("wallet_pnl", {"volume_usd": D(700), "wash_share": 200 / 700}, window="24h")


@basis()
def a_dust_trade_is_flagged_but_adds_no_wash_volume(x: Example) -> None:
    x.buy(0, "0.05", "0.5")
    x.sell(30, "0.05", "0.5")
    x.expect("trades", {"wash_like": True, "dust": True}, {"wash_like": True, "dust": True})
    x.expect(
        "wallet_pnl",
        {"volume_usd": D(0), "wash_share": None, "trades": 0, "tokens_traded": 0},
        window="24h",
    )
    x.expect("eligibility", {"value": None, "passed": True}, window="24h", criterion="wash_share")


@basis()
def a_dust_sale_flags_the_purchase_it_answers(x: Example) -> None:
    x.buy(0, "10", "100")
    x.sell(10, "0.05", "0.5")
    x.expect("wallet_pnl", {"volume_usd": D(100), "wash_share": 1.0, "trades": 1}, window="24h")


@basis()
def a_price_of_zero_is_never_wash_like(x: Example) -> None:
    x.buy(0, "1", "0.000000000000000001", cash=USDX)  # rounds to $0.000000000
    x.sell(30, "1", "0.000000000000000001", cash=USDX)
    x.expect(
        "trades",
        {"wash_like": False, "value_usd": D(0), "priced": True, "dust": True},
        {"wash_like": False, "value_usd": D(0), "priced": True, "dust": True},
    )


@basis()
def two_transactions_in_one_block_follow_their_index(x: Example) -> None:
    x.sell(0, "10", "30", tx_index=9)
    x.buy(0, "10", "20", tx_index=8)
    x.expect("fills", fill("10", "30", "20", "10"))


@basis()
def an_unknown_index_comes_after_the_known_ones(x: Example) -> None:
    x.sell(0, "10", "30", tx_index=None)
    x.buy(0, "10", "20", tx_index=9_999)
    x.expect("fills", fill("10", "30", "20", "10"))


@basis()
def the_place_in_the_listing_orders_unknown_indexes(x: Example) -> None:
    x.sell(0, "10", "30", tx_index=None, seq=2)
    x.buy(0, "10", "20", tx_index=None, seq=1)
    x.expect("fills", fill("10", "30", "20", "10"))


@basis()
def legs_of_one_transaction_follow_each_other(x: Example) -> None:
    x.sell(0, "10", "30", leg=1)
    x.buy(0, "10", "20", leg=0, tx_id=x.tx(1), tx_index=1)
    x.expect("fills", fill("10", "30", "20", "10", leg=1))


@basis()
def a_quantity_of_1e33_keeps_every_unit(x: Example) -> None:
    x.token(decimals=18)
    x.buy(0, "1000000000000000.000000000000000001", "100")
    x.sell(100, "500000000000000", "60")
    # 100 x 5e32 / (1e33 + 1) is 50 less 5e-32: rounds to 50.
    x.expect("fills", fill("500000000000000", "60", "50", "10"))
    x.expect(
        "positions",
        {"open_qty": D("500000000000000.000000000000000001"), "open_cost_usd": D(50)},
    )


@basis()
def the_largest_u64_amount_is_exact(x: Example) -> None:
    x.buy(0, "18446744073709.551615", "5")
    x.sell(100, "18446744073709.551614", "7")
    # 5 x (n - 1) / n is 5 less 2.7e-19: rounds to 5; one unit is left at no cost.
    x.expect("fills", fill("18446744073709.551614", "7", "5", "2"))
    x.expect("positions", {"open_qty": D("0.000001"), "open_cost_usd": D(0)})
    x.expect(
        "movements", {"received_raw": 18446744073709551615}, {"sent_raw": 18446744073709551614}
    )


@basis()
def win_rate_and_hold_are_over_counted_trades(x: Example) -> None:
    x.buy(0, "1", "10")
    x.sell(100, "1", "12")  # +2, held 100 s
    x.buy(1000, "1", "10")
    x.sell(1301, "1", "9")  # -1, held 301 s
    x.buy(2000, "1", "10", token="B")
    x.sell(2400, "1", "10", token="B")  # 0 is no win; held 400 s
    x.expect(
        "wallet_pnl",
        {
            "wins": 1,
            "win_units": 3,
            "closed_trades": 3,
            "win_rate": 1 / 3,
            "avg_hold_s": 267.0,  # 801 / 3
            "realized_usd": D(1),
            "tokens_traded": 2,
        },
        window="24h",
    )
