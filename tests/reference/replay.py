"""The moving average of METHODS 3.1, one position at a time, in exact integers."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.reference.axes import Axes
from tests.reference.ledger import Movement
from tests.reference.prices import NANO, Quote
from tests.reference.trades import Trade


@dataclass
class Fill:
    """What one sale took from the pool, or sold beyond it. Money in nano-dollars."""

    trade: Trade
    qty: int
    proceeds: int | None
    cost: int | None
    realized: int | None
    cost_known: bool
    left_out_reason: str | None
    lot: Any = None
    cost_native: int | None = None
    realized_native: int | None = None


@dataclass
class ClosedTrade:
    """From the first buy to the sale, or the transfer, that ended it."""

    opened_at: int
    closed_at: int | None = None
    buys: list[int | None] = field(default_factory=list)
    sales: list[int | None] = field(default_factory=list)
    realized: list[int | None] = field(default_factory=list)
    outcome: str = "closed"
    was_estimated: bool = False
    has_unpriced_sale: bool = False
    is_wash_like: bool = False

    @property
    def bought(self) -> int | None:
        """Its size: the known values of what was bought in it."""
        return sum_of_known(self.buys)

    @property
    def sold(self) -> int | None:
        """The known values of its sales, each whole."""
        return sum_of_known(self.sales)

    @property
    def profit(self) -> int | None:
        """The sum of its realized figures (METHODS 6, Sums and nulls)."""
        return sum_of_known(self.realized)

    def not_counted_reason(self, axes: Axes) -> str | None:
        """Why it is out of the win rate, in the order of CONTRACTS 2's words."""
        if self.outcome == "transferred_away":
            return "transferred_away"
        if self.was_estimated and axes.estimated == "sale":
            return "estimated_cost"  # under `share` it counts by its known part (METHODS 6)
        if self.has_unpriced_sale:
            return "not_priced"
        if self.is_wash_like:
            return "wash_like"
        if (self.bought or 0) < axes.close_below_usd * NANO:
            return "small"
        return None


@dataclass
class Position:
    """State per (wallet, token): `qty`, `cost`, `est_qty` and the open trade if any."""

    axes: Axes
    qty: int = 0
    cost: int = 0
    est_qty: int = 0
    open_trade: ClosedTrade | None = None
    fills: list[Fill] = field(default_factory=list)
    closed: list[ClosedTrade] = field(default_factory=list)

    def buy(self, trade: Trade) -> None:
        """Buy: units and value enter; not priced, they enter estimated at cost zero."""
        if self.open_trade is None:
            # Opened while estimated units are held: tainted from its start (METHODS 6).
            self.open_trade = ClosedTrade(trade.time, was_estimated=self.est_qty > 0)
        self.qty += trade.qty
        self.cost += trade.net or 0
        self.open_trade.buys.append(trade.net)
        self.open_trade.is_wash_like |= trade.is_wash_like
        if trade.net is None:
            self._estimated(trade.qty)

    def transfer_in(self, _movement: Movement, qty: int, tick: Quote | None) -> None:
        """Transfer in: units enter estimated, at their tick or at zero."""
        self.qty += qty
        self.cost += 0 if tick is None else tick.of(qty)
        self._estimated(qty)

    def transfer_out(self, movement: Movement, qty: int, tick: Quote | None) -> None:
        """Transfer out: units and cost leave in proportion; may end the trade."""
        self._remove(min(qty, self.qty))
        if self.open_trade is None:
            return
        if self.qty == 0 or (tick is not None and self.qty * tick.per_raw < self._close_below):
            self._end(movement.time, "transferred_away")

    def unrealized(self, quote: Quote | None) -> int | None:
        """Open units times price now, less cost: 0 with nothing open, null without a price."""
        if self.qty == 0:
            return 0
        return None if quote is None else quote.of(self.qty) - self.cost

    def sell(self, trade: Trade) -> None:
        """Sell: cost leaves in proportion, the excess sells at zero profit."""
        m = min(trade.qty, self.qty)
        held_estimated = self.est_qty > 0
        removed_cost, removed_est = self._remove(m)
        fills = self._fills(trade, m, removed_cost, removed_est, held_estimated)
        self.fills.extend(fills)
        if self.open_trade is not None:
            self._sold_in_trade(trade, fills)

    @property
    def _close_below(self) -> Fraction:
        return self.axes.close_below_usd * NANO

    def _estimated(self, qty: int) -> None:
        self.est_qty += qty
        if self.open_trade is not None:
            self.open_trade.was_estimated = True

    def _remove(self, m: int) -> tuple[int, int]:
        """Take ``m`` units off the pool with their part of cost and of estimated units."""
        if m == 0:
            return 0, 0
        cost = round(Fraction(self.cost * m, self.qty))
        est = round(Fraction(self.est_qty * m, self.qty))
        self.qty -= m
        self.cost -= cost
        self.est_qty -= est
        return cost, est

    def _fills(self, trade: Trade, m: int, cost: int, est: int, held_estimated: bool) -> list[Fill]:
        excess = trade.qty - m
        proceeds = rest = None
        if trade.net is not None:
            proceeds = round(Fraction(trade.net * m, trade.qty))
            rest = trade.net - proceeds
        fills = []
        if trade.net is None:
            if m:
                fills.append(Fill(trade, m, None, cost, None, True, "not_priced"))
            if excess:
                fills.append(Fill(trade, excess, None, None, None, False, "not_priced"))
        elif held_estimated and self.axes.estimated == "sale":
            fills.append(Fill(trade, m, proceeds, cost, None, False, "estimated_cost"))
            if excess:
                fills.append(Fill(trade, excess, rest, rest, None, False, "estimated_cost"))
        else:
            if m:
                fills.extend(_pool_fills(trade, m, proceeds, cost, est))
            if excess:
                fills.append(Fill(trade, excess, rest, rest, 0, False, "oversold"))
        return fills

    def _sold_in_trade(self, trade: Trade, fills: list[Fill]) -> None:
        ended = self.open_trade
        ended.sales.append(trade.net)
        ended.realized.extend(fill.realized for fill in fills)
        ended.is_wash_like |= trade.is_wash_like
        ended.has_unpriced_sale |= trade.net is None
        if self.qty == 0:
            closes = True
        else:
            closes = trade.value is not None and (
                self.qty * Fraction(trade.value, trade.qty) < self._close_below
            )
        if closes:
            self._end(trade.time, "closed")
            self.est_qty = 0  # on closing, the taint ends (METHODS 3.1)

    def _end(self, time: int, outcome: str) -> None:
        self.open_trade.closed_at = time
        self.open_trade.outcome = outcome
        self.closed.append(self.open_trade)
        self.open_trade = None


def sum_of_known(figures: list[int | None]) -> int | None:
    """0 of nothing, null when none is known, else the sum of the known (METHODS 6)."""
    known = [figure for figure in figures if figure is not None]
    return None if figures and not known else sum(known)


def _pool_fills(trade: Trade, m: int, proceeds: int, cost: int, est: int) -> list[Fill]:
    """The known part of a sale and, where shares are left out, its estimated part."""
    if est == 0:
        return [Fill(trade, m, proceeds, cost, proceeds - cost, True, None)]
    est_proceeds = round(Fraction(proceeds * est, m))
    est_cost = round(Fraction(cost * est, m))
    fills = [Fill(trade, est, est_proceeds, est_cost, None, False, "estimated_cost")]
    if m > est:
        proceeds, cost = proceeds - est_proceeds, cost - est_cost
        fills.append(Fill(trade, m - est, proceeds, cost, proceeds - cost, True, None))
    return fills
