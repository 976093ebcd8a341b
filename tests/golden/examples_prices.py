"""Pricing, ticks, price now, windows and rows that are no trade (METHODS 1, 2, 6)."""

from __future__ import annotations

from tests.golden.example import DAY, HALF_A_DAY_AGO, USDX, Collection, D, Example
from tests.reference.tape import SOL, USDC, USDT

prices = Collection()


@prices()
def a_dollar_is_no_dust(x: Example) -> None:
    x.buy(0, "1", "1")
    x.expect("trades", {"dust": False, "value_usd": D(1)})
    x.expect("wallet_pnl", {"trades": 1, "volume_usd": D(1), "tokens_traded": 1}, window="24h")


@prices()
def under_a_dollar_is_dust_but_moves_the_basis(x: Example) -> None:
    x.buy(0, "1", "0.999999999", cash=USDX)
    x.expect("trades", {"dust": True, "value_usd": D("0.999999999")})
    x.expect("wallet_pnl", {"trades": 0, "volume_usd": D(0), "tokens_traded": 0}, window="24h")
    x.expect(
        "wallet_token_pnl",
        {"buys": 0, "bought_qty": D(1), "bought_usd": D("0.999999999")},
        window="24h",
    )
    x.expect("positions", {"open_cost_usd": D("0.999999999")})


@prices()
def a_value_is_rounded_half_to_even(x: Example) -> None:
    x.buy(0, "1", "0.9999999995", cash=USDX)  # a tie: to the even 1.000000000
    x.buy(100, "1", "0.9999999985", cash=USDX)  # a tie: to the even 0.999999998
    x.buy(200, "1", "0.99999999850000001", cash=USDX)  # above the tie: 0.999999999
    x.expect(
        "trades",
        {"value_usd": D(1), "dust": False},
        {"value_usd": D("0.999999998"), "dust": True},
        {"value_usd": D("0.999999999"), "dust": True},
    )


@prices()
def a_figure_of_many_digits_stops_nobody(x: Example) -> None:
    # One absurd trade by a stranger is shown as it was and leaves every other figure alone.
    x.buy(0, "1", "20000000000000000000.000000001", cash=USDX)
    x.expect("trades", {"value_usd": D("20000000000000000000.000000001")})
    x.expect("wallet_pnl", {"volume_usd": D("20000000000000000000.000000001")}, window="24h")
    x.expect("eligibility", {"value": 2e19, "passed": True}, window="24h", criterion="volume_usd")


@prices(start=HALF_A_DAY_AGO + 25_200)
def the_minute_that_contains_the_trade(x: Example) -> None:
    x.candle(0, "100")
    x.candle(60, "200")
    x.buy(59, "3", "1.5", cash=SOL)
    x.sell(60, "1", "1.5", cash=SOL)
    x.expect(
        "trades",
        {"value_usd": D(150), "price_usd": 50.0, "price_source": "minute:exchange"},
        {"value_usd": D(300), "price_usd": 300.0, "value_native": D("1.5")},
    )


@prices(start=HALF_A_DAY_AGO + 3600)
def five_minutes_back_is_the_last_resort(x: Example) -> None:
    x.candle(0, "100")
    x.buy(359, "1", "1", cash=SOL)  # the minute of 300 s: 0 is the fifth before it
    x.buy(360, "1", "1", cash=SOL)  # the minute of 360 s: 0 is the sixth
    x.expect("trades", {"value_usd": D(100)}, {"value_usd": None, "priced": False})


@prices(start=HALF_A_DAY_AGO + 7200)
def the_latest_of_the_five_minutes_counts(x: Example) -> None:
    x.candle(0, "100")
    x.candle(120, "110")
    x.candle(180, "115", resolution="hour")  # an hour's candle is never a minute's
    x.buy(300, "1", "1", cash=SOL)
    x.expect("trades", {"value_usd": D(110)})


@prices(start=HALF_A_DAY_AGO + 10_800)
def a_later_candle_is_never_used(x: Example) -> None:
    x.candle(60, "100")
    x.buy(59, "1", "1", cash=SOL)
    x.expect("trades", {"value_usd": None})


