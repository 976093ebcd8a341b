"""A plain evaluator of METHODS 2 and 3.1 for the sample's truth: integers and Fractions only.

It shares no code with the warehouse and reads the expected movements, so a warehouse that agrees
with it has decoded, interpreted, valued, replayed and ranked correctly. Dollars are integers of
1e-9 dollar.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from ingest.sample.names import CASH, SOL
from ingest.sample.truth import Entry

NANO = 10**9
DAY_S = 86_400
WINDOWS_S = {"24h": DAY_S, "7d": 7 * DAY_S, "30d": 30 * DAY_S, "all": None}
# closed trades, volume (1e-9 dollar), different tokens, days tracked
MINIMUMS = {
    "24h": (5, 2_000 * NANO, 1, 0),
    "7d": (10, 10_000 * NANO, 1, 0),
    "30d": (20, 25_000 * NANO, 5, 0),
    "all": (50, 100_000 * NANO, 1, 30),
}
_ONE_DOLLAR = NANO
_CENT = NANO // 100
_TICK_AGE_S = 900
_WASH_S = 60
_WASH_SPREAD = Fraction(5, 1000)
_WASH_LIMIT = Fraction(1, 5)


def half_even(value: Fraction) -> int:
    """Nearest integer, halves to even."""
    return round(value)


@dataclass(frozen=True)
class Prices:
    """SOL closes in cents by minute (epoch seconds of its start)."""

    minutes: dict[int, int]

    @classmethod
    def from_candles(cls, rows: Iterable[tuple[int, int, str]]) -> Prices:
        """From (open time, close, interval); a 5-minute candle stands for its last minute."""
        minutes: dict[int, int] = {}
        for open_time, close, interval in rows:
            if interval == "5m":
                minutes.setdefault(open_time + 240, close)
            elif interval == "1m":
                minutes[open_time] = close
        return cls(minutes)

    def sol(self, at: int) -> int | None:
        """Cents of the minute that contains `at`, else of the latest of the five before."""
        minute = at - at % 60
        for back in range(6):
            price = self.minutes.get(minute - 60 * back)
            if price is not None:
                return price
        return None


@dataclass(frozen=True)
class Tick:
    """A token's price: dollars (1e-9) for a raw quantity."""

    moment: tuple
    block_time: int
    value: int
    quantity: int

    def value_of(self, quantity: int) -> int:
        """Dollars (1e-9) of a raw quantity at this price."""
        return half_even(Fraction(quantity * self.value, self.quantity))


@dataclass
class Ticks:
    """Ticks of all tokens in ledger order."""

    by_token: dict[str, list[Tick]] = field(default_factory=lambda: defaultdict(list))

    def add(self, token: str, tick: Tick) -> None:
        """Append; ticks come in ledger order."""
        self.by_token[token].append(tick)

    def before(self, token: str, moment: tuple, block_time: int) -> Tick | None:
        """Latest tick strictly before, if at most 900 s old."""
        ticks = self.by_token.get(token, [])
        place = bisect_left(ticks, moment, key=lambda t: t.moment)
        if place == 0 or block_time - ticks[place - 1].block_time > _TICK_AGE_S:
            return None
        return ticks[place - 1]


@dataclass
class Leg:
    """One trade or transfer of a token; `value` is None when not priced."""

    entry: Entry
    wallet: str
    token: str
    side: str
    quantity: int
    value: int | None
    wash: bool = False

    @property
    def at(self) -> int:
        """Epoch seconds."""
        return self.entry.block_time

    @property
    def dust(self) -> bool:
        """Worth under a dollar; a trade without a price is not dust."""
        return self.value is not None and self.value < _ONE_DOLLAR


@dataclass
class Sale:
    """What a sale realized; `realized` is None when it is left out or not priced."""

    at: int
    realized: int | None
    left_out: bool


@dataclass
class Closed:
    """A closed trade."""

    at: int
    opened_at: int
    bought: int
    profit: int
    tainted: bool
    unpriced: bool
    wash: bool

    @property
    def counted(self) -> bool:
        """Whether the win rate and the minimums count it."""
        return not (self.tainted or self.unpriced or self.wash or self.bought < _ONE_DOLLAR)


