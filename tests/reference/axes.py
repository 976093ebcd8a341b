"""The choices of METHODS 3 that the evaluator reads; a method is one instance of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

HOUR = 3_600
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
    """One method as data. Money thresholds are whole dollars as Fractions, spans are seconds.

    ``boards`` maps a board to the wallet_pnl column it ranks by; ``criteria`` names the set of
    conditions a ranked wallet meets; the other fields are the axes of METHODS 3's table.
    """

    method: str
    basis: str
    scope: str
    trade_rule: str
    sol_usd: str
    token_for_token: str
    costs: bool
    unit: str
    transfer_in: str
    estimated: str | None
    oversell: str
    win_unit: str
    price_now: str
    unpriced: str
    no_sale: str
    stable_usd: str
    headline: str
    windows: dict[str, int | None]
    boards: dict[str, str]
    criteria: str
    minimums: dict[str, Minimum] = field(default_factory=dict)
    highest_wash_share: Fraction = Fraction(20, 100)
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

    @property
    def figure(self) -> str:
        """The wallet_pnl column that consensus and bridge compare (METHODS 3, `headline`)."""
        return f"{self.headline}_usd"


_DAYS = {"24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY, "all": ALL_TIME}

MOVING_AVERAGE = Axes(
    method="moving_average",
    basis="moving_average",
    scope="all",
    trade_rule="any",
    sol_usd="minute",
    token_for_token="tick",
    costs=False,
    unit="usd",
    transfer_in="estimated",
    estimated="sale",
    oversell="zero_profit",
    win_unit="closed_trade",
    price_now="latest",
    unpriced="estimated",
    no_sale="zero",
    stable_usd="par",
    headline="realized",
    windows=_DAYS,
    boards={"realized": "realized_usd"},
    criteria="minimums",
    minimums={
        "24h": Minimum(5, 2_000, 1, 0),
        "7d": Minimum(10, 10_000, 1, 0),
        "30d": Minimum(20, 25_000, 5, 0),
        "all": Minimum(50, 100_000, 1, 30),
    },
)

INDEXED_AVERAGE = Axes(
    method="indexed_average",
    basis="aggregate_average",
    scope="all",
    trade_rule="recognised_venue",
    sol_usd="minute",
    token_for_token="tick",
    costs=False,
    unit="usd",
    transfer_in="ignored",
    estimated=None,
    oversell="capped",
    win_unit="token_realized",
    price_now="chart_pool",
    unpriced="units_only",
    no_sale="zero",
    stable_usd="par",
    headline="total",
    windows={"1h": HOUR, **_DAYS},
    boards={"total": "total_usd"},
    criteria="none",
)

FIFO_NET = Axes(
    method="fifo_net",
    basis="fifo",
    scope="all",
    trade_rule="recognised_venue_with_cash",
    sol_usd="hour",
    token_for_token="none",
    costs=True,
    unit="native_and_usd",
    transfer_in="unknown_cost",
    estimated=None,
    oversell="unknown_cost",
    win_unit="token_sold_native",
    price_now="latest",
    unpriced="unknown_cost",
    no_sale="zero",
    stable_usd="par",
    headline="realized",
    windows={"7d": 7 * DAY, "30d": 30 * DAY, "90d": 90 * DAY, "all": ALL_TIME},
    boards={"score": "score"},
    criteria="score",
)

FIFO_COVERAGE = Axes(
    method="fifo_coverage",
    basis="fifo",
    scope="all",
    trade_rule="recognised_venue",
    sol_usd="minute",
    token_for_token="tick",
    costs=False,
    unit="usd",
    transfer_in="unknown_cost",
    estimated=None,
    oversell="unknown_cost",
    win_unit="token_complete",
    price_now="latest",
    unpriced="unknown_cost",
    no_sale="unknown",
    stable_usd="par",
    headline="realized",
    windows=_DAYS,
    boards={"realized": "realized_usd", "mark_to_market": "total_usd"},
    criteria="coverage",
)

WINDOW_AVERAGE = Axes(
    method="window_average",
    basis="aggregate_average",
    scope="window",
    trade_rule="recognised_venue",
    sol_usd="minute",
    token_for_token="tick",
    costs=False,
    unit="usd",
    transfer_in="ignored",
    estimated=None,
    oversell="unknown",
    win_unit="token_total",
    price_now="latest",
    unpriced="unknown",
    no_sale="zero",
    stable_usd="par",
    headline="total",
    windows={"1h": HOUR, **_DAYS},
    boards={"total": "total_usd"},
    criteria="none",
)

METHODS = (MOVING_AVERAGE, INDEXED_AVERAGE, FIFO_NET, FIFO_COVERAGE, WINDOW_AVERAGE)
