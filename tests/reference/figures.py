"""The exported tables of CONTRACTS 2, from valued trades and replayed positions."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from tests.reference.axes import DAY, Axes
from tests.reference.ledger import COSTS, AssetKey, Ledger, Movement, Owner, epoch, to_raw
from tests.reference.pools import Market
from tests.reference.positions import PositionKey, empty_position
from tests.reference.prices import NANO, Prices
from tests.reference.replay import Fill, sum_of_known
from tests.reference.tape import Tape
from tests.reference.trades import Trade, cash_legs

Table = list[dict[str, Any]]
_EXACT = Context(prec=200)


@dataclass(frozen=True)
class Evaluation:
    """Everything the tables are made of."""

    tape: Tape
    ledger: Ledger
    axes: Axes
    prices: Prices
    trades: list[Trade]
    positions: dict[PositionKey, Any]
    market: Market

    @cached_property
    def trades_of(self) -> dict[PositionKey, list[Trade]]:
        """All trades by wallet and token, in ledger order."""
        found: dict[PositionKey, list[Trade]] = defaultdict(list)
        for trade in self.trades:
            found[trade.owner, trade.token].append(trade)
        return found

    @cached_property
    def tokens_of(self) -> dict[Owner, dict[AssetKey, list[Trade]]]:
        """The same by wallet, then by token."""
        found: dict[Owner, dict[AssetKey, list[Trade]]] = defaultdict(dict)
        for (owner, token), trades in self.trades_of.items():
            found[owner][token] = trades
        return found

    @cached_property
    def movements_of(self) -> dict[Owner | None, list[Movement]]:
        """All movements by wallet, in ledger order."""
        found: dict[Owner | None, list[Movement]] = defaultdict(list)
        for movement in self.ledger.movements:
            found[movement.owner].append(movement)
        return found

    @cached_property
    def positions_of(self) -> dict[Owner, dict[AssetKey, Any]]:
        """All positions by wallet, then by token."""
        found: dict[Owner, dict[AssetKey, Any]] = defaultdict(dict)
        for (owner, token), position in self.positions.items():
            found[owner][token] = position
        return found

    @cached_property
    def cash_of(self) -> dict[Owner, dict[AssetKey, list[Trade]]]:
        """The cash legs of all swaps by wallet and cash asset (METHODS 3, quote positions)."""
        found: dict[Owner, dict[AssetKey, list[Trade]]] = defaultdict(lambda: defaultdict(list))
        for leg in cash_legs(self.ledger, self.prices, self.axes):
            found[leg.owner][leg.token].append(leg)
        return found

    @cached_property
    def balances(self) -> dict[PositionKey, int]:
        """Raw balance by wallet and asset."""
        return balances(self)

    @property
    def method_keys(self) -> dict[str, Any]:
        """The keys every method's row carries."""
        return {"method": self.axes.method}

    def units(self, asset: AssetKey, raw: int) -> Decimal:
        """A raw amount in whole units, exactly."""
        return Decimal(raw).scaleb(-self.ledger.asset(*asset).decimals, _EXACT)

    def native_units(self, chain: str, raw: int | None) -> Decimal | None:
        """Raw units of the chain's native asset in whole units."""
        native = self.ledger.native(chain)
        return None if raw is None else self.units((chain, native.address), raw)


def usd(value: int | None) -> Decimal | None:
    """Nano-dollars as dollars."""
    return None if value is None else Decimal(value).scaleb(-9, _EXACT)


def add_known(*parts: int | None) -> int | None:
    """A null part counts as absent, null only when all are (METHODS 6, Sums and nulls)."""
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def tracked_since(ev: Evaluation) -> dict[Owner, int | None]:
    """Tracked wallets and since when: the file's, else every wallet from its first movement."""
    first: dict[Owner, int] = {}
    for movement in ev.ledger.movements:
        if movement.owner is not None:
            first[movement.owner] = min(movement.time, first.get(movement.owner, movement.time))
    if ev.tape.wallets is None:
        return dict(first)
    since = {}
    for row in ev.tape.wallets:
        owner = (row["chain"], row["address"])
        given = row.get("tracked_since")
        since[owner] = first.get(owner) if given is None else epoch(given)
    return since


