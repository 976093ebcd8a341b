"""FIFO lots of METHODS 3.3 and 3.4, one position at a time, in exact integers."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from tests.reference.axes import Axes
from tests.reference.ledger import Movement
from tests.reference.prices import Quote
from tests.reference.replay import Fill
from tests.reference.trades import Trade


@dataclass
class Lot:
    """Units that came at one place of the queue; a cost of None is one that nobody knows."""

    movement: Movement
    leg: int
    qty: int
    cost: int | None
    cost_native: int | None
    qty_left: int
    cost_left: int | None
    native_left: int | None

    @property
    def cost_known(self) -> bool:
        """Known in one of the method's units; dollars alone can lack an hour's price."""
        return self.cost is not None or self.cost_native is not None

    def take(self, qty: int) -> tuple[int | None, int | None]:
        """Take units with their part of what is left of the cost (METHODS 6, Rounding)."""
        cost = _part(self.cost_left, qty, self.qty_left)
        native = _part(self.native_left, qty, self.qty_left)
        self.qty_left -= qty
        self.cost_left = None if cost is None else self.cost_left - cost
        self.native_left = None if native is None else self.native_left - native
        return cost, native


@dataclass
class FifoPosition:
    """The queue of lots per (wallet, token); sales and transfers out take the oldest first."""

    axes: Axes
    lots: list[Lot] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    closed: list = field(default_factory=list)  # closed trades are the moving average's

    @property
    def qty(self) -> int:
        """Open units, of known and of unknown cost."""
        return sum(lot.qty_left for lot in self.lots)

    @property
    def cost(self) -> int:
        """What is left of the known costs, in nano-dollars."""
        return sum(lot.cost_left or 0 for lot in self.lots)

    @property
    def est_qty(self) -> int:
        """Nothing is ever estimated in a queue of lots."""
        return 0

    def buy(self, trade: Trade) -> None:
        """A lot with what was paid; not priced, it is a lot of unknown cost (METHODS 3.3, 3.4)."""
        self._open(trade.movement, trade.leg, trade.qty, trade.net, self._native(trade))

    def transfer_in(self, movement: Movement, qty: int, _quote: Quote | None) -> None:
        """A lot of unknown cost at its place in the queue."""
        self._open(movement, movement.leg, qty, None, None)

    def transfer_out(self, _movement: Movement, qty: int, _quote: Quote | None) -> None:
        """The oldest lots go without PnL; what was never seen to arrive has no lot."""
        self._take(qty)

    def sell(self, trade: Trade) -> None:
        """One fill per lot taken, the excess apart; the last fill takes the rest of proceeds."""
        left, usd, native = trade.qty, trade.net, self._native(trade)
        for lot, qty, cost, cost_native in self._take(trade.qty):
            proceeds, got = _part(usd, qty, left), _part(native, qty, left)
            self.fills.append(self._fill(trade, lot, qty, (proceeds, got), (cost, cost_native)))
            left -= qty
            usd = None if usd is None else usd - proceeds
            native = None if native is None else native - got
        if left:
            self.fills.append(_excess(trade, left, usd, native))

    def unrealized(self, quote: Quote | None) -> int | None:
        """Held units of known cost at price now less that cost (METHODS 3.3; 6, Sums and nulls)."""
        known = [lot for lot in self.lots if lot.qty_left and lot.cost_left is not None]
        if self.qty == 0:
            return 0
        if not known or quote is None:
            return None
        return quote.of(sum(lot.qty_left for lot in known)) - sum(lot.cost_left for lot in known)

    def _open(
        self, movement: Movement, leg: int, qty: int, cost: int | None, native: int | None
    ) -> None:
        self.lots.append(Lot(movement, leg, qty, cost, native, qty, cost, native))

    def _take(self, qty: int) -> list[tuple[Lot, int, int | None, int | None]]:
        taken = []
        for lot in self.lots:
            part = min(qty, lot.qty_left)
            if part:
                taken.append((lot, part, *lot.take(part)))
                qty -= part
        return taken

    def _native(self, trade: Trade) -> int | None:
        return trade.net_native if self.axes.unit == "native_and_usd" else None

    def _fill(
        self,
        trade: Trade,
        lot: Lot,
        qty: int,
        proceeds: tuple[int | None, int | None],
        cost: tuple[int | None, int | None],
    ) -> Fill:
        realized = [
            None if got is None or paid is None else got - paid
            for got, paid in zip(proceeds, cost, strict=True)
        ]
        return Fill(
            trade=trade,
            qty=qty,
            proceeds=proceeds[0],
            cost=cost[0],
            realized=realized[0],
            cost_known=lot.cost_known,
            left_out_reason=_reason(proceeds, lot.cost_known, realized[0]),
            lot=lot,
            cost_native=cost[1],
            realized_native=realized[1],
        )


def _reason(
    proceeds: tuple[int | None, int | None], cost_known: bool, realized: int | None
) -> str | None:
    if proceeds == (None, None):
        return "not_priced"
    if not cost_known:
        return "unknown_cost"
    return "no_usd_price" if realized is None else None


def _excess(trade: Trade, qty: int, usd: int | None, native: int | None) -> Fill:
    """Sold beyond all lots: proceeds stand for the cost, nothing is known (CONTRACTS 2)."""
    return Fill(
        trade=trade,
        qty=qty,
        proceeds=usd,
        cost=usd,
        realized=None if usd is None else 0,
        cost_known=False,
        left_out_reason="not_priced" if usd is None and native is None else "oversold",
        cost_native=native,
        realized_native=None if native is None else 0,
    )


def _part(whole: int | None, qty: int, of_qty: int) -> int | None:
    return None if whole is None else round(Fraction(whole * qty, of_qty))