@prices(start=HALF_A_DAY_AGO + 14_400)
def sources_of_one_minute_stand_in_alphabetical_order(x: Example) -> None:
    x.candle(0, "101", source="zebra")
    x.candle(0, "100", source="antelope")
    x.candle(60, "102", source="zebra")
    x.buy(0, "1", "1", cash=SOL)
    x.buy(60, "1", "1", cash=SOL)  # its own minute, whatever the source
    x.expect(
        "trades",
        {"value_usd": D(100), "price_source": "minute:antelope"},
        {"value_usd": D(102), "price_source": "minute:zebra"},
    )


@prices(start=HALF_A_DAY_AGO + 18_000)
def a_native_price_of_many_places_is_rounded_once(x: Example) -> None:
    x.candle(0, "123.456789012345678901234")
    # 0.123456789 x 123.456789 = 15.241578750190521 and 0.123456789 x 0.0000000123... =
    # 0.0000000015242, together 15.2415787517147
    x.buy(0, "1", "0.123456789", cash=SOL)
    x.expect("trades", {"value_usd": D("15.241578752"), "value_native": D("0.123456789")})


@prices(start=HALF_A_DAY_AGO + 21_600)
def a_stable_trade_has_its_worth_in_the_native_asset(x: Example) -> None:
    x.candle(0, "160")
    x.buy(0, "1", "50")
    x.expect("trades", {"value_usd": D(50), "value_native": D("0.3125")})


@prices()
def a_token_swap_counts_on_both_legs(x: Example) -> None:
    bought = x.buy(0, "10", "30")  # a tick of $3
    x.swap(100, "10", "5")
    x.expect(
        "trades",
        {"side": "buy", "leg": 0, "value_usd": D(30)},
        {"side": "sell", "leg": 0, "value_usd": D(30), "price_source": f"tick:{bought}"},
        {"side": "buy", "leg": 1, "value_usd": D(30), "price_usd": 6.0, "qty": D(5)},
    )
    x.expect("wallet_pnl", {"volume_usd": D(90), "trades": 3, "tokens_traded": 2}, window="24h")
    x.expect("positions", {"open_cost_usd": D(30), "open_qty": D(5), "estimated_qty": D(0)})


@prices()
def token_swaps_give_no_ticks(x: Example) -> None:
    x.buy(0, "10", "30")
    x.swap(100, "10", "5")
    # B was never swapped against cash: it has no price now and its position stays unvalued.
    x.expect("positions", {"price_now_usd": None, "value_usd": None, "unrealized_usd": None})


@prices()
def the_later_tick_of_the_two_tokens_counts(x: Example) -> None:
    x.tick(0, "3", token="A")
    x.tick(60, "7", token="B", wallet=x.wallet("other"))
    x.swap(100, "10", "5")
    x.expect("trades", {"value_usd": D(35)}, {"value_usd": D(35)})  # 5 x 7


@prices()
def a_later_index_is_a_later_tick(x: Example) -> None:
    x.tick(60, "7", token="B", tx_index=4, wallet=x.wallet("other"))
    x.tick(60, "3", token="A", tx_index=5)
    x.swap(100, "10", "5")
    x.expect("trades", {"value_usd": D(30)}, {"value_usd": D(30)})  # 10 x 3


@prices()
def on_a_tie_the_token_sold_counts(x: Example) -> None:
    x.tick(60, "7", token="B", wallet=x.wallet("other"))
    x.tick(60, "3", token="A", tx_id=x.tx(1), tx_index=1)  # the same transaction
    x.swap(100, "10", "5")
    x.expect("trades", {"value_usd": D(30)}, {"value_usd": D(30)})


@prices()
def a_tick_of_900_seconds_prices_a_token_swap(x: Example) -> None:
    x.tick(0, "3")
    x.swap(900, "10", "5")
    x.expect("trades", {"value_usd": D(30)}, {"value_usd": D(30)})


