"""The expected movements of the sample market, as the builders of its transactions mean them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Movement:
    """What one transaction did to one wallet (METHODS 1.2), amounts in raw units.

    `wallet` is None for a body that could not be had. Fees stand on leg 0 only.
    """

    wallet: str | None
    kind: str
    leg: int = 0
    reason: str | None = None
    sent_asset: str | None = None
    sent_raw: int | None = None
    received_asset: str | None = None
    received_raw: int | None = None
    network_fee: int = 0
    tip: int = 0
    bot_fee: int = 0
    other_fee: int = 0
    deposit: int = 0
    venue: str | None = None
    source: str | None = None


@dataclass(frozen=True)
class Entry:
    """A movement at its place in the ledger; `tx_index` is None where the node gave none."""

    tx_id: str
    block: int
    tx_index: int | None
    block_time: int
    movement: Movement

    @property
    def order(self) -> tuple:
        """Ledger order (METHODS 1.5): unknown places in the block come last."""
        known = self.tx_index is not None
        return (self.block, not known, self.tx_index or 0, self.tx_id, self.movement.leg)

    @property
    def moment(self) -> tuple:
        """What "before" means for ticks: block and place in it only."""
        known = self.tx_index is not None
        return (self.block, not known, self.tx_index or 0)


@dataclass(frozen=True)
class Break:
    """A place where an account's balance jumps because a body is missing."""

    wallet: str
    account: str
    mint: str
    after_tx_id: str
    before_tx_id: str
    missing_raw: int
