"""Worked examples: a few tape rows of their own wallet and token, and what they must come to.

All examples lie on one tape and are built once. Each has wallets and tokens of its own, so that
none can change another's figures (METHODS 5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tests.reference.exports import differences
from tests.reference.random_tape import AS_OF
from tests.reference.tape import CASH_ASSETS, SOL, USDC, Row, Tape, iso

DAY = 86_400
HALF_A_DAY_AGO = -DAY // 2  # where an example starts unless it says otherwise, relative to AS_OF
USDX = "StableWithEighteenPlaces"
FIRST_BLOCK = 50_000_000

# How the rows of a table are put in order before they are compared.
ORDER: dict[str, tuple[str, ...]] = {
    "movements": ("block", "tx_id", "leg"),
    "trades": ("block", "tx_id", "leg"),
    "fills": ("sold_at", "tx_id", "leg", "left_out_reason"),
    "closed_trades": ("token", "number"),
    "positions": ("token",),
    "wallet_token_pnl": ("token",),
    "wallet_pnl": ("window",),
    "eligibility": ("criterion",),
    "leaderboard": ("window",),
    "unexplained": ("tx_id", "leg"),
}


@dataclass(frozen=True)
class Expectation:
    """Rows of one table for one wallet; ``where`` narrows them, columns not named are free."""

    table: str
    wallet: str
    where: Row
    rows: list[Row]

    def check(self, tables: dict[str, list[Row]]) -> list[str]:
        """What differs between the expected rows and the given tables."""
        keys = {"wallet": self.wallet, **self.where}
        found = sorted(
            (r for r in tables[self.table] if not differences(keys, r)),
            key=lambda r: [str(r[column]) for column in ORDER[self.table]],
        )
        if len(found) != len(self.rows):
            return [f"{self.table} {keys}: expected {len(self.rows)} rows, found {found}"]
        return [
            f"{self.table} {keys} row {number}: {line}"
            for number, (expected, actual) in enumerate(zip(self.rows, found, strict=True))
            for line in differences(expected, actual)
        ]


@dataclass
class Example:
    """One worked example; its verbs add tape rows, ``expect`` says what they come to."""

    name: str
    start: int = HALF_A_DAY_AGO
    rows: list[Row] = field(default_factory=list)
    prices: list[Row] = field(default_factory=list)
    tokens: dict[str, int] = field(default_factory=dict)
    expectations: list[Expectation] = field(default_factory=list)
    _transactions: int = 0

    def wallet(self, label: str = "") -> str:
        """An address of this example alone."""
        return f"W-{self.name}{label and '-'}{label}"

    def token(self, label: str = "A", decimals: int = 6) -> str:
        """A token of this example alone; its decimals are those of its first mention."""
        address = f"T-{self.name}-{label}"
        self.tokens.setdefault(address, decimals)
        return address

    def tx(self, number: int) -> str:
        """The id of the n-th transaction, from 1."""
        return f"{self.name}-{number:03d}"

    def time(self, at: int) -> int:
        """Epoch seconds of an example's second."""
        return AS_OF + self.start + at

    def add(self, at: int, kind: str, **columns: Any) -> str:
        """Any tape row, a transaction of its own unless ``tx_id`` is given; returns its id."""
        if "tx_id" not in columns:
            self._transactions += 1
        row = {
            "chain": "solana",
            "tx_id": self.tx(self._transactions),
            "block": FIRST_BLOCK + self.start + at,
            "tx_index": self._transactions,
            "block_time": iso(self.time(at)),
            "wallet": self.wallet(),
            "leg": 0,
            "kind": kind,
            **columns,
        }
        self.rows.append(row)
        return row["tx_id"]

    def buy(
        self, at: int, qty: str, paid: str, cash: str = USDC, token: str = "A", **columns: Any
    ) -> str:
        """A swap of cash for a token."""
        return self.add(
            at,
            "swap",
            sent_asset=cash,
            sent_amount=paid,
            received_asset=self.token(token),
            received_amount=qty,
            **columns,
        )

    def sell(
        self, at: int, qty: str, got: str, cash: str = USDC, token: str = "A", **columns: Any
    ) -> str:
        """A swap of a token for cash."""
        return self.add(
            at,
            "swap",
            sent_asset=self.token(token),
            sent_amount=qty,
            received_asset=cash,
            received_amount=got,
            **columns,
        )

    def swap(self, at: int, qty: str, got: str, sold: str = "A", bought: str = "B", **columns: Any):
        """A swap of one token for another."""
        return self.add(
            at,
            "swap",
            sent_asset=self.token(sold),
            sent_amount=qty,
            received_asset=self.token(bought),
            received_amount=got,
            **columns,
        )

    def arrive(
        self, at: int, qty: str, token: str = "A", kind: str = "transfer_in", **columns: Any
    ) -> str:
        """Units that only arrive."""
        asset = self.token(token)
        return self.add(at, kind, received_asset=asset, received_amount=qty, **columns)

    def leave(
        self, at: int, qty: str, token: str = "A", kind: str = "transfer_out", **columns: Any
    ) -> str:
        """Units that only leave."""
        return self.add(at, kind, sent_asset=self.token(token), sent_amount=qty, **columns)

    def tick(self, at: int, price: str, token: str = "A", **columns: Any) -> str:
        """Somebody else buys one unit at a price, which gives a tick."""
        return self.buy(at, "1", price, token=token, **{"wallet": self.wallet("maker"), **columns})

    def candle(
        self,
        at: int,
        close: str,
        source: str = "exchange",
        asset: str = SOL,
        resolution: str = "minute",
    ) -> None:
        """A price row; for candles ``at`` is the open."""
        self.prices.append(
            {
                "chain": "solana",
                "address": asset,
                "time": iso(self.time(at)),
                "price_usd": close,
                "resolution": resolution,
                "source": source,
            }
        )

    def expect(self, table: str, *rows: Row, wallet: str = "", **where: Any) -> None:
        """All rows of the table for the wallet, ordered by place, with these columns."""
        self.expectations.append(Expectation(table, self.wallet(wallet), where, list(rows)))

    def check(self, tables: dict[str, list[Row]]) -> list[str]:
        """What differs from the given tables."""
        return [line for expectation in self.expectations for line in expectation.check(tables)]


def tape_of(examples: Iterable[Example]) -> Tape:
    """One tape with the rows of all examples."""
    tape = Tape()
    tape.assets = [
        *CASH_ASSETS,
        {"chain": "solana", "address": USDX, "symbol": "USDX", "decimals": 18, "role": "stable"},
    ]
    for example in examples:
        tape.movements += example.rows
        tape.prices += example.prices
        tape.assets += [
            {
                "chain": "solana",
                "address": address,
                "symbol": example.name[:8],
                "decimals": decimals,
                "role": "token",
            }
            for address, decimals in example.tokens.items()
        ]
    return tape


class Collection:
    """Examples by name, written as functions that fill one in."""

    def __init__(self) -> None:
        self.examples: dict[str, Example] = {}

    def __call__(self, start: int = HALF_A_DAY_AGO) -> Callable:
        """Register the decorated function as the example of its name."""

        def register(write: Callable[[Example], None]) -> Callable[[Example], None]:
            name = write.__name__
            if name in self.examples:
                raise ValueError(f"two examples are called {name}")
            example = Example(name, start)
            write(example)
            self.examples[name] = example
            return write

        return register


D = Decimal
