"""Minimums just met and just missed, ranks and ties (METHODS 3.1 Ranked, 6 Boards)."""

from __future__ import annotations

from tests.golden.example import DAY, Collection, D, Example

boards = Collection()


def rounds(x: Example, trips: list[tuple[str, str]], at: int = 0, every: int = 600, **columns):
    """Closed trades one after the other: each buys a unit and sells it 300 s later."""
    for number, (paid, got) in enumerate(trips):
        x.buy(at + number * every, "1", paid, **columns)
        x.sell(at + number * every + 300, "1", got, **columns)


def criteria(x: Example, window: str, **rows: dict) -> None:
    """Rows of eligibility by criterion."""
    for criterion, row in rows.items():
        x.expect("eligibility", row, window=window, criterion=criterion)


# 24 h: 5 closed trades and $2,000. Five trips of 190 + 210 are 5 x 400 = 2,000 and earn 100.


@boards()
def the_minimums_of_24h_just_met(x: Example) -> None:
    rounds(x, [("190", "210")] * 5)
    criteria(
        x,
        "24h",
        closed_trades={"value": 5.0, "threshold": 5.0, "passed": True},
        volume_usd={"value": 2000.0, "threshold": 2000.0, "passed": True},
        tokens_traded={"value": 1.0, "threshold": 1.0, "passed": True},
        days_tracked={"value": 0.5, "threshold": 0.0, "passed": True},
        wash_share={"value": 0.0, "threshold": 0.2, "passed": True},
    )
    x.expect(
        "leaderboard",
        {"window": "24h", "board": "realized", "ranked_by": "realized", "figure": D(100)},
    )
    # 7 d asks for ten closed trades and $10,000.
    criteria(x, "7d", closed_trades={"value": 5.0, "threshold": 10.0, "passed": False})


@boards()
def the_volume_of_24h_just_missed(x: Example) -> None:
    rounds(x, [("190", "210")] * 4 + [("190", "209.999999")])
    criteria(
        x,
        "24h",
        closed_trades={"passed": True},
        volume_usd={"value": 1999.999999, "passed": False},
    )
    x.expect("leaderboard")


@boards()
def the_closed_trades_of_24h_just_missed(x: Example) -> None:
    rounds(x, [("500", "600")] * 4)
    criteria(
        x,
        "24h",
        closed_trades={"value": 4.0, "passed": False},
        volume_usd={"value": 4400.0, "passed": True},
    )
    x.expect("leaderboard")


@boards()
def a_trade_that_is_not_counted_is_no_closed_trade(x: Example) -> None:
    rounds(x, [("500", "600")] * 4)
    x.buy(5000, "1", "0.5")
    x.sell(5300, "1", "9")  # small
    criteria(x, "24h", closed_trades={"value": 4.0, "passed": False})
    x.expect("leaderboard")


@boards(start=-3 * DAY)
def the_minimums_of_7d_just_met(x: Example) -> None:
    rounds(x, [("450", "550")] * 10)  # 10 x 1,000
    criteria(
        x,
        "7d",
        closed_trades={"value": 10.0, "threshold": 10.0, "passed": True},
        volume_usd={"value": 10000.0, "threshold": 10000.0, "passed": True},
    )
    criteria(
        x,
        "24h",
        closed_trades={"value": 0.0, "passed": False},
        volume_usd={"value": 0.0, "passed": False},
        wash_share={"value": None, "passed": True},
    )
    x.expect("leaderboard", {"window": "7d", "figure": D(1000)})


@boards(start=-3 * DAY)
def the_closed_trades_of_7d_just_missed(x: Example) -> None:
    rounds(x, [("900", "1100")] * 9)
    criteria(x, "7d", closed_trades={"value": 9.0, "passed": False}, volume_usd={"passed": True})
    x.expect("leaderboard")


@boards(start=-3 * DAY)
def the_volume_of_7d_just_missed(x: Example) -> None:
    rounds(x, [("450", "550")] * 9 + [("450", "549.999999")])
    criteria(x, "7d", closed_trades={"passed": True}, volume_usd={"passed": False})
    x.expect("leaderboard")


def _thirty_days(x: Example, tokens: int) -> None:
    # 20 x 1,250 = 25,000
    for number in range(20):
        rounds(x, [("600", "650")], at=number * 600, token=f"T{number % tokens}")


@boards(start=-20 * DAY)
def the_minimums_of_30d_just_met(x: Example) -> None:
    _thirty_days(x, tokens=5)
    criteria(
        x,
        "30d",
        closed_trades={"value": 20.0, "threshold": 20.0, "passed": True},
        volume_usd={"value": 25000.0, "threshold": 25000.0, "passed": True},
        tokens_traded={"value": 5.0, "threshold": 5.0, "passed": True},
    )
    criteria(x, "all", closed_trades={"value": 20.0, "threshold": 50.0, "passed": False})
    x.expect("leaderboard", {"window": "30d", "figure": D(1000)})


