"""What rests on FIFO lots: confidence, bots, score and coverage (METHODS 3.3, 3.4, 6)."""

from __future__ import annotations

import math
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.reference import figures
from tests.reference.axes import DAY
from tests.reference.figures import Evaluation, Table, WindowOf, usd
from tests.reference.ledger import COSTS, AssetKey, Movement, Owner, epoch
from tests.reference.replay import Fill, sum_of_known
from tests.reference.trades import Trade, is_trade

LEVELS = ("high", "medium", "low")
SCORED_WINDOW = "30d"
MOST_TRANSACTIONS_A_DAY = 150
QUICK_S = 20
FEWEST_QUICK_SELLS = 10


def wallet_token_rows(view: WindowOf) -> Table:
    """The replayed rows with native results and what was sold at unknown cost."""
    rows = figures.wallet_token_rows(view)
    for row in rows:
        fills = [f for f in view.fills if f.trade.token == (row["chain"], row["token"])]
        if view.ev.axes.unit == "native_and_usd":
            row["realized_native"] = view.ev.native_units(row["chain"], _realized_native(fills))
        row["sold_unknown_cost_usd"] = usd(_sold_unknown(fills))
    return rows


def wallet_columns(view: WindowOf) -> dict[str, Any]:
    """Win rate by axis `win_unit` and the measures that the criteria look at."""
    results = {"token_sold_native": _native_results, "token_complete": _complete_results}
    measures = {"score": _trader_measures, "coverage": _coverage_measure}
    axes = view.ev.axes
    return {
        **figures.win_columns(results[axes.win_unit](view)),
        "sold_unknown_cost_usd": usd(_sold_unknown(view.fills)),
        **measures[axes.criteria](view),
    }


def parts_table(ev: Evaluation, owners: list[Owner], part: str) -> Table:
    """PnL by venue or by source of the trades in a window, kept apart (METHODS 3.4)."""
    rows = []
    for view in (view for owner in owners for view in figures.windows_of(ev, owner)):
        names = {getattr(t.movement, part) for t in view.trades}
        for name in sorted(names, key=str):
            fills = [f for f in view.fills if getattr(f.trade.movement, part) == name]
            trades = [t for t in view.counted_trades if getattr(t.movement, part) == name]
            rows.append(
                {
                    **figures.wallet_keys(view),
                    part: name,
                    "realized_usd": usd(figures.realized_of(fills, ev.axes)),
                    "sells": sum(t.side == "sell" for t in trades),
                    "volume_usd": usd(sum(t.value or 0 for t in trades)),
                }
            )
    return rows


def trader_criteria(view: WindowOf, row: dict[str, Any]) -> Table:
    """METHODS 3.3, Eligible: thirty days, with the wallet's value where it is a number."""
    if view.window != SCORED_WINDOW:
        return []
    ev = view.ev
    since = ev.ledger.as_of - 7 * DAY
    last_7d = sum(t.time > since for t in view.counted_trades)
    share, roi = row["known_cost_share"], row["roi_pct"]
    realized = row["realized_usd"]
    tokens = row["tokens_with_known_cost"]
    return [
        _criterion(view, "sells", row["sells"], 10, row["sells"] >= 10),
        _criterion(view, "tokens_with_known_cost", tokens, 5, tokens >= 5),
        _criterion(view, "trades_last_7d", last_7d, 1, last_7d >= 1),
        _criterion(
            view,
            "known_cost_share",
            share,
            0.75,
            share is not None and _known_cost_share(view) >= Fraction(3, 4),
        ),
        _criterion(view, "realized_usd", realized, 100, realized is not None and realized >= 100),
        _criterion(view, "roi_pct", roi, 0, roi is not None and roi > 0),
        {**_keys(view, "confidence"), "passed": row["confidence"] != "low"},
        {**_keys(view, "not_a_bot"), "passed": not row["is_bot"]},
    ]


def coverage_criteria(view: WindowOf, row: dict[str, Any]) -> Table:
    """Ranked only at coverage of at least 95 % (METHODS 3.4)."""
    share = row["coverage"]
    passed = share is not None and _coverage(view) >= Fraction(95, 100)
    return [_criterion(view, "coverage", share, 0.95, passed)]


def score(row: dict[str, Any], criteria: Table) -> float | None:
    """METHODS 3.3, Score; null for the ineligible and outside its window."""
    if not criteria or not all(criterion["passed"] for criterion in criteria):
        return None
    if row["win_rate"] is None:  # no token's native result is known
        return None
    profit = _clamp(math.log10(row["realized_usd"] / 100) / 3)
    roi = _clamp(row["roi_pct"] / 100 / 2)
    diversity = _clamp(row["tokens_with_known_cost"] / 20)
    points = 0.35 * profit + 0.25 * roi + 0.25 * row["win_rate"] + 0.15 * diversity
    return 100 * points * (0.85 if row["confidence"] == "medium" else 1)


