"""The truth's evaluator against figures worked out by hand from METHODS 3.1."""

from __future__ import annotations

from ingest.sample.evaluate import Prices, evaluate
from ingest.sample.names import SOL, USDC
from ingest.sample.truth import Entry, Movement

START = 1_700_000_040  # a whole minute
AS_OF = START + 5_000
TOKEN = "T" * 44
OTHER = "U" * 44


def entry(block, at, sent, received, wallet="w", kind="swap", index=0):
    movement = Movement(
        wallet,
        kind,
        sent_asset=sent[0] if sent else None,
        sent_raw=sent[1] if sent else None,
        received_asset=received[0] if received else None,
        received_raw=received[1] if received else None,
    )
    return Entry(f"tx{block:04d}{index}", block, index, START + at, movement)


def figures(entries, minutes=(), wallet="w", window="all"):
    prices = Prices({START + 60 * m: cents for m, cents in minutes})
    rows = evaluate(entries, prices, AS_OF)["wallets"]
    return next(r for r in rows if r["wallet"] == wallet and r["window"] == window)


def test_average_cost_of_two_buys():
    # 100 units for $10 and 100 for $30: average $0.20; 50 sold for $20 realize 20 - 10.
    row = figures(
        [
            entry(1, 0, (USDC, 10_000_000), (TOKEN, 100)),
            entry(2, 100, (USDC, 30_000_000), (TOKEN, 100)),
            entry(3, 200, (TOKEN, 50), (USDC, 20_000_000)),
        ]
    )
    assert row["realized_usd"] == "10.000000000"
    # 150 left at $0.40 against a cost of $30.
    assert row["unrealized_usd"] == "30.000000000"
    assert row["volume_usd"] == "60.000000000"
    assert (row["trades"], row["sells"], row["closed_trades"]) == (3, 1, 0)


def test_open_positions_keep_their_cost_and_their_estimated_units():
    entries = [
        entry(1, 0, (USDC, 10_000_000), (TOKEN, 100)),
        entry(2, 50, None, (TOKEN, 100), kind="transfer_in"),
        entry(3, 100, (TOKEN, 50), (USDC, 9_000_000)),
    ]
    # The transfer is worth $10 at the tick of $0.10; a quarter of 200 units leaves.
    assert evaluate(entries, Prices({}), AS_OF)["positions"] == [
        {
            "wallet": "w",
            "token": TOKEN,
            "open_raw": 150,
            "open_cost_usd": "15.000000000",
            "estimated_raw": 75,
        }
    ]


def test_excess_of_a_sale_has_no_profit():
    row = figures(
        [
            entry(1, 0, (USDC, 10_000_000), (TOKEN, 100)),
            entry(2, 100, (TOKEN, 400), (USDC, 80_000_000)),
        ]
    )
    # A quarter of the proceeds belongs to the 100 known units: 20 - 10.
    assert row["realized_usd"] == "10.000000000"
    assert (row["closed_trades"], row["wins"]) == (1, 1)


def test_one_unit_from_a_stranger_leaves_the_sale_out():
    row = figures(
        [
            entry(1, 0, (USDC, 10_000_000), (TOKEN, 100)),
            entry(2, 50, None, (TOKEN, 1), kind="transfer_in"),
            entry(3, 100, (TOKEN, 101), (USDC, 80_000_000)),
        ]
    )
    assert row["realized_usd"] is None
    assert (row["sales_left_out"], row["closed_trades"]) == (1, 0)


def test_sol_minute_then_five_minutes_back_then_unknown():
    buy = [entry(1, 20, (SOL, 10**9), (TOKEN, 100))]
    assert figures(buy, [(0, 15_000)])["volume_usd"] == "150.000000000"
    assert figures(buy, [(-5, 14_000)])["volume_usd"] == "140.000000000"
    assert figures(buy, [(-6, 14_000)])["trades_not_priced"] == 1


def test_token_for_token_takes_a_tick_of_900_seconds_and_not_of_901():
    def at(age):
        return [
            entry(1, 0, (USDC, 50_000_000), (TOKEN, 100)),
            entry(2, age, (TOKEN, 40), (OTHER, 7)),
        ]

    # 50 spent, then both legs of 20 each.
    assert figures(at(900))["volume_usd"] == "90.000000000"
    assert figures(at(900))["trades_not_priced"] == 0
    assert figures(at(901))["trades_not_priced"] == 2


def test_wash_like_within_sixty_seconds_and_half_a_percent():
    def pair(gap, proceeds):
        return figures(
            [
                entry(1, 0, (USDC, 100_000_000), (TOKEN, 100)),
                entry(2, gap, (TOKEN, 100), (USDC, proceeds)),
            ]
        )["wash_share"]

    assert pair(60, 100_400_000) == 1.0
    assert pair(61, 100_400_000) == 0.0
    # The difference is taken from the smaller price and must stay below half a percent.
    assert pair(60, 100_500_000) == 0.0


def test_transfer_of_everything_ends_the_trade_without_counting_it():
    row = figures(
        [
            entry(1, 0, (USDC, 100_000_000), (TOKEN, 100)),
            entry(2, 100, (TOKEN, 100), None, kind="transfer_out"),
            entry(3, 200, (USDC, 100_000_000), (TOKEN, 100)),
            entry(4, 300, (TOKEN, 100), (USDC, 90_000_000)),
        ]
    )
    assert (row["closed_trades"], row["wins"]) == (1, 0)
    assert row["realized_usd"] == "-10.000000000"
    assert row["avg_hold_s"] == 100.0


def test_window_leaves_out_its_first_second():
    day = 86_400
    entries = [
        entry(1, 5_000 - day - 10, (USDC, 50_000_000), (TOKEN, 100)),
        entry(2, 5_000 - day, (TOKEN, 50), (USDC, 40_000_000)),
        entry(3, 5_000 - day + 1, (TOKEN, 50), (USDC, 40_000_000)),
    ]
    assert figures(entries, window="24h")["realized_usd"] == "15.000000000"
    assert figures(entries, window="all")["realized_usd"] == "30.000000000"


def test_equal_cents_share_a_rank():
    entries = []
    for n, (wallet, extra) in enumerate((("a", 0), ("b", 1_000), ("c", -3_000_000))):
        for i in range(5):
            at = i * 200
            block = 100 * n + 2 * i
            proceeds = 250_000_000 + (extra if i == 0 else 0)
            entries.append(entry(block, at, (USDC, 240_000_000), (TOKEN, 9), wallet))
            entries.append(entry(block + 1, at + 90, (TOKEN, 9), (USDC, proceeds), wallet))
    ranks = {w: figures(entries, wallet=w, window="24h")["rank"] for w in "abc"}
    assert ranks == {"a": 1, "b": 1, "c": 3}
