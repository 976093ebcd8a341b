"""Average cost of the window's own trades, null where a cost is unknown (METHODS 3.5, 6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.reference import figures
from tests.reference.figures import Evaluation, Table, WindowOf, usd
from tests.reference.ledger import COSTS, AssetKey, Movement
from tests.reference.prices import NANO
from tests.reference.replay import sum_of_known
from tests.reference.trades import Trade

COMPLETE = "complete"
OVERSOLD = "unknown (sold tokens received by transfer)"
NOT_PRICED = "unknown (a trade is not priced)"
SNIPED_BLOCKS = 2
WHALE_SHARE = Fraction(1, 100)


def wallet_token_rows(view: WindowOf) -> Table:
    """One row per token traded in the window."""
    return [_token_row(view, token, trades) for token, trades in sorted(_by_token(view).items())]


def wallet_columns(view: WindowOf) -> dict[str, Any]:
    """Sums over the tokens with known cost: 0 with nothing traded, null with none known."""
    rows = wallet_token_rows(view)
    known = [row for row in rows if row["cost_basis"] == COMPLETE]
    realized = sum_of_known([_nano(row["realized_usd"]) for row in rows])
    unrealized = sum_of_known([_nano(row["unrealized_usd"]) for row in rows])
    total = figures.add_known(realized, unrealized)
    bought = sum(_nano(row["bought_usd"]) for row in known)
    totals = [row for row in known if row["total_usd"] is not None]
    best = max(totals, key=lambda r: (r["total_usd"], _backwards(r["token"])), default=None)
    worst = min(totals, key=lambda r: (r["total_usd"], r["token"]), default=None)
    holds = [row["last_trade_at"] - row["first_trade_at"] for row in rows]
    return {
        "realized_usd": usd(realized),
        "unrealized_usd": usd(unrealized),
        "total_usd": usd(total),
        "roi_pct": _percent(total, bought),
        **figures.win_columns([row["total_usd"] for row in totals]),
        "tokens_with_known_cost": len(known),
        "positions_without_price": sum(_lacks_price(view, row) for row in rows),
        "avg_hold_s": float(Fraction(sum(holds), len(holds))) if holds else None,
        "gas_spent_usd": usd(gas_of(view.ev, view.movements)),
        "best_token": best and best["token"],
        "worst_token": worst and worst["token"],
    }


def token_traders_table(rows: Table) -> Table:
    """Traders of a token by total; an unknown total has no rank and stands last."""
    groups: dict[tuple, Table] = defaultdict(list)
    for row in rows:
        groups[row["window"], row["chain"], row["token"]].append(row)
    traders = []
    for group in groups.values():
        known = [row for row in group if row["total_usd"] is not None]
        traders += [{**row, "rank": rank} for row, rank in figures.ranked(known, "total_usd")]
        traders += [{**row, "rank": None} for row in group if row["total_usd"] is None]
    return [{k: v for k, v in row.items() if k != "volume_usd"} for row in traders]


def gas_of(ev: Evaluation, movements: Iterable[Movement]) -> int | None:
    """Network fees at the minute's price, rounded per movement; one unknown makes it null."""
    total = 0
    for movement in movements:
        fee = movement.costs[COSTS.index("network_fee")]
        if fee:
            native = ev.ledger.native(movement.chain)
            value, _ = ev.prices.cash(native.chain, native.address, fee, movement.time)
            if value is None:
                return None
            total += value
    return total


def tags_of(ev: Evaluation, owner: tuple[str, str], token: AssetKey) -> str:
    """`dev`, `sniper` and `whale` of METHODS 3.5; a tape does not tell smart accounts."""
    asset = ev.ledger.asset(*token)
    launch = asset.created_block
    buys = [t.movement.block for t in ev.trades_of[owner, token] if t.side == "buy"]
    supply = None if asset.supply is None else asset.supply * 10**asset.decimals
    balance = ev.balances.get((owner, token), 0)
    found = {
        "dev": asset.creator == owner[1],
        "sniper": launch is not None
        and any(launch <= block <= launch + SNIPED_BLOCKS for block in buys),
        "whale": bool(supply) and balance >= WHALE_SHARE * supply,
    }
    return ",".join(name for name, is_so in found.items() if is_so)


