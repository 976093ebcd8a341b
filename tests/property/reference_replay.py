"""A slow replay in plain Python integers, written from METHODS 3, 3.1, 3.3 and 6.

Amounts are Python integers: raw units, 1e-9 dollar, raw native units. It shares no code with the
kernel: the average keeps fractions of what is left and a list of parts, the lots are objects.
"""

from dataclasses import dataclass, field
from fractions import Fraction

LIMIT_SCALE = 10**9


@dataclass
class Event:
    position_id: int
    event_id: int
    kind: str
    time_s: int
    qty: int
    usd: int | None = None
    native: int | None = None
    wash: bool = False
    tick_usd: int | None = None
    tick_qty: int | None = None


@dataclass
class Out:
    fills: list = field(default_factory=list)
    lots: list = field(default_factory=list)
    positions: list = field(default_factory=list)
    closed_trades: list = field(default_factory=list)


def rounded(total, part, whole):
    """A share, half to even (as Python rounds a fraction); of nothing known, nothing known."""
    if total is None or part == whole:
        return total
    return round(Fraction(total * part, whole))


def minus(a, b):
    return None if a is None or b is None else a - b


def add_fill(out, event, number, lot, qty, usd, cost, native, cost_native, known, reason, real):
    out.fills.append(
        (
            event.position_id,
            event.event_id,
            number,
            lot,
            qty,
            usd,
            cost,
            minus(usd, cost) if real else None,
            native,
            cost_native,
            minus(native, cost_native) if real else None,
            known,
            reason,
        )
    )


def replay(events, axes):
    out = Out()
    walk = Average if axes.basis == "moving_average" else Lots
    state = None
    for event in events:
        if state is None or state.position_id != event.position_id:
            if state is not None:
                state.finish()
            state = walk(event.position_id, axes, out)
        if axes.transfer_in == "ignored" and event.kind.startswith("transfer"):
            continue
        getattr(state, event.kind)(event)
    if state is not None:
        state.finish()
    return out


@dataclass
class Lot:
    event_id: int
    qty: int
    usd: int | None
    native: int | None
    known: bool
    left: int = 0
    usd_left: int | None = None
    native_left: int | None = None

    def __post_init__(self):
        self.left, self.usd_left, self.native_left = self.qty, self.usd, self.native

    def take(self, qty):
        usd = rounded(self.usd_left, qty, self.left)
        native = rounded(self.native_left, qty, self.left)
        self.usd_left = minus(self.usd_left, usd)
        self.native_left = minus(self.native_left, native)
        self.left -= qty
        return usd, native