def add_filters(rows: Table) -> None:
    """`stable`, `high_profit`, `active` on every window's row; the unknown passes no filter."""
    by_window = {row["window"]: row for row in rows}

    def above(window: str, least: int) -> bool:
        realized = by_window[window]["realized_usd"]
        return realized is not None and (realized >= least if least else realized > 0)

    stable = all(above(window, 0) for window in ("7d", "30d", "90d"))
    high_profit = above("30d", 1_000)
    for row in rows:
        row["stable"], row["high_profit"] = stable, high_profit


# --- measures of fifo_net's criteria -------------------------------------------------------------


def _trader_measures(view: WindowOf) -> dict[str, Any]:
    ev, chain = view.ev, view.owner[0]
    realized = figures.realized_of(view.fills, ev.axes)
    cost = figures.cost_of_sold(view.fills, ev.axes)
    share = _known_cost_share(view)
    confidence, reasons = _confidence(view)
    bot_reasons = _bot_reasons(view)
    deposit = COSTS.index("deposit")
    deposits = [m.costs[deposit] for m in view.movements if m.kind != "failed"]
    failed = [m.costs[0] for m in view.movements if m.kind == "failed"]
    day_ago = ev.ledger.as_of - DAY
    return {
        "realized_native": ev.native_units(chain, _realized_native(view.fills)),
        "roi_pct": float(Fraction(realized, cost) * 100) if realized is not None and cost else None,
        "tokens_with_known_cost": _tokens_with_known_cost(view),
        "known_cost_share": None if share is None else float(share),
        "confidence": confidence,
        "confidence_reasons": reasons,
        "is_bot": bool(bot_reasons),
        "bot_reasons": bot_reasons,
        "score": None,
        "active": any(t.time > day_ago and not t.is_dust for t in view.trades),
        "deposits_native": ev.native_units(chain, sum(deposits)),
        "failed_fees_native": ev.native_units(chain, sum(failed)),
    }


def _fills_by_token(view: WindowOf) -> dict[AssetKey, list[Fill]]:
    found: dict[AssetKey, list[Fill]] = defaultdict(list)
    for fill in view.fills:
        found[fill.trade.token].append(fill)
    return found


def _tokens_with_known_cost(view: WindowOf) -> int:
    """Tokens with every unit sold in the period of known cost (METHODS 6, fifo_net)."""
    return sum(all(f.cost_known for f in fills) for fills in _fills_by_token(view).values())


def _native_results(view: WindowOf) -> list[int]:
    """Per token with a known-cost fill, its summed native result."""
    known = [
        [f.realized_native for f in fills if f.cost_known and f.realized_native is not None]
        for fills in _fills_by_token(view).values()
    ]
    return [sum(results) for results in known if results]


def _complete_results(view: WindowOf) -> list[int]:
    """Per token whose every sale in the window has proceeds and cost known."""
    axes = view.ev.axes
    return [
        sum(f.realized for f in fills)
        for fills in _fills_by_token(view).values()
        if all(figures.is_known(f, axes) for f in fills)
    ]


def _realized_native(fills: list[Fill]) -> int | None:
    return sum_of_known([f.realized_native if f.cost_known else None for f in fills])


def _sold_unknown(fills: list[Fill]) -> int | None:
    return sum_of_known([f.proceeds for f in fills if not f.cost_known])


def _known_cost_share(view: WindowOf) -> Fraction | None:
    """Proceeds with known cost ÷ all proceeds, in dollars over priced net proceeds."""
    priced = [f for f in view.fills if f.proceeds is not None]
    whole = sum(f.proceeds for f in priced)
    return Fraction(sum(f.proceeds for f in priced if f.cost_known), whole) if whole else None


def _confidence(view: WindowOf) -> tuple[str, str]:
    """The worst level and the reasons below high, by name (METHODS 3.3, Confidence)."""
    sells = sum(t.side == "sell" for t in view.counted_trades)
    share = _known_cost_share(view)
    uninterpreted = _uninterpreted_share(view)
    levels = {
        "history": _history_level(view),
        "known_cost_share": 0
        if share is None
        else _level(share < Fraction(95, 100), share < Fraction(75, 100)),
        "uninterpreted": _level(
            uninterpreted >= Fraction(5, 100), uninterpreted >= Fraction(20, 100)
        ),
        "sells": _level(sells < 20, sells < 5),
        "missing_native_price": _level(
            any(t.net is None or t.net_native is None for t in view.trades), False
        ),
        "token_for_token": _level(any(_is_token_for_token(view, m) for m in view.movements), False),
    }
    reasons = sorted(name for name, level in levels.items() if level)
    return LEVELS[max(levels.values())], ",".join(reasons)