@prices()
def a_tick_of_901_seconds_does_not(x: Example) -> None:
    x.tick(0, "3")
    x.swap(901, "10", "5")
    x.expect("trades", {"priced": False}, {"priced": False})
    # Not priced counts legs; both are trades without volume.
    x.expect(
        "wallet_pnl",
        {"trades_not_priced": 2, "trades": 2, "sells": 1, "volume_usd": D(0), "wash_share": None},
        window="24h",
    )
    x.expect("positions", {"open_cost_usd": D(0), "estimated_qty": D(5)})


@prices()
def a_tick_in_an_untidy_ratio_is_exact(x: Example) -> None:
    x.buy(0, "3", "1", wallet=x.wallet("maker"))  # a third of a dollar each
    x.swap(60, "7", "1")
    x.expect("trades", {"value_usd": D("2.333333333")}, {"value_usd": D("2.333333333")})


@prices()
def legs_after_a_token_swap_move_up(x: Example) -> None:
    x.tick(0, "3")
    x.swap(60, "1", "2", leg=0)
    x.buy(60, "1", "4", token="C", leg=1, tx_id=x.tx(2), tx_index=2)
    x.expect(
        "trades",
        {"leg": 0, "side": "sell"},
        {"leg": 1, "side": "buy"},
        {"leg": 2, "side": "buy", "value_usd": D(4)},
    )


@prices()
def cash_for_cash_is_no_trade(x: Example) -> None:
    x.add(0, "swap", sent_asset=SOL, sent_amount="1", received_asset=USDC, received_amount="99")
    x.add(60, "swap", sent_asset=USDC, sent_amount="99", received_asset=USDT, received_amount="98")
    x.expect("trades")
    x.expect("positions")
    x.expect("movements", {"kind": "swap", "sent_raw": 10**9}, {"received_raw": 98 * 10**6})
    x.expect("wallet_pnl", {"trades": 0, "volume_usd": D(0), "realized_usd": D(0)}, window="24h")


@prices()
def a_tick_under_a_cent_is_none(x: Example) -> None:
    x.tick(0, "3")
    x.tick(60, "0.009999")
    x.arrive(120, "2")
    x.expect("positions", {"open_cost_usd": D(6), "price_now_usd": 3.0})


@prices()
def a_tick_of_a_cent_counts(x: Example) -> None:
    x.tick(0, "3")
    x.tick(60, "0.01")
    x.arrive(120, "2")
    x.expect("positions", {"open_cost_usd": D("0.02"), "price_now_usd": 0.01})


@prices()
def a_row_of_nobody_gives_no_tick(x: Example) -> None:
    x.tick(0, "3")
    x.tick(60, "9", wallet=None)
    x.arrive(120, "2")
    x.expect("positions", {"open_cost_usd": D(6), "price_now_usd": 3.0})


@prices()
def any_venue_gives_a_tick(x: Example) -> None:
    x.tick(0, "3", venue=None, recognised_venue=False)
    x.arrive(120, "2")
    x.expect("positions", {"open_cost_usd": D(6)})


@prices(start=-DAY)
def a_tick_of_24_hours_is_a_price_now(x: Example) -> None:
    x.buy(0, "10", "20")
    x.expect("positions", {"price_now_usd": 2.0, "value_usd": D(20), "unrealized_usd": D(0)})
    x.expect("wallet_pnl", {"positions_without_price": 0, "unrealized_usd": D(0)}, window="all")


@prices(start=-DAY - 1)
def a_tick_older_than_24_hours_is_not(x: Example) -> None:
    x.buy(0, "10", "20")
    x.expect("positions", {"price_now_usd": None, "value_usd": None, "unrealized_usd": None})
    x.expect(
        "wallet_pnl",
        {
            "positions_without_price": 1,
            "unrealized_usd": None,
            "realized_usd": D(0),
            "total_usd": D(0),  # the unknown part is absent
        },
        window="all",
    )


@prices(start=-2 * DAY)
def a_wallet_adds_up_what_has_a_price(x: Example) -> None:
    x.buy(0, "10", "20", token="A")
    x.buy(2 * DAY - 60, "10", "20", token="B")
    x.tick(2 * DAY - 30, "3", token="B")
    x.expect(
        "wallet_pnl",
        {"positions_without_price": 1, "unrealized_usd": D(10), "total_usd": D(10)},
        window="7d",
    )


