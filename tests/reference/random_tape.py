"""Random but nasty tapes: small numbers, ties, shared blocks, holes, oversells, odd decimals.

One tape stands for dozens: hundreds of wallets trade a few dozen tokens in short scenes, whose
steps fall on and beside the spans and thresholds of METHODS, so that a single build covers them.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from random import Random

from tests.reference.ledger import epoch
from tests.reference.tape import CASH_ASSETS, SOL, USDC, USDT, Row, Tape, iso

AS_OF = epoch("2026-03-01T13:17:00Z")
DAY = 86_400
FIRST_BLOCK = 300_000_000

STEPS = (0, 0, 0, 1, 29, 60, 61, 300, 840, 899, 900, 901)
EDGES = tuple(AS_OF - days * DAY + shift for days in (0, 1, 7, 30) for shift in (-1, 0, 1))
QUANTITIES = ("1", "2", "3", "7", "10", "0.3", "33.333333")
# Values in dollars, on and beside the thresholds of ticks, dust and closing.
VALUES = ("0.009999", "0.01", "0.5", "0.999999", "1", "1.000001", "3", "10", "100")
SPREADS = ("0", "0", "0.004999", "0.005", "0.0051", "-0.3", "0.5")
VENUES = (None, "amm", "curve")


@dataclass(frozen=True)
class Chain:
    """One chain of the random tape: its assets with their decimals."""

    name: str
    native: str
    stables: dict[str, int]
    native_decimals: int
    tokens: dict[str, int]

    def decimals(self, address: str) -> int:
        """Decimals of any asset of the chain."""
        known = {self.native: self.native_decimals, **self.stables, **self.tokens}
        return known[address]


SOLANA = Chain(
    "solana",
    SOL,
    {USDC: 6, USDT: 6},
    9,
    {f"mint{n:02d}": (0, 1, 6, 6, 9, 18)[n % 6] for n in range(36)},
)
BSC = Chain(
    "bsc",
    "0x0000000000000000000000000000000000000000",
    {"0xstable": 18},
    18,
    {f"0xtoken{n}": (9, 18)[n % 2] for n in range(6)},
)


class Writer:
    """Writes one random tape; every choice comes from one seed."""

    def __init__(self, seed: int, wallets: int) -> None:
        self.random = Random(seed)
        self.tape = Tape()
        self._transactions = 0
        self._wallets = wallets
        self._priced: set[tuple] = set()

    def write(self) -> Tape:
        """The whole tape, its rows in no order."""
        self._assets()
        for number in range(self._wallets // 4):
            chain = BSC if number % 8 == 7 else SOLANA
            self._scene(chain, [f"w{number * 4 + place:04d}" for place in range(4)])
        for number in range(24):
            self._round_trips(f"r{number:02d}", number)
        self._repeat_some()
        self._prices()
        self.random.shuffle(self.tape.movements)
        return self.tape

    def pick(self, options):
        """One of the options."""
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        """True in a share of cases."""
        return self.random.random() < share

    def _assets(self) -> None:
        stable, native = next(iter(BSC.stables)), BSC.native
        others = [(BSC, native, "BNB", 18, "native"), (BSC, stable, "BUSD", 18, "stable")]
        for chain in (SOLANA, BSC):
            others += [(chain, t, t[:8].upper(), d, "token") for t, d in chain.tokens.items()]
        self.tape.assets = CASH_ASSETS + [
            {"chain": c.name, "address": a, "symbol": s, "decimals": d, "role": r}
            for c, a, s, d, r in others
        ]

    def _scene(self, chain: Chain, wallets: list[str]) -> None:
        """Four wallets and three tokens within a few minutes, now and then days later."""
        tokens = self.random.sample(sorted(chain.tokens), 3)
        time = self._start()
        for _ in range(self.random.randint(25, 60)):
            time += self.pick(STEPS)
            if self.chance(0.05):
                time = max(time, self._start())
            self._transaction(chain, wallets, tokens, time)

    def _start(self) -> int:
        if self.chance(0.3):
            return self.pick(EDGES) - self.pick((0, 0, 60, 900, 3600))
        return AS_OF - self.random.randint(0, 36 * DAY)

    def _place(self, time: int) -> Row:
        """Two blocks a second; the index inside is often shared, and at times unknown."""
        self._transactions += 1
        return {
            "tx_id": f"tx{self.random.randint(0, 9)}{self._transactions:06d}",
            "block": FIRST_BLOCK + 2 * (time - AS_OF) + self.pick((0, 1)),
            "tx_index": self.pick((None, 0, 1, 2, 3, 4)),
            "block_time": iso(time),
        }

    def _transaction(self, chain: Chain, wallets: list[str], tokens: list[str], time: int) -> None:
        place = self._place(time)
        movers = self.random.sample(wallets, self.pick((1, 1, 1, 1, 2)))
        for wallet in movers:
            for leg in range(self.pick((1, 1, 1, 1, 2, 3))):
                row = {
                    "chain": chain.name,
                    "wallet": None if self.chance(0.02) else wallet,
                    "leg": leg,
                    "seq": self.pick((None, 0, 1, 2)),
                    "venue": self.pick(VENUES),
                    "source": self.pick((None, "direct", 'a "bot", they say')),
                    "recognised_venue": self.pick((None, True, False)),
                    **place,
                    **self._what(chain, tokens),
                }
                self.tape.movements.append(row)

    def _what(self, chain: Chain, tokens: list[str]) -> Row:
        kinds = ("buy", "sell", "token", "in", "out", "ambiguous", "conversion", "quiet")
        kind = self.random.choices(kinds, (30, 30, 10, 8, 6, 5, 2, 4))[0]
        first, second = self.random.sample(tokens, 2)
        if kind == "token":
            return self._swap(chain, first, self._qty(chain, first), second)
        if kind in ("buy", "sell"):
            return self._against_cash(chain, first, kind)
        if kind == "conversion":
            return self._swap(chain, chain.native, "1.5", next(iter(chain.stables)))
        if kind == "quiet":
            return self._quiet()
        return self._one_sided(chain, first, kind)

    def _against_cash(self, chain: Chain, token: str, side: str) -> Row:
        """Mostly near the token's own price of the day, at times at a threshold."""
        cash = self.pick((chain.native, *chain.stables, *chain.stables))
        qty = self._qty(chain, token)
        if self.chance(0.3):
            worth = Fraction(self.pick(VALUES))
        else:
            price = 1 + sum(token.encode()) % 5
            worth = Fraction(qty) * price * (1 + Fraction(self.pick(SPREADS)))
        units = worth / 100 if cash == chain.native else worth
        amount = self._amount(units, chain.decimals(cash))
        sent, received = ((cash, amount), (token, qty))
        if side == "sell":
            sent, received = received, sent
        return self._sides("swap", sent, received)

    def _swap(self, chain: Chain, sent: str, qty: str, received: str) -> Row:
        return self._sides("swap", (sent, qty), (received, self._qty(chain, received)))

    def _one_sided(self, chain: Chain, token: str, kind: str) -> Row:
        asset = self.pick((token, token, token, chain.native))
        qty = "0" if self.chance(0.03) else self._qty(chain, asset)
        inwards = kind == "in" or (kind == "ambiguous" and self.chance(0.5))
        name = "ambiguous" if kind == "ambiguous" else f"transfer_{kind}"
        reason = self.pick(("liquidity", "round_trip")) if kind == "ambiguous" else None
        sides = (None, (asset, qty)) if inwards else ((asset, qty), None)
        return {**self._sides(name, *sides), "reason": reason}

    def _quiet(self) -> Row:
        kind = self.pick(("failed", "none", "unfetched"))
        row: Row = {"kind": kind, "network_fee": "0.000005"}
        if kind == "unfetched":
            row = {"kind": kind}
            if self.chance(0.5):
                row["block_time"] = None
        if kind == "none":
            row |= {"tip": "0.001", "deposit": self.pick(("0.00203928", "-0.00203928"))}
        return row

    def _sides(self, kind: str, sent: tuple | None, received: tuple | None) -> Row:
        row: Row = {"kind": kind}
        if sent is not None:
            row |= {"sent_asset": sent[0], "sent_amount": sent[1]}
        if received is not None:
            row |= {"received_asset": received[0], "received_amount": received[1]}
        if self.chance(0.3):
            row |= {"network_fee": "0.000105", "tip": "0.0001", "bot_fee": "0.01"}
        return row

    def _qty(self, chain: Chain, asset: str) -> str:
        """A quantity the asset can have; with 18 places at times 1e33 smallest units."""
        decimals = chain.decimals(asset)
        if decimals == 18 and self.chance(0.15):
            return "1000000000000000.000000000000000001"
        if decimals == 6 and self.chance(0.05):
            return "18446744073709.551615"
        if self.chance(0.1):
            # Not one unit of 18 places: its price times 1e33 units is no sum of dollars.
            return self._amount(Fraction(1, 1000 if decimals == 18 else 10**decimals), decimals)
        return self._amount(Fraction(self.pick(QUANTITIES)), decimals)

    @staticmethod
    def _amount(units: Fraction, decimals: int) -> str:
        raw = max(1, int(units * 10**decimals))
        return f"{Decimal(raw).scaleb(-decimals):f}"

    def _round_trips(self, wallet: str, number: int) -> None:
        """Wallets busy enough to be ranked, with equal cents and equal volumes among them."""
        days = self.pick((1, 1, 6, 29, 33))
        start = AS_OF - days * DAY + 3600
        token_count, trips = self.pick((1, 4, 5)), self.pick((4, 5, 10, 20, 50))
        paid = Decimal(self.pick(("190", "450", "600", "990")))
        for trip in range(trips):
            token = f"mint{(number + trip % token_count) % 36:02d}"
            time = start + trip * 700
            got = paid + self.pick((20, 20, -5)) + Decimal(self.pick(("0", "0", "0.000499")))
            for at, sent, received in (
                (time, (USDC, str(paid)), (token, "100")),
                (time + self.pick((60, 61, 120)), (token, "100"), (USDC, str(got))),
            ):
                sides = self._sides("swap", sent, received)
                row = {"chain": "solana", "wallet": wallet, "venue": "amm", **sides}
                self.tape.movements.append({**row, **self._place(at)})

    def _repeat_some(self) -> None:
        """Equal rows collapse; two contents under one key are both rejected."""
        rows = self.tape.movements
        rows += [dict(row) for row in self.random.sample(rows, 40)]
        for row in self.random.sample(rows, 4):
            rows.append({**row, "source": "another indexer"})

    def _prices(self) -> None:
        times = {row["block_time"] for row in self.tape.movements if row["block_time"]}
        for minute in sorted({epoch(time) // 60 for time in times}):
            for chain in (SOLANA, BSC):
                self._candles(chain, minute)
        for chain in (SOLANA, BSC):
            for token in chain.tokens:
                for _ in range(self.pick((0, 0, 1, 3))):
                    at = AS_OF - self.pick((-1, 0, 1, 60, 3600, DAY, DAY + 1))
                    price = self.pick(("0.5", "1.25", "3.333333333333333333"))
                    self._price(chain, token, at, price, "snapshot", self.pick(("q1", "q2")))

    def _candles(self, chain: Chain, minute: int) -> None:
        for source in ("beta", "alpha"):
            if self.chance(0.35):
                close = f"{100 + minute % 7}.{minute % 3}"
                self._price(chain, chain.native, minute * 60, close, "minute", source)
        if self.chance(0.1):
            self._price(chain, chain.native, minute * 60, "77", "hour", "alpha")

    def _price(
        self, chain: Chain, asset: str, at: int, price: str, resolution: str, source: str
    ) -> None:
        row = {"chain": chain.name, "address": asset, "time": iso(at), "price_usd": price}
        row |= {"resolution": resolution, "source": source}
        key = tuple(row[c] for c in ("chain", "address", "time", "resolution", "source"))
        if key not in self._priced:
            self._priced.add(key)
            self.tape.prices.append(row)


def random_tape(seed: int, wallets: int) -> Tape:
    """A random tape of a number of wallets; the same seed gives the same tape."""
    return Writer(seed, wallets).write()


def watched(tape: Tape, seed: int) -> Tape:
    """The same tape with a watch list that leaves some wallets out, and with chain balances."""
    random = Random(seed)
    owners = sorted({(r["chain"], r["wallet"]) for r in tape.movements if r["wallet"]})
    tape.wallets = [
        {
            "chain": chain,
            "address": wallet,
            "label": random.choice((None, "=HYPERLINK(1)", "desk, one")),
            "tracked_since": random.choice(
                (None, iso(AS_OF - 30 * DAY), iso(AS_OF - 30 * DAY + 1), iso(AS_OF - 5 * DAY))
            ),
        }
        for chain, wallet in owners
        if random.random() < 0.8
    ]
    held = {
        (r["chain"], r["wallet"], r.get(side))
        for r in tape.movements
        for side in ("sent_asset", "received_asset")
        if r["wallet"] and r.get(side)
    }
    tape.balances = [
        {
            "chain": chain,
            "wallet": wallet,
            "address": asset,
            "amount": random.choice(("0", "1", "20", "1000")),
            "as_of": iso(AS_OF),
        }
        for chain, wallet, asset in sorted(held)
    ]
    return tape
