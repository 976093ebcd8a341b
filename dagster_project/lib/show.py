"""What the terminal sees: progress, summaries and tables that fit its width.

Names and addresses come from strangers, so every cell is a `Text`, never markup, and control and
direction characters are made visible.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dagster_project.lib.outcome import BuildError, BuildSummary, counts
from dagster_project.lib.warehouse import opened
from dagster_project.settings import DataFolder
from ingest.errors import InputError

LOGGER = "tradebasis"
# Wide enough for a table whose addresses are whole; narrower terminals see their two ends.
WHOLE_ADDRESS_WIDTH = 150
ADDRESS_ENDS = (6, 4)
CENT = Decimal("0.01")
# A fault of the setting fails many models alike; more than these tell nothing new.
SHOWN_FAILURES = 3

LEADERBOARD = """
    select rank, chain, wallet, realized_usd, win_rate, closed_trades, volume_usd, tokens_traded
    from leaderboard
    where method = $method and "window" = $window and board = 'realized'
    order by place
"""
NOT_RANKED = """
    with failed as (
        select
            chain,
            wallet,
            count(*) as criteria,
            list((criterion, value, comparison, threshold) order by criterion) as reasons
        from eligibility
        where method = $method and "window" = $window and not passed
        group by chain, wallet
    )
    select failed.chain, failed.wallet, pnl.realized_usd, pnl.volume_usd, failed.reasons
    from failed
    inner join wallet_pnl as pnl
        on failed.chain = pnl.chain
        and failed.wallet = pnl.wallet
        and pnl.method = $method
        and pnl."window" = $window
    order by failed.criteria, pnl.volume_usd desc nulls last, failed.chain, failed.wallet
"""


def visible(value: object) -> Text:
    """Make a value safe to print: no markup, and nothing that moves the cursor or the text."""
    text = "" if value is None else str(value)
    return Text("".join(c if c.isprintable() else repr(c)[1:-1] for c in text))


def usd(value: Decimal | None) -> Text:
    """Dollars with cents, floored as `measure` does; a dash for what is not known."""
    if value is None:
        return Text("-", style="dim")
    value = value.quantize(CENT, rounding=ROUND_FLOOR)
    amount = f"{abs(value):,}"
    return Text(f"-${amount}", style="red") if value < 0 else Text(f"${amount}")


def share(value: float | None) -> Text:
    """A ratio as a percentage with two places, floored so that it never looks better than it is."""
    if value is None:
        return Text("-", style="dim")
    floored = (Decimal(str(value)) * 100).quantize(Decimal("0.01"), rounding=ROUND_FLOOR)
    return Text(f"{floored} %")


def measure(criterion: str, value: Decimal | float | None) -> str:
    """A criterion's value or threshold: dollars floored to cents, anything else as it is."""
    if value is None:
        return "unknown"
    exact = Decimal(str(value))
    if criterion.endswith("_usd"):
        return f"${exact.quantize(CENT, rounding=ROUND_FLOOR):,}"
    text = f"{exact:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