@dataclass
class Position:
    """State of METHODS 3.1 for one wallet and token."""

    quantity: int = 0
    cost: int = 0
    estimated: int = 0
    trade: Closed | None = None

    def enter(self, leg: Leg, tick: Tick | None) -> None:
        """A purchase or a transfer in."""
        value = leg.value
        if leg.side == "in":
            value = tick.value_of(leg.quantity) if tick else 0
        if leg.side == "in" or value is None:
            self.estimated += leg.quantity
        self.quantity += leg.quantity
        self.cost += value or 0
        if leg.side == "buy":
            if self.trade is None:
                self.trade = Closed(0, leg.at, 0, 0, False, False, False)
            self.trade.bought += value or 0
            self.trade.wash |= leg.wash
        if self.trade is not None and self.estimated > 0:
            self.trade.tainted = True

    def _remove(self, quantity: int) -> tuple[int, int]:
        """Units and cost that leave, in proportion; returns both."""
        units = min(quantity, self.quantity)
        if units == 0:
            return 0, 0
        share = Fraction(units, self.quantity)
        cost = half_even(self.cost * share)
        self.estimated -= half_even(self.estimated * share)
        self.quantity -= units
        self.cost -= cost
        return units, cost

    def leave(self, leg: Leg, tick: Tick | None) -> None:
        """A transfer out."""
        self._remove(leg.quantity)
        small = self.quantity == 0 or (tick and tick.value_of(self.quantity) < _ONE_DOLLAR)
        if self.trade is not None and small:
            self.trade = None

    def sell(self, leg: Leg) -> tuple[Sale, Closed | None]:
        """A sale; also gives the closed trade if it closes one."""
        left_out = self.estimated > 0 and leg.value is not None
        units, cost = self._remove(leg.quantity)
        realized = None
        if leg.value is not None and not left_out:
            realized = half_even(Fraction(leg.value * units, leg.quantity)) - cost
        closed = self._close(leg, realized) if self.trade is not None else None
        return Sale(leg.at, realized, left_out), closed

    def _close(self, leg: Leg, realized: int | None) -> Closed | None:
        trade = self.trade
        trade.profit += realized or 0
        trade.unpriced |= leg.value is None
        trade.wash |= leg.wash
        left = Fraction(0)
        if self.quantity:
            if leg.value is None:
                return None
            left = Fraction(self.quantity * leg.value, leg.quantity)
        if left >= _ONE_DOLLAR:
            return None
        trade.at = leg.at
        self.trade = None
        self.estimated = 0
        return trade


@dataclass
class Wallet:
    """Everything of one wallet."""

    first_seen: int
    failed: list[int] = field(default_factory=list)
    trades: list[Leg] = field(default_factory=list)
    sales: list[Sale] = field(default_factory=list)
    closed: list[Closed] = field(default_factory=list)
    positions: dict[str, Position] = field(default_factory=lambda: defaultdict(Position))