def balances(ev: Evaluation) -> dict[PositionKey, int]:
    """The tape's balances, else the sum of movements, never below 0 (CONTRACTS 1)."""
    found: dict[PositionKey, int] = defaultdict(int)
    if ev.tape.balances is not None:
        for row in ev.tape.balances:
            token = (row["chain"], row["address"])
            raw = to_raw(row["amount"], ev.ledger.asset(*token).decimals)
            found[(row["chain"], row["wallet"]), token] = raw
        return found
    for movement in ev.ledger.movements:
        if movement.owner is None:
            continue
        for address, raw, sign in (
            (movement.received_asset, movement.received_raw, 1),
            (movement.sent_asset, movement.sent_raw, -1),
        ):
            if address is not None:
                found[movement.owner, (movement.chain, address)] += sign * raw
    return {key: max(0, raw) for key, raw in found.items()}


def movements_table(ev: Evaluation) -> Table:
    """One row per wallet, transaction and leg."""
    return [
        {
            "chain": m.chain,
            "tx_id": m.tx_id,
            "wallet": m.wallet,
            "leg": m.leg,
            "block": m.block,
            "tx_index": m.tx_index,
            "block_time": m.time,
            "kind": m.kind,
            "reason": m.reason,
            "sent_asset": m.sent_asset,
            "sent_raw": m.sent_raw,
            "received_asset": m.received_asset,
            "received_raw": m.received_raw,
            **dict(zip(COSTS, m.costs, strict=True)),
            "venue": m.venue,
            "source": m.source,
            "recognised_venue": m.recognised_venue,
        }
        for m in ev.ledger.movements
    ]


def unexplained_table(ev: Evaluation) -> Table:
    """Movements that are no trade, at what their assets were worth."""
    return [
        {
            "chain": m.chain,
            "tx_id": m.tx_id,
            "wallet": m.wallet,
            "leg": m.leg,
            "kind": m.kind,
            "reason": m.reason,
            "value_usd": usd(_value_of_one_sided(ev, m)),
        }
        for m in ev.ledger.movements
        if m.kind in ("ambiguous", "unfetched")
    ]


def trades_table(ev: Evaluation) -> Table:
    """One row per trade leg under the pricing rule."""
    return [
        {
            "pricing_rule": ev.axes.pricing_rule,
            "chain": t.movement.chain,
            "wallet": t.movement.wallet,
            "tx_id": t.movement.tx_id,
            "leg": t.leg,
            "block": t.movement.block,
            "tx_index": t.movement.tx_index,
            "block_time": t.time,
            "side": t.side,
            "token": t.token[1],
            "qty": ev.units(t.token, t.qty),
            "value_usd": usd(t.value),
            "value_native": ev.native_units(t.movement.chain, t.value_native),
            "price_usd": _unit_price(ev, t),
            "priced": t.value is not None,
            "price_source": t.price_source,
            "dust": t.is_dust,
            "wash_like": t.is_wash_like,
            "venue": t.movement.venue,
            "source": t.movement.source,
            **{name: cost for name, cost in zip(COSTS, t.costs, strict=True) if name != "deposit"},
        }
        for t in ev.trades
    ]


def fills_table(ev: Evaluation, tracked: dict[Owner, int | None]) -> Table:
    """One row per sale and pool, the excess over the pool apart."""
    return [
        {
            **ev.method_keys,
            "chain": token[0],
            "wallet": owner[1],
            "token": token[1],
            "tx_id": fill.trade.movement.tx_id,
            "leg": fill.trade.leg,
            "sold_at": fill.trade.time,
            "lot_id": None,
            "qty": ev.units(token, fill.qty),
            "proceeds_usd": usd(fill.proceeds),
            "cost_usd": usd(fill.cost),
            "realized_usd": usd(fill.realized),
            "realized_native": ev.native_units(token[0], fill.realized_native),
            "cost_known": fill.cost_known,
            "left_out_reason": fill.left_out_reason,
        }
        for (owner, token), position in ev.positions.items()
        if owner in tracked
        for fill in position.fills
    ]


def closed_trades_table(ev: Evaluation, tracked: dict[Owner, int | None]) -> Table:
    """One row per closed trade, numbered from 1 in each position."""
    rows = []
    for (owner, token), position in ev.positions.items():
        if owner not in tracked:
            continue
        for number, trade in enumerate(position.closed, start=1):
            reason = trade.not_counted_reason(ev.axes)
            rows.append(
                {
                    **ev.method_keys,
                    "chain": token[0],
                    "wallet": owner[1],
                    "token": token[1],
                    "number": number,
                    "opened_at": trade.opened_at,
                    "closed_at": trade.closed_at,
                    "bought_usd": usd(trade.bought),
                    "sold_usd": usd(trade.sold),
                    "profit_usd": usd(trade.profit),
                    "outcome": trade.outcome,
                    "counted": reason is None,
                    "not_counted_reason": reason,
                    "hold_s": trade.closed_at - trade.opened_at,
                }
            )
    return rows


