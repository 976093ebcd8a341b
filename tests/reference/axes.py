"""The choices of METHODS 3 that the evaluator reads; a method is one instance of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

DAY = 86_400
ALL_TIME: int | None = None


@dataclass(frozen=True)
class Minimum:
    """What a wallet must reach to be ranked in one window (METHODS 3.1, Ranked)."""

    closed_trades: int
    volume_usd: int
    tokens_traded: int
    days_tracked: int


@dataclass(frozen=True)
class Axes:
    """One method as data. Money thresholds are whole dollars as Fractions, spans are seconds."""

    method: str
    stable_usd: str
    sol_usd: str
    token_for_token: str
    estimated: str
    windows: dict[str, int | None]
    minimums: dict[str, Minimum]
    highest_wash_share: Fraction
    close_below_usd: Fraction = Fraction(1)
    dust_below_usd: Fraction = Fraction(1)
    tick_from_usd: Fraction = Fraction(1, 100)
    tick_age_s: int = 900
    price_now_age_s: int = DAY
    wash_span_s: int = 60
    wash_spread: Fraction = Fraction(5, 1000)

    @property
    def pricing_rule(self) -> str:
        """The key of the `trades` table (CONTRACTS 2)."""
        return f"{self.stable_usd}|{self.sol_usd}|{self.token_for_token}"


MOVING_AVERAGE = Axes(
    method="moving_average",
    stable_usd="par",
    sol_usd="minute",
    token_for_token="tick",
    estimated="sale",
    windows={"24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY, "all": ALL_TIME},
    minimums={
        "24h": Minimum(5, 2_000, 1, 0),
        "7d": Minimum(10, 10_000, 1, 0),
        "30d": Minimum(20, 25_000, 5, 0),
        "all": Minimum(50, 100_000, 1, 30),
    },
    highest_wash_share=Fraction(20, 100),
)
