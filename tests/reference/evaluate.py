"""The one door of the evaluator: a tape and a moment in, every table of CONTRACTS 2 out."""

from __future__ import annotations

from tests.reference import figures
from tests.reference.axes import MOVING_AVERAGE, Axes
from tests.reference.figures import Evaluation, Table
from tests.reference.ledger import read_ledger
from tests.reference.prices import Prices
from tests.reference.replay import replay
from tests.reference.tape import Tape
from tests.reference.trades import value_trades


def evaluate(tape: Tape, as_of: int, axes: Axes = MOVING_AVERAGE) -> dict[str, Table]:
    """Compute every table as of epoch second ``as_of``.

    Amounts in whole units and dollars are Decimals, ratios floats, times epoch seconds.
    """
    ledger = read_ledger(tape, as_of)
    prices = Prices(tape, ledger, axes)
    trades = value_trades(ledger, prices, axes)
    positions = replay(ledger, trades, prices, axes)
    ev = Evaluation(tape, ledger, axes, prices, trades, positions)
    tracked = figures.tracked_since(ev)
    views = [view for owner in sorted(tracked) for view in figures.windows_of(ev, owner)]
    wallets = [figures.wallet_pnl_row(view) for view in views]
    eligibility = [
        row for view in views for row in figures.eligibility_rows(view, tracked[view.owner])
    ]
    return {
        "movements": figures.movements_table(ev),
        "trades": [
            row for row in figures.trades_table(ev) if (row["chain"], row["wallet"]) in tracked
        ],
        "lots": [],  # an average has no lots
        "fills": figures.fills_table(ev, tracked),
        "positions": figures.positions_table(ev, tracked),
        "closed_trades": figures.closed_trades_table(ev, tracked),
        "wallet_token_pnl": [row for view in views for row in figures.wallet_token_rows(view)],
        "wallet_pnl": wallets,
        "eligibility": eligibility,
        "leaderboard": figures.leaderboard_table(wallets, eligibility),
        "unexplained": figures.unexplained_table(ev),
    }