class _Book:
    """Values movements and replays them, in ledger order."""

    def __init__(self, prices: Prices) -> None:
        self.prices = prices
        self.ticks = Ticks()
        self.wallets: dict[str, Wallet] = {}
        self.legs: list[Leg] = []

    def cash_value(self, asset: str, raw: int, at: int) -> int | None:
        if asset != SOL:
            return raw * 1_000
        cents = self.prices.sol(at)
        # lamports x cents / 1e11 dollars, in 1e-9 dollar
        return None if cents is None else half_even(Fraction(raw * cents, 100))

    def read(self, entries: list[Entry]) -> None:
        ordered = sorted(entries, key=lambda e: e.order)
        for entry in ordered:
            self._tick(entry)
        for entry in ordered:
            self._legs(entry)

    def _tick(self, entry: Entry) -> None:
        m = entry.movement
        if m.kind != "swap" or m.wallet is None:
            return
        if (m.sent_asset in CASH) == (m.received_asset in CASH):
            return
        if m.sent_asset in CASH:
            cash, raw, token, quantity = m.sent_asset, m.sent_raw, m.received_asset, m.received_raw
        else:
            cash, raw, token, quantity = m.received_asset, m.received_raw, m.sent_asset, m.sent_raw
        value = self.cash_value(cash, raw, entry.block_time)
        if value is not None and value >= _CENT:
            self.ticks.add(token, Tick(entry.moment, entry.block_time, value, quantity))

    def _legs(self, entry: Entry) -> None:
        m = entry.movement
        if m.wallet is None:
            return
        wallet = self.wallets.setdefault(m.wallet, Wallet(entry.block_time))
        if m.kind == "failed":
            wallet.failed.append(entry.block_time)
        if m.kind == "swap":
            self._swap(entry)
            return
        sides = (
            (m.sent_asset, m.sent_raw, "out"),
            (m.received_asset, m.received_raw, "in"),
        )
        for asset, raw, side in sides:
            if asset is not None and asset not in CASH and raw:
                self.legs.append(Leg(entry, m.wallet, asset, side, raw, None))

    def _swap(self, entry: Entry) -> None:
        m = entry.movement
        sent_cash, received_cash = m.sent_asset in CASH, m.received_asset in CASH
        if sent_cash and received_cash:
            return
        if sent_cash:
            value = self.cash_value(m.sent_asset, m.sent_raw, entry.block_time)
        elif received_cash:
            value = self.cash_value(m.received_asset, m.received_raw, entry.block_time)
        else:
            value = self._token_value(entry)
        if not sent_cash:
            self.legs.append(Leg(entry, m.wallet, m.sent_asset, "sell", m.sent_raw, value))
        if not received_cash:
            leg = Leg(entry, m.wallet, m.received_asset, "buy", m.received_raw, value)
            self.legs.append(leg)

    def _token_value(self, entry: Entry) -> int | None:
        m = entry.movement
        sold = self.ticks.before(m.sent_asset, entry.moment, entry.block_time)
        bought = self.ticks.before(m.received_asset, entry.moment, entry.block_time)
        if sold and (bought is None or sold.moment >= bought.moment):
            return sold.value_of(m.sent_raw)
        return bought.value_of(m.received_raw) if bought else None

    def flag_wash(self) -> None:
        groups: dict[tuple[str, str], list[Leg]] = defaultdict(list)
        for leg in self.legs:
            if leg.side in ("buy", "sell") and leg.value:
                groups[leg.wallet, leg.token].append(leg)
        for legs in groups.values():
            for i, first in enumerate(legs):
                for second in legs[i + 1 :]:
                    if second.at - first.at > _WASH_S:
                        break
                    if first.side != second.side and _close_prices(first, second):
                        first.wash = second.wash = True

    def replay(self) -> None:
        for leg in self.legs:
            wallet = self.wallets[leg.wallet]
            position = wallet.positions[leg.token]
            tick = self.ticks.before(leg.token, leg.entry.moment, leg.at)
            if leg.side in ("buy", "sell"):
                wallet.trades.append(leg)
            if leg.side in ("buy", "in"):
                position.enter(leg, tick)
            elif leg.side == "out":
                position.leave(leg, tick)
            else:
                sale, closed = position.sell(leg)
                wallet.sales.append(sale)
                if closed:
                    wallet.closed.append(closed)


def _close_prices(first: Leg, second: Leg) -> bool:
    p1 = Fraction(first.value, first.quantity)
    p2 = Fraction(second.value, second.quantity)
    return abs(p1 - p2) / min(p1, p2) < _WASH_SPREAD


def _unrealized(wallet: Wallet, ticks: Ticks, as_of: int) -> tuple[int | None, int]:
    """Sum over open positions with a price now, and how many have none."""
    total, known, without = 0, 0, 0
    for token, position in wallet.positions.items():
        if position.quantity == 0:
            continue
        history = ticks.by_token.get(token)
        if not history or as_of - history[-1].block_time > DAY_S:
            without += 1
            continue
        total += history[-1].value_of(position.quantity) - position.cost
        known += 1
    return (None if without and not known else total), without


def _figures(wallet: Wallet, window: str, as_of: int) -> dict:
    length = WINDOWS_S[window]
    start = -1 if length is None else as_of - length

    def inside(rows: list) -> list:
        return [r for r in rows if r.at > start]

    trades = [t for t in inside(wallet.trades) if not t.dust]
    sales = inside(wallet.sales)
    closed = [c for c in inside(wallet.closed) if c.counted]
    realized = [s.realized for s in sales if s.realized is not None]
    volume = sum(t.value or 0 for t in trades)
    washed = sum(t.value or 0 for t in trades if t.wash)
    wins = sum(c.profit > 0 for c in closed)
    return {
        "realized": None if sales and not realized else sum(realized),
        "volume": volume,
        "trades": len(trades),
        "sells": sum(t.side == "sell" for t in trades),
        "tokens_traded": len({t.token for t in trades}),
        "closed_trades": len(closed),
        "wins": wins,
        "win_rate": Fraction(wins, len(closed)) if closed else None,
        "hold": Fraction(sum(c.at - c.opened_at for c in closed), len(closed)) if closed else None,
        "sales_left_out": sum(s.left_out for s in sales),
        "trades_not_priced": sum(t.value is None for t in inside(wallet.trades)),
        "wash_share": Fraction(washed, volume) if volume else None,
        "days_tracked": Fraction(as_of - wallet.first_seen, DAY_S),
        "failed": sum(at > start for at in wallet.failed),
    }


