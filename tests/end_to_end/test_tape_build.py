"""A small tape through the command: its known figures, and what rebuilding must not change."""

import csv
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.support import small_tape
from tests.support.command import START, environment, succeeded, tradebasis

pytestmark = pytest.mark.slow


def rows(data: Path, table: str) -> list[dict[str, str]]:
    with (data / "exports" / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def test_the_earner_is_ranked_for_the_day_with_the_known_figures(tape_build):
    ranked = rows(tape_build, "leaderboard")
    assert [(row["window"], row["rank"], row["wallet"]) for row in ranked] == [
        ("24h", "1", small_tape.EARNER)
    ]
    assert float(ranked[0]["realized_usd"]) == 300
    assert float(ranked[0]["volume_usd"]) == small_tape.ROUNDS * 850
    assert int(ranked[0]["closed_trades"]) == small_tape.ROUNDS
    assert float(ranked[0]["win_rate"]) == 1


def test_who_is_not_ranked_is_told_why(tape_build):
    failed = {
        row["criterion"]
        for row in rows(tape_build, "eligibility")
        if row["wallet"] == small_tape.EARNER and row["window"] == "7d" and row["passed"] == "false"
    }
    # 6 of 10 closed trades, $5,100 of $10,000; one token of one and no washing hold.
    assert failed == {"closed_trades", "volume_usd"}
    shown = succeeded(tradebasis("top", "--window", "7d", "--data", tape_build))
    assert "nobody" in shown
    assert "closed_trades 6 < 10" in " ".join(shown.split())


def test_the_holder_keeps_bought_and_given_units(tape_build):
    (position,) = [
        row for row in rows(tape_build, "positions") if row["wallet"] == small_tape.HOLDER
    ]
    assert float(position["open_qty"]) == 605.5
    assert float(position["estimated_qty"]) == 5


def test_the_bad_row_is_set_aside_with_its_place(tape_build):
    (reject,) = rows(tape_build, "rejects")
    # The header is line 1 of the file.
    assert (reject["file"], reject["row"]) == (
        "movements.csv",
        str(len(small_tape.movements()) + 1),
    )
    assert reject["column"] == "received_asset"


def test_the_published_file_holds_nothing_of_this_machine(tape_build):
    database = tape_build / "warehouse" / "tradebasis.duckdb"
    assert str(tape_build).encode() not in database.read_bytes()
    with duckdb.connect(str(database), read_only=True) as db:
        assert db.execute("select * from duckdb_views() where not internal").fetchall() == []
        tables = db.execute("select table_name from duckdb_tables() where schema_name = 'main'")
        names = {name for (name,) in tables.fetchall()}
    assert {Path(name).stem for name in contents(tape_build / "exports")} == names


def test_building_again_changes_no_byte(tape_build, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(tape_build, data)
    tape = small_tape.write(tmp_path / "tape")
    printed = succeeded(tradebasis("build", "--tape", tape, "--data", data))
    assert contents(data / "exports") == contents(tape_build / "exports")
    assert (data / "warehouse" / "previous.duckdb").exists()
    assert "rejected    unknown_asset 1" in printed


def test_the_order_of_rows_changes_no_byte_of_the_figures(tape_build, tmp_path):
    tape = small_tape.write(tmp_path / "tape", seed=5)
    succeeded(tradebasis("build", "--tape", tape, "--data", tmp_path / "data"))
    here, there = contents(tape_build / "exports"), contents(tmp_path / "data" / "exports")
    # Where the rejected row stands is the one thing that shuffling may change.
    for exports in (here, there):
        for name in ("rejects.csv", "rejects.parquet"):
            del exports[name]
    assert there == here


def test_as_of_hides_what_came_later(tmp_path):
    tape = small_tape.write(tmp_path / "tape")
    data = tmp_path / "data"
    # After the third of six round trips, which ended at 10:30.
    succeeded(
        tradebasis("build", "--tape", tape, "--as-of", "2025-03-01T10:45:00Z", "--data", data)
    )
    (figures,) = [
        row
        for row in rows(data, "wallet_pnl")
        if row["wallet"] == small_tape.EARNER and row["window"] == "all"
    ]
    assert float(figures["realized_usd"]) == 150
    assert figures["as_of"] == "2025-03-01T10:45:00Z"
    assert len(rows(data, "movements")) == 6


@pytest.mark.parametrize("message", ["Building the ledger", "Building the marts", "Publishing"])
def test_a_killed_build_leaves_what_was_published(tape_build, tmp_path, message):
    data = tmp_path / "data"
    shutil.copytree(tape_build, data)
    published = data / "warehouse" / "tradebasis.duckdb"
    before = published.read_bytes(), contents(data / "exports")
    tape = small_tape.write(tmp_path / "tape")
    build = subprocess.Popen(
        [sys.executable, "-c", START, "build", "--tape", str(tape), "--data", str(data)],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in build.stderr:
        if message in line:
            build.send_signal(signal.SIGKILL)
            break
    build.wait()
    assert build.returncode == -signal.SIGKILL
    with duckdb.connect(str(published), read_only=True) as db:
        assert db.execute("select count(*) from leaderboard").fetchone() == (1,)
    assert contents(data / "exports") == before[1]
    if message != "Publishing":
        assert published.read_bytes() == before[0]