def lots_table(ev: Evaluation, tracked: dict[Owner, int | None]) -> Table:
    """One row per lot of a FIFO queue, emptied ones too; an average has none."""
    return [
        {
            **ev.method_keys,
            "chain": token[0],
            "wallet": owner[1],
            "token": token[1],
            "tx_id": lot.movement.tx_id,
            "leg": lot.leg,
            "opened_at": lot.movement.time,
            "qty": ev.units(token, lot.qty),
            "cost_usd": usd(lot.cost),
            "cost_native": ev.native_units(token[0], lot.cost_native),
            "cost_known": lot.cost_known,
            "qty_left": ev.units(token, lot.qty_left),
            "cost_left_usd": usd(lot.cost_left),
        }
        for (owner, token), position in ev.positions.items()
        if owner in tracked
        for lot in getattr(position, "lots", ())
    ]


def positions_table(ev: Evaluation, tracked: dict[Owner, int | None]) -> Table:
    """Positions that are open or have a balance."""
    held = ev.balances
    rows = []
    for owner, token in sorted(set(held) | set(ev.positions)):
        position = ev.positions.get((owner, token)) or empty_position(ev.axes)
        balance = held.get((owner, token), 0)
        is_cash = ev.ledger.asset(*token).is_cash
        if owner not in tracked or is_cash or not (position.qty or balance):
            continue
        quote = ev.market.price_now(token)
        unit = 10 ** ev.ledger.asset(*token).decimals
        rows.append(
            {
                **ev.method_keys,
                "chain": token[0],
                "wallet": owner[1],
                "token": token[1],
                "open_qty": ev.units(token, position.qty),
                "open_cost_usd": usd(position.cost),
                "estimated_qty": ev.units(token, position.est_qty),
                "balance": ev.units(token, balance),
                "price_now_usd": None if quote is None else float(quote.per_raw * unit / NANO),
                "value_usd": None if quote is None else usd(quote.of(position.qty)),
                "unrealized_usd": usd(position.unrealized(quote)),
            }
        )
    return rows


@dataclass(frozen=True)
class WindowOf:
    """What one wallet did in one window ``(as_of - w, as_of]`` by block time."""

    ev: Evaluation
    owner: Owner
    window: str
    movements: list[Movement]
    trades: list[Trade]
    fills: list[Fill]
    closed: list[tuple[AssetKey, Any]]

    @property
    def start(self) -> int | None:
        """The moment after which the window begins; None for all time."""
        span = self.ev.axes.windows[self.window]
        return None if span is None else self.ev.ledger.as_of - span

    def transactions(self, *kinds: str) -> set[str]:
        """Transactions with a row of one of these kinds."""
        return {m.tx_id for m in self.movements if m.kind in kinds}

    @property
    def counted_trades(self) -> list[Trade]:
        """Trades that are no dust; one that is not priced is among them (METHODS 6)."""
        return [t for t in self.trades if not t.is_dust]

    @property
    def volume(self) -> int:
        """Values of non-dust trades; what is not priced adds nothing."""
        return sum(t.value or 0 for t in self.counted_trades)

    @property
    def wash_volume(self) -> int:
        """The flagged part of the volume."""
        return sum(t.value for t in self.counted_trades if t.is_wash_like)

    @property
    def win_units(self) -> list[Any]:
        """Closed trades that count for the win rate."""
        return [t for _, t in self.closed if t.not_counted_reason(self.ev.axes) is None]


def windows_of(ev: Evaluation, owner: Owner) -> list[WindowOf]:
    """The wallet's trades, fills and closed trades cut to each window of the method."""
    mine = ev.positions_of.get(owner, {})
    trades = [t for of_token in ev.tokens_of.get(owner, {}).values() for t in of_token]
    trades.sort(key=lambda t: (t.movement.order, t.leg))
    movements = ev.movements_of.get(owner, [])
    views = []
    for name, span in ev.axes.windows.items():
        start = None if span is None else ev.ledger.as_of - span

        def inside(time: int, start: int | None = start) -> bool:
            return start is None or time > start

        views.append(
            WindowOf(
                ev=ev,
                owner=owner,
                window=name,
                movements=[m for m in movements if inside(m.time)],
                trades=[t for t in trades if inside(t.time)],
                fills=[f for p in mine.values() for f in p.fills if inside(f.trade.time)],
                closed=[(k, c) for k, p in mine.items() for c in p.closed if inside(c.closed_at)],
            )
        )
    return views


