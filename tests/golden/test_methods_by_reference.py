"""The four methods beside the moving average, worked by hand (METHODS 3.2 to 3.5, 4 and 6)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from tests.golden.example import AS_OF, DAY, USDX, D, tape_of
from tests.golden.method_cases import Case, days_ago, only, picked
from tests.reference.axes import (
    FIFO_COVERAGE,
    FIFO_NET,
    INDEXED_AVERAGE,
    METHODS,
    MOVING_AVERAGE,
    WINDOW_AVERAGE,
)
from tests.reference.consensus import consensus_table
from tests.reference.evaluate import evaluate_all
from tests.reference.random_market import with_market
from tests.reference.random_tape import random_tape, watched
from tests.reference.tape import SOL, USDC, iso

HOUR = 3_600
FILL = ("qty", "proceeds_usd", "cost_usd", "realized_usd", "cost_known", "left_out_reason")


def fills_of(x: Case, axes) -> list[tuple]:
    return [picked(row, *FILL) for row in x.tables(axes)["fills"]]


# --- fifo lots (METHODS 3.3, 3.4) ----------------------------------------------------------------


def test_costs_are_in_the_lot_and_off_the_proceeds() -> None:
    x = Case()
    x.candle(0, "100", resolution="hour")
    costs = {"network_fee": "0.000005", "tip": "0.001", "bot_fee": "0.01", "other_fee": "0.002"}
    x.buy(60, "10", "1", cash=SOL, deposit="0.00203928", **costs)
    x.sell(120, "5", "0.8", cash=SOL, network_fee="0.000005", deposit="-0.00101964")
    tables = x.tables(FIFO_NET)
    # Cost 1 + 0.000005 + 0.001 + 0.01 + 0.002 = 1.013005 SOL, at $100; half of it is sold.
    (lot,) = tables["lots"]
    assert picked(lot, "cost_native", "cost_usd") == (D("1.013005"), D("101.3005"))
    assert picked(lot, "qty_left", "cost_left_usd") == (D(5), D("50.65025"))
    # Proceeds 0.8 - 0.000005 = 0.799995 SOL; 0.799995 - 1.013005/2 = 0.2934925 SOL.
    (fill,) = tables["fills"]
    assert picked(fill, *FILL) == (
        *(D(5), D("79.9995"), D("50.65025"), D("29.34925")),
        *(True, None),
    )
    assert fill["realized_native"] == D("0.2934925")
    row = only(tables["wallet_pnl"], window="all")
    assert row["volume_usd"] == D(180)  # 1 and 0.8 SOL without costs
    assert row["deposits_native"] == D("0.00101964")  # half of the rent came back
    assert row["roi_pct"] == pytest.approx(57.94492623432264)  # 29.34925 / 50.65025
    token = only(tables["wallet_token_pnl"], window="all")
    assert picked(token, "bought_usd", "sold_usd") == (D("101.3005"), D("79.9995"))
    # The other FIFO row has no costs in its basis, but wants a minute's price: there is none.
    assert x.wallet_row(FIFO_COVERAGE)["realized_usd"] is None


def test_fees_of_failed_transactions_are_shown_apart() -> None:
    x = Case()
    x.add(0, "failed", network_fee="0.00001")
    x.add(1, "failed", network_fee="0.000005", deposit="1")  # rolled back with all the rest
    row = x.wallet_row(FIFO_NET)
    assert row["deposits_native"] == 0
    assert row["failed_fees_native"] == D("0.000015")
    assert row["failed_transactions"] == 2
    assert row["realized_usd"] == 0


@pytest.mark.parametrize("axes", [FIFO_NET, FIFO_COVERAGE], ids=lambda axes: axes.method)
def test_oldest_lots_go_first_to_sales_and_to_transfers_out(axes) -> None:
    x = Case()
    x.buy(0, "10", "10")
    x.buy(60, "10", "20")
    x.leave(120, "5")
    x.sell(180, "10", "30")
    # The transfer took 5 units at $1. Sold: 5 at $1 and 5 at $2, for $3 each.
    assert fills_of(x, axes) == [
        (D(5), D(15), D(5), D(10), True, None),
        (D(5), D(15), D(10), D(5), True, None),
    ]
    assert x.wallet_row(axes)["realized_usd"] == 15
    # 5 units of $2 are left; the newest tick is the sale's $3.
    assert x.wallet_row(axes)["unrealized_usd"] == 5


@pytest.mark.parametrize("axes", [FIFO_NET, FIFO_COVERAGE], ids=lambda axes: axes.method)
def test_transfer_in_is_a_lot_of_unknown_cost_in_the_queue(axes) -> None:
    x = Case()
    x.arrive(0, "10")
    x.buy(60, "10", "10")
    x.sell(120, "15", "30")
    assert fills_of(x, axes) == [
        (D(10), D(20), None, None, False, "unknown_cost"),
        (D(5), D(10), D(5), D(5), True, None),
    ]
    row = x.wallet_row(axes)
    assert picked(row, "realized_usd", "sold_unknown_cost_usd") == (D(5), D(20))
    # Open: 5 units of known cost at $2 less $5.
    assert row["unrealized_usd"] == 5


@pytest.mark.parametrize("axes", [FIFO_NET, FIFO_COVERAGE], ids=lambda axes: axes.method)
def test_excess_over_all_lots_is_of_unknown_cost(axes) -> None:
    x = Case()
    x.buy(0, "10", "10")
    x.sell(60, "15", "30")
    assert fills_of(x, axes) == [
        (D(10), D(20), D(10), D(10), True, None),
        (D(5), D(10), D(10), D(0), False, "oversold"),
    ]
    row = x.wallet_row(axes)
    assert picked(row, "realized_usd", "sold_unknown_cost_usd") == (D(10), D(10))


def test_sales_of_which_nothing_is_known_are_null_and_no_sale_is_as_the_row_says() -> None:
    x = Case()
    x.sell(0, "1", "30")
    assert x.wallet_row(FIFO_NET)["realized_usd"] is None
    assert x.wallet_row(FIFO_COVERAGE)["realized_usd"] is None
    y = Case()
    y.buy(0, "1", "30")
    assert y.wallet_row(FIFO_NET)["realized_usd"] == 0
    assert y.wallet_row(FIFO_COVERAGE)["realized_usd"] is None


def test_thirds_round_half_even_and_the_last_lot_takes_the_rest() -> None:
    x = Case()
    x.buy(0, "1", "1")
    x.buy(1, "1", "1")
    x.buy(2, "1", "1")
    x.sell(60, "3", "10")
    # 10/3 = 3.333333333; of the remaining 6.666666667 half is 3.3333333335, to even 3.333333334.
    assert [fill[1] for fill in fills_of(x, FIFO_COVERAGE)] == [
        *(D("3.333333333"), D("3.333333334"), D("3.333333333")),
    ]


def test_without_an_hour_price_native_figures_stay_and_dollars_are_null() -> None:
    x = Case()
    x.candle(0, "100")  # a minute never serves an hour
    x.buy(60, "10", "1", cash=SOL)
    x.sell(120, "10", "3", cash=SOL)
    row = x.wallet_row(FIFO_NET)
    assert picked(row, "realized_native", "realized_usd", "wins") == (D(2), None, 1)
    assert x.tables(FIFO_NET)["fills"][0]["left_out_reason"] == "no_usd_price"
    assert "missing_native_price" in row["confidence_reasons"]


@pytest.mark.parametrize(("fee", "realized"), [("0", D(5)), ("0.000005", None)])
def test_a_fee_without_an_hour_price_makes_stable_dollars_unknown(fee, realized) -> None:
    x = Case()
    x.buy(0, "10", "10", network_fee=fee)
    x.sell(60, "10", "15")
    row = x.wallet_row(FIFO_NET)
    assert picked(row, "realized_usd", "realized_native") == (realized, None)


def test_hour_is_the_latest_point_before_the_trade_else_the_first() -> None:
    x = Case(start=-AS_OF % HOUR - 12 * HOUR)  # a full hour
    x.candle(600, "100", resolution="hour")
    x.candle(1_200, "200", resolution="hour")
    x.candle(HOUR + 1, "900", resolution="hour")
    x.buy(0, "1", "1", cash=SOL)
    x.buy(1_199, "1", "1", cash=SOL)
    x.buy(1_200, "1", "1", cash=SOL)
    x.buy(HOUR - 1, "1", "1", cash=SOL)
    x.buy(3 * HOUR, "1", "1", cash=SOL)
    costs = [lot["cost_usd"] for lot in x.tables(FIFO_NET)["lots"]]
    assert costs == [D(100), D(100), D(200), D(200), None]


def test_token_for_token_moves_units_but_is_no_trade_of_fifo_net() -> None:
    x = Case()
    x.candle(0, "100", resolution="hour")
    x.buy(0, "10", "10")
    x.swap(60, "10", "5")
    x.sell(120, "5", "50", token="B")
    assert fills_of(x, FIFO_NET) == [(D(5), D(50), None, None, False, "unknown_cost")]
    row = x.wallet_row(FIFO_NET)
    assert "token_for_token" in row["confidence_reasons"]
    assert picked(row, "realized_usd", "trades") == (None, 2)
    # Priced by the tick of $1 a minute before, it sells 10 for $10 and buys 5 for $10.
    assert fills_of(x, FIFO_COVERAGE) == [
        (D(10), D(10), D(10), D(0), True, None),
        (D(5), D(50), D(10), D(40), True, None),
    ]


def test_a_swap_at_no_recognised_venue_leaves_and_arrives() -> None:
    x = Case()
    x.buy(0, "10", "10")
    x.buy(60, "10", "50", venue=None)
    x.sell(120, "4", "8", venue=None)
    x.sell(180, "8", "16")
    # The unrecognised sale took 4 of the $1 units; 6 are left, then 2 of unknown cost.
    assert fills_of(x, FIFO_COVERAGE) == [
        (D(6), D(12), D(6), D(6), True, None),
        (D(2), D(4), None, None, False, "unknown_cost"),
    ]


def test_a_window_begins_just_after_its_span() -> None:
    x = Case(start=days_ago(7, seconds=100))
    x.buy(0, "3", "3")
    x.sell(100, "1", "11")  # exactly seven days before: outside
    x.sell(101, "1", "3")  # a second later: inside, of a lot that was bought outside
    realized = [x.wallet_row(FIFO_NET, window)["realized_usd"] for window in ("7d", "30d")]
    assert realized == [D(2), D(12)]


# --- confidence, bots, eligibility, score (METHODS 3.3, 6) ---------------------------------------


def trader(sells: int = 20, got: str = "2") -> Case:
    """One buy and some sells with known costs in an hour that has its price."""
    x = Case()
    x.candle(0, "100", resolution="hour")
    x.buy(0, "1000", "1000")
    for number in range(sells):
        x.sell(60 + number, "1", got)
    return x


def confidence(x: Case, window: str = "30d", **given) -> tuple:
    return picked(x.wallet_row(FIFO_NET, window, **given), "confidence", "confidence_reasons")


@pytest.mark.parametrize(
    ("sells", "expected"),
    [
        (20, ("high", "")),
        (19, ("medium", "sells")),
        (5, ("medium", "sells")),
        (4, ("low", "sells")),
    ],
)
def test_confidence_by_sells(sells, expected) -> None:
    assert confidence(trader(sells)) == expected


@pytest.mark.parametrize(
    ("each", "unknown", "expected"),
    [
        ("4.75", "5", ("high", "")),  # 95 of 100
        ("4.70", "6", ("medium", "known_cost_share")),  # 94 of 100
        ("3.75", "25", ("medium", "known_cost_share")),  # 75 of 100
        ("3.70", "26", ("low", "known_cost_share")),  # 74 of 100
    ],
)
def test_confidence_by_known_cost_share(each, unknown, expected) -> None:
    x = trader(20, got=each)
    x.sell(300, "1", unknown, token="B")
    assert confidence(x) == expected


@pytest.mark.parametrize(
    ("sells", "unclear", "expected"),
    [
        (38, 2, ("high", "")),  # 2 of 41
        (37, 2, ("medium", "uninterpreted")),  # 2 of 40 = 5 %
        (40, 10, ("medium", "uninterpreted")),  # 10 of 51
        (39, 10, ("low", "uninterpreted")),  # 10 of 50 = 20 %
    ],
)
def test_confidence_by_uninterpreted_share(sells, unclear, expected) -> None:
    x = trader(sells)
    x.add(400, "none")
    x.add(401, "failed")
    x.buy(402, "1", "1", token="B", venue=None)
    x.arrive(403, "1", token="B", kind="ambiguous")
    for number in range(unclear - 2):
        x.add(410 + number, "unfetched")
    assert confidence(x) == expected


@pytest.mark.parametrize(
    ("reaches", "window", "expected"),
    [
        (30 * DAY, "30d", ("high", "")),
        (30 * DAY - 1, "30d", ("medium", "history")),
        (15 * DAY, "30d", ("medium", "history")),  # exactly half
        (15 * DAY - 1, "30d", ("low", "history")),
        (300 * DAY, "all", ("medium", "history")),
        (None, "7d", ("low", "history")),
    ],
)
def test_confidence_by_history(reaches, window, expected) -> None:
    x = trader()
    begins = None if reaches is None else iso(AS_OF - reaches)
    row = x.watch(history_from=begins, history_truncated=True)
    assert confidence(x, window, wallets=[row]) == expected
    row = x.watch(history_from=begins, history_truncated=False)
    assert confidence(x, window, wallets=[row]) == ("high", "")


@pytest.mark.parametrize(
    ("counts", "is_bot"), [((150,), False), ((151,), True), ((150, 150), False), ((1, 301), True)]
)
def test_bot_by_transactions_a_day(counts, is_bot) -> None:
    x = Case()
    for days, count in enumerate(counts):
        for number in range(count):
            x.add(number - days * DAY, "none")
    row = x.wallet_row(FIFO_NET)
    reasons = "transactions_per_day" if is_bot else ""
    assert picked(row, "is_bot", "bot_reasons") == (is_bot, reasons)


@pytest.mark.parametrize(("kinds", "is_bot"), [("fo", False), ("ffo", True), ("ffuu", False)])
def test_bot_by_failures(kinds, is_bot) -> None:
    x = Case()
    for at, kind in enumerate(kinds):
        x.add(at, {"f": "failed", "o": "none", "u": "unfetched"}[kind])
    assert x.wallet_row(FIFO_NET)["is_bot"] is is_bot


@pytest.mark.parametrize(
    ("quick", "slow", "after_s", "is_bot"),
    [(10, 10, 20, True), (10, 11, 20, False), (9, 0, 20, False), (10, 0, 21, False)],
)
def test_bot_by_quick_sells(quick, slow, after_s, is_bot) -> None:
    x = Case()
    x.buy(0, "100", "100")
    for number in range(quick):
        x.buy(100 * number + 100, "1", "1")
        x.sell(100 * number + 100 + after_s, "1", "1")
    for number in range(slow):
        x.sell(5_000 + number, "1", "1")
    reasons = "quick_sells" if is_bot else ""
    assert x.wallet_row(FIFO_NET)["bot_reasons"] == reasons


def eligible(tokens: int = 5, sells: int = 2, paid: str = "20", got: str = "20", **more) -> Case:
    """Tokens bought for ``paid`` and sold out in so many sales of ``got``, in a priced hour."""
    x = Case(**more)
    x.candle(0, "100", resolution="hour")
    for number in range(tokens):
        x.buy(number, str(sells), paid, token=f"K{number}")
        for sale in range(sells):
            x.sell(100 + 10 * number + sale, "1", got, token=f"K{number}")
    return x


def failing(x: Case) -> list[str]:
    rows = x.tables(FIFO_NET)["eligibility"]
    assert {row["window"] for row in rows} == {"30d"}
    return [row["criterion"] for row in rows if not row["passed"]]


def test_score_of_a_trader_who_just_meets_every_threshold() -> None:
    x = eligible()
    # 5 tokens for $20, each sold in two sales of $20: 10 sells, realized 5 x 20 = $100, roi 100 %.
    assert failing(x) == []
    row = x.wallet_row(FIFO_NET, "30d")
    assert picked(row, "sells", "realized_usd", "roi_pct", "confidence") == (
        *(10, D(100), 100.0, "medium"),
    )
    # P = log10(1)/3 = 0, R = 1/2, W = 1, D = 5/20: 12.5 + 25 + 3.75 = 41.25, x 0.85.
    assert row["score"] == pytest.approx(35.0625)
    assert x.wallet_row(FIFO_NET, "90d")["score"] is None
    (ranked,) = x.tables(FIFO_NET)["leaderboard"]
    assert picked(ranked, "board", "window", "rank") == ("score", "30d", 1)


def test_score_at_high_confidence() -> None:
    x = eligible(tokens=20, sells=1, paid="50", got="100")
    row = x.wallet_row(FIFO_NET, "30d")
    # 20 sells, realized $1,000: P = 1/3, R = 1/2, W = 1, D = 1: 35/3 + 12.5 + 25 + 15.
    assert row["confidence"] == "high"
    assert row["score"] == pytest.approx(64 + 1 / 6)
    assert picked(row, "high_profit", "stable", "active") == (True, True, True)


@pytest.mark.parametrize(
    ("case", "missed"),
    [
        (eligible(tokens=9, sells=1, paid="5"), ["sells"]),
        (eligible(tokens=4, sells=3, paid="20"), ["tokens_with_known_cost"]),
        (eligible(got="19.999999"), ["realized_usd"]),
        (eligible(paid="40"), ["realized_usd", "roi_pct"]),  # nothing won: roi 0
        (eligible(start=days_ago(7, seconds=141)), ["trades_last_7d"]),  # the last sale at 141 s
        (eligible(start=days_ago(7, seconds=140)), []),
    ],
)
def test_a_threshold_just_missed(case: Case, missed: list[str]) -> None:
    assert failing(case) == missed
    assert (case.wallet_row(FIFO_NET, "30d")["score"] is None) == bool(missed)


def test_eligibility_by_known_cost_share() -> None:
    x = eligible(sells=3, paid="20", got="20")
    x.sell(300, "1", "100", token="B")  # 300 of 400 known
    assert failing(x) == []
    y = eligible(sells=3, paid="20", got="20")
    y.sell(300, "1", "100.01", token="B")
    assert failing(y) == ["known_cost_share", "confidence"]


def test_wins_need_one_known_fill_and_known_tokens_need_them_all() -> None:
    x = Case()
    x.candle(0, "100", resolution="hour")
    x.buy(0, "1", "1")
    x.arrive(1, "1")
    x.sell(60, "2", "6")  # 3 - 1 of the known unit, in SOL at $100: above 0
    x.sell(61, "1", "6", token="B")  # nothing known: neither won nor lost
    x.buy(62, "1", "6", token="C")
    x.sell(63, "1", "6", token="C")  # 0 is not above 0
    row = x.wallet_row(FIFO_NET)
    assert picked(row, "wins", "win_units", "tokens_with_known_cost") == (1, 2, 1)
    # Complete are only the sales of C.
    assert picked(x.wallet_row(FIFO_COVERAGE), "wins", "win_units") == (0, 1)


def test_filters() -> None:
    x = eligible(tokens=1, sells=1, paid="1", got="1000.99", start=days_ago(8))
    row = x.wallet_row(FIFO_NET, "all")
    # $999.99 in 30d; nothing in 7d, where 0 is not above 0; no trade in the last day.
    assert picked(row, "high_profit", "stable", "active") == (False, False, False)


# --- coverage (METHODS 3.4, 6) -------------------------------------------------------------------


def covered(x: Case) -> tuple:
    tables = x.tables(FIFO_COVERAGE)
    boards = {row["board"] for row in tables["leaderboard"] if row["window"] == "all"}
    return only(tables["wallet_pnl"], wallet=x.wallet(), window="all")["coverage"], boards


def test_coverage_is_floored_and_ranks_from_95_percent() -> None:
    both = {"realized", "mark_to_market"}
    x = trader(sells=18)
    x.add(500, "unfetched")
    assert covered(x) == (0.95, both)  # 19 of 20
    x.sell(400, "1", "2", venue=None)
    assert covered(x) == (0.9047, set())  # 19 of 21 = 0.904761...
    y = trader(sells=17)
    y.add(500, "unfetched")
    assert covered(y) == (0.9473, set())  # 18 of 19 = 0.947368...


def test_coverage_asks_a_price_of_buys_and_a_known_cost_of_every_unit_sold() -> None:
    x = Case()
    x.buy(0, "10", "1", cash=SOL)  # no price
    assert covered(x)[0] == 0.0
    x.buy(1, "10", "10", token="B")
    assert covered(x)[0] == 0.5
    x.sell(60, "11", "22", token="B")  # one unit too many
    assert covered(x)[0] == 0.3333
    x.add(70, "swap", sent_asset=USDC, sent_amount="1", received_asset=SOL, received_amount="1")
    assert covered(x)[0] == 0.3333  # a conversion counts in neither


def test_coverage_of_nothing_is_null() -> None:
    x = Case()
    x.arrive(0, "1")
    assert covered(x) == (None, set())


def test_both_legs_of_a_token_for_token_swap_must_hold() -> None:
    x = Case()
    x.buy(0, "10", "10")
    x.swap(60, "11", "5")  # priced, but one unit was never bought
    assert covered(x)[0] == 0.5


def test_boards_and_parts_of_fifo_coverage() -> None:
    x = Case()
    x.buy(0, "10", "10", source="a bot")
    x.sell(60, "5", "10", venue="another", source="direct")
    tables = x.tables(FIFO_COVERAGE)
    figures = {
        row["board"]: row["figure"] for row in tables["leaderboard"] if row["window"] == "all"
    }
    # Realized 10 - 5; 5 units are worth $10 and cost $5.
    assert figures == {"realized": D(5), "mark_to_market": D(10)}
    parts = ("realized_usd", "sells", "volume_usd")
    of_venue = {r["venue"]: picked(r, *parts) for r in tables["venue_pnl"] if r["window"] == "all"}
    assert of_venue == {"an exchange": (None, 0, D(10)), "another": (D(5), 1, D(10))}
    by_source = {
        r["source"]: picked(r, *parts) for r in tables["source_pnl"] if r["window"] == "all"
    }
    assert by_source == {"a bot": (None, 0, D(10)), "direct": (D(5), 1, D(10))}


# --- indexed_average (METHODS 3.2, 6) ------------------------------------------------------------


def indexed(x: Case, window: str = "all", **given) -> tuple:
    row = x.token_row(INDEXED_AVERAGE, window, **given)
    return picked(row, "realized_usd", "unrealized_usd", "total_usd")


def test_average_against_average_over_priced_swaps() -> None:
    x = Case()
    x.buy(0, "100", "100")
    x.buy(60, "50", "1", cash=SOL)  # not priced: in B, not in Bp
    x.sell(120, "80", "120")
    # 80 x (1.5 - 1) = 40; open 70, of which 100 - 80 = 20 priced: 20 x (1.5 - 1) = 10.
    assert indexed(x) == (D(40), D(10), D(50))
    assert x.wallet_row(INDEXED_AVERAGE)["total_usd"] == 50  # SOL and USDC are outside


def test_units_sold_beyond_those_bought_are_capped() -> None:
    x = Case()
    x.buy(0, "10", "10")
    x.sell(60, "30", "60")
    assert indexed(x) == (D(10), D(0), D(10))  # min(30, 10) x (2 - 1); nothing open


def test_realized_without_an_average_is_null() -> None:
    x = Case()
    x.arrive(0, "10")
    x.sell(60, "10", "60")
    assert indexed(x) == (None, None, None)
    y = Case()
    y.buy(0, "10", "10")
    y.sell(60, "5", "1", cash=SOL)
    assert indexed(y) == (None, D(0), D(0))  # open 5 at $1: worth what it cost


def test_a_window_sells_against_the_average_of_all_time() -> None:
    x = Case(start=days_ago(3))
    x.buy(0, "100", "100")
    x.buy(60, "100", "300")  # avg_buy 2 over all time
    x.sell(2 * DAY + 60, "50", "250")
    assert indexed(x, "24h")[0] == 150  # 50 x (5 - 2)
    assert indexed(x, "7d")[0] == 150


@pytest.mark.parametrize(("traded", "unrealized"), [("100", D(0)), ("99.999999", None)])
def test_volume_guard_is_strict(traded, unrealized) -> None:
    x = Case(start=days_ago(10))
    x.buy(0, "1000", "1000")
    # The maker's swap is all of the last day's volume: $v for q units at v/q. Open is worth
    # 1,000 x v/q, which is above 10 x v when q is under 100.
    x.buy(10 * DAY - HOUR, traded, traded, wallet=x.wallet("maker"))
    assert indexed(x)[1] == unrealized


@pytest.mark.parametrize(("before_the_hour_s", "unrealized"), [(0, D(10)), (1, None)])
def test_24_hourly_buckets_start_on_the_full_hour(before_the_hour_s, unrealized) -> None:
    # as_of is 13:17; minus 23 h it is 14:17, so the first bucket opens at 14:00.
    first = AS_OF - 23 * HOUR - 17 * 60
    x = Case(start=first - AS_OF - before_the_hour_s)
    x.buy(0, "10", "10", tx_index=1)
    x.tick(0, "2", tx_index=2)
    # Both lie in one second: $12 of volume or none, for 10 x (2 - 1).
    assert indexed(x)[1] == unrealized


def test_chart_pool_is_the_busiest_and_its_last_priced_swap_counts() -> None:
    x = Case()
    x.buy(0, "100", "100", pool="deep")
    x.tick(60, "2", pool="deep")
    x.tick(120, "50", pool="thin")  # later, but $50 against $102
    x.tick(180, "0.009999", pool="deep")  # under a cent
    assert indexed(x)[1] == 100  # 100 x (2 - 1)


def test_a_pool_without_a_name_is_venue_and_other_side() -> None:
    x = Case()
    x.candle(0, "10")
    x.buy(0, "100", "100")
    x.buy(30, "1", "1", cash=SOL)  # same venue, another pool: $10
    # 101 units cost $110. By the busier pool of $100 they are worth $101, by the other's $10 each
    # they would be worth $1,010.
    assert indexed(x)[1] == -9


def test_a_token_never_base_is_priced_where_it_trades() -> None:
    x = Case()
    x.tick(0, "3", token="A")
    x.swap(60, "10", "15", sold="A", bought="B")  # 15 B for $30
    row = x.token_row(INDEXED_AVERAGE, token="B")
    assert picked(row, "bought_usd", "unrealized_usd") == (D(30), D(0))


def test_a_pool_where_the_token_is_base_goes_before_a_busier_one() -> None:
    x = Case()
    x.buy(0, "10", "10")  # base, $10
    x.tick(10, "20", token="B")
    x.swap(60, "5", "30", sold="B", bought="A")  # A at $100 / 30 = $3.33 in the pool with B
    # 40 A for $110; by the pool of $10 they are worth $40.
    assert indexed(x)[1] == -70


@pytest.mark.parametrize(
    ("supply", "reserve", "unrealized"),
    [
        ("50000000", "999.99", D(10)),  # worth exactly $100M
        ("50000001", "1000", D(10)),  # the pool holds exactly $1,000
        ("50000001", "999.99", None),
        ("50000001", None, D(10)),  # no pool row, no pool guard
    ],
)
def test_pool_guard_is_strict(supply, reserve, unrealized) -> None:
    x = Case()
    x.buy(0, "10", "10", pool="P")
    x.tick(60, "2", pool="P")
    pools = [] if reserve is None else [x.pool("P", reserve)]
    assert indexed(x, facts={"supply": supply}, pools=pools)[1] == unrealized


def test_price_now_is_at_most_a_day_old() -> None:
    x = Case(start=-DAY)
    x.buy(0, "10", "10")
    assert indexed(x)[1] is None  # its swap lies before the first bucket: volume 0
    y = Case(start=-DAY - 1)
    y.buy(0, "10", "10")
    assert picked(y.wallet_row(INDEXED_AVERAGE), "positions_without_price") == (1,)
    assert picked(x.wallet_row(INDEXED_AVERAGE), "positions_without_price") == (0,)


def test_quote_assets_are_positions_outside_the_totals() -> None:
    x = Case()
    x.candle(0, "100")
    x.candle(60, "200")
    x.add(0, "swap", sent_asset=USDC, sent_amount="250", received_asset=SOL, received_amount="2")
    x.buy(60, "10", "1", cash=SOL)
    rows = x.tables(INDEXED_AVERAGE)["wallet_token_pnl"]
    sol = only(rows, window="all", token=SOL)
    # Bought 2 for $250 at par of the stable; one spent at $200: 200 - 125 = 75. Open 1 at $200.
    assert picked(sol, "quote", "realized_usd", "unrealized_usd") == (True, D(75), D(75))
    assert only(rows, window="all", token=x.token())["quote"] is False
    assert x.wallet_row(INDEXED_AVERAGE)["realized_usd"] == 0


# --- window_average (METHODS 3.5, 6) -------------------------------------------------------------


@pytest.mark.parametrize(
    ("bought", "paid", "sold", "got", "average", "realized", "roi"),
    [
        (
            *("29080767.335830362668108408", "245.0993"),
            *("29080767.335830362668108408", "1547.981"),
            *("0.00000842823", "1302.88", "531.573"),
        ),
        (
            *("46475393.982901663958413733", "367.271"),
            *("37582304.39247174197236032", "1291.4436"),
            *("0.00000790248", "994.45", "270.767"),
        ),
        (
            *("35569497.20243776424709037", "840.1886"),
            *("35569497.20243776424709037", "1678.1883"),
            *("0.000023621", "838.00", "99.7395"),
        ),
    ],
)
def test_the_published_example(bought, paid, sold, got, average, realized, roi) -> None:
    x = Case()
    x.token(decimals=18)
    x.buy(0, bought, paid, cash=USDX)
    x.sell(60, sold, got, cash=USDX)
    row = x.token_row(WINDOW_AVERAGE, balances=[x.hold("0")])
    assert row["cost_basis"] == "complete"
    assert f"{row['realized_usd']:.2f}" == f"{row['total_usd']:.2f}" == realized
    assert Decimal(f"{row['roi_pct']:.6g}") == Decimal(roi)
    assert Decimal(f"{row['avg_buy_usd']:.6g}") == Decimal(average)


PNL = ("realized_usd", "unrealized_usd", "total_usd", "roi_pct", "cost_basis")


def test_sold_more_than_bought_is_unknown_and_only_the_window_counts() -> None:
    x = Case(start=days_ago(2))
    x.buy(0, "10", "10")
    x.sell(DAY + 60, "5", "10")
    oversold = "unknown (sold tokens received by transfer)"
    assert picked(x.token_row(WINDOW_AVERAGE, "24h"), *PNL) == (None, None, None, None, oversold)
    # All: 10 - 5 x 1 = 5; a balance of 5 at $2 less $5.
    assert picked(x.token_row(WINDOW_AVERAGE), *PNL) == (D(5), D(5), D(10), 100.0, "complete")
    wallet = x.wallet_row(WINDOW_AVERAGE, "24h")
    assert picked(wallet, "realized_usd", "tokens_with_known_cost", "tokens_traded") == (None, 0, 1)


def test_a_trade_without_a_price_makes_the_token_unknown() -> None:
    x = Case()
    x.buy(0, "10", "10")
    x.buy(60, "10", "1", cash=SOL)
    row = x.token_row(WINDOW_AVERAGE)
    assert picked(row, *PNL) == (None, None, None, None, "unknown (a trade is not priced)")


def test_the_balance_counts_transfers_and_the_pool_caps_its_value() -> None:
    x = Case()
    x.buy(0, "10", "20", pool="P")
    given = {"balances": [x.hold("100")]}
    # 100 at $2; 10 of them cost $20.
    assert x.token_row(WINDOW_AVERAGE, **given)["unrealized_usd"] == 180
    given["pools"] = [x.pool("P", "50")]
    assert x.token_row(WINDOW_AVERAGE, **given)["unrealized_usd"] == 30  # 50 - 20
    given["balances"] = [x.hold("4")]
    assert x.token_row(WINDOW_AVERAGE, **given)["unrealized_usd"] == 0  # 8 - 4 x 2


def test_a_balance_without_a_price_leaves_realized_alone() -> None:
    x = Case(start=days_ago(2))
    x.buy(0, "10", "10")
    x.sell(60, "5", "10")
    row = x.token_row(WINDOW_AVERAGE)
    assert picked(row, *PNL) == (D(5), None, None, None, "complete")
    wallet = x.wallet_row(WINDOW_AVERAGE)
    assert picked(wallet, "total_usd", "positions_without_price", "win_rate") == (D(5), 1, None)


def test_holding_time_runs_to_now_while_held() -> None:
    x = Case()
    x.buy(0, "10", "10")
    x.sell(60, "4", "8")
    assert x.token_row(WINDOW_AVERAGE)["holding_time_s"] == DAY // 2
    assert x.token_row(WINDOW_AVERAGE, balances=[x.hold("0")])["holding_time_s"] == 60
    assert x.wallet_row(WINDOW_AVERAGE)["avg_hold_s"] == 60.0


def test_gas_is_beside_pnl_per_token_and_per_wallet() -> None:
    x = Case()
    x.candle(0, "100")
    x.tick(0, "1")
    x.buy(10, "10", "10", network_fee="0.01", tip="0.5")
    x.swap(20, "5", "5", network_fee="0.02")
    x.add(30, "failed", network_fee="0.04")
    gas = [x.token_row(WINDOW_AVERAGE, token=t)["gas_spent_usd"] for t in ("A", "B")]
    assert gas == [D(3), D(2)]  # the swap's gas stands on both tokens
    assert x.wallet_row(WINDOW_AVERAGE)["gas_spent_usd"] == 7
    x.add(HOUR, "none", network_fee="0.01")  # no price in this minute
    assert x.wallet_row(WINDOW_AVERAGE)["gas_spent_usd"] is None


def test_wallet_sums_best_worst_and_wins() -> None:
    x = Case()
    for token, got in (("A", "15"), ("B", "4"), ("C", "10")):
        x.buy(0, "10", "10", token=token)
        x.sell(60, "10", got, token=token)
    x.sell(90, "1", "99", token="D")  # unknown, in no sum
    row = x.wallet_row(WINDOW_AVERAGE)
    assert picked(row, "realized_usd", "total_usd", "tokens_with_known_cost") == (D(-1), D(-1), 3)
    assert picked(row, "best_token", "worst_token") == (x.token("A"), x.token("B"))
    assert picked(row, "wins", "win_units") == (1, 3)
    assert row["roi_pct"] == pytest.approx(-100 / 30)  # -1 of $30


def test_nothing_traded_is_zero_and_no_rate() -> None:
    x = Case(start=days_ago(2))
    x.buy(0, "10", "10")
    row = x.wallet_row(WINDOW_AVERAGE, "24h")
    assert picked(row, "realized_usd", "total_usd", "win_rate", "roi_pct", "avg_hold_s") == (
        *(D(0), D(0), None, None, None),
    )


def test_token_traders_rank_by_total_and_the_unknown_stands_last() -> None:
    x = Case()
    for wallet, got in (("a", "30"), ("b", "20"), ("c", "20.001")):
        x.buy(0, "10", "10", wallet=x.wallet(wallet))
        x.sell(60, "10", got, wallet=x.wallet(wallet))
    x.sell(90, "1", "5", wallet=x.wallet("d"))
    rows = [row for row in x.tables(WINDOW_AVERAGE)["token_traders"] if row["window"] == "all"]
    # $10.001 and $10 are equal cents.
    assert [(row["wallet"][-1], row["rank"]) for row in rows] == [
        *(("a", 1), ("c", 2), ("b", 2), ("d", None)),
    ]


@pytest.mark.parametrize(
    ("facts", "tags"),
    [
        ({"creator": "W-case"}, "dev"),
        ({"created_block": -2}, "sniper"),
        ({"created_block": -3}, ""),
        ({"created_block": 1}, ""),
        ({"supply": "1000"}, "whale"),  # 10 of 1,000: 1 %
        ({"supply": "1000.1"}, ""),
    ],
)
def test_tags(facts, tags) -> None:
    x = Case()
    x.buy(0, "10", "10")
    if "created_block" in facts:  # relative to the block of the buy
        facts = {"created_block": x.rows[0]["block"] + facts["created_block"]}
    assert x.token_row(WINDOW_AVERAGE, facts=facts)["tags"] == tags


# --- consensus (METHODS 4, 6) --------------------------------------------------------------------


def pnl(wallet: str, figure: str | None, volume: str = "1", trades: int = 1, window: str = "7d"):
    known = None if figure is None else D(figure)
    return {
        "chain": "solana",
        "wallet": wallet,
        "window": window,
        "trades": trades,
        "volume_usd": D(volume),
        "realized_usd": known,
        "total_usd": known,
    }


def test_consensus_ranks_by_the_lowest_known_figure() -> None:
    one, two, three = METHODS[:3]
    rows = consensus_table(
        [
            (one, [pnl("a", "10"), pnl("b", "5"), pnl("c", "7", trades=0), pnl("d", None)]),
            (two, [pnl("a", "-1"), pnl("b", "5.004", "3"), pnl("c", "7", trades=0)]),
            (three, [pnl("a", "0"), pnl("b", None), pnl("e", "5.001", "9")]),
        ]
    )
    shown = ("lowest_usd", "highest_usd", "methods_known", "sign_agrees", "rank")
    assert {row["wallet"]: picked(row, *shown) for row in rows} == {
        "a": (D(-1), D(10), 3, False, 3),
        "b": (D(5), D("5.004"), 2, True, 1),
        "c": (D(7), D(7), 2, True, None),  # no trade in the window
        "d": (None, None, 0, None, None),
        "e": (D("5.001"), D("5.001"), 1, True, 1),  # equal cents share a rank
    }


def test_zero_is_a_sign_of_its_own() -> None:
    one, two = METHODS[:2]
    (row,) = consensus_table([(one, [pnl("a", "0")]), (two, [pnl("a", "3")])])
    assert row["sign_agrees"] is False


def test_the_five_methods_on_one_ledger() -> None:
    x = Case()
    x.candle(0, "100", resolution="hour")
    x.buy(0, "10", "10")
    x.buy(100, "10", "30")
    x.sell(200, "10", "30")
    tape_tables = evaluate_all(tape_of([x]), AS_OF)
    found = {
        axes.method: only(tape_tables[axes.method]["wallet_pnl"], window="all")["realized_usd"]
        for axes in METHODS
    }
    # Average cost $2: 30 - 20. Oldest lots: 30 - 10. All agree on the total of 10 + 10 = 20 + 0.
    assert found == {
        "moving_average": D(10),
        "indexed_average": D(10),
        "fifo_net": D(20),
        "fifo_coverage": D(20),
        "window_average": D(10),
    }
    (row,) = [r for r in tape_tables[""]["consensus"] if r["window"] == "7d"]
    # Headlines: realized 10, total 10 + 10 x (3 - 2) = 20, realized 20 twice, total 20.
    assert picked(row, "lowest_usd", "highest_usd", "methods_known") == (D(10), D(20), 5)
    (row,) = [r for r in tape_tables[""]["consensus"] if r["window"] == "90d"]
    assert row["methods_known"] == 1  # only one method offers it


# --- on random tapes (METHODS 5) -----------------------------------------------------------------


@pytest.fixture(scope="module")
def random_tables() -> dict:
    """Every method's tables of one nasty tape with a watch list."""
    return evaluate_all(with_market(watched(random_tape(seed=11, wallets=80), seed=12), 13), AS_OF)


