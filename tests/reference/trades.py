"""Movements as valued trades: pricing, dust and wash-like pairs (METHODS 2, 3.1)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

from tests.reference.axes import Axes
from tests.reference.ledger import COSTS, AssetKey, Ledger, Movement, Owner
from tests.reference.prices import NANO, Prices, Quote, nano


@dataclass
class Trade:
    """One leg of a swap: ``qty`` in smallest units, ``value`` in nano-dollars or None.

    ``net`` and ``net_native`` are the same with costs where the method counts them.
    """

    movement: Movement
    leg: int
    side: str
    token: AssetKey
    qty: int
    value: int | None
    value_native: int | None
    price_source: str | None
    net: int | None
    net_native: int | None
    costs: tuple[int, ...]
    is_dust: bool
    is_wash_like: bool = False

    @property
    def owner(self) -> Owner:
        """(chain, wallet) of the trader."""
        return self.movement.owner

    @property
    def time(self) -> int:
        """Block time in epoch seconds."""
        return self.movement.time


def value_trades(ledger: Ledger, prices: Prices, axes: Axes) -> list[Trade]:
    """Every trade of every wallet in ledger order; both legs of a token-for-token swap."""
    shifts = _leg_shifts(ledger)
    trades: list[Trade] = []
    for movement in ledger.movements:
        if is_trade(movement, ledger, axes):
            leg = movement.leg + shifts[movement]
            trades.extend(_trades_of(movement, leg, ledger, prices, axes))
    _flag_wash_like(trades, axes)
    return trades


def is_trade(movement: Movement, ledger: Ledger, axes: Axes) -> bool:
    """Whether axes `trade_rule` and `token_for_token` take a movement (METHODS 3, 6)."""
    if movement.kind != "swap" or movement.wallet is None:
        return False
    if axes.trade_rule != "any" and not movement.recognised_venue:
        return False
    sides = (movement.sent_asset, movement.received_asset)
    has_cash = any(ledger.asset(movement.chain, side).is_cash for side in sides)
    needs_cash = axes.trade_rule == "recognised_venue_with_cash" or axes.token_for_token == "none"
    return has_cash or not needs_cash


def cash_legs(ledger: Ledger, prices: Prices, axes: Axes) -> list[Trade]:
    """The cash side of every swap the method takes, as a trade of that cash (METHODS 3).

    A conversion is valued by its stable side at par; of two stables, by the one that left.
    """
    legs = []
    for movement in ledger.movements:
        if not is_trade(movement, ledger, axes):
            continue
        sides = [
            ("sell", movement.sent_asset, movement.sent_raw),
            ("buy", movement.received_asset, movement.received_raw),
        ]
        cash = [s for s in sides if ledger.asset(movement.chain, s[1]).is_cash]
        if not cash:
            continue
        stable = [s for s in cash if ledger.asset(movement.chain, s[1]).role == "stable"]
        _, address, raw = (stable or cash)[0]
        value, source = prices.cash(movement.chain, address, raw, movement.time)
        legs += [
            Trade(
                movement=movement,
                leg=movement.leg + place,
                side=side,
                token=(movement.chain, asset),
                qty=qty,
                value=value,
                value_native=None,
                price_source=source,
                net=value,
                net_native=None,
                costs=(0,) * len(COSTS),
                is_dust=False,
            )
            for place, (side, asset, qty) in enumerate(cash)
        ]
    return legs


def _leg_shifts(ledger: Ledger) -> dict[Movement, int]:
    """How many token-for-token swaps, of two legs each, a transaction's earlier legs hold."""
    shifts: dict[Movement, int] = {}
    before: dict[tuple, int] = defaultdict(int)
    for movement in sorted(ledger.movements, key=lambda m: m.leg):
        shifts[movement] = before[movement.owner, movement.tx_id]
        if movement.kind == "swap":
            sides = (movement.sent_asset, movement.received_asset)
            is_cash = [ledger.asset(movement.chain, side).is_cash for side in sides]
            before[movement.owner, movement.tx_id] += not any(is_cash)
    return shifts