def _level(is_medium: bool, is_low: bool) -> int:
    return 2 if is_low else int(is_medium)


def _history_level(view: WindowOf) -> int:
    """How much of the window a truncated history reaches; exactly half is medium (METHODS 6)."""
    ev = view.ev
    row = next(
        (r for r in ev.tape.wallets or [] if (r["chain"], r["address"]) == view.owner),
        {},
    )
    if not row.get("history_truncated"):
        return 0
    if row.get("history_from") is None:
        return 2
    if view.start is None:
        return 1
    begins = epoch(row["history_from"])
    if begins <= view.start:
        return 0
    covered = Fraction(ev.ledger.as_of - begins, ev.ledger.as_of - view.start)
    return _level(True, covered < Fraction(1, 2))


def _uninterpreted_share(view: WindowOf) -> Fraction:
    activity = {m.tx_id for m in view.movements if m.kind not in ("failed", "none")}
    unclear = {
        m.tx_id
        for m in view.movements
        if m.kind in ("ambiguous", "unfetched") or (m.kind == "swap" and not m.recognised_venue)
    }
    return Fraction(len(unclear), len(activity)) if activity else Fraction(0)


def _is_token_for_token(view: WindowOf, movement: Movement) -> bool:
    if movement.kind != "swap":
        return False
    sides = (movement.sent_asset, movement.received_asset)
    return not any(view.ev.ledger.asset(movement.chain, side).is_cash for side in sides)


def _bot_reasons(view: WindowOf) -> str:
    """Why a wallet looks like a bot in a window (METHODS 3.3, Bots)."""
    transactions = {m.tx_id for m in view.movements}
    days = {m.time // DAY for m in view.movements}
    sells = [t for t in view.trades if t.side == "sell"]
    quick = sum(_is_quick(view.ev, sale) for sale in sells)
    found = {
        "transactions_per_day": len(transactions) > MOST_TRANSACTIONS_A_DAY * len(days),
        "quick_sells": quick >= FEWEST_QUICK_SELLS and 2 * quick >= len(sells),
        "failed_transactions": 2 * len(view.transactions("failed")) > len(transactions),
    }
    return ",".join(sorted(name for name, is_so in found.items() if is_so))


def _is_quick(ev: Evaluation, sale: Trade) -> bool:
    """A purchase of the token earlier in order and at most 20 s before."""
    return any(
        trade.side == "buy"
        and (trade.movement.order, trade.leg) < (sale.movement.order, sale.leg)
        and sale.time - trade.time <= QUICK_S
        for trade in ev.trades_of[sale.owner, sale.token]
    )


# --- fifo_coverage -------------------------------------------------------------------------------


def _coverage_measure(view: WindowOf) -> dict[str, Any]:
    share = _coverage(view)
    return {"coverage": None if share is None else math.floor(share * 10_000) / 10_000}


def _coverage(view: WindowOf) -> Fraction | None:
    """Swaps with all they need ÷ transactions that are or may be trades (METHODS 3.4, 6)."""
    swaps: dict[str, list[Movement]] = defaultdict(list)
    for movement in view.movements:
        if movement.kind == "swap" and not _is_conversion(view, movement):
            swaps[movement.tx_id].append(movement)
    unfetched = view.transactions("unfetched")
    whole = set(swaps) | unfetched
    trades: dict[Movement, list[Trade]] = defaultdict(list)
    for trade in view.trades:
        trades[trade.movement].append(trade)
    fills: dict[int, list[Fill]] = defaultdict(list)
    for fill in view.fills:
        fills[id(fill.trade)].append(fill)

    def holds(movement: Movement) -> bool:
        return is_trade(movement, view.ev.ledger, view.ev.axes) and all(
            t.value is not None and all(f.cost_known for f in fills[id(t)])
            for t in trades[movement]
        )

    covered = [tx for tx in set(swaps) - unfetched if all(map(holds, swaps[tx]))]
    return Fraction(len(covered), len(whole)) if whole else None


def _is_conversion(view: WindowOf, movement: Movement) -> bool:
    sides = (movement.sent_asset, movement.received_asset)
    return all(view.ev.ledger.asset(movement.chain, side).is_cash for side in sides)


def _criterion(view: WindowOf, name: str, value: Any, threshold: Any, passed: bool) -> dict:
    shown = float(value) if isinstance(value, int | Decimal) else value
    return {**_keys(view, name), "value": shown, "threshold": float(threshold), "passed": passed}


def _keys(view: WindowOf, criterion: str) -> dict[str, Any]:
    return {**figures.wallet_keys(view), "criterion": criterion}


def _clamp(share: float) -> float:
    return min(1.0, max(0.0, float(share)))