@boards(start=-20 * DAY)
def the_tokens_of_30d_just_missed(x: Example) -> None:
    _thirty_days(x, tokens=4)
    x.buy(20_000, "1", "0.9", token="T4")  # dust is no different token
    criteria(x, "30d", tokens_traded={"value": 4.0, "passed": False})
    x.expect("leaderboard")


def _all_time(x: Example) -> None:
    # 50 x 2,000 = 100,000; the first trade is the first movement.
    rounds(x, [("990", "1010")] * 50)


@boards(start=-30 * DAY)
def the_minimums_of_all_time_just_met(x: Example) -> None:
    _all_time(x)
    criteria(
        x,
        "all",
        closed_trades={"value": 50.0, "threshold": 50.0, "passed": True},
        volume_usd={"value": 100000.0, "threshold": 100000.0, "passed": True},
        days_tracked={"value": 30.0, "threshold": 30.0, "passed": True},
    )
    x.expect("leaderboard", {"window": "all", "figure": D(1000)})


@boards(start=-30 * DAY + 1)
def the_days_of_all_time_just_missed(x: Example) -> None:
    _all_time(x)
    criteria(
        x,
        "all",
        closed_trades={"passed": True},
        days_tracked={"value": (30 * DAY - 1) / DAY, "threshold": 30.0, "passed": False},
    )
    x.expect("leaderboard")


@boards()
def a_wash_share_of_a_fifth_is_ranked(x: Example) -> None:
    rounds(x, [("300", "340")] * 5)  # 5 x 640 = 3,200
    x.buy(10_000, "1", "400")
    x.sell(10_030, "1", "400")  # 800 of 4,000
    criteria(x, "24h", wash_share={"value": 0.2, "threshold": 0.2, "passed": True})
    x.expect("leaderboard", {"window": "24h", "figure": D(200)})


@boards()
def a_wash_share_over_a_fifth_is_not(x: Example) -> None:
    rounds(x, [("300", "340")] * 5)
    x.buy(10_000, "1", "400")
    x.sell(10_030, "1", "400.000001")
    criteria(x, "24h", wash_share={"value": 800.000001 / 4000.000001, "passed": False})
    x.expect("leaderboard")


# Ties: the five wallets below lead the 24 h board. Four trips of 250 + 250 close at 0 (no win, but
# closed), and one large trip earns the figure. In whole cents, half to even:
#   1,000,000.005001 -> ...00.01    1,000,000.005 -> ...00.00 (to even)    1,000,000.00
#     999,999.995    -> ...00.00 (to even)    999,999.994999 -> 999,999.99


def _tied(x: Example, earned: str, paid: str = "1000") -> None:
    rounds(x, [("250", "250")] * 4)
    rounds(x, [(paid, str(D(paid) + D(earned)))], at=10_000)


def _ranked(x: Example, rank: int, figure: str) -> None:
    x.expect("leaderboard", {"window": "24h", "rank": rank, "figure": D(figure)})


@boards()
def rank_first_by_one_cent(x: Example) -> None:
    _tied(x, "1000000.005001")
    _ranked(x, 1, "1000000.005001")


@boards()
def rank_tie_a_half_cent_down_to_even(x: Example) -> None:
    _tied(x, "1000000.005", paid="1000")
    _ranked(x, 2, "1000000.005")


@boards()
def rank_tie_exact(x: Example) -> None:
    _tied(x, "1000000", paid="3000")
    _ranked(x, 2, "1000000")


@boards()
def rank_tie_a_half_cent_up_to_even(x: Example) -> None:
    _tied(x, "999999.995", paid="2000")
    _ranked(x, 2, "999999.995")


@boards()
def rank_tie_exact_with_a_later_address(x: Example) -> None:
    _tied(x, "1000000", paid="3000")
    _ranked(x, 2, "1000000")


@boards()
def rank_just_under_the_half_cent(x: Example) -> None:
    _tied(x, "999999.994999")
    _ranked(x, 6, "999999.994999")


# Equal cents stand by volume, then by address: 2 x 3,000 + 1,000,000 twice, then 2,000, then 1,000.
BOARD_24H = [
    "rank_first_by_one_cent",
    "rank_tie_exact",
    "rank_tie_exact_with_a_later_address",
    "rank_tie_a_half_cent_up_to_even",
    "rank_tie_a_half_cent_down_to_even",
    "rank_just_under_the_half_cent",
]


@boards()
def a_loss_is_ranked_below_every_gain(x: Example) -> None:
    rounds(x, [("300", "200")] * 5)
    x.expect("leaderboard", {"window": "24h", "figure": D(-500), "realized_usd": D(-500)})
    x.expect("wallet_pnl", {"win_rate": 0.0, "realized_usd": D(-500)}, window="24h")