@prices(start=-2 * DAY)
def with_nothing_known_the_total_is_null(x: Example) -> None:
    x.arrive(0, "10")
    x.sell(60, "5", "5")
    x.expect(
        "wallet_pnl",
        {"realized_usd": None, "unrealized_usd": None, "total_usd": None, "sales_left_out": 1},
        window="7d",
    )
    # In the last 24 h there was no sale: realized is 0, and with it the total.
    x.expect(
        "wallet_pnl",
        {"realized_usd": D(0), "unrealized_usd": None, "total_usd": D(0), "sales_left_out": 0},
        window="24h",
    )


@prices()
def a_newer_snapshot_beats_the_tick(x: Example) -> None:
    x.buy(0, "10", "20")
    x.candle(60, "2.5", asset=x.token(), resolution="snapshot", source="quotes")
    x.expect("positions", {"price_now_usd": 2.5, "value_usd": D(25), "unrealized_usd": D(5)})


@prices()
def a_snapshot_of_the_same_second_beats_the_tick(x: Example) -> None:
    x.buy(0, "10", "20")
    x.candle(0, "2.5", asset=x.token(), resolution="snapshot", source="quotes")
    x.expect("positions", {"price_now_usd": 2.5})


@prices()
def an_older_snapshot_does_not(x: Example) -> None:
    x.buy(0, "10", "20")
    x.candle(-1, "2.5", asset=x.token(), resolution="snapshot", source="quotes")
    x.expect("positions", {"price_now_usd": 2.0})


@prices()
def candles_of_tokens_are_never_used(x: Example) -> None:
    x.buy(0, "10", "20")
    x.candle(60, "7", asset=x.token())
    x.candle(60, "7", asset=x.token(), resolution="hour")
    x.expect("positions", {"price_now_usd": 2.0})


@prices(start=-2 * DAY)
def a_snapshot_of_24_hours_counts(x: Example) -> None:
    x.buy(0, "10", "20")
    x.candle(DAY, "2.5", asset=x.token(), resolution="snapshot", source="quotes")
    x.expect("positions", {"price_now_usd": 2.5})


@prices(start=-2 * DAY)
def a_snapshot_older_than_24_hours_does_not(x: Example) -> None:
    x.buy(0, "10", "20")
    x.candle(DAY - 1, "2.5", asset=x.token(), resolution="snapshot", source="quotes")
    x.expect("positions", {"price_now_usd": None})


@prices(start=0)
def what_comes_after_as_of_is_invisible(x: Example) -> None:
    x.buy(-60, "10", "20")
    x.sell(1, "10", "50")
    x.tick(1, "9")
    x.candle(1, "9", asset=x.token(), resolution="snapshot", source="quotes")
    x.buy(1, "1", "1", wallet=x.wallet("tomorrow"))
    x.expect("movements", {"kind": "swap"})
    x.expect("positions", {"open_qty": D(10), "price_now_usd": 2.0})
    x.expect("wallet_pnl", wallet="tomorrow")
    x.expect("wallet_pnl", wallet="maker")


@prices(start=0)
def a_row_at_as_of_is_in_the_window(x: Example) -> None:
    x.buy(0, "10", "20")
    x.expect("wallet_pnl", {"trades": 1, "volume_usd": D(20)}, window="24h")


def _window_edge(x: Example, inside: str, outside: str | None, at: int) -> None:
    x.buy(at, "10", "20")
    x.expect("wallet_pnl", {"trades": 1, "volume_usd": D(20)}, window=inside)
    if outside is not None:
        x.expect("wallet_pnl", {"trades": 0, "volume_usd": D(0)}, window=outside)


@prices(start=-DAY)
def a_row_at_the_start_of_24h_is_outside(x: Example) -> None:
    _window_edge(x, "7d", "24h", 0)


@prices(start=-DAY)
def a_second_later_it_is_inside(x: Example) -> None:
    _window_edge(x, "24h", None, 1)


@prices(start=-7 * DAY)
def a_row_at_the_start_of_7d_is_outside(x: Example) -> None:
    _window_edge(x, "30d", "7d", 0)