def is_known(fill: Fill, axes: Axes) -> bool:
    """Whether a fill's dollars are a result: an excess is one only where it is zero profit."""
    return fill.realized is not None and (fill.cost_known or axes.oversell == "zero_profit")


def realized_of(fills: list[Fill], axes: Axes) -> int | None:
    """0 with no sale, or null where `no_sale` says so; null with none known (METHODS 6)."""
    if not fills and axes.no_sale == "unknown":
        return None
    return sum_of_known([f.realized if is_known(f, axes) else None for f in fills])


def cost_of_sold(fills: list[Fill], axes: Axes) -> int | None:
    """The cost of the units whose result is known."""
    return sum_of_known([f.cost if is_known(f, axes) else None for f in fills])


def wallet_keys(view: WindowOf) -> dict[str, Any]:
    """What tells a wallet_pnl row from another."""
    return {
        **view.ev.method_keys,
        "window": view.window,
        "chain": view.owner[0],
        "wallet": view.owner[1],
    }


def ledger_counts(view: WindowOf) -> dict[str, Any]:
    """The columns that every method defines alike (METHODS 6, Rows)."""
    return {
        "volume_usd": usd(view.volume),
        "trades": len(view.counted_trades),
        "sells": sum(t.side == "sell" for t in view.counted_trades),
        "tokens_traded": len({t.token for t in view.counted_trades}),
        "trades_not_priced": sum(t.value is None for t in view.trades),
        "failed_transactions": len(view.transactions("failed")),
    }


def replayed_columns(view: WindowOf) -> dict[str, Any]:
    """Realized and unrealized of the positions that a method replays."""
    ev = view.ev
    mine = {t: p for t, p in ev.positions_of.get(view.owner, {}).items() if p.qty}
    quotes = {token: ev.market.price_now(token) for token in mine}
    realized = realized_of(view.fills, ev.axes)
    unrealized = sum_of_known([p.unrealized(quotes[token]) for token, p in mine.items()])
    return {
        "realized_usd": usd(realized),
        "unrealized_usd": usd(unrealized),
        "total_usd": usd(add_known(realized, unrealized)),
        "positions_without_price": sum(quote is None for quote in quotes.values()),
    }


def win_columns(results: list[int]) -> dict[str, Any]:
    """How many of the method's units came out above zero (axis `win_unit`)."""
    wins = sum(result > 0 for result in results)
    return {
        "win_rate": wins / len(results) if results else None,
        "wins": wins,
        "win_units": len(results),
    }


def closed_trade_columns(view: WindowOf) -> dict[str, Any]:
    """What only the moving average tells: closed trades, left-out sales, wash share."""
    units = view.win_units
    holds = [trade.closed_at - trade.opened_at for trade in units]
    left_out = {_sale(f) for f in view.fills if f.left_out_reason == "estimated_cost"}
    return {
        **win_columns([trade.profit for trade in units]),
        "avg_hold_s": float(Fraction(sum(holds), len(units))) if units else None,
        "closed_trades": len(units),
        "sales_left_out": len(left_out),
        "wash_share": view.wash_volume / view.volume if view.volume else None,
    }


def wallet_token_rows(view: WindowOf) -> Table:
    """One row per token traded in the window or still open."""
    ev = view.ev
    open_tokens = {t for t, p in ev.positions_of.get(view.owner, {}).items() if p.qty}
    rows = []
    for token in sorted({t.token for t in view.trades} | open_tokens):
        trades = [t for t in view.trades if t.token == token]
        buys = [t for t in trades if t.side == "buy"]
        sells = [t for t in trades if t.side == "sell"]
        fills = [f for f in view.fills if f.trade.token == token]
        realized = realized_of(fills, ev.axes)
        unrealized = ev.positions[view.owner, token].unrealized(ev.market.price_now(token))
        rows.append(
            {
                **ev.method_keys,
                "window": view.window,
                "chain": token[0],
                "wallet": view.owner[1],
                "token": token[1],
                "bought_qty": ev.units(token, sum(t.qty for t in buys)),
                "sold_qty": ev.units(token, sum(t.qty for t in sells)),
                "bought_usd": usd(sum_of_known([t.net for t in buys])),
                "sold_usd": usd(sum_of_known([t.net for t in sells])),
                "avg_buy_usd": average_price(ev, token, buys),
                "avg_sell_usd": average_price(ev, token, sells),
                "cost_of_sold_usd": usd(cost_of_sold(fills, ev.axes)),
                "realized_usd": usd(realized),
                "unrealized_usd": usd(unrealized),
                "total_usd": usd(add_known(realized, unrealized)),
                "buys": sum(not t.is_dust for t in buys),
                "sells": sum(not t.is_dust for t in sells),
                "first_trade_at": min((t.time for t in trades), default=None),
                "last_trade_at": max((t.time for t in trades), default=None),
            }
        )
    return rows


