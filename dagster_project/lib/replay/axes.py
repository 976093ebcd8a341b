"""The choices along which a method replays (METHODS 3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

REPLAYED = ("moving_average", "fifo")
ALLOWED = {
    "basis": (*REPLAYED, "aggregate_average"),
    "transfer_in": ("estimated", "unknown_cost", "ignored"),
    "estimated": ("sale", "share", "none"),
    "oversell": ("zero_profit", "unknown_cost"),
    "unpriced": ("estimated", "unknown_cost"),
}


def _choice(axis: str, value: Any) -> str:
    allowed = ALLOWED[axis]
    if value not in allowed:
        raise ValueError(f"axis {axis}: {value!r} is not one of {', '.join(allowed)}")
    return value


@dataclass(frozen=True)
class ReplayAxes:
    """One method's way to replay; every value is checked.

    Attributes:
        basis: whether costs are kept as a moving average or as first-in first-out lots. Any other
            basis (an aggregate average) does not replay, see `replays`.
        transfer_in: units that arrive without a trade come at an estimated cost (their tick, else
            zero), as units of unknown cost, or not at all. `ignored` holds for transfers in both
            directions: swaps alone move the basis, as in the aggregate averages.
        estimated: a sale that estimated units take part in is left out whole (`sale`), or only
            for their share (`share`). `none` where no unit is ever estimated.
        oversell: units sold beyond the holding sell at zero profit, or at an unknown cost.
        unpriced: a purchase without a value enters as estimated at cost zero, or at unknown cost.
        close_below_usd: a closed trade ends when less than this is held, and counts from this
            size on.
    """

    basis: str
    transfer_in: str = "unknown_cost"
    estimated: str = "none"
    oversell: str = "unknown_cost"
    unpriced: str = "unknown_cost"
    close_below_usd: Decimal = Decimal(1)

    def __post_init__(self):
        _choice("basis", self.basis)
        if not self.replays:
            return
        for axis in ("transfer_in", "estimated", "oversell", "unpriced"):
            _choice(axis, getattr(self, axis))
        if self.estimated == "none" and "estimated" in (self.transfer_in, self.unpriced):
            raise ValueError(
                "axis estimated: 'none' is not one of sale, share, "
                "which transfer_in or unpriced 'estimated' need"
            )
        scaled = self.close_below_usd * 10**9
        if not scaled.is_finite() or scaled < 0 or scaled != int(scaled):
            raise ValueError(
                f"axis close_below_usd: {self.close_below_usd} is not an amount of dollars "
                "from 0 with at most 9 decimals"
            )

    @property
    def replays(self) -> bool:
        """Whether this row has lots or a pool to replay at all."""
        return self.basis in REPLAYED

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "ReplayAxes":
        """Read the axes from a row of the methods table; other columns are not looked at.

        Raises:
            ValueError: names the axis, the value and what is allowed.
        """
        basis = _choice("basis", row.get("basis"))
        if basis not in REPLAYED:
            return cls(basis)
        limit = row.get("close_below_usd")
        try:
            close_below_usd = Decimal(1) if limit in (None, "") else Decimal(str(limit))
        except InvalidOperation:
            raise ValueError(f"axis close_below_usd: {limit!r} is not an amount") from None
        return cls(
            basis,
            transfer_in=row.get("transfer_in"),
            estimated=row.get("estimated") or "none",
            oversell=row.get("oversell"),
            unpriced=row.get("unpriced"),
            close_below_usd=close_below_usd,
        )
