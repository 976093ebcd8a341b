"""Aggregate averages over all history, with guarded unrealized figures (METHODS 3.2, 6)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.reference import figures
from tests.reference.figures import Evaluation, Table, WindowOf, usd
from tests.reference.ledger import AssetKey
from tests.reference.prices import NANO
from tests.reference.replay import sum_of_known
from tests.reference.trades import Trade

VOLUMES_OPEN_AT_MOST = 10
LARGE_VALUE_USD = 100_000_000
SMALL_POOL_USD = 1_000


@dataclass(frozen=True)
class Sums:
    """B, S, Bp, Sp, BU, SU of METHODS 3.2: units in all, units priced, and their dollars."""

    bought: int
    sold: int
    bought_priced: int
    sold_priced: int
    bought_usd: int
    sold_usd: int

    @property
    def average_buy(self) -> Fraction | None:
        """Nano-dollars per raw unit; null when nothing bought is priced."""
        return _ratio(self.bought_usd, self.bought_priced)

    @property
    def average_sell(self) -> Fraction | None:
        """Nano-dollars per raw unit; null when nothing sold is priced."""
        return _ratio(self.sold_usd, self.sold_priced)

    @property
    def open(self) -> int:
        """Units bought and not sold, whatever the balance says."""
        return max(0, self.bought - self.sold)


def wallet_token_rows(view: WindowOf) -> Table:
    """One row per token and per quote asset traded in the window or still open."""
    rows = []
    for is_quote, of_token in ((False, _tokens(view)), (True, _quotes(view))):
        for token, history in sorted(of_token.items()):
            in_window = _inside(view, history)
            if in_window or sums_of(history).open:
                rows.append(_token_row(view, token, history, in_window, is_quote))
    return rows


def wallet_columns(view: WindowOf) -> dict[str, Any]:
    """Sums over tokens, quote assets left out; wins by axis `win_unit`, a token that was sold."""
    tokens = _tokens(view)
    realized, results = [], []
    for history in tokens.values():
        in_window = _inside(view, history)
        result = realized_of(sums_of(history), sums_of(in_window))
        if any(trade.side == "sell" for trade in in_window):
            realized.append(result)
            results += [] if result is None else [result]
    unrealized = [
        unrealized_of(view.ev, token, sums_of(history), is_quote=False)
        for token, history in tokens.items()
    ]
    summed, open_now = sum_of_known(realized), sum_of_known(unrealized)
    return {
        "realized_usd": usd(summed),
        "unrealized_usd": usd(open_now),
        "total_usd": usd(figures.add_known(summed, open_now)),
        "positions_without_price": sum(
            sums_of(history).open > 0 and view.ev.market.price_now(token) is None
            for token, history in tokens.items()
        ),
        **figures.win_columns(results),
    }


def sums_of(trades: list[Trade]) -> Sums:
    """The six sums over some trades of one token."""
    sides = {side: [t for t in trades if t.side == side] for side in ("buy", "sell")}
    priced = {side: [t for t in of if t.net is not None] for side, of in sides.items()}
    return Sums(
        bought=sum(t.qty for t in sides["buy"]),
        sold=sum(t.qty for t in sides["sell"]),
        bought_priced=sum(t.qty for t in priced["buy"]),
        sold_priced=sum(t.qty for t in priced["sell"]),
        bought_usd=sum(t.net for t in priced["buy"]),
        sold_usd=sum(t.net for t in priced["sell"]),
    )


def realized_of(ever: Sums, window: Sums) -> int | None:
    """`min(Sp_w, Bp) × (avg_sell_w − avg_buy)`; 0 without a sale, null without an average."""
    if window.sold == 0:
        return 0
    if ever.average_buy is None or window.average_sell is None:
        return None
    units = min(window.sold_priced, ever.bought_priced)
    return round(units * (window.average_sell - ever.average_buy))


def unrealized_of(ev: Evaluation, token: AssetKey, ever: Sums, is_quote: bool) -> int | None:
    """The guarded formula; null without a price now, a priced buy, or where a guard holds."""
    price = _price_now(ev, token, is_quote)
    if price is None or ever.average_buy is None:
        return None
    if not is_quote and _is_guarded(ev, token, ever.open, price):
        return None
    units = min(ever.open, max(0, ever.bought_priced - ever.sold_priced))
    return round(units * (price - ever.average_buy))


def _is_guarded(ev: Evaluation, token: AssetKey, open_qty: int, price: Fraction) -> bool:
    """Both guards are strict; no pool row, or no known supply, no pool guard (METHODS 6)."""
    if open_qty * price > VOLUMES_OPEN_AT_MOST * ev.market.volume_24h(token):
        return True
    asset = ev.ledger.asset(*token)
    quote_side = ev.market.quote_side(token)
    if asset.supply is None or quote_side is None:
        return False
    value = asset.supply * 10**asset.decimals * price
    return value > LARGE_VALUE_USD * NANO and quote_side < SMALL_POOL_USD * NANO


def _price_now(ev: Evaluation, token: AssetKey, is_quote: bool) -> Fraction | None:
    """Nano-dollars per raw unit."""
    if not is_quote:
        quote = ev.market.price_now(token)
        return None if quote is None else quote.per_raw
    price = ev.prices.cash_now(*token)
    return None if price is None else price * NANO / 10 ** ev.ledger.asset(*token).decimals


def _token_row(
    view: WindowOf,
    token: AssetKey,
    history: list[Trade],
    in_window: list[Trade],
    is_quote: bool,
) -> dict[str, Any]:
    ev, ever, window = view.ev, sums_of(history), sums_of(in_window)
    realized = realized_of(ever, window)
    unrealized = unrealized_of(ev, token, ever, is_quote)
    buys = [t for t in in_window if t.side == "buy"]
    sells = [t for t in in_window if t.side == "sell"]
    return {
        **figures.wallet_keys(view),
        "token": token[1],
        "quote": is_quote,
        "bought_qty": ev.units(token, window.bought),
        "sold_qty": ev.units(token, window.sold),
        "bought_usd": usd(sum_of_known([t.net for t in buys])),
        "sold_usd": usd(sum_of_known([t.net for t in sells])),
        "realized_usd": usd(realized),
        "unrealized_usd": usd(unrealized),
        "total_usd": usd(figures.add_known(realized, unrealized)),
        "first_trade_at": min((t.time for t in in_window), default=None),
        "last_trade_at": max((t.time for t in in_window), default=None),
    }


def _tokens(view: WindowOf) -> dict[AssetKey, list[Trade]]:
    return view.ev.tokens_of.get(view.owner, {})


def _quotes(view: WindowOf) -> dict[AssetKey, list[Trade]]:
    return view.ev.cash_of.get(view.owner, {})


def _inside(view: WindowOf, trades: list[Trade]) -> list[Trade]:
    return [t for t in trades if view.start is None or t.time > view.start]


def _ratio(whole: int, parts: int) -> Fraction | None:
    return Fraction(whole, parts) if parts else None
