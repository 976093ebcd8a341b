import fcntl
import os
import subprocess
import sys

import pytest

from dagster_project.lib.lock import sole_builder
from ingest.errors import InputError

HOLD = """
import sys
from pathlib import Path
from dagster_project.lib.lock import sole_builder
with sole_builder(Path(sys.argv[1]), Path(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def holder(lock, database, repository):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock), str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=repository,
    )
    assert process.stdout.readline() == "held\n"
    return process


@pytest.fixture
def paths(tmp_path):
    return tmp_path / "build.lock", tmp_path / "build" / "tradebasis.duckdb"


def test_a_second_builder_is_refused_and_told_of_the_first(paths, repository):
    first = holder(*paths, repository)
    try:
        with pytest.raises(InputError, match=f"pid {first.pid}, started 2"), sole_builder(*paths):
            pass
    finally:
        first.kill()
        first.wait()


def test_the_lock_of_a_killed_builder_is_free(paths, repository):
    first = holder(*paths, repository)
    first.kill()
    first.wait()
    with sole_builder(*paths):
        assert f'"pid": {os.getpid()}' in paths[0].read_text()
    assert paths[0].read_text() == ""


def test_two_folders_do_not_wait_for_each_other(paths, tmp_path):
    other = tmp_path / "other"
    with sole_builder(*paths), sole_builder(other / "build.lock", other / "database"):
        pass


def test_a_dbt_process_left_over_keeps_its_database(paths, repository):
    lock, database = paths
    database.parent.mkdir()
    database.write_bytes(b"")
    left_over = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import fcntl, sys\nfile = open(sys.argv[1], 'r+b')\n"
            "fcntl.lockf(file, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.readline()",
            str(database),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert left_over.stdout.readline() == "held\n"
        with pytest.raises(InputError, match="dbt process still writing"), sole_builder(*paths):
            pass
    finally:
        left_over.kill()
        left_over.wait()
    with sole_builder(lock, database), database.open("r+b") as free:
        fcntl.lockf(free, fcntl.LOCK_EX | fcntl.LOCK_NB)
