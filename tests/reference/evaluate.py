"""The one door of the evaluator: a tape and a moment in, every table of CONTRACTS 2 out."""

from __future__ import annotations

from tests.reference import fifo, figures, indexed, window
from tests.reference.axes import METHODS, MOVING_AVERAGE, Axes
from tests.reference.consensus import consensus_table
from tests.reference.figures import Evaluation, Table
from tests.reference.ledger import read_ledger
from tests.reference.pools import Market
from tests.reference.positions import replay
from tests.reference.prices import Prices
from tests.reference.tape import Tape
from tests.reference.trades import value_trades

# What makes the rows of a basis, scope and rule for the unpriced: the one place that asks for them.
TOKEN_ROWS = {
    ("moving_average", "all", "estimated"): figures.wallet_token_rows,
    ("fifo", "all", "unknown_cost"): fifo.wallet_token_rows,
    ("aggregate_average", "all", "units_only"): indexed.wallet_token_rows,
    ("aggregate_average", "window", "unknown"): window.wallet_token_rows,
}
WALLET_COLUMNS = {
    ("moving_average", "all", "estimated"): (
        figures.replayed_columns,
        figures.closed_trade_columns,
    ),
    ("fifo", "all", "unknown_cost"): (figures.replayed_columns, fifo.wallet_columns),
    ("aggregate_average", "all", "units_only"): (indexed.wallet_columns,),
    ("aggregate_average", "window", "unknown"): (window.wallet_columns,),
}
CRITERIA = {
    "none": lambda _view, _row, _since: [],
    "minimums": lambda view, _row, since: figures.eligibility_rows(view, since),
    "score": lambda view, row, _since: fifo.trader_criteria(view, row),
    "coverage": lambda view, row, _since: fifo.coverage_criteria(view, row),
}


def evaluate(tape: Tape, as_of: int, axes: Axes = MOVING_AVERAGE) -> dict[str, Table]:
    """Compute every table of one method as of epoch second ``as_of``.

    Amounts in whole units and dollars are Decimals, ratios floats, times epoch seconds.
    """
    ledger = read_ledger(tape, as_of)
    prices = Prices(tape, ledger, axes)
    trades = value_trades(ledger, prices, axes)
    positions = replay(ledger, trades, prices, axes)
    market = Market(tape, ledger, prices, trades, axes)
    ev = Evaluation(tape, ledger, axes, prices, trades, positions, market)
    tracked = figures.tracked_since(ev)
    shape = (axes.basis, axes.scope, axes.unpriced)
    wallets, eligibility, tokens = [], [], []
    for owner in sorted(tracked):
        views = figures.windows_of(ev, owner)
        rows = [
            {
                **figures.wallet_keys(view),
                **figures.ledger_counts(view),
                **{k: v for part in WALLET_COLUMNS[shape] for k, v in part(view).items()},
            }
            for view in views
        ]
        if axes.criteria == "score":
            fifo.add_filters(rows)
        for view, row in zip(views, rows, strict=True):
            criteria = CRITERIA[axes.criteria](view, row, tracked[owner])
            if axes.criteria == "score":
                row["score"] = fifo.score(row, criteria)
            eligibility += criteria
            tokens += TOKEN_ROWS[shape](view)
        wallets += rows
    tables = {
        "movements": figures.movements_table(ev),
        "trades": [
            row for row in figures.trades_table(ev) if (row["chain"], row["wallet"]) in tracked
        ],
        "lots": figures.lots_table(ev, tracked),
        "fills": figures.fills_table(ev, tracked),
        "closed_trades": figures.closed_trades_table(ev, tracked),
        "wallet_token_pnl": tokens,
        "wallet_pnl": wallets,
        "eligibility": eligibility,
        "leaderboard": figures.leaderboard_table(wallets, eligibility, axes),
        "unexplained": figures.unexplained_table(ev),
    }
    if axes.basis != "aggregate_average":
        tables["positions"] = figures.positions_table(ev, tracked)
    if axes.criteria == "coverage":
        tables["venue_pnl"] = fifo.parts_table(ev, sorted(tracked), "venue")
        tables["source_pnl"] = fifo.parts_table(ev, sorted(tracked), "source")
    if axes.scope == "window":
        tables["token_traders"] = window.token_traders_table(tokens)
    return tables


def evaluate_all(
    tape: Tape, as_of: int, methods: tuple[Axes, ...] = METHODS
) -> dict[str, dict[str, Table]]:
    """Every method's tables by its name, and under ``""`` those that compare the methods."""
    found = {axes.method: evaluate(tape, as_of, axes) for axes in methods}
    rows = [(axes, found[axes.method]["wallet_pnl"]) for axes in methods]
    return {**found, "": {"consensus": consensus_table(rows)}}
