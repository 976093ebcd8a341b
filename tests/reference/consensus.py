"""What the methods agree on, wallet by wallet (METHODS 4, 6)."""

from __future__ import annotations

from collections import defaultdict

from tests.reference import figures
from tests.reference.axes import Axes
from tests.reference.figures import Table


def consensus_table(wallets: list[tuple[Axes, Table]]) -> Table:
    """Lowest and highest headline per wallet and window over the methods that offer it.

    Ranked by the lowest: wallets with a trade in the window and a known figure, in whole cents,
    ties by the largest of their volumes, then by address.
    """
    groups: dict[tuple, list[tuple[Axes, dict]]] = defaultdict(list)
    for axes, rows in wallets:
        for row in rows:
            groups[row["window"], row["chain"], row["wallet"]].append((axes, row))
    table = []
    for (window, chain, wallet), members in sorted(groups.items()):
        known = [row[axes.figure] for axes, row in members if row[axes.figure] is not None]
        signs = {(figure > 0) - (figure < 0) for figure in known}
        table.append(
            {
                "window": window,
                "chain": chain,
                "wallet": wallet,
                "lowest_usd": min(known, default=None),
                "highest_usd": max(known, default=None),
                "methods_known": len(known),
                "sign_agrees": len(signs) == 1 if known else None,
                "volume_usd": max(row["volume_usd"] for _, row in members),
                "rank": None,
                "_traded": any(row["trades"] for _, row in members),
            }
        )
    for window in {row["window"] for row in table}:
        rows = [
            row
            for row in table
            if row["window"] == window and row["_traded"] and row["lowest_usd"] is not None
        ]
        for row, rank in figures.ranked(rows, "lowest_usd"):
            row["rank"] = rank
    hidden = ("volume_usd", "_traded")
    return [{k: v for k, v in row.items() if k not in hidden} for row in table]
