"""A tape small enough to know every figure of it by heart.

`EARNER` buys 1,000 units for $400 and sells them for $450 six times on one day, an hour apart:
$300 realized in six closed trades on a volume of $5,100, which the 24-hour window ranks and the
longer ones do not. `HOLDER` buys for 2 SOL at $150, gets 5 units as a gift and fails once.
One row names an asset that nobody described and is rejected.
"""

import csv
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

SOL = "So11111111111111111111111111111111111111112"
USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
TOKEN = "Token11111111111111111111111111111111111111"
HOSTILE_SYMBOL = '=HYPERLINK("evil","\u202egold")'
EARNER = "Earner1111111111111111111111111111111111111"
HOLDER = "Ho1der1111111111111111111111111111111111111"
START = datetime(2025, 3, 1, 8, 0, tzinfo=UTC)
ROUNDS = 6

ASSETS = [
    ("solana", SOL, "SOL", 9, "native"),
    ("solana", USDC, "USDC", 6, "stable"),
    ("solana", TOKEN, HOSTILE_SYMBOL, 6, "token"),
]
COLUMNS = (
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
    "venue",
    "reason",
)


def _row(number: int, minutes: int, wallet: str, kind: str, **cells: object) -> dict:
    return {
        "chain": "solana",
        "tx_id": f"tx{number:04d}",
        "block": 1000 + number,
        "tx_index": 0,
        "block_time": (START + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "wallet": wallet,
        "leg": 0,
        "kind": kind,
        "network_fee": "0.000005",
        **cells,
    }


def movements() -> list[dict]:
    """Every row of the tape, in the order of the ledger."""
    rows = []
    for turn in range(ROUNDS):
        bought = {"sent_asset": USDC, "sent_amount": 400}
        sold = {"received_asset": USDC, "received_amount": 450}
        rows += [
            _row(
                len(rows),
                turn * 60,
                EARNER,
                "swap",
                **bought,
                received_asset=TOKEN,
                received_amount="1000",
                venue="Jupiter",
            ),
            _row(
                len(rows) + 1,
                turn * 60 + 30,
                EARNER,
                "swap",
                **sold,
                sent_asset=TOKEN,
                sent_amount="1000",
                venue="Jupiter",
            ),
        ]
    last = ROUNDS * 60
    rows += [
        _row(
            len(rows),
            last,
            HOLDER,
            "swap",
            sent_asset=SOL,
            sent_amount="2",
            received_asset=TOKEN,
            received_amount="600.5",
            venue="Jupiter",
        ),
        _row(
            len(rows) + 1, last + 1, HOLDER, "transfer_in", received_asset=TOKEN, received_amount=5
        ),
        _row(len(rows) + 2, last + 2, HOLDER, "failed"),
        _row(
            len(rows) + 3,
            last + 3,
            HOLDER,
            "ambiguous",
            sent_asset=SOL,
            sent_amount="1",
            reason="liquidity",
        ),
    ]
    # Padding keeps the one bad row below the 5 % at which a file is refused.
    rows += [_row(len(rows) + i, last + 10 + i, HOLDER, "none") for i in range(24)]
    rows.append(
        _row(
            len(rows),
            last + 60,
            HOLDER,
            "transfer_in",
            received_asset="Nobody11111111111111111111111111111111111111",
            received_amount=1,
        )
    )
    return rows


def write(folder: Path, seed: int | None = None) -> Path:
    """Write the tape as CSV; with a seed its rows stand in another order."""
    folder.mkdir(parents=True)
    rows = movements()
    prices = [
        (
            "solana",
            SOL,
            (START + timedelta(minutes=m)).strftime("%Y-%m-%dT%H:%M:%SZ"),
            150,
            "minute",
        )
        for m in range(ROUNDS * 60 + 60)
    ]
    assets = list(ASSETS)
    if seed is not None:
        for lines in (rows, prices, assets):
            random.Random(seed).shuffle(lines)
    with (folder / "movements.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    _write(folder / "assets.csv", ("chain", "address", "symbol", "decimals", "role"), assets)
    _write(
        folder / "prices.csv",
        ("chain", "address", "time", "price_usd", "resolution", "source"),
        [(*price, "test") for price in prices],
    )
    return folder


def _write(path: Path, header: tuple[str, ...], rows: list[tuple]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
