"""What the swaps of all wallets say about a token's market (METHODS 3.2, 6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

from tests.reference.axes import HOUR, Axes
from tests.reference.ledger import AssetKey, Ledger, epoch, to_raw
from tests.reference.prices import NANO, Prices, Quote, nano
from tests.reference.tape import Row, Tape
from tests.reference.trades import Trade

BUCKETS = 24
Pool = tuple


class Market:
    """Chart pools, their prices and reserves, and tokens' 24 h volume."""

    def __init__(
        self, tape: Tape, ledger: Ledger, prices: Prices, trades: list[Trade], axes: Axes
    ) -> None:
        self._ledger = ledger
        self._prices = prices
        self._axes = axes
        self._rows = _newest_rows(tape, ledger.as_of)
        self._priced: dict[AssetKey, list[Trade]] = defaultdict(list)
        self._pools: dict[AssetKey, Pool | None] = {}
        self._prices_now: dict[AssetKey, Quote | None] = {}
        for trade in trades:
            if trade.value is not None:
                self._priced[trade.token].append(trade)

    def price_now(self, token: AssetKey) -> Quote | None:
        """Axis `price_now`: the chart pool's latest swap, else ticks and snapshots."""
        if token not in self._prices_now:
            self._prices_now[token] = self._find_price(token)
        return self._prices_now[token]

    def _find_price(self, token: AssetKey) -> Quote | None:
        if self._axes.price_now != "chart_pool":
            return self._prices.now(token)
        pool = self.chart_pool(token)
        swaps = [
            t
            for t in self._priced[token]
            if _pool_of(t) == pool and t.value >= nano(self._axes.tick_from_usd)
        ]
        if not swaps:
            return None
        last = swaps[-1]  # trades come in ledger order
        if self._ledger.as_of - last.time > self._axes.price_now_age_s:
            return None
        source = f"tick:{last.movement.tx_id}"
        return Quote(Fraction(last.value), last.qty, source, last.time, last.movement.place)

    def chart_pool(self, token: AssetKey) -> Pool | None:
        """The busiest pool where the token is base, else the busiest that prices it.

        Equally busy pools: the one that traded last, then the greater name.
        """
        if token not in self._pools:
            self._pools[token] = self._find_pool(token)
        return self._pools[token]

    def _find_pool(self, token: AssetKey) -> Pool | None:
        swaps = self._priced[token]
        as_base = [t for t in swaps if self._is_base(t)]
        pools: dict[Pool, list[Trade]] = defaultdict(list)
        for trade in as_base or swaps:
            pools[_pool_of(trade)].append(trade)
        return max(
            pools,
            key=lambda p: (self._recent(pools[p]), pools[p][-1].movement.order, str(p)),
            default=None,
        )

    def volume_24h(self, token: AssetKey) -> int:
        """Nano-dollars traded in the last 24 hourly buckets, by all wallets."""
        return self._recent(self._priced[token])

    def quote_side(self, token: AssetKey) -> Fraction | None:
        """Nano-dollars in the quote side of the token's chart pool; None without a pool row."""
        pool = self.chart_pool(token)
        row = None if pool is None else self._rows.get((token[0], pool[-1]))
        if row is None:
            return None
        quote = (row["chain"], row["quote_address"])
        asset = self._ledger.asset(*quote)
        raw = to_raw(row["quote_reserve"], asset.decimals)
        if asset.is_cash:
            price = self._prices.cash_now(*quote)
            return None if price is None else Fraction(raw, 10**asset.decimals) * price * NANO
        now = self._prices.now(quote)
        return None if now is None else raw * now.per_raw

    def _recent(self, trades: Iterable[Trade]) -> int:
        """From the hour of ``as_of - 23 h`` through ``as_of`` (METHODS 6, indexed_average)."""
        first = self._ledger.as_of - (BUCKETS - 1) * HOUR
        start = first - first % HOUR
        return sum(t.value for t in trades if t.time >= start)

    def _is_base(self, trade: Trade) -> bool:
        return self._ledger.asset(trade.token[0], _other_side(trade)).is_cash


def _other_side(trade: Trade) -> str:
    movement = trade.movement
    return movement.sent_asset if trade.side == "buy" else movement.received_asset


def _pool_of(trade: Trade) -> Pool:
    """The movement's pool if given, else (venue, asset on the other side)."""
    if trade.movement.pool is not None:
        return ("pool", trade.movement.pool)
    return ("venue", trade.movement.venue, _other_side(trade), None)


def _newest_rows(tape: Tape, as_of: int) -> dict[tuple[str, str], Row]:
    visible = [row for row in tape.pools or [] if epoch(row["as_of"]) <= as_of]
    return {
        (row["chain"], row["pool"]): row
        for row in sorted(visible, key=lambda row: epoch(row["as_of"]))
    }
