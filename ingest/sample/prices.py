"""Price paths of the sample market and the SOL candles that tell of them.

All paths are integers built from uniform random numbers and IEEE basic operations only, so the
same seed gives the same bytes on every machine.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from random import Random

from ingest.sample.numbers import (
    FEE_SCALE,
    PRICE_SCALE,
    PRICE_STEP_S,
    MarketNumbers,
)

MINUTE_S = 60
HOUR_S = 3_600
_SOL_STEP = 0.0016
_TOKEN_STEP = 0.035
# A pull towards the opening price keeps paths from running away over the market's length.
_PULL = 0.0004


@dataclass(frozen=True)
class Candle:
    """A SOL candle: open time (epoch seconds), close in cents, interval ('1m', '5m', '1h')."""

    open_time: int
    close_cents: int
    interval: str


@dataclass(frozen=True)
class Hole:
    """Minutes without a candle: `minutes` of them from `start`; maybe a 5-minute candle inside.

    Attributes:
        start: first missing minute, seconds from the market's start.
        minutes: how many are missing.
        five_minute_at: open of a '5m' candle inside, seconds from the start, or None.
    """

    start: int
    minutes: int
    five_minute_at: int | None = None


def _walk(rng: Random, opening: int, steps: int, size: float) -> list[int]:
    price = float(opening)
    path = []
    for _ in range(steps):
        path.append(max(1, round(price)))
        noise = (rng.random() + rng.random() - 1.0) * size
        price *= 1.0 + noise + _PULL * (opening / price - 1.0)
    return path


@dataclass(frozen=True)
class PricePaths:
    """SOL in cents by minute, tokens in lamports per raw unit x 1e12 by step."""

    sol_cents: list[int]
    tokens: list[list[int]]

    @classmethod
    def generate(cls, rng: Random, numbers: MarketNumbers, openings: list[int]) -> PricePaths:
        """Draw every path; `openings` are the tokens' opening prices (lamports/raw x 1e12)."""
        minutes = numbers.end_s // MINUTE_S + 1
        steps = numbers.end_s // PRICE_STEP_S + 1
        sol = _walk(rng, numbers.sol_open_cents, minutes, _SOL_STEP)
        tokens = [_walk(rng, opening, steps, _TOKEN_STEP) for opening in openings]
        return cls(sol, tokens)

    def sol_at(self, at: int) -> int:
        """Cents of the minute that contains `at`."""
        return self.sol_cents[at // MINUTE_S]

    def token_at(self, token: int, at: int) -> int:
        """Lamports per raw unit x 1e12."""
        return self.tokens[token][at // PRICE_STEP_S]

    def token_in_usdc_at(self, token: int, at: int) -> int:
        """Raw USDC per raw unit x 1e12: lamports x cents / 1e9 x 1e4."""
        return max(1, self.token_at(token, at) * self.sol_at(at) // 100_000)

    def growth(self, token: int, start: int, end: int) -> float:
        """Price at `end` over price at `start`."""
        return self.token_at(token, end) / self.token_at(token, start)


def candles(paths: PricePaths, numbers: MarketNumbers, holes: list[Hole]) -> list[Candle]:
    """Minute and hour candles of the whole market, without the minutes in holes."""
    missing = {h.start + MINUTE_S * i for h in holes for i in range(h.minutes)}
    rows = []
    for i, cents in enumerate(paths.sol_cents):
        if i * MINUTE_S not in missing:
            rows.append(Candle(numbers.start_epoch + i * MINUTE_S, cents, "1m"))
    for hole in holes:
        if hole.five_minute_at is not None:
            last = hole.five_minute_at + 4 * MINUTE_S
            opened = numbers.start_epoch + hole.five_minute_at
            rows.append(Candle(opened, paths.sol_at(last), "5m"))
    for hour in range(numbers.end_s // HOUR_S):
        last = hour * HOUR_S + HOUR_S - MINUTE_S
        rows.append(Candle(numbers.start_epoch + hour * HOUR_S, paths.sol_at(last), "1h"))
    return rows


def utc(epoch: int) -> str:
    """ISO 8601 with Z."""
    return dt.datetime.fromtimestamp(epoch, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def quote_out(amount: int, price: int, depth: int, fee_points: int, *, buying: bool) -> int:
    """What a constant-product pool gives for `amount` at a price, exactly, rounded down.

    Args:
        amount: raw units paid in: of the quote when `buying`, else of the token.
        price: raw quote per raw token x 1e12.
        depth: virtual quote reserve, raw; the token reserve follows from the price.
        fee_points: fee in 1/10,000 of what is paid in.
        buying: direction.

    Returns:
        Raw units out: of the token when `buying`, else of the quote.
    """
    paid = amount * (FEE_SCALE - fee_points) // FEE_SCALE
    tokens = depth * PRICE_SCALE // price
    if buying:
        return tokens * paid // (depth + paid)
    return depth * paid // (tokens + paid)
