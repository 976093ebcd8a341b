import io
import logging
from decimal import Decimal

import duckdb
import pytest
from rich.console import Console

from dagster_project.lib import show
from dagster_project.lib.dbt import Failure
from dagster_project.lib.outcome import BuildError
from ingest.errors import InputError

HOSTILE = "[red]\x1b[31mPWN\u202e\n[/red]"


def console(width: int = 100) -> Console:
    return Console(file=io.StringIO(), width=width)


def printed(target: Console) -> str:
    return target.file.getvalue()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (Decimal("1234.569"), "$1,234.56"),
        (Decimal("-0.505"), "-$0.51"),
        (Decimal("0"), "$0.00"),
    ],
)
def test_dollars(value, text):
    assert show.usd(value).plain == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (2 / 3, "66.66 %"), (0.99999, "99.99 %"), (1.0, "100.00 %")]
)
def test_shares_are_floored(value, text):
    assert show.share(value).plain == text


@pytest.mark.parametrize(
    ("criterion", "value", "text"),
    [
        ("wash_share", None, "unknown"),
        ("closed_trades", Decimal("25000.000000000"), "25,000"),
        ("wash_share", 0.2, "0.2"),
        ("wash_share", 1e-7, "0.0000001"),
        ("volume_usd", Decimal("24999.999999999"), "$24,999.99"),
    ],
)
def test_a_missed_threshold_never_looks_reached(criterion, value, text):
    assert show.measure(criterion, value) == text


def test_hostile_text_is_made_visible():
    assert show.visible(HOSTILE).plain == "[red]\\x1b[31mPWN\\u202e\\n[/red]"


def test_failing_rows_are_printed_as_they_stand():
    target = console()
    failure = Failure("no_such", "test", "Got 1 result", ("name", "[b]"), ((HOSTILE, "2"),))
    show.failures(target, BuildError("failed", [failure]))
    text = printed(target)
    assert "test no_such: Got 1 result" in text
    assert "[red]\\x1b[31mPWN" in text
    assert "[b]" in text
    assert "\x1b" not in text


def test_a_fault_of_every_model_is_told_by_the_first():
    target = console()
    failures = [Failure(f"model_{i}", "model", "no file", (), ()) for i in range(15)]
    show.failures(target, BuildError("failed", failures))
    lines = printed(target).splitlines()
    assert lines == [*(f"model model_{i}: no file" for i in range(3)), "and 12 more"]


def test_messages_are_plain_lines_where_there_is_no_terminal():
    target = console()
    with show.progress(target):
        logging.getLogger("tradebasis").info("Reading %s", HOSTILE)
    logging.getLogger("tradebasis").info("nobody listens any more")
    assert printed(target) == "Reading [red]\\x1b[31mPWN\\u202e\\n[/red]\n"


WALLETS = {
    "winner": "W1nner1111111111111111111111111111111111111",
    "loser": "L0ser11111111111111111111111111111111111111",
}


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "tradebasis.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("""
            create table wallet_pnl (
                method varchar, "window" varchar, chain varchar, wallet varchar,
                realized_usd decimal(38, 9), volume_usd decimal(38, 9)
            );
            create table leaderboard (
                method varchar, board varchar, "window" varchar, rank int, place int, chain varchar,
                wallet varchar, realized_usd decimal(38, 9), win_rate double,
                closed_trades bigint, volume_usd decimal(38, 9), tokens_traded bigint
            );
            create table eligibility (
                method varchar, "window" varchar, chain varchar, wallet varchar,
                criterion varchar, value decimal(38, 9), comparison varchar,
                threshold decimal(38, 9), passed boolean
            );
        """)
        winner, loser = WALLETS["winner"], WALLETS["loser"]
        connection.executemany(
            "insert into wallet_pnl values ('m', '30d', 'solana', ?, ?, ?)",
            [(winner, "1234.5", "50000"), (loser, "-7", "100")],
        )
        connection.execute(
            "insert into leaderboard values "
            "('m', 'realized', '30d', 1, 1, 'solana', ?, 1234.5, 0.755555, 21, 50000, 6)",
            [winner],
        )
        connection.executemany(
            "insert into eligibility values ('m', '30d', 'solana', ?, ?, ?, 'at_least', ?, ?)",
            [
                (winner, "volume_usd", "50000", "25000", True),
                (loser, "volume_usd", "100", "25000", False),
                (loser, "closed_trades", "1", "20", False),
                (loser, "tokens_traded", "5", "5", True),
            ],
        )
    return path


def show_board(database, width=100, window="30d", limit=20) -> str:
    target = console(width)
    show.leaderboard(target, database, method="m", window=window, limit=limit)
    return printed(target)


def test_a_leaderboard_says_who_is_ranked_and_why_others_are_not(database):
    ranked, left_out = show_board(database, width=149).split("Not ranked")
    assert "W1nner…1111" in ranked
    for cell in ("$1,234.50", "75.55 %", "$50,000.00", "21"):
        assert cell in ranked
    assert "L0ser1…1111" in left_out
    assert "-$7.00" in left_out
    because = " ".join(left_out.split())
    assert "closed_trades 1 < 20, volume_usd $100.00 < $25,000.00" in because
    assert "tokens_traded" not in left_out


def test_tables_fit_the_terminal(database):
    assert max(len(line) for line in show_board(database, width=90).splitlines()) <= 90
    assert WALLETS["winner"] in show_board(database, width=160)


def test_the_chain_is_named_where_there_is_a_choice(database):
    assert "chain" not in show_board(database)
    with duckdb.connect(str(database)) as connection:
        connection.execute(
            "insert into leaderboard select * replace ('other' as chain) from leaderboard"
        )
    ranked = show_board(database).split("Not ranked")[0]
    assert "chain" in ranked
    assert "other" in ranked


def test_a_narrow_terminal_sees_whole_figures(database):
    ranked = show_board(database, width=80).split("Not ranked")[0]
    for cell in ("realized", "win rate", "closed", "volume", "tokens", "$1,234.50", "$50,000.00"):
        assert cell in ranked


def test_long_lists_say_how_many_are_left(database):
    with duckdb.connect(str(database)) as connection:
        connection.execute(
            "insert into leaderboard select * from leaderboard, range(4) as r(i)".replace(
                "select *", "select leaderboard.*"
            )
        )
    assert "and 3 more" in show_board(database, limit=2)


def test_an_unknown_window_is_answered_with_the_known_ones(database):
    with pytest.raises(InputError, match="published are: m 30d"):
        show_board(database, window="1y")


def test_nothing_published_says_what_to_do(tmp_path):
    with pytest.raises(InputError, match="tradebasis build"):
        show_board(tmp_path / "none.duckdb")
