"""A tape in memory (CONTRACTS 1) and its way to disk as CSV."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Row = dict[str, Any]

SOL = "So11111111111111111111111111111111111111112"
USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
USDT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"

CASH_ASSETS: list[Row] = [
    {"chain": "solana", "address": SOL, "symbol": "SOL", "decimals": 9, "role": "native"},
    {"chain": "solana", "address": USDC, "symbol": "USDC", "decimals": 6, "role": "stable"},
    {"chain": "solana", "address": USDT, "symbol": "USDT", "decimals": 6, "role": "stable"},
]

COLUMNS = {
    "movements": (
        *("chain", "tx_id", "block", "tx_index", "block_time", "wallet", "leg", "kind"),
        *("sent_asset", "sent_amount", "received_asset", "received_amount"),
        *("network_fee", "tip", "bot_fee", "other_fee", "deposit"),
        *("reason", "venue", "source", "recognised_venue", "pool", "seq"),
    ),
    "assets": (
        *("chain", "address", "symbol", "decimals", "role"),
        *("supply", "creator", "created_block"),
    ),
    "prices": ("chain", "address", "time", "price_usd", "resolution", "source"),
    "wallets": (
        *("chain", "address", "label", "tracked_since", "history_from", "history_truncated"),
    ),
    "balances": ("chain", "wallet", "address", "amount", "as_of"),
    "pools": (
        *("chain", "pool", "base_address", "quote_address"),
        *("base_reserve", "quote_reserve", "as_of"),
    ),
}


@dataclass
class Tape:
    """The files of one tape; an optional file of None is one that is not there."""

    movements: list[Row] = field(default_factory=list)
    assets: list[Row] = field(default_factory=lambda: list(CASH_ASSETS))
    prices: list[Row] = field(default_factory=list)
    wallets: list[Row] | None = None
    balances: list[Row] | None = None
    pools: list[Row] | None = None

    def write(self, folder: Path) -> Path:
        """Write every file that is there as CSV and return the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, columns in COLUMNS.items():
            rows = getattr(self, name)
            if rows is None:
                continue
            with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, columns, restval="")
                writer.writeheader()
                writer.writerows({k: _cell(v) for k, v in row.items()} for row in rows)
        return folder


def iso(seconds: int) -> str:
    """ISO 8601 with Z for epoch seconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