def _failing(row: dict, window: str) -> list[str]:
    closed, volume, tokens, days = MINIMUMS[window]
    share = row["wash_share"]
    tests = {
        "closed_trades": row["closed_trades"] >= closed,
        "volume_usd": row["volume"] >= volume,
        "tokens_traded": row["tokens_traded"] >= tokens,
        "days_tracked": row["days_tracked"] >= days,
        "wash_share": share is None or share <= _WASH_LIMIT,
    }
    return [name for name, passed in tests.items() if not passed]


def _usd(nano: int | None) -> str | None:
    if nano is None:
        return None
    sign = "-" if nano < 0 else ""
    whole, part = divmod(abs(nano), NANO)
    return f"{sign}{whole}.{part:09d}"


def _ratio(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _rank(rows: list[dict]) -> None:
    """Whole cents half-even; equal cents share a rank, then volume, then address."""
    able = [r for r in rows if not r["failing"] and r["realized"] is not None]
    for row in able:
        row["cents"] = half_even(Fraction(row["realized"], _CENT))
    able.sort(key=lambda r: (-r["cents"], -r["volume"], r["wallet"]))
    for place, row in enumerate(able, start=1):
        same = place > 1 and able[place - 2]["cents"] == row["cents"]
        row["rank"] = able[place - 2]["rank"] if same else place


def _positions(book: _Book) -> list[dict]:
    return [
        {
            "wallet": address,
            "token": token,
            "open_raw": position.quantity,
            "open_cost_usd": _usd(position.cost),
            "estimated_raw": position.estimated,
        }
        for address, wallet in sorted(book.wallets.items())
        for token, position in sorted(wallet.positions.items())
        if position.quantity
    ]


def evaluate(entries: list[Entry], prices: Prices, as_of: int) -> dict[str, list[dict]]:
    """moving_average figures of every wallet in every window, and every open position.

    Args:
        entries: expected movements, any order.
        prices: SOL closes.
        as_of: epoch seconds; nothing in `entries` is later.

    Returns:
        `wallets`: one JSON-ready row per wallet and window; `_usd` fields are decimal strings
        with nine places, ratios floats, `failing` the criteria that are not met, `rank` null if
        unranked. `positions`: one row per wallet and token with units open.
    """
    book = _Book(prices)
    book.read(entries)
    book.flag_wash()
    book.replay()
    result = []
    for window in WINDOWS_S:
        rows = []
        for address, wallet in sorted(book.wallets.items()):
            unrealized, without = _unrealized(wallet, book.ticks, as_of)
            row = {"wallet": address, "window": window, "rank": None}
            row |= _figures(wallet, window, as_of)
            row |= {"unrealized": unrealized, "positions_without_price": without}
            row["failing"] = _failing(row, window)
            rows.append(row)
        _rank(rows)
        result += [_shown(row) for row in rows]
    return {"wallets": result, "positions": _positions(book)}


def _shown(row: dict) -> dict:
    realized, unrealized = row["realized"], row["unrealized"]
    known = [v for v in (realized, unrealized) if v is not None]
    return {
        "wallet": row["wallet"],
        "window": row["window"],
        "realized_usd": _usd(realized),
        "unrealized_usd": _usd(unrealized),
        "total_usd": _usd(sum(known) if known else None),
        "volume_usd": _usd(row["volume"]),
        "trades": row["trades"],
        "sells": row["sells"],
        "tokens_traded": row["tokens_traded"],
        "closed_trades": row["closed_trades"],
        "wins": row["wins"],
        "win_rate": _ratio(row["win_rate"]),
        "avg_hold_s": _ratio(row["hold"]),
        "sales_left_out": row["sales_left_out"],
        "trades_not_priced": row["trades_not_priced"],
        "positions_without_price": row["positions_without_price"],
        "wash_share": _ratio(row["wash_share"]),
        "failed_transactions": row["failed"],
        "failing": row["failing"],
        "rank": row["rank"],
    }
