"""A tape with a watch list and with balances from the chain (CONTRACTS 1, METHODS 6 Boards)."""

from __future__ import annotations

from tests.golden.example import AS_OF, DAY, Collection, D, Example, tape_of
from tests.reference.tape import Tape, iso

watch = Collection()


@watch()
def tracked_for_exactly_30_days(x: Example) -> None:
    x.buy(0, "10", "20")
    x.expect(
        "eligibility",
        {"value": 30.0, "threshold": 30.0, "passed": True},
        window="all",
        criterion="days_tracked",
    )


@watch()
def tracked_for_just_under_30_days(x: Example) -> None:
    x.buy(0, "10", "20")
    x.expect(
        "eligibility",
        {"value": (30 * DAY - 1) / DAY, "passed": False},
        window="all",
        criterion="days_tracked",
    )


@watch(start=-15 * DAY)
def tracked_from_its_first_movement(x: Example) -> None:
    x.buy(0, "10", "20")
    x.expect(
        "eligibility", {"value": 15.0, "passed": False}, window="all", criterion="days_tracked"
    )


@watch()
def tracked_and_never_seen(x: Example) -> None:
    x.token()
    x.expect(
        "wallet_pnl",
        {
            "trades": 0,
            "realized_usd": D(0),
            "unrealized_usd": D(0),
            "total_usd": D(0),
            "volume_usd": D(0),
            "win_rate": None,
            "wash_share": None,
        },
        window="all",
    )
    x.expect("positions")


@watch()
def an_untracked_wallet_gives_ticks_but_no_figures(x: Example) -> None:
    x.tick(0, "2")
    x.arrive(60, "5")
    x.expect("positions", {"open_cost_usd": D(10), "price_now_usd": 2.0})
    x.expect("positions", wallet="maker")
    x.expect("wallet_pnl", wallet="maker")
    x.expect("wallet_token_pnl", wallet="maker")
    x.expect("eligibility", wallet="maker")
    x.expect("movements", {"kind": "swap"}, wallet="maker")


@watch()
def the_balance_is_the_chains(x: Example) -> None:
    x.buy(0, "10", "20")
    # Unrealized rests on the open units, 10 x 2 - 20, not on the 4 that the chain shows.
    x.expect(
        "positions",
        {
            "open_qty": D(10),
            "balance": D(4),
            "value_usd": D(20),
            "unrealized_usd": D(0),
        },
    )


@watch()
def a_balance_alone_is_a_position(x: Example) -> None:
    x.buy(0, "10", "20")
    x.sell(100, "10", "30")
    x.expect(
        "positions",
        {"open_qty": D(0), "open_cost_usd": D(0), "balance": D("1.5"), "unrealized_usd": D(0)},
    )


TRACKED_FOR_S = {
    "tracked_for_exactly_30_days": 30 * DAY,
    "tracked_for_just_under_30_days": 30 * DAY - 1,
    "tracked_from_its_first_movement": None,
    "tracked_and_never_seen": DAY,
    "an_untracked_wallet_gives_ticks_but_no_figures": DAY,
    "the_balance_is_the_chains": DAY,
    "a_balance_alone_is_a_position": DAY,
}
BALANCES = {
    "tracked_for_exactly_30_days": "10",
    "tracked_for_just_under_30_days": "10",
    "tracked_from_its_first_movement": "10",
    "an_untracked_wallet_gives_ticks_but_no_figures": "5",
    "the_balance_is_the_chains": "4",
    "a_balance_alone_is_a_position": "1.5",
}


def add_watch_examples(tape: Tape) -> Tape:
    """Put the examples on a tape that has `wallets` and `balances` files."""
    alone = tape_of(watch.examples.values())
    known = {(row["chain"], row["address"]) for row in tape.assets}
    tape.movements += alone.movements
    tape.assets += [row for row in alone.assets if (row["chain"], row["address"]) not in known]
    tape.wallets += [
        {
            "chain": "solana",
            "address": watch.examples[name].wallet(),
            "label": name,
            "tracked_since": None if seconds is None else iso(AS_OF - seconds),
        }
        for name, seconds in TRACKED_FOR_S.items()
    ]
    tape.balances += [
        {
            "chain": "solana",
            "wallet": watch.examples[name].wallet(),
            "address": watch.examples[name].token(),
            "amount": amount,
            "as_of": iso(AS_OF),
        }
        for name, amount in BALANCES.items()
    ]
    return tape
