"""Prices of METHODS 2: candles of the native asset, ticks of tokens, and the price now."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

from tests.reference.axes import HOUR, Axes
from tests.reference.ledger import AssetKey, Ledger, Movement, epoch
from tests.reference.tape import Tape

NANO = 10**9
FALLBACK_MINUTES = 5


def nano(usd: Fraction) -> int:
    """Dollars rounded half to even to 1e-9 (METHODS 6, Rounding), as integer nano-dollars."""
    return round(usd * NANO)  # Python rounds a Fraction half to even, exactly


@dataclass(frozen=True)
class Quote:
    """What one whole unit costs, as value ÷ raw quantity, with where it came from."""

    value: Fraction
    qty: int
    source: str
    time: int
    place: tuple

    def of(self, raw: int) -> int:
        """The value of a raw quantity in nano-dollars."""
        return round(Fraction(raw) * self.value / self.qty)

    @property
    def per_raw(self) -> Fraction:
        """Nano-dollars of one smallest unit, exact."""
        return self.value / self.qty


class Prices:
    """Every price the ledger can see: candles and snapshots of the tape, ticks of its swaps."""

    def __init__(self, tape: Tape, ledger: Ledger, axes: Axes) -> None:
        self._ledger = ledger
        self._axes = axes
        self._series: dict[tuple, dict[int, tuple[str, Fraction]]] = defaultdict(dict)
        self._ticks: dict[AssetKey, list[tuple[tuple, Quote]]] = defaultdict(list)
        self._read_series(tape)
        self._read_ticks()

    def cash(self, chain: str, address: str, raw: int, time: int) -> tuple[int | None, str | None]:
        """Value in nano-dollars of an amount of cash, and its price source."""
        asset = self._ledger.asset(chain, address)
        units = Fraction(raw, 10**asset.decimals)
        if asset.role == "stable":
            return nano(units), self._axes.stable_usd
        candle = self.candle((chain, address), time)
        if candle is None:
            return None, None
        source, price = candle
        return nano(units * price), f"{self._axes.sol_usd}:{source}"

    def cash_now(self, chain: str, address: str) -> Fraction | None:
        """Dollars of a whole unit of cash at as_of: par, or the newest row of any resolution."""
        if self._ledger.asset(chain, address).role == "stable":
            return Fraction(1)
        newest: tuple[int, Fraction] | None = None
        for resolution in ("snapshot", "hour", "minute"):
            series = self._series[chain, address, resolution]
            if series and (newest is None or max(series) >= newest[0]):
                newest = (max(series), series[max(series)][1])
        if newest is None or self._ledger.as_of - newest[0] > self._axes.price_now_age_s:
            return None
        return newest[1]

    def candle(self, asset: AssetKey, time: int) -> tuple[str, Fraction] | None:
        """Source and close under the method's SOL rule (METHODS 2); one never falls to another."""
        return {"minute": self._minute, "hour": self._hour}[self._axes.sol_usd](asset, time)

    def _hour(self, asset: AssetKey, time: int) -> tuple[str, Fraction] | None:
        """The latest point at or before ``time`` in its hour, else the hour's first."""
        series = self._series[(*asset, "hour")]
        points = sorted(at for at in series if at // HOUR == time // HOUR)
        if not points:
            return None
        return series[max((at for at in points if at <= time), default=points[0])]

    def _minute(self, asset: AssetKey, time: int) -> tuple[str, Fraction] | None:
        """The close of the minute that contains ``time``, else of the latest of five before."""
        series = self._series[(*asset, "minute")]
        minute = time - time % 60
        return next(
            (
                series[minute - 60 * back]
                for back in range(FALLBACK_MINUTES + 1)
                if minute - 60 * back in series
            ),
            None,
        )

    def tick_before(self, asset: AssetKey, movement: Movement) -> Quote | None:
        """The latest tick strictly before a movement's transaction, at most 900 s old."""
        ticks = self._ticks[asset]
        index = bisect_left(ticks, movement.place, key=lambda tick: tick[0][: len(movement.place)])
        if index == 0:
            return None
        quote = ticks[index - 1][1]
        return quote if movement.time - quote.time <= self._axes.tick_age_s else None

    def now(self, asset: AssetKey) -> Quote | None:
        """The newer of the last tick and the newest snapshot, a tie to the snapshot."""
        candidates = [quote for _, quote in self._ticks[asset][-1:]]
        snapshots = self._series[(*asset, "snapshot")]
        if snapshots:
            newest = max(snapshots)
            source, price = snapshots[newest]
            unit = 10 ** self._ledger.asset(*asset).decimals
            candidates.insert(0, Quote(price * NANO, unit, source, newest, ()))
        if not candidates:
            return None
        quote = max(candidates, key=lambda q: q.time)  # the first of equals: the snapshot
        return quote if self._ledger.as_of - quote.time <= self._axes.price_now_age_s else None

    def _read_series(self, tape: Tape) -> None:
        for row in tape.prices:
            at = epoch(row["time"])
            if at > self._ledger.as_of:
                continue
            series = self._series[row["chain"], row["address"], row["resolution"]]
            entry = (row["source"], Fraction(row["price_usd"]))
            # Several sources fill one series in alphabetical order (METHODS 2).
            series[at] = min(series.get(at, entry), entry)

    def _read_ticks(self) -> None:
        for movement in self._ledger.movements:
            found = self._tick(movement)
            if found is not None:
                asset, quote = found
                insort(self._ticks[asset], (movement.order, quote), key=lambda tick: tick[0])

    def _tick(self, movement: Movement) -> tuple[AssetKey, Quote] | None:
        """A swap of a token against cash by any wallet, unless under $0.01 (METHODS 2)."""
        if movement.kind != "swap" or movement.wallet is None:
            return None
        sent = self._ledger.asset(movement.chain, movement.sent_asset)
        received = self._ledger.asset(movement.chain, movement.received_asset)
        if sent.is_cash == received.is_cash:
            return None
        cash, cash_raw = movement.sent_asset, movement.sent_raw
        token, token_raw = movement.received_asset, movement.received_raw
        if received.is_cash:
            cash, cash_raw, token, token_raw = token, token_raw, cash, cash_raw
        value, _ = self.cash(movement.chain, cash, cash_raw, movement.time)
        if value is None or value < nano(self._axes.tick_from_usd):
            return None
        source = f"tick:{movement.tx_id}"
        quote = Quote(Fraction(value), token_raw, source, movement.time, movement.place)
        return (movement.chain, token), quote
