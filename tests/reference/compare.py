"""Whole tables of the warehouse against those of the evaluator, with a report people can read."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal

from tests.reference.exports import differences
from tests.reference.tape import Row, Tape

TOLERANCE_USD = Decimal("0.000001")
SHOWN = 5

KEYS: dict[str, tuple[str, ...]] = {
    "movements": ("chain", "tx_id", "wallet", "leg"),
    "trades": ("chain", "wallet", "token", "pricing_rule", "tx_id", "leg"),
    "fills": ("chain", "wallet", "token", "tx_id", "leg"),
    "lots": ("chain", "wallet", "token", "tx_id", "leg"),
    "positions": ("chain", "wallet", "token"),
    "closed_trades": ("chain", "wallet", "token", "number"),
    "wallet_token_pnl": ("chain", "wallet", "token", "window"),
    "wallet_pnl": ("chain", "wallet", "window"),
    "eligibility": ("chain", "wallet", "window", "criterion"),
    "leaderboard": ("chain", "wallet", "window", "board"),
    "unexplained": ("chain", "tx_id", "wallet", "leg"),
}
# Tables that only some methods fill, or that compare the methods.
METHOD_KEYS: dict[str, tuple[str, ...]] = {
    "venue_pnl": ("chain", "wallet", "window", "venue"),
    "source_pnl": ("chain", "wallet", "window", "source"),
    "token_traders": ("chain", "token", "window", "wallet"),
    "consensus": ("chain", "wallet", "window"),
}
_KEYS = {**KEYS, **METHOD_KEYS}


@dataclass(frozen=True)
class Difference:
    """One key whose rows differ, as text that shows both sides."""

    wallet: str
    text: str


def table_differences(table: str, expected: list[Row], actual: list[Row]) -> list[Difference]:
    """Every key of a table whose rows are not the same."""
    wanted, found = _by_key(table, expected), _by_key(table, actual)
    differing = []
    for key in sorted(set(wanted) | set(found)):
        left = sorted(wanted.get(key, []), key=_within)
        right = sorted(found.get(key, []), key=_within)
        lines = _row_lines(left, right)
        if lines:
            wallet = key[_KEYS[table].index("wallet")]
            differing.append(Difference(wallet, _block(table, key, lines, left, right)))
    return differing


def report(tape: Tape, differing: list[Difference]) -> str:
    """The first differing keys in full, with the tape rows of the first one's wallet."""
    text = [f"{len(differing)} keys differ; the first {min(SHOWN, len(differing))}:"]
    text += [difference.text for difference in differing[:SHOWN]]
    text += [f"tape rows of {differing[0].wallet}:"]
    text += [str(row) for row in tape.movements if str(row["wallet"]) == differing[0].wallet]
    return "\n".join(text)


def _by_key(table: str, rows: list[Row]) -> dict[tuple, list[Row]]:
    grouped: dict[tuple, list[Row]] = defaultdict(list)
    for row in rows:
        # As text, so that CSV and Parquet rows meet the evaluator's alike.
        grouped[tuple(str(row[column]) for column in _KEYS[table])].append(row)
    return grouped


def _within(row: Row) -> tuple:
    """Order of rows that share a key: the fills of one sale."""
    return (str(row.get("left_out_reason")), Decimal(str(row.get("qty") or 0)))


def _row_lines(left: list[Row], right: list[Row]) -> list[str]:
    if len(left) != len(right):
        return [f"expected {len(left)} rows, exported {len(right)}"]
    return [
        line
        for expected, actual in zip(left, right, strict=True)
        for line in differences(expected, actual, TOLERANCE_USD)
    ]


def _block(table: str, key: tuple, lines: list[str], left: list[Row], right: list[Row]) -> str:
    text = [f"{table} {dict(zip(_KEYS[table], key, strict=True))}", *(f"  {x}" for x in lines)]
    text += [f"  expected {row}" for row in left]
    columns = left[0] if left else None
    for row in right:
        shown = row if columns is None else {k: row.get(k) for k in columns}
        text.append(f"  exported {shown}")
    return "\n".join(text)
