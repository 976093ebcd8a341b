"""Builds that must publish nothing, and say why."""

import shutil
from pathlib import Path

import pytest

from dagster_project.lib.lock import sole_builder
from dagster_project.settings import DataFolder
from tests.support import small_tape
from tests.support.command import tradebasis

pytestmark = pytest.mark.slow

# Fails on the first table of every build, with a row that tries to paint the terminal.
FAILING_TEST = """
select method, chr(27) || '[31m[red]' as note from {{ ref('methods') }}
where method = (select min(method) from {{ ref('methods') }})
"""


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for part in ("warehouse", "exports")
        for path in sorted((folder / part).rglob("*"))
    }


@pytest.fixture
def checkout_with_failing_test(repository, tmp_path) -> Path:
    checkout = tmp_path / "checkout"
    leave_out = shutil.ignore_patterns("target", "logs")
    for package in ("ingest", "dagster_project", "dbt_project"):
        shutil.copytree(repository / package, checkout / package, ignore=leave_out)
    shutil.copy2(repository / "pyproject.toml", checkout)
    (checkout / "dbt_project" / "tests" / "assert_nothing_holds.sql").write_text(FAILING_TEST)
    return checkout


def test_a_failing_data_test_publishes_nothing_and_is_named_with_its_rows(
    tape_build, checkout_with_failing_test, tmp_path
):
    data = tmp_path / "data"
    shutil.copytree(tape_build, data)
    before = tree(data)
    tape = small_tape.write(tmp_path / "tape")
    done = tradebasis("build", "--tape", tape, "--data", data, checkout=checkout_with_failing_test)
    assert done.returncode == 1
    assert tree(data) == before
    assert "assert_nothing_holds: Got 1 result" in done.stderr
    assert "moving_average" in done.stderr
    assert "\\x1b[31m[red]" in done.stderr
    assert "\x1b" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: nothing was published")
    assert "test assert_nothing_holds" in last
    assert "Traceback" not in done.stderr


def test_a_second_build_is_refused_in_one_line(tmp_path):
    data = DataFolder(tmp_path)
    with sole_builder(data.lock, data.build_database):
        done = tradebasis("build", "--data", tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: another build is running in")
    assert "Traceback" not in done.stderr
    assert not data.database.exists()


def test_units_beyond_38_digits_name_the_wallet_and_the_token(tmp_path):
    tape = small_tape.write(tmp_path / "tape")
    # As 38 nines of the smallest unit twice: each fits, their sum does not.
    units = "9" * 32 + "." + "9" * 6
    with (tape / "movements.csv").open("a") as movements:
        for number in (1, 2):
            movements.write(
                f"solana,big{number},{number},0,2025-03-01T08:00:00Z,Giant,0,transfer_in,,,"
                f"{small_tape.TOKEN},{units},0,,\n"
            )
    done = tradebasis("build", "--tape", tape, "--data", tmp_path / "data")
    assert done.returncode == 1
    assert "Giant" in done.stderr
    assert small_tape.TOKEN in done.stderr
    assert "test assert_units_fit_in_38_digits" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "data" / "warehouse").exists()


@pytest.mark.parametrize("name", ["o'brien", "data[1]", "{data}", "what?"])
def test_a_folder_that_sql_would_read_as_a_pattern_is_refused(tmp_path, name):
    done = tradebasis("build", "--data", tmp_path / name)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: the data folder {tmp_path.resolve() / name} has ")
    assert not (tmp_path / name).exists()


def test_a_plain_build_never_replaces_a_tape_by_nothing(tape_build, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(tape_build, data)
    published = tree(data / "warehouse") | tree(data / "exports")
    done = tradebasis("build", "--data", data)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    assert "nothing to build; import files first" in last
    assert tree(data / "warehouse") | tree(data / "exports") == published


def test_a_tape_without_a_required_file_changes_nothing(tape_build, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(tape_build, data)
    before = tree(data)
    tape = small_tape.write(tmp_path / "tape")
    (tape / "assets.csv").unlink()
    done = tradebasis("build", "--tape", tape, "--data", data)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert "assets" in done.stderr.splitlines()[-1]
    assert tree(data) == before