@prices(start=-7 * DAY)
def a_second_after_the_start_of_7d_is_inside(x: Example) -> None:
    _window_edge(x, "7d", "24h", 1)


@prices(start=-30 * DAY)
def a_row_at_the_start_of_30d_is_outside(x: Example) -> None:
    _window_edge(x, "all", "30d", 0)


@prices(start=-30 * DAY)
def a_second_after_the_start_of_30d_is_inside(x: Example) -> None:
    _window_edge(x, "30d", "7d", 1)


@prices(start=-DAY)
def a_sale_in_the_window_takes_its_cost_from_before(x: Example) -> None:
    x.buy(-3600, "10", "20")
    x.sell(3600, "5", "15")
    x.expect(
        "wallet_token_pnl",
        {
            "bought_qty": D(0),
            "bought_usd": D(0),
            "sold_qty": D(5),
            "sold_usd": D(15),
            "realized_usd": D(5),
            "buys": 0,
            "sells": 1,
            "first_trade_at": x.time(3600),
        },
        window="24h",
    )


@prices(start=-3 * DAY)
def an_open_position_has_a_row_in_every_window(x: Example) -> None:
    x.buy(0, "10", "20")
    x.expect(
        "wallet_token_pnl",
        {
            "bought_qty": D(0),
            "realized_usd": D(0),
            "unrealized_usd": None,
            "total_usd": D(0),
            "first_trade_at": None,
        },
        window="24h",
    )


@prices(start=-3 * DAY)
def a_closed_position_has_a_row_where_it_was_traded(x: Example) -> None:
    x.buy(0, "10", "20")
    x.sell(3600, "10", "30")
    x.expect("wallet_token_pnl", window="24h")
    x.expect("wallet_token_pnl", {"realized_usd": D(10), "unrealized_usd": D(0)}, window="7d")
    x.expect("wallet_pnl", {"closed_trades": 0, "win_rate": None}, window="24h")


@prices()
def failed_none_and_unfetched_rows_are_no_trades(x: Example) -> None:
    x.buy(0, "10", "20")
    x.sell(60, "10", "90", network_fee="0.000005")
    x.rows[-1]["kind"] = "failed"  # its amounts are ignored
    x.add(120, "none", network_fee="0.00001", tip="0.001", deposit="-0.00203928")
    x.add(180, "unfetched", block_time=None)
    x.expect(
        "movements",
        {"kind": "swap"},
        {"kind": "failed", "sent_raw": None, "received_raw": None, "network_fee": 5_000},
        {"kind": "none", "tip": 1_000_000, "deposit": -2_039_280, "network_fee": 10_000},
        # It has no time of its own: that of the row before it in block order.
        {"kind": "unfetched", "tx_id": x.tx(4)},
    )
    x.expect("positions", {"open_qty": D(10)})
    x.expect("unexplained", {"kind": "unfetched", "value_usd": None})
    x.expect("wallet_pnl", {"failed_transactions": 1, "trades": 1}, window="24h")


@prices()
def ambiguous_units_move_like_transfers(x: Example) -> None:
    x.tick(0, "2")
    x.arrive(60, "10", kind="ambiguous", reason="liquidity", leg=0)
    x.leave(120, "4", kind="ambiguous", reason="liquidity", leg=0)
    x.expect(
        "positions",
        {"open_qty": D(6), "open_cost_usd": D(12), "estimated_qty": D(6), "balance": D(6)},
    )
    x.expect("trades")
    x.expect(
        "unexplained",
        {"kind": "ambiguous", "reason": "liquidity", "value_usd": D(20)},
        {"kind": "ambiguous", "reason": "liquidity", "value_usd": D(8)},
    )


@prices()
def fees_stay_out_of_the_price(x: Example) -> None:
    x.buy(0, "10", "20", network_fee="0.000105", tip="0.001", bot_fee="0.01", other_fee="0.02")
    x.expect(
        "trades",
        {
            "value_usd": D(20),
            "network_fee": 105_000,
            "tip": 1_000_000,
            "bot_fee": 10_000_000,
            "other_fee": 20_000_000,
        },
    )
    x.expect("positions", {"open_cost_usd": D(20)})
