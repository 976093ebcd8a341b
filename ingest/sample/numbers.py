"""Every number that shapes the sample market, in one place.

Times are seconds from the start of the market unless a name says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

DAY_S = 86_400
LAMPORTS = 1_000_000_000
# METHODS 1.3: rent of an account is (128 + its size) x 6,960 lamports.
RENT_HEADER_BYTES = 128
RENT_PER_BYTE = 6_960
TOKEN_ACCOUNT_BYTES = 165
BASE_FEE = 5_000
SLOTS_PER_2_S = 5
FIRST_SLOT = 380_000_000
# Prices are integers: quote raw units per base raw unit, times this.
PRICE_SCALE = 10**12
PRICE_STEP_S = 600
FEE_SCALE = 10_000


@dataclass(frozen=True)
class MarketNumbers:
    """Sizes and chances of one generated market.

    Attributes:
        start_epoch: first second of the market, UTC.
        days: length of the market; it ends at `end_epoch`, which is the `as_of` of the truth.
        tokens: how many tokens trade.
        sol_open_cents: SOL price at the start, in cents.
        jsonparsed_share, base64_share: share of bodies in these encodings; the rest is `json`.
        legacy_share, v1_share: share of message versions; the rest is version 0.
        no_index_share: share of slots whose transactions come without `transactionIndex`.
    """

    start_epoch: int = 1_779_494_400  # 2026-05-23T00:00:00Z
    days: int = 40
    tokens: int = 24
    quiet_tokens: int = 4
    usdc_tokens: int = 10
    sol_open_cents: int = 15_000
    wallet_lamports: int = 4_000 * LAMPORTS
    wallet_usdc: int = 2_000_000 * 10**6
    skilled: int = 14
    unlucky: int = 10
    busy: int = 4
    casual: int = 12
    washers: int = 3
    bots: int = 3
    jsonparsed_share: float = 0.12
    base64_share: float = 0.08
    legacy_share: float = 0.40
    v1_share: float = 0.06
    no_index_share: float = 0.03

    @property
    def end_s(self) -> int:
        """Length of the market in seconds."""
        return self.days * DAY_S

    @property
    def end_epoch(self) -> int:
        """Last second of the market, epoch seconds, UTC."""
        return self.start_epoch + self.end_s


def rent(space: int) -> int:
    """Lamports that an account of `space` bytes must hold (METHODS 1.3)."""
    return (RENT_HEADER_BYTES + space) * RENT_PER_BYTE
