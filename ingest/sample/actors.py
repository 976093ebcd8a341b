"""The people of the sample market: who trades what, when, and at which narrow edges.

A plan is a list of intents in time. It is drawn before anything runs; what an intent does with
the balances of its moment ("sell all of it") is decided when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from ingest.sample import actions
from ingest.sample.actions import NO_COSTS, Costs, Outcome, Style, World
from ingest.sample.chain import Mint, wallet_address
from ingest.sample.numbers import DAY_S, LAMPORTS, PRICE_STEP_S, MarketNumbers
from ingest.sample.prices import MINUTE_S, Hole
from ingest.sample.venues import Pool

HOUR_S = 3_600
_LATEST_START_S = HOUR_S
Run = Callable[[World, int, Style], "Outcome | None"]


@dataclass(order=True)
class Intent:
    """Something that a wallet does at a second of the market.

    `missing` says how the node answers for it: '' with its body, 'wrapper' with no body at all,
    'meta' with a body whose meta is null.
    """

    at: int
    order: int
    run: Run = field(compare=False)
    missing: str = field(compare=False, default="")


@dataclass(frozen=True)
class Tokens:
    """What can be traded.

    Attributes:
        main: the pool of every token against SOL, by token.
        quiet: pools of tokens that trade too seldom to have a recent tick.
        usdc: deep pools against USDC.
        strange: a pool of a program in no reference table.
        shares: mint of the shares of a liquidity pool, and that pool.
    """

    main: tuple[Pool, ...]
    quiet: tuple[Pool, ...]
    usdc: tuple[Pool, ...]
    strange: Pool
    liquidity: Pool
    shares: Mint

    @property
    def wrapped(self) -> tuple[Pool, ...]:
        """Busy pools that take wrapped SOL."""
        return tuple(p for p in self.main if not p.is_curve)

    @property
    def curves(self) -> tuple[Pool, ...]:
        """Busy pools that take lamports."""
        return tuple(p for p in self.main if p.is_curve)


@dataclass(frozen=True)
class Profile:
    """Round trips of a wallet that stands close to a minimum of METHODS 3.1.

    Each field is (round trips, dollars of each leg) in a stretch that ends where the shorter
    window starts: the last day, the week before it, the month, the rest.
    """

    label: str
    day: tuple[int, int] = (6, 1_050)
    week: tuple[int, int] = (8, 1_050)
    month: tuple[int, int] = (12, 1_050)
    rest: tuple[int, int] = (30, 1_050)
    tokens: int = 5
    wash_pairs: int = 0
    closes_on_day_border: bool = False


PROFILES = (
    Profile("just met", day=(5, 201), week=(5, 805), month=(10, 750), rest=(30, 1_250)),
    Profile("misses 24h closed trades", day=(4, 1_050), closes_on_day_border=True),
    Profile("misses 24h volume", day=(5, 199)),
    Profile("misses 7d closed trades", day=(5, 1_050), week=(4, 1_050), month=(16, 1_050)),
    Profile("misses 7d volume", day=(5, 490), week=(5, 490), month=(16, 1_050)),
    Profile("misses 30d closed trades", (5, 1_050), (5, 1_050), (9, 1_050), (35, 1_050)),
    Profile("misses 30d volume", (5, 620), (5, 620), (10, 620), (31, 1_500)),
    Profile("misses 30d tokens", tokens=4),
    Profile("misses all closed trades", (6, 1_050), (6, 1_050), (8, 1_050), (29, 1_050)),
    Profile("misses all volume", (5, 995), (5, 995), (10, 995), (30, 995)),
    Profile("misses all days", day=(6, 1_050), week=(8, 1_050), month=(40, 1_050), rest=(0, 0)),
    Profile("misses all wash share", wash_pairs=15),
    Profile("wash share just met", wash_pairs=13),
)


class Planner:
    """Collects the intents of everybody."""

    def __init__(self, rng: Random, numbers: MarketNumbers, world: World, tokens: Tokens) -> None:
        self.rng = rng
        self.numbers = numbers
        self.world = world
        self.tokens = tokens
        self.intents: list[Intent] = []
        self.wallets: dict[str, str] = {}
        self.endowments: list[tuple[str, Mint, int]] = []
        self.holes: list[Hole] = []
        self._busy: dict[tuple[str, str], int] = {}

    # -- tools ---------------------------------------------------------------------------

    def wallet(self, label: str) -> str:
        """The address of a labelled wallet of this market."""
        address = wallet_address(f"tradebasis sample {label}")
        self.wallets[address] = label
        return address

    def add(self, at: int, run: Run, *, missing: str = "") -> None:
        """One intent; those past the end of the market are dropped."""
        if 0 <= at <= self.numbers.end_s:
            self.intents.append(Intent(at, len(self.intents), run, missing))

    def quote_amount(self, pool: Pool, at: int, dollars: float) -> int:
        """Raw quote worth `dollars` at a second."""
        cents = round(dollars * 100)
        if pool.quote.decimals == 6:
            return cents * 10**4
        return cents * LAMPORTS // self.world.paths.sol_at(at)

    def buy(
        self, wallet: str, pool: Pool, at: int, dollars: float, costs: Costs = NO_COSTS,
        *, jupiter: bool = False,
    ) -> None:  # fmt: skip
        """Buy for so many dollars."""
        amount = self.quote_amount(pool, at, dollars)
        self.add(
            at,
            lambda w, t, s: actions.buy(w, t, s, wallet, pool, amount, costs, jupiter=jupiter),
        )

    def sell(
        self, wallet: str, pool: Pool, at: int, share: tuple[int, int] = (1, 1),
        costs: Costs = NO_COSTS, *, jupiter: bool = False, close: bool = False, missing: str = "",
    ) -> None:  # fmt: skip
        """Sell a share (numerator, denominator) of what is held then, if anything is."""

        def run(world: World, second: int, style: Style) -> Outcome | None:
            held = world.ledger.token_amount(wallet, pool.token)
            amount = held * share[0] // share[1]
            if amount == 0:
                return None
            return actions.sell(
                world, second, style, wallet, pool, amount, costs, jupiter=jupiter, close=close
            )

        self.add(at, run, missing=missing)

    def free(self, wallet: str, pool: Pool, start: int, end: int) -> bool:
        """Reserve a token for a wallet; False when another round trip still holds it."""
        key = (wallet, pool.token.address)
        if self._busy.get(key, -1) >= start:
            return False
        self._busy[key] = end
        return True

    def costs(self, *, eager: bool = False) -> Costs:
        """Tips and bot fees as people pay them."""
        draw = self.rng.random()
        tip = self.rng.randrange(1, 400) * 10_000 if draw < (0.8 if eager else 0.35) else 0
        kind = self.rng.random()
        if kind < 0.12:
            fee = self.rng.randrange(10, 900) * 7_919
            return Costs(tip=tip, bot=self.rng.randrange(3), bot_fee=fee)
        if kind < 0.17:
            return Costs(tip=tip, other_fee=self.rng.randrange(2, 90) * 50_000 + 100_000)
        return Costs(tip=tip)

    def trip(self, wallet: str, pool: Pool, at: int, hold: int, dollars: float) -> None:
        """Buy once, sell in one to three parts, all gone after `hold` seconds."""
        if not self.free(wallet, pool, at, at + hold):
            return
        jupiter = not pool.is_curve and self.rng.random() < 0.3
        costs = NO_COSTS if jupiter else self.costs()
        self.buy(wallet, pool, at, dollars, costs, jupiter=jupiter)
        parts = self.rng.choice((1, 1, 2, 3))
        for part in range(parts, 0, -1):
            moment = at + hold - (part - 1) * hold // (2 * parts)
            close = part == 1 and self.rng.random() < 0.3
            selling = NO_COSTS if jupiter else self.costs()
            self.sell(wallet, pool, moment, (1, part), selling, jupiter=jupiter, close=close)

    def prospect(self, at: int, *, good: bool) -> tuple[Pool, int]:
        """A pool and a holding time whose path ends well (or badly), if a few draws find one."""
        best: tuple[float, Pool, int] | None = None
        for _ in range(6):
            pool = self.rng.choice(self.tokens.main)
            hold = self.rng.randrange(15 * MINUTE_S, 14 * HOUR_S)
            end = min(at + hold, self.numbers.end_s)
            growth = self.world.paths.growth(pool.token_index, at, end)
            score = growth if good else -growth
            if best is None or score > best[0]:
                best = (score, pool, hold)
        return best[1], best[2]

    # -- crowds --------------------------------------------------------------------------

    def trader(self, label: str, trips: int, dollars: tuple[int, int], luck: float) -> str:
        """A wallet with `trips` round trips; `luck` is the share that is drawn to end well."""
        wallet = self.wallet(label)
        for i in range(trips):
            spread = self.numbers.end_s - _LATEST_START_S
            at = i * spread // trips + self.rng.randrange(spread // trips)
            pool, hold = self.prospect(at, good=self.rng.random() < luck)
            self.trip(wallet, pool, at, hold, self.rng.randrange(*dollars))
            if self.rng.random() < 0.08:
                self._fail(wallet, at + 5)
        return wallet

    def _fail(self, wallet: str, at: int, costs: Costs = NO_COSTS) -> None:
        pool = self.rng.choice(self.tokens.main)
        lamports = self.rng.randrange(1, 9) * 10**8
        self.add(at, lambda w, t, s: actions.fail(w, s, wallet, pool, lamports, costs))

    def last_day(self, wallet: str, trips: int, dollars: int) -> None:
        """Short round trips on the last day, so that the wallet can be ranked for 24h."""
        start = self.numbers.end_s - DAY_S
        for i in range(trips):
            at = start + 2_000 + i * (DAY_S - 8_000) // trips
            pool = self.tokens.usdc[(i + 1) % len(self.tokens.usdc)]
            if self.free(wallet, pool, at, at + 2_000):
                self.buy(wallet, pool, at, dollars)
                self.sell(wallet, pool, at + 2_000)

    def crowd(self) -> None:
        """Skilled, unlucky, busy and casual traders."""
        numbers = self.numbers
        skilled = [
            self.trader(f"skilled {i}", 82, (600, 1_600), 0.85) for i in range(numbers.skilled)
        ]
        for wallet in skilled[: numbers.skilled * 2 // 3]:
            self.last_day(wallet, 6, 500)
        for i in range(numbers.unlucky):
            self.trader(f"unlucky {i}", 60, (150, 900), 0.2)
        for i in range(numbers.busy):
            wallet = self.trader(f"busy {i}", 150, (700, 1_200), 0.15)
            self.last_day(wallet, 6, 400)
        for i in range(numbers.casual):
            self.trader(f"casual {i}", 14, (20, 300), 0.5)

    def washers(self) -> None:
        """Wallets that trade with themselves: buys and sells seconds apart at one price."""
        for i in range(self.numbers.washers):
            wallet = self.wallet(f"washer {i}")
            for k in range(90):
                at = k * (self.numbers.end_s - DAY_S) // 90 + self.rng.randrange(DAY_S // 3)
                self._wash_pair(wallet, at, 900)

    def _wash_pair(self, wallet: str, at: int, dollars: float) -> None:
        at = self._quiet_second(at)
        pool = self.rng.choice(self.tokens.usdc)
        if self.free(wallet, pool, at, at + 90):
            self.buy(wallet, pool, at, dollars)
            self.sell(wallet, pool, at + self.rng.randrange(5, 61))

    def _quiet_second(self, at: int) -> int:
        """A second early in a step of the price path, so that two minutes later is one price."""
        return at // PRICE_STEP_S * PRICE_STEP_S + self.rng.randrange(60, 300)

    def bots(self) -> None:
        """A spammer, a wallet that mostly fails, and quick flippers."""
        spam = self.wallet("bot 0")
        for day in (5, 6, 21):
            for i in range(82):
                self._flip(spam, day * DAY_S + i * 1_000 + self.rng.randrange(600), 30)
        failing = self.wallet("bot 1")
        for i in range(130):
            at = 8 * DAY_S + i * 3_000 + self.rng.randrange(1_000)
            self._fail(failing, at, Costs(tip=50_000))
            if i % 2 == 0:
                self._flip(failing, at + 700, 60)
        for k in range(2, self.numbers.bots):
            wallet = self.wallet(f"bot {k}")
            for i in range(60):
                self._flip(wallet, i * DAY_S // 2 + self.rng.randrange(9_000), 250)

    def _flip(self, wallet: str, at: int, dollars: float) -> None:
        pool = self.rng.choice(self.tokens.curves)
        quick = at + self.rng.randrange(3, 19)
        if self.free(wallet, pool, at, quick):
            self.buy(wallet, pool, at, dollars, self.costs(eager=True))
            self.sell(wallet, pool, quick, costs=self.costs(eager=True))

    # -- at the edges --------------------------------------------------------------------

    def narrow(self) -> None:
        """One wallet per minimum that it just meets or just misses."""
        for profile in PROFILES:
            self._profile(profile)

    def _profile(self, profile: Profile) -> None:
        wallet = self.wallet(profile.label)
        end = self.numbers.end_s
        stretches = (
            (profile.rest, 400, end - 30 * DAY_S - HOUR_S),
            (profile.month, end - 30 * DAY_S + 2 * HOUR_S, end - 7 * DAY_S - HOUR_S),
            (profile.week, end - 7 * DAY_S + HOUR_S, end - DAY_S - HOUR_S),
            (profile.day, end - DAY_S + HOUR_S, end - HOUR_S),
        )
        count = 0
        for (trips, dollars), start, stop in stretches:
            for i in range(trips):
                at = self._quiet_second(start + PRICE_STEP_S + i * (stop - start) // (trips + 1))
                pool = self.tokens.usdc[count % profile.tokens]
                self.buy(wallet, pool, at, dollars)
                # More than a minute apart, so that it is not wash-like.
                self.sell(wallet, pool, at + 150)
                count += 1
        for i in range(profile.wash_pairs):
            self._wash_pair(wallet, 3_000 + i * 4 * HOUR_S, 1_050)
        if profile.closes_on_day_border:
            pool = self.tokens.usdc[0]
            self.buy(wallet, pool, end - DAY_S - 300, 700)
            self.sell(wallet, pool, end - DAY_S)

    def gifts(self) -> None:
        """Airdrops, one-unit taints, transfers between own wallets, sales of unseen units."""
        self._airdrops()
        self._taints()
        self._own_wallets()
        self._oversell()

    def _airdrops(self) -> None:
        dropper = self.wallet("airdropper")
        receivers = [self.wallet(f"casual {i}") for i in range(6)]
        for k, pool in enumerate(self.tokens.main[:3]):
            self.endowments.append((dropper, pool.token, 10**15))
            gifts = {r: 3_000_000_000 + 17 * n for n, r in enumerate(receivers)}
            at = (3 + 6 * k) * DAY_S + 777
            mint = pool.token
            self.add(at, lambda w, t, s, m=mint, g=gifts: actions.send_tokens(w, s, dropper, m, g))
            for n, receiver in enumerate(receivers[:4]):
                self.sell(receiver, pool, at + 5 * HOUR_S + n * 700, (1, 2))

    def _taints(self) -> None:
        stranger = self.wallet("stranger")
        pools = self.tokens.curves
        for pool in pools:
            self.endowments.append((stranger, pool.token, 10**9))
        for i in range(6):
            victim = self.wallet(f"skilled {i}")
            pool = pools[i % len(pools)]
            at = (4 + 5 * i) * DAY_S + 333
            if not self.free(victim, pool, at, at + 4 * HOUR_S):
                continue
            self.buy(victim, pool, at, 650)
            self.add(
                at + 120,
                lambda w, t, s, m=pool.token, v=victim: actions.send_tokens(
                    w, s, stranger, m, {v: 1}
                ),
            )
            self.sell(victim, pool, at + HOUR_S, (1, 3))
            self.sell(victim, pool, at + 4 * HOUR_S)
        # A small own trade gives the stranger a transaction of its own.
        self.buy(stranger, pools[0], 2 * DAY_S, 3)

    def _own_wallets(self) -> None:
        first, second = self.wallet("own first"), self.wallet("own second")
        curve, amm = self.tokens.curves[0], self.tokens.wrapped[0]
        for i in range(8):
            at = (2 + 4 * i) * DAY_S + 5_000
            pool = (curve, amm)[i % 2]
            self.buy(first, pool, at, 400)
            share = (1, 2) if i % 4 < 2 else (1, 1)
            # A tick within 15 minutes prices the transfer; two hours later there may be none.
            self._send(first, second, pool, at + (300 if i % 3 else 2 * HOUR_S), share)
            self.sell(second, pool, at + 5 * HOUR_S)
            self.sell(first, pool, at + 6 * HOUR_S)
        for i in range(4):
            at = (5 + 7 * i) * DAY_S
            amount = (i + 1) * 700_000_000
            self.add(at, lambda w, t, s, a=amount: actions.send_sol(w, s, first, second, a))

    def _send(self, wallet: str, to: str, pool: Pool, at: int, share: tuple[int, int]) -> None:
        def run(world: World, second: int, style: Style) -> Outcome | None:
            amount = world.ledger.token_amount(wallet, pool.token) * share[0] // share[1]
            if amount == 0:
                return None
            return actions.send_tokens(world, style, wallet, pool.token, {to: amount})

        self.add(at, run)

    def _oversell(self) -> None:
        wallet = self.wallet("oversold")
        pools = (*self.tokens.curves[:2], self.tokens.wrapped[1])
        for i, pool in enumerate(pools):
            self.endowments.append((wallet, pool.token, 4 * 10**12))
            at = (6 + 9 * i) * DAY_S + 9_000
            self.buy(wallet, pool, at, 350)
            self.sell(wallet, pool, at + 3 * HOUR_S, (9, 10))
            self.buy(wallet, pool, at + 9 * HOUR_S, 120)
            self.sell(wallet, pool, at + 11 * HOUR_S)

    def odd_trades(self) -> None:
        """Token for token, conversions, routes, liquidity, unknown programs, rent, dust."""
        self._token_for_token()
        self._routes()
        self._liquidity_and_rent()
        self._dust()
        self._paid_by_others()
        self._kept_wrapped()

    def _exchange(self, wallet: str, sold: Pool, bought: Pool, at: int) -> None:
        def run(world: World, second: int, style: Style) -> Outcome | None:
            amount = world.ledger.token_amount(wallet, sold.token)
            if amount == 0:
                return None
            return actions.swap_tokens(world, second, style, wallet, sold, bought, amount)

        self.add(at, run)

    def _token_for_token(self) -> None:
        wallet, other = self.wallet("exchanger"), self.wallet("casual 0")
        busy, quiet = self.tokens.wrapped, self.tokens.quiet
        for i in range(10):
            at = (1 + 3 * i) * DAY_S + 40_000
            self.buy(wallet, busy[i % 4], at, 300)
            self._exchange(wallet, busy[i % 4], busy[(i + 1) % 4], at + 400)
            self.sell(wallet, busy[(i + 1) % 4], at + 3 * HOUR_S)
        # Ages of the only tick: just met, just missed, hours.
        for i, wait in enumerate((900, 901, 2 * HOUR_S, 899)):
            at = (2 + 5 * i) * DAY_S + 50_000
            self.buy(wallet, quiet[0], at, 200)
            self._exchange(wallet, quiet[0], quiet[1], at + wait)
            self.sell(wallet, quiet[1], at + wait + 5 * HOUR_S)
        # A tick of the same slot counts when its transaction comes first in the block.
        at = 25 * DAY_S + 50_000
        self.buy(wallet, quiet[2], at, 200)
        self.buy(other, quiet[2], at + 5_000, 90)
        self._exchange(wallet, quiet[2], quiet[3], at + 5_000)
        self.sell(wallet, quiet[3], at + 9_000)

    def _routes(self) -> None:
        wallet = self.wallet("router user")
        for i in range(12):
            at = (1 + 3 * i) * DAY_S + 20_000
            pool = self.tokens.usdc[i % 3]
            lamports = 2 * LAMPORTS + 1_001 * i
            kept = (0, 0, 4)[i % 3]
            self.add(
                at,
                lambda w, t, s, p=pool, a=lamports, k=kept: actions.buy_through_usdc(
                    w, t, s, wallet, p, a, k
                ),
            )
            self.sell(wallet, pool, at + 6 * HOUR_S, jupiter=True)
        for i in range(6):
            to_sol = i % 2 == 0
            amount = 250 * 10**6 if to_sol else 2 * LAMPORTS
            self.add(
                (3 + 5 * i) * DAY_S + 21_000,
                lambda w, t, s, a=amount, d=to_sol: actions.convert(w, t, s, wallet, a, to_sol=d),
            )
        strange = self.tokens.strange
        for i in range(5):
            at = (2 + 6 * i) * DAY_S + 23_000
            self.buy(wallet, strange, at, 150)
            self.sell(wallet, strange, at + 4 * HOUR_S)

    def _liquidity_and_rent(self) -> None:
        wallet = self.wallet("provider")
        pool, shares = self.tokens.liquidity, self.tokens.shares
        for i in range(3):
            at = (4 + 8 * i) * DAY_S + 30_000
            self.buy(wallet, pool, at, 800)
            self._provide(wallet, pool, shares, at + HOUR_S)
            self.sell(wallet, pool, at + 8 * HOUR_S)
        for i, curve in enumerate(self.tokens.curves[:4]):
            at = (3 + 7 * i) * DAY_S + 31_000
            lamports = 3 * LAMPORTS + i
            self.add(
                at,
                lambda w, t, s, p=curve, a=lamports: actions.round_trip(w, t, s, wallet, p, a),
            )
        opener = self.wallet("account opener")
        for i, pool in enumerate(self.tokens.main[:6]):
            at = (2 + 5 * i) * DAY_S + 32_000
            mint = pool.token
            self.add(at, lambda w, t, s, m=mint: actions.open_account(w, s, opener, m))
            self.add(at + 9_999, lambda w, t, s, m=mint: actions.close_account(w, s, opener, m))

    def _provide(self, wallet: str, pool: Pool, shares: Mint, at: int) -> None:
        def run(world: World, second: int, style: Style) -> Outcome | None:
            amount = world.ledger.token_amount(wallet, pool.token) // 2
            if amount == 0:
                return None
            return actions.add_liquidity(world, second, style, wallet, pool, amount, shares)

        self.add(at, run)

    def _dust(self) -> None:
        wallet = self.wallet("dust trader")
        pool = self.tokens.curves[1]
        for i in range(12):
            at = (1 + 3 * i) * DAY_S + 60_000
            # 2 dollars, two thirds of a dollar, and too little for a tick.
            self.buy(wallet, pool, at, (2.0, 0.66, 0.02)[i % 3])
            self.sell(wallet, pool, at + 4_000, (1, 1) if i % 2 else (1, 3))

    def _paid_by_others(self) -> None:
        wallet, sponsor = self.wallet("sponsored"), self.wallet("sponsor")
        costs = Costs(sponsor=sponsor)
        for i in range(6):
            at = (2 + 5 * i) * DAY_S + 70_000
            pool = self.tokens.curves[i % 3]
            self.buy(wallet, pool, at, 120, costs)
            self.sell(wallet, pool, at + 7_000, costs=costs)
        self._fail(wallet, 3 * DAY_S)

    def _kept_wrapped(self) -> None:
        wallet = self.wallet("wrapped keeper")
        self.world.keeps_wrapped.add(wallet)
        for i in range(12):
            at = (1 + 3 * i) * DAY_S + 80_000
            pool = self.tokens.wrapped[i % 3]
            fee = Costs(bot=2, bot_fee=1_234_567, bot_fee_wrapped=True) if i % 4 == 1 else NO_COSTS
            self.buy(wallet, pool, at, 450, fee)
            self.sell(wallet, pool, at + 9_000)

    def holes_in_candles(self) -> None:
        """Trades at the edges of missing minutes: last price five minutes old, and six."""
        wallet = self.wallet("hole trader")
        first = 20 * DAY_S + 12 * HOUR_S
        second = 22 * DAY_S + 15 * HOUR_S
        self.holes = [Hole(first, 12), Hole(second, 20, second + 5 * MINUTE_S)]
        pools = self.tokens.curves
        minutes = [first + m * MINUTE_S for m in (4, 5)]
        minutes += [second + m * MINUTE_S for m in (9, 14, 15)]
        for i, minute in enumerate(minutes):
            pool = pools[i % len(pools)]
            self.buy(wallet, pool, minute + 20, 500)
            self.sell(wallet, pool, minute + 2 * HOUR_S + i * 600)
        self.buy(wallet, pools[0], first - 3 * HOUR_S, 300)
        self.sell(wallet, pools[0], first + 6 * MINUTE_S)

    def missing_bodies(self) -> None:
        """Sales whose bodies the node does not give: breaks in the chain of balances."""
        for i in range(8):
            wallet = self.wallet(f"lost {i % 4}")
            pool = self.tokens.curves[i % len(self.tokens.curves)]
            at = (3 + 4 * i) * DAY_S + 15_000
            self.buy(wallet, pool, at, 260)
            self.sell(wallet, pool, at + 2_000, (1, 4))
            self.sell(wallet, pool, at + 5_000, (1, 4), missing="meta" if i % 4 == 3 else "wrapper")
            self.buy(wallet, pool, at + 9_000, 90)
            self.sell(wallet, pool, at + 30_000)

    def same_slot(self) -> None:
        """Several wallets in one slot, in an order that only the place in the block tells."""
        wallets = [self.wallet(f"casual {i}") for i in range(3)]
        for k in range(6):
            pool = self.tokens.wrapped[k % 3]
            at = (5 + 5 * k) * DAY_S + 11_111
            for wallet in wallets:
                self.buy(wallet, pool, at, 75)
            for wallet in wallets:
                self.sell(wallet, pool, at + 3_333)

    def last_word(self) -> None:
        """A purchase at the very end: the newest block time is the end of the market."""
        self.buy(self.wallet("casual 1"), self.tokens.usdc[0], self.numbers.end_s, 321)


def plan(rng: Random, numbers: MarketNumbers, world: World, tokens: Tokens) -> Planner:
    """Everything that everybody will do, in no order yet."""
    planner = Planner(rng, numbers, world, tokens)
    planner.crowd()
    planner.washers()
    planner.bots()
    planner.narrow()
    planner.gifts()
    planner.odd_trades()
    planner.holes_in_candles()
    planner.missing_bodies()
    planner.same_slot()
    planner.last_word()
    return planner