class _Reporter(logging.Handler):
    """Prints the program's messages; on a terminal the last one stands beside a spinner."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.INFO)
        self.console = console
        self.status = console.status("Starting") if console.is_terminal else None

    def emit(self, record: logging.LogRecord) -> None:
        message = visible(record.getMessage())
        if self.status is not None:
            self.status.update(message)
        self.console.print(message, soft_wrap=True)


@contextmanager
def progress(console: Console) -> Iterator[None]:
    """Show what the program is doing for the length of a `with` block."""
    reporter = _Reporter(console)
    logger = logging.getLogger(LOGGER)
    before = logger.level, logger.propagate
    logger.addHandler(reporter)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        if reporter.status is None:
            yield
        else:
            with reporter.status:
                yield
    finally:
        logger.removeHandler(reporter)
        logger.setLevel(before[0])
        logger.propagate = before[1]


def summary(console: Console, built: BuildSummary, seconds: float) -> None:
    """Print what a build made."""
    lines = {
        "as of": f"{built.as_of:%Y-%m-%d %H:%M:%S} UTC",
        "rows": counts(built.tables),
        "movements": counts(built.movements),
        "rejected": counts(built.rejects),
        "unexplained": counts(built.unexplained),
        "data tests": f"{built.tests_passed} passed",
        "took": f"{seconds:.1f} s",
    }
    _print_lines(console, lines)


def places(console: Console, data: DataFolder) -> None:
    """Print where the published warehouse is."""
    _print_lines(console, {"database": data.database, "exports": data.exports})


def _print_lines(console: Console, lines: Mapping[str, object]) -> None:
    for name, value in lines.items():
        # A path that is cut in two can't be copied, so nothing here is wrapped.
        console.print(Text(f"{name:<12}", style="bold") + visible(value), soft_wrap=True)


def failures(console: Console, error: BuildError) -> None:
    """Print what failed in a build, with the rows that failing tests found."""
    for failure in error.failures[:SHOWN_FAILURES]:
        console.print(visible(f"{failure.kind} {failure.name}: {failure.message}"), soft_wrap=True)
        if failure.rows:
            table = Table(pad_edge=False)
            for column in failure.columns:
                table.add_column(visible(column))
            for row in failure.rows:
                table.add_row(*[visible(cell) for cell in row])
            console.print(table)
    if (more := len(error.failures) - SHOWN_FAILURES) > 0:
        console.print(f"and {more:,} more")


def leaderboard(console: Console, database: Path, *, method: str, window: str, limit: int) -> None:
    """Print a published leaderboard and, below it, who is not ranked and why.

    Args:
        console: Where to print.
        database: The published warehouse.
        method: A method's id.
        window: One of that method's windows.
        limit: At most so many rows of each table.

    Raises:
        InputError: Nothing is published, or the method or window is not in it.
    """
    if not database.exists():
        raise InputError(f"nothing is published at {database}; run `tradebasis build` first")
    chosen = {"method": method, "window": window}
    with opened(database) as connection:
        _check_choice(connection, chosen)
        ranked = connection.execute(LEADERBOARD, chosen).fetchall()
        left_out = connection.execute(NOT_RANKED, chosen).fetchall()
    title = f"Leaderboard · {method} · {window}"
    _print_limited(console, _ranked_table(console, title, ranked[:limit]), ranked, limit)
    if left_out:
        table = _left_out_table(console, f"Not ranked · {window}", left_out[:limit])
        _print_limited(console, table, left_out, limit)


def _check_choice(connection: duckdb.DuckDBPyConnection, chosen: dict[str, str]) -> None:
    known = connection.execute(
        'select distinct method, "window" from wallet_pnl order by method, "window"'
    ).fetchall()
    if known and (chosen["method"], chosen["window"]) not in known:
        offered = "; ".join(f"{method} {window}" for method, window in known)
        raise InputError(
            f"no figures for method {chosen['method']} and window {chosen['window']}; "
            f"published are: {offered}"
        )


def _ranked_table(console: Console, title: str, rows: Sequence[tuple]) -> Table:
    chains = len({chain for _, chain, *_ in rows}) > 1
    table = _table(title, ranked=True, chains=chains)
    for name in ("realized", "win rate", "closed", "volume", "tokens"):
        table.add_column(name, justify="right", no_wrap=True)
    for rank, chain, wallet, realized, win_rate, closed, volume, tokens in rows:
        table.add_row(
            str(rank),
            *([visible(chain)] if chains else []),
            _address(console, wallet),
            usd(realized),
            share(win_rate),
            f"{closed:,}",
            usd(volume),
            f"{tokens:,}",
        )
    return table


def _left_out_table(console: Console, title: str, rows: Sequence[tuple]) -> Table:
    chains = len({chain for chain, *_ in rows}) > 1
    table = _table(title, ranked=False, chains=chains)
    table.add_column("realized", justify="right", no_wrap=True)
    table.add_column("volume", justify="right", no_wrap=True)
    table.add_column("because", overflow="fold")
    for chain, wallet, realized, volume, reasons in rows:
        because = ", ".join(_reason(*reason) for reason in reasons)
        table.add_row(
            *([visible(chain)] if chains else []),
            _address(console, wallet),
            usd(realized),
            usd(volume),
            visible(because),
        )
    return table


def _reason(criterion: str, value: object, comparison: str, threshold: object) -> str:
    missed = {"at_least": "<", "at_most": ">"}[comparison]
    return f"{criterion} {measure(criterion, value)} {missed} {measure(criterion, threshold)}"


def _table(title: str, *, ranked: bool, chains: bool) -> Table:
    table = Table(title=visible(title), title_justify="left")
    if ranked:
        table.add_column("rank", justify="right", no_wrap=True)
    # One chain in every row tells nothing and takes the room of figures.
    if chains:
        table.add_column("chain", no_wrap=True)
    table.add_column("wallet", no_wrap=True)
    return table


def _address(console: Console, address: str) -> Text:
    head, tail = ADDRESS_ENDS
    if console.width < WHOLE_ADDRESS_WIDTH and len(address) > head + tail + 1:
        address = f"{address[:head]}…{address[-tail:]}"
    return visible(address)


def _print_limited(console: Console, table: Table, rows: Sequence, limit: int) -> None:
    console.print(table)
    if not rows:
        console.print("nobody\n")
    elif len(rows) > limit:
        console.print(f"and {len(rows) - limit:,} more\n")
