"""Small tapes for tests: rows as dicts, files as people write them."""

import csv
from pathlib import Path

import pyarrow.parquet as pq

SOL = "So11111111111111111111111111111111111111112"

MOVEMENT_COLUMNS = [
    "chain",
    "tx_id",
    "block",
    "tx_index",
    "block_time",
    "wallet",
    "leg",
    "kind",
    "sent_asset",
    "sent_amount",
    "received_asset",
    "received_amount",
    "network_fee",
    "tip",
    "bot_fee",
    "other_fee",
    "deposit",
    "reason",
    "venue",
    "source",
    "recognised_venue",
    "pool",
    "seq",
]

ASSETS = [
    {"chain": "solana", "address": SOL, "symbol": "SOL", "decimals": "9", "role": "native"},
    {"chain": "solana", "address": "USDC", "symbol": "USDC", "decimals": "6", "role": "stable"},
    {"chain": "solana", "address": "CAT", "symbol": "CAT", "decimals": "6", "role": "token"},
    {"chain": "solana", "address": "NFT", "symbol": "NFT", "decimals": "0", "role": "token"},
]
PRICES = [
    {
        "chain": "solana",
        "address": SOL,
        "time": "2024-01-01T00:00:00Z",
        "price_usd": "100",
        "resolution": "minute",
        "source": "exchange",
    }
]


def buy(**changes: str) -> dict[str, str]:
    """1.5 SOL for 3 CAT."""
    return {
        "chain": "solana",
        "tx_id": "buy",
        "block": "100",
        "block_time": "2024-01-01T00:00:30Z",
        "wallet": "alice",
        "kind": "swap",
        "sent_asset": SOL,
        "sent_amount": "1.5",
        "received_asset": "CAT",
        "received_amount": "3",
    } | changes


def one_sided(kind: str, side: str, **changes: str) -> dict[str, str]:
    """A row of `kind` on which 2 CAT moved on one side."""
    nothing = dict.fromkeys(("sent_asset", "sent_amount", "received_asset", "received_amount"), "")
    moved = {f"{side}_asset": "CAT", f"{side}_amount": "2"} if side else {}
    return buy(kind=kind, tx_id=kind) | nothing | moved | changes


def filler(count: int) -> list[dict[str, str]]:
    """Good rows on which nothing moved, so that a bad one stays under 5 %."""
    return [one_sided("none", "", tx_id=f"filler{i}", block=str(200 + i)) for i in range(count)]


def write_csv(path: Path, rows: list[dict[str, str]], columns=None) -> None:
    names = list(columns or dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(rows)


def write_tape(folder: Path, movements, assets=ASSETS, prices=PRICES, **optional) -> Path:
    """Write a tape of CSV files; keyword arguments name further files."""
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(folder / "movements.csv", movements, MOVEMENT_COLUMNS)
    write_csv(folder / "assets.csv", assets)
    write_csv(folder / "prices.csv", prices, PRICES[0])
    for name, rows in optional.items():
        write_csv(folder / f"{name}.csv", rows)
    return folder


def table(data: Path, name: str) -> list[dict]:
    return pq.read_table(data / "tape" / f"{name}.parquet").to_pylist()


def rejects(data: Path) -> list[tuple]:
    return [tuple(row.values()) for row in table(data, "rejects")]