def _token_row(view: WindowOf, token: AssetKey, trades: list[Trade]) -> dict[str, Any]:
    ev = view.ev
    buys = [t for t in trades if t.side == "buy"]
    sells = [t for t in trades if t.side == "sell"]
    bought, sold = sum(t.qty for t in buys), sum(t.qty for t in sells)
    bought_usd = sum_of_known([t.net for t in buys])
    sold_usd = sum_of_known([t.net for t in sells])
    basis = _cost_basis(trades, bought, sold)
    realized = unrealized = None
    balance = ev.balances.get((view.owner, token), 0)
    if basis == COMPLETE:
        realized = round(sold_usd - Fraction(sold * bought_usd, bought))
        unrealized = _unrealized(ev, token, balance, bought - sold, Fraction(bought_usd, bought))
    total = None if realized is None or unrealized is None else realized + unrealized
    first, last = min(t.time for t in trades), max(t.time for t in trades)
    return {
        **figures.wallet_keys(view),
        "token": token[1],
        "bought_qty": ev.units(token, bought),
        "sold_qty": ev.units(token, sold),
        "bought_usd": usd(bought_usd),
        "sold_usd": usd(sold_usd),
        "avg_buy_usd": figures.average_price(ev, token, buys),
        "avg_sell_usd": figures.average_price(ev, token, sells),
        "realized_usd": usd(realized),
        "unrealized_usd": usd(unrealized),
        "total_usd": usd(total),
        "roi_pct": _percent(total, bought_usd),
        "buys": sum(not t.is_dust for t in buys),
        "sells": sum(not t.is_dust for t in sells),
        "first_trade_at": first,
        "last_trade_at": last,
        "holding_time_s": (ev.ledger.as_of if balance else last) - first,
        "cost_basis": basis,
        "gas_spent_usd": usd(gas_of(ev, {t.movement for t in trades})),
        "tags": tags_of(ev, view.owner, token),
        "volume_usd": usd(sum(t.value or 0 for t in trades if not t.is_dust)),
    }


def _cost_basis(trades: list[Trade], bought: int, sold: int) -> str:
    if sold > bought:
        return OVERSOLD
    return NOT_PRICED if any(t.net is None for t in trades) else COMPLETE


def _unrealized(
    ev: Evaluation, token: AssetKey, balance: int, left: int, average_buy: Fraction
) -> int | None:
    """Value of the balance, at most the pool's quote side, less the cost of what was bought."""
    if balance == 0:
        return 0
    quote = ev.market.price_now(token)
    if quote is None:
        return None
    value, cap = quote.of(balance), ev.market.quote_side(token)
    if cap is not None:
        value = min(value, round(cap))
    return round(value - min(balance, left) * average_buy)


def _lacks_price(view: WindowOf, row: dict[str, Any]) -> bool:
    token = (row["chain"], row["token"])
    has_balance = view.ev.balances.get((view.owner, token), 0) > 0
    return has_balance and view.ev.market.price_now(token) is None


def _by_token(view: WindowOf) -> dict[AssetKey, list[Trade]]:
    found: dict[AssetKey, list[Trade]] = defaultdict(list)
    for trade in view.trades:
        found[trade.token].append(trade)
    return found


def _percent(part: int | None, whole: int | None) -> float | None:
    return float(Fraction(part, whole) * 100) if part is not None and whole else None


def _nano(dollars: Decimal | None) -> int | None:
    """Nano-dollars of a shown figure, exact whatever its digits."""
    return None if dollars is None else int(Fraction(dollars) * NANO)


def _backwards(address: str) -> tuple[int, ...]:
    """Sorts the smaller address last, so that a maximum prefers it."""
    return tuple(-ord(letter) for letter in address)