def eligibility_rows(view: WindowOf, since: int | None) -> Table:
    """Each minimum of the window with the wallet's value (METHODS 3.1, Ranked)."""
    axes = view.ev.axes
    minimum = axes.minimums[view.window]
    days = None if since is None else Fraction(view.ev.ledger.as_of - since, DAY)
    volume = Fraction(view.volume, NANO)
    wash = Fraction(view.wash_volume, view.volume) if view.volume else None
    criteria = [
        ("closed_trades", len(view.win_units), minimum.closed_trades),
        ("volume_usd", volume, minimum.volume_usd),
        ("tokens_traded", len({t.token for t in view.counted_trades}), minimum.tokens_traded),
        ("days_tracked", days, minimum.days_tracked),
        ("wash_share", wash, axes.highest_wash_share),
    ]
    return [
        {
            **view.ev.method_keys,
            "window": view.window,
            "chain": view.owner[0],
            "wallet": view.owner[1],
            "criterion": name,
            "value": None if value is None else float(value),
            "threshold": float(threshold),
            "passed": _passes(name, value, threshold),
        }
        for name, value, threshold in criteria
    ]


def leaderboard_table(wallets: Table, eligibility: Table, axes: Axes) -> Table:
    """Each board in whole cents, equal cents share a rank, then volume, then address.

    Ranked are wallets with a trade in the window, a known figure and no failed criterion.
    """
    failing = {(r["window"], r["chain"], r["wallet"]) for r in eligibility if not r["passed"]}
    board = []
    for (name, column), window in product(axes.boards.items(), axes.windows):
        rows = [
            row
            for row in wallets
            if row["window"] == window and row["trades"] and row[column] is not None
            if (window, row["chain"], row["wallet"]) not in failing
        ]
        for row, rank in ranked(rows, column):
            board.append(
                {**row, "board": name, "ranked_by": name, "rank": rank, "figure": row[column]}
            )
    return board


def ranked(rows: Table, column: str) -> list[tuple[dict[str, Any], int]]:
    """Rows with their ranks, best first (METHODS 6, Boards)."""
    cents = {id(row): round(Fraction(row[column]) * 100) for row in rows}
    in_order = sorted(rows, key=lambda r: (-cents[id(r)], -Fraction(r["volume_usd"]), r["wallet"]))
    every = list(cents.values())
    return [(row, 1 + sum(other > cents[id(row)] for other in every)) for row in in_order]


def _passes(criterion: str, value: Any, threshold: Any) -> bool:
    if criterion == "wash_share":
        return value is None or value <= threshold  # null without volume, which passes
    return value is not None and value >= threshold


def _sale(fill: Fill) -> tuple:
    return (fill.trade.movement.order, fill.trade.leg, fill.trade.token)


def _unit_price(ev: Evaluation, trade: Trade) -> float | None:
    if trade.value is None:
        return None
    unit = 10 ** ev.ledger.asset(*trade.token).decimals
    return float(Fraction(trade.value * unit, trade.qty * NANO))


def average_price(ev: Evaluation, token: AssetKey, trades: list[Trade]) -> float | None:
    """Dollars per whole unit over the priced trades, null without one."""
    priced = [t for t in trades if t.net is not None]
    if not priced:
        return None
    unit = 10 ** ev.ledger.asset(*token).decimals
    return float(Fraction(sum(t.net for t in priced) * unit, sum(t.qty for t in priced) * NANO))


def _value_of_one_sided(ev: Evaluation, movement: Movement) -> int | None:
    address = movement.sent_asset or movement.received_asset
    if address is None:
        return None
    raw = movement.sent_raw if movement.sent_asset else movement.received_raw
    if ev.ledger.asset(movement.chain, address).is_cash:
        return ev.prices.cash(movement.chain, address, raw, movement.time)[0]
    tick = ev.prices.tick_before((movement.chain, address), movement)
    return None if tick is None else tick.of(raw)
