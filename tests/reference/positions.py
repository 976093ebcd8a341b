"""Every position of the ledger, run through its movements in order (METHODS 1.5, 3)."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tests.reference.axes import Axes
from tests.reference.ledger import AssetKey, Ledger, Movement, Owner
from tests.reference.lots import FifoPosition
from tests.reference.prices import Prices
from tests.reference.replay import Position
from tests.reference.trades import Trade, is_trade

PositionKey = tuple[Owner, AssetKey]
ONE_SIDED = ("transfer_in", "transfer_out", "ambiguous")


def empty_position(axes: Axes) -> Any:
    """A position as the axes want it: the pairs that METHODS 3 gives a meaning."""
    kinds = {
        ("moving_average", "estimated", "estimated"): Position,
        ("fifo", "unknown_cost", "unknown_cost"): FifoPosition,
    }
    return kinds[axes.basis, axes.transfer_in, axes.unpriced](axes)


def replay(
    ledger: Ledger, trades: list[Trade], prices: Prices, axes: Axes
) -> dict[PositionKey, Any]:
    """Run every position through the ledger in its total order.

    A swap that the method does not take leaves and arrives as transfers do (METHODS 6).
    """
    if axes.transfer_in == "ignored":
        return {}  # sums of trades need no queue
    positions: dict[PositionKey, Any] = defaultdict(lambda: empty_position(axes))
    of_movement: dict[Movement, list[Trade]] = defaultdict(list)
    for trade in trades:
        of_movement[trade.movement].append(trade)
    for movement in ledger.movements:
        moves_units = movement.kind in ONE_SIDED or movement.kind == "swap"
        is_taken = is_trade(movement, ledger, axes)
        if moves_units and not is_taken and movement.owner is not None:
            _transfer(movement, ledger, prices, positions)
        for trade in of_movement[movement]:
            position = positions[trade.owner, trade.token]
            (position.buy if trade.side == "buy" else position.sell)(trade)
    return dict(positions)


def _transfer(
    movement: Movement,
    ledger: Ledger,
    prices: Prices,
    positions: dict[PositionKey, Any],
) -> None:
    """An ambiguous row moves units as a transfer does (METHODS 1.2)."""
    for address, raw, arrives in (
        (movement.received_asset, movement.received_raw, True),
        (movement.sent_asset, movement.sent_raw, False),
    ):
        if not raw or ledger.asset(movement.chain, address).is_cash:
            continue
        token = (movement.chain, address)
        tick = prices.tick_before(token, movement)
        position = positions[movement.owner, token]
        if arrives:
            position.transfer_in(movement, raw, tick)
        else:
            position.transfer_out(movement, raw, tick)