def _trades_of(
    movement: Movement, leg: int, ledger: Ledger, prices: Prices, axes: Axes
) -> list[Trade]:
    sent = ledger.asset(movement.chain, movement.sent_asset)
    received = ledger.asset(movement.chain, movement.received_asset)
    if sent.is_cash and received.is_cash:
        return []  # cash conversion: no token trade for anybody (METHODS 3)
    if sent.is_cash:
        value, source = prices.cash(movement.chain, sent.address, movement.sent_raw, movement.time)
        sides = ["buy"]
    elif received.is_cash:
        value, source = prices.cash(
            movement.chain, received.address, movement.received_raw, movement.time
        )
        sides = ["sell"]
    else:
        value, source = _token_for_token(movement, prices)
        sides = ["sell", "buy"]
    native = _native_value(movement, value, ledger, prices)
    nets = [(value, native)] * len(sides)
    if axes.costs:  # once per swap: between tokens they come off what was sold
        sign = 1 if sides == ["buy"] else -1
        nets[0] = _with_costs(movement, sign, ledger, prices)
    is_dust = value is not None and value < nano(axes.dust_below_usd)
    return [
        Trade(
            movement=movement,
            leg=leg + place,
            side=side,
            token=(movement.chain, movement.received_asset if side == "buy" else sent.address),
            qty=movement.received_raw if side == "buy" else movement.sent_raw,
            value=value,
            value_native=native,
            price_source=source,
            net=nets[place][0],
            net_native=nets[place][1],
            costs=movement.costs if place == 0 else (0,) * len(COSTS),
            is_dust=is_dust,
        )
        for place, side in enumerate(sides)
    ]


def _token_for_token(movement: Movement, prices: Prices) -> tuple[int | None, str | None]:
    """The later of both tokens' latest ticks before it, on a tie the token sold (METHODS 2)."""
    quote, raw = _tick_between_tokens(movement, prices)
    return (None, None) if quote is None else (quote.of(raw), quote.source)


def _tick_between_tokens(movement: Movement, prices: Prices) -> tuple[Quote | None, int]:
    sold = prices.tick_before((movement.chain, movement.sent_asset), movement)
    bought = prices.tick_before((movement.chain, movement.received_asset), movement)
    if sold is not None and (bought is None or sold.place >= bought.place):
        return sold, movement.sent_raw
    return bought, movement.received_raw


def _with_costs(
    movement: Movement, sign: int, ledger: Ledger, prices: Prices
) -> tuple[int | None, int | None]:
    """Paid plus costs, or received less costs, each rounded once from exact terms (METHODS 3.3).

    Without a price of the native asset what it paid has no dollars; what a stable paid has no
    native figure, and no dollars either when there is any cost.
    """
    native = ledger.native(movement.chain)
    costs = sign * sum(
        c for name, c in zip(COSTS, movement.costs, strict=True) if name != "deposit"
    )
    price = None  # dollars of one smallest unit of the native asset
    if native is not None:
        candle = prices.candle((native.chain, native.address), movement.time)
        price = None if candle is None else candle[1] / 10**native.decimals
    usd, raw = _exact_terms(movement, price, ledger, prices)
    if costs and usd is not None:
        usd = None if price is None else usd + costs * price
    return None if usd is None else nano(usd), None if raw is None else round(raw + costs)


def _exact_terms(
    movement: Movement, price: Fraction | None, ledger: Ledger, prices: Prices
) -> tuple[Fraction | None, Fraction | None]:
    """What was paid or received in dollars and in the native asset's smallest units, unrounded."""
    for address, raw in (
        (movement.sent_asset, movement.sent_raw),
        (movement.received_asset, movement.received_raw),
    ):
        asset = ledger.asset(movement.chain, address)
        if asset.role == "native":
            return None if price is None else raw * price, Fraction(raw)
        if asset.role == "stable":
            usd = Fraction(raw, 10**asset.decimals)
            return usd, None if price is None else usd / price
    quote, raw = _tick_between_tokens(movement, prices)
    if quote is None:
        return None, None
    usd = raw * quote.per_raw / NANO
    return usd, None if price is None else usd / price


def _native_value(
    movement: Movement, value: int | None, ledger: Ledger, prices: Prices
) -> int | None:
    """What a trade was worth in the chain's native asset, in its smallest units."""
    native = ledger.native(movement.chain)
    if native is None:
        return None
    if movement.sent_asset == native.address:
        return movement.sent_raw
    if movement.received_asset == native.address:
        return movement.received_raw
    candle = prices.candle((native.chain, native.address), movement.time)
    if candle is None or value is None:
        return None
    return round(Fraction(value, NANO) / candle[1] * 10**native.decimals)


def _flag_wash_like(trades: list[Trade], axes: Axes) -> None:
    """A buy and a sell of one token by one wallet, close in time and price (METHODS 3.1)."""
    by_position: dict[tuple, dict[str, list[Trade]]] = defaultdict(lambda: defaultdict(list))
    for trade in trades:
        if trade.value:  # not priced, and price 0, are never wash-like (METHODS 6)
            by_position[trade.owner, trade.token][trade.side].append(trade)
    for sides in by_position.values():
        for buy in sides["buy"]:
            for sell in sides["sell"]:
                if abs(buy.time - sell.time) <= axes.wash_span_s and _close_prices(buy, sell, axes):
                    buy.is_wash_like = sell.is_wash_like = True


def _close_prices(buy: Trade, sell: Trade, axes: Axes) -> bool:
    first, second = Fraction(buy.value, buy.qty), Fraction(sell.value, sell.qty)
    return abs(first - second) / min(first, second) < axes.wash_spread