def test_random_tape_reaches_every_outcome(random_tables: dict) -> None:
    """A tape that stopped making a case would let the build agree in silence."""
    net, coverage = random_tables["fifo_net"], random_tables["fifo_coverage"]
    reasons = {row["left_out_reason"] for row in net["fills"]}
    assert reasons == {None, "not_priced", "unknown_cost", "no_usd_price", "oversold"}
    assert {row["confidence"] for row in net["wallet_pnl"]} == {"high", "medium", "low"}
    boards = {row["board"] for row in coverage["leaderboard"]}
    assert boards == {"realized", "mark_to_market"}
    bases = {row["cost_basis"] for row in random_tables["window_average"]["wallet_token_pnl"]}
    assert len(bases) == 3
    for method in ("indexed_average", "window_average"):
        rows = random_tables[method]["wallet_token_pnl"]
        assert {row["unrealized_usd"] is None for row in rows} == {True, False}
    consensus = random_tables[""]["consensus"]
    assert {row["sign_agrees"] for row in consensus} == {True, False, None}


@pytest.mark.parametrize("method", ["fifo_net", "fifo_coverage"])
def test_the_parts_of_every_sale_add_up(random_tables: dict, method: str) -> None:
    """The fills of a sale hold its units, and an emptied lot holds no cost."""
    tables = random_tables[method]
    watched_wallets = {(row["chain"], row["wallet"]) for row in tables["wallet_pnl"]}
    key = ("chain", "wallet", "token", "tx_id", "leg")
    sold: dict[tuple, Fraction] = defaultdict(Fraction)
    for fill in tables["fills"]:
        sold[picked(fill, *key)] += Fraction(fill["qty"])
    sales = {
        picked(trade, *key): Fraction(trade["qty"])
        for trade in tables["trades"]
        if trade["side"] == "sell" and picked(trade, "chain", "wallet") in watched_wallets
    }
    assert sold == sales
    assert len(sales) > 100
    for lot in tables["lots"]:
        assert 0 <= lot["qty_left"] <= lot["qty"]
        assert (lot["qty_left"] == 0) <= (lot["cost_left_usd"] in (None, 0))