class Lots:
    def __init__(self, position_id, axes, out):
        self.position_id, self.axes, self.out = position_id, axes, out
        self.lots = []

    def buy(self, event):
        if event.usd is not None or event.native is not None:
            self.lots.append(Lot(event.event_id, event.qty, event.usd, event.native, True))
        elif self.axes.unpriced == "estimated":
            self.lots.append(Lot(event.event_id, event.qty, 0, None, False))
        else:
            self.lots.append(Lot(event.event_id, event.qty, None, None, False))

    def transfer_in(self, event):
        if self.axes.transfer_in == "estimated":
            lot = Lot(event.event_id, event.qty, event.usd or 0, event.native, False)
        else:
            lot = Lot(event.event_id, event.qty, None, None, False)
        self.lots.append(lot)

    def consume(self, qty):
        for lot in self.lots:
            part = min(lot.left, qty)
            if part:
                whole, qty = qty, qty - part
                yield lot, part, whole

    def transfer_out(self, event):
        for lot, part, _ in self.consume(event.qty):
            lot.take(part)

    def sell(self, event):
        usd, native, left = event.usd, event.native, event.qty
        priced = usd is not None or native is not None
        rows = []
        for lot, part, whole in self.consume(event.qty):
            part_usd, part_native = rounded(usd, part, whole), rounded(native, part, whole)
            usd, native, left = minus(usd, part_usd), minus(native, part_native), left - part
            cost, cost_native = lot.take(part)
            reason, real = None, True
            if not priced:
                reason, real = "not_priced", False
            elif not lot.known:
                reason = "unknown_cost" if cost is None else "estimated_cost"
                real = False
            elif part_usd is None or cost is None:
                reason = "no_usd_price"
            costs = (part_usd, cost, part_native, cost_native)
            rows.append([lot.event_id, part, *costs, lot.known, reason, real])
        if left:
            free = self.axes.oversell == "zero_profit"
            reason = "oversold" if priced else "not_priced"
            cost, cost_native = (usd, native) if free else (None, None)
            rows.append([None, left, usd, cost, native, cost_native, False, reason, free])
        if self.axes.estimated == "sale" and any(row[7] == "estimated_cost" for row in rows):
            for row in rows:
                row[7:] = ["estimated_cost", False]
        for number, row in enumerate(rows):
            add_fill(self.out, event, number, *row)

    def finish(self):
        for lot in self.lots:
            opened = (lot.event_id, lot.qty, lot.usd, lot.native, lot.known)
            left = (lot.left, lot.usd_left, lot.native_left)
            self.out.lots.append((self.position_id, *opened, *left))
        held = [lot for lot in self.lots if lot.left]
        natives = [lot.native_left for lot in held]
        self.out.positions.append(
            (
                self.position_id,
                sum(lot.left for lot in held),
                sum(lot.usd_left or 0 for lot in held),
                None if None in natives else sum(natives),
                sum(lot.left for lot in held if lot.usd is not None and not lot.known),
                sum(lot.left for lot in held if lot.usd is None),
            )
        )


