"""Small ledgers at recognised venues, for examples of the methods beside the moving average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.golden.example import AS_OF, DAY, Example, tape_of
from tests.reference.axes import Axes
from tests.reference.evaluate import evaluate
from tests.reference.tape import USDC, Row, iso

VENUE = "an exchange"


@dataclass
class Case(Example):
    """An example whose swaps run at a recognised venue unless they say otherwise."""

    name: str = "case"

    def add(self, at: int, kind: str, **columns: Any) -> str:
        """Any tape row; a swap gets the venue."""
        if kind == "swap":
            columns.setdefault("venue", VENUE)
        return super().add(at, kind, **columns)

    def hold(self, amount: str, token: str = "A", wallet: str = "") -> Row:
        """A row of the balances file."""
        return {
            "chain": "solana",
            "wallet": self.wallet(wallet),
            "address": self.token(token),
            "amount": amount,
            "as_of": iso(AS_OF),
        }

    def watch(self, **columns: Any) -> Row:
        """A row of the wallets file."""
        return {"chain": "solana", "address": self.wallet(), **columns}

    def pool(self, name: str, quote_reserve: str, token: str = "A") -> Row:
        """A row of the pools file, quoted in USDC."""
        return {
            "chain": "solana",
            "pool": name,
            "base_address": self.token(token),
            "quote_address": USDC,
            "base_reserve": "1",
            "quote_reserve": quote_reserve,
            "as_of": iso(AS_OF),
        }

    def tables(self, axes: Axes, facts: Row | None = None, **files: list[Row]) -> dict:
        """Every table under a method; ``facts`` are columns of token A, ``files`` optional ones."""
        tape = tape_of([self])
        for asset in tape.assets:
            if asset["address"] == self.token():
                asset.update(facts or {})
        for name, rows in files.items():
            setattr(tape, name, rows)
        return evaluate(tape, AS_OF, axes)

    def wallet_row(self, axes: Axes, window: str = "all", **given: Any) -> Row:
        """The wallet's row of wallet_pnl."""
        return only(self.tables(axes, **given)["wallet_pnl"], wallet=self.wallet(), window=window)

    def token_row(self, axes: Axes, window: str = "all", token: str = "A", **given: Any) -> Row:
        """The wallet's row of wallet_token_pnl for one token."""
        rows = self.tables(axes, **given)["wallet_token_pnl"]
        return only(rows, wallet=self.wallet(), window=window, token=self.token(token))


def only(rows: list[Row], **where: Any) -> Row:
    """The one row with these cells."""
    (row,) = [row for row in rows if all(row[key] == value for key, value in where.items())]
    return row


def picked(row: Row, *columns: str) -> tuple:
    """Some cells of a row."""
    return tuple(row[column] for column in columns)


def days_ago(days: int, seconds: int = 0) -> int:
    """The start of an example, so many days and seconds before as_of."""
    return -days * DAY - seconds