def test_a_shuffled_tape_comes_to_the_same(random_tables: dict) -> None:
    tape = with_market(watched(random_tape(seed=11, wallets=80), seed=12), 13)
    for rows in (tape.movements, tape.assets, tape.prices, tape.wallets, tape.balances, tape.pools):
        rows.reverse()
    assert evaluate_all(tape, AS_OF) == random_tables


# --- rows between the methods (METHODS 4, the bridge) --------------------------------------------


def test_costs_of_a_swap_between_tokens_count_once_and_off_what_was_sold() -> None:
    x = Case()
    x.candle(0, "100")
    x.buy(0, "10", "10")
    x.swap(30, "10", "5", network_fee="0.01")  # $1 of costs at $100
    between = replace(FIFO_COVERAGE, costs=True)
    (fill,) = x.tables(between)["fills"]
    assert picked(fill, *FILL[1:4]) == (D(9), D(10), D(-1))
    assert [lot["cost_usd"] for lot in x.tables(between)["lots"]] == [D(10), D(10)]


@pytest.mark.parametrize("axes", [MOVING_AVERAGE, INDEXED_AVERAGE, FIFO_COVERAGE, WINDOW_AVERAGE])
def test_costs_in_any_basis_come_off_the_result(axes) -> None:
    x = Case()
    x.candle(0, "100")
    x.buy(0, "10", "10", network_fee="0.01")
    x.sell(30, "10", "30", tip="0.02")
    assert x.wallet_row(axes)["realized_usd"] == 20
    assert x.wallet_row(replace(axes, costs=True))["realized_usd"] == 17  # less $1 and $2