class Average:
    def __init__(self, position_id, axes, out):
        self.position_id, self.axes, self.out = position_id, axes, out
        self.qty = self.cost = self.native = self.estimated = self.unknown = 0
        self.native_known = True
        self.trade = None
        self.number = 0
        self.limit = int(axes.close_below_usd * LIMIT_SCALE)

    def enter(self, event, priced, as_estimate):
        self.qty += event.qty
        if not priced and not as_estimate:
            self.unknown += event.qty
            return
        self.cost += event.usd or 0
        self.native += event.native or 0
        if not priced:
            self.estimated += event.qty
        elif event.native is None:
            self.native_known = False

    def touch(self):
        """Taint the open trade by what the pool holds."""
        if self.trade is not None:
            self.trade["estimated"] |= self.estimated > 0
            self.trade["unknown"] |= self.unknown > 0

    def buy(self, event):
        self.enter(event, event.usd is not None, self.axes.unpriced == "estimated")
        if self.trade is None:
            self.trade = {"first": event, "estimated": False, "unknown": False, "wash": False}
            self.trade |= {"bought": [], "sold": [], "profit": [], "sales": 0, "unpriced": False}
        self.trade["bought"] += [event.usd] if event.usd is not None else []
        self.trade["wash"] |= event.wash
        self.touch()

    def transfer_in(self, event):
        self.enter(event, False, self.axes.transfer_in == "estimated")
        self.touch()

    def remove(self, m):
        """Take m units out; returns units of unknown and estimated cost, and both costs."""
        estimated = rounded(self.estimated, m, self.qty)
        unknown = 0
        if self.unknown:
            unknown = rounded(self.unknown, m - estimated, self.qty - self.estimated)
        costed, all_costed = m - unknown, self.qty - self.unknown
        cost = rounded(self.cost, costed, all_costed)
        native = rounded(self.native, costed, all_costed)
        self.qty -= m
        self.estimated -= estimated
        self.unknown -= unknown
        self.cost -= cost
        self.native -= native
        return unknown, estimated, cost, native

    def transfer_out(self, event):
        m = min(event.qty, self.qty)
        if m:
            self.remove(m)
        worth = None
        if event.tick_usd is not None and event.tick_qty is not None:
            worth = Fraction(self.qty * event.tick_usd, event.tick_qty)
        self.end_if_small(event, worth, "transferred_away")
        if not self.qty:
            self.native_known = True

    def end_if_small(self, event, worth, outcome):
        if self.trade is None:
            return False
        if self.qty and (worth is None or worth >= self.limit):
            return False
        self.end(event, outcome)
        return True

    def sell(self, event):
        axes, usd, native, q = self.axes, event.usd, event.native, event.qty
        m = min(q, self.qty)
        whole_out = usd is not None and axes.estimated != "share" and self.estimated > 0
        reason = "not_priced" if usd is None else "estimated_cost" if whole_out else None
        if self.trade is not None:
            self.trade["sales"] += 1
            self.trade["sold"] += [] if usd is None else [usd]
            self.trade["unpriced"] |= usd is None
            self.trade["wash"] |= event.wash
        held_usd = rounded(usd, m, q) if m or usd is None else 0
        held_native = rounded(native, m, q) if m or native is None else 0
        rows = self.held_rows(m, held_usd, held_native, reason) if m else []
        if q > m:
            over, over_native = minus(usd, held_usd), minus(native, held_native)
            rows.append(self.excess_row(q - m, over, over_native, reason))
        for number, row in enumerate(rows):
            add_fill(self.out, event, number, None, *row)
            realized = self.out.fills[-1][7]
            if realized is not None and self.trade is not None:
                self.trade["profit"].append(realized)
        worth = None if usd is None else Fraction(self.qty * usd, q)
        if self.end_if_small(event, worth, "closed"):
            self.estimated = 0
        if not self.qty:
            self.native_known = True

    def excess_row(self, qty, usd, native, reason):
        free = self.axes.oversell == "zero_profit"
        if not free and self.trade is not None:
            self.trade["unknown"] = True
        cost, cost_native = (usd, native) if free and usd is not None else (None, None)
        amounts = (qty, usd, cost, native, cost_native)
        return [*amounts, False, reason or "oversold", free and reason is None]

    def held_rows(self, m, usd, native, reason):
        unknown, estimated, cost, cost_native = self.remove(m)
        if not self.native_known:
            cost_native = None
        rows = []
        left = m
        if unknown:
            part_usd, part_native = rounded(usd, unknown, left), rounded(native, unknown, left)
            why = reason or "unknown_cost"
            rows.append([unknown, part_usd, None, part_native, None, False, why, False])
            usd, native, left = minus(usd, part_usd), minus(native, part_native), left - unknown
        if estimated and self.axes.estimated == "share" and reason is None:
            part = [rounded(total, estimated, left) for total in (usd, cost, native, cost_native)]
            rows.append([estimated, *part, False, "estimated_cost", False])
            totals = zip((usd, cost, native, cost_native), part, strict=True)
            usd, cost, native, cost_native = (minus(total, out) for total, out in totals)
            left -= estimated
        if left:
            known = reason != "estimated_cost"
            rows.append([left, usd, cost, native, cost_native, known, reason, reason is None])
        return rows

    def end(self, event, outcome):
        trade, first = self.trade, self.trade["first"]
        self.number += 1
        checks = (
            ("transferred_away", outcome == "transferred_away"),
            ("estimated_cost", trade["estimated"] and self.axes.estimated != "share"),
            ("unknown_cost", trade["unknown"]),
            ("not_priced", trade["unpriced"]),
            ("wash_like", trade["wash"]),
            ("small", sum(trade["bought"]) < self.limit),
        )
        why = next((name for name, holds in checks if holds), None)
        self.out.closed_trades.append(
            (
                self.position_id,
                self.number,
                first.event_id,
                event.event_id,
                first.time_s,
                event.time_s,
                sum(trade["bought"]) if trade["bought"] else None,
                sum(trade["sold"]) if trade["sold"] or not trade["sales"] else None,
                sum(trade["profit"]) if trade["profit"] or not trade["sales"] else None,
                outcome,
                why is None,
                why,
                event.time_s - first.time_s,
            )
        )
        self.trade = None

    def finish(self):
        native = self.native if self.native_known and not self.unknown else None
        self.out.positions.append(
            (self.position_id, self.qty, self.cost, native, self.estimated, self.unknown)
        )
