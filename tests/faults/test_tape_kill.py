"""A process that dies while it replaces the tape leaves the old tape or the new one."""

from pathlib import Path

import pytest

from ingest.tape import read
from ingest.tape.read import ensure_tape, read_tape
from tests.unit.ingest_tape.tapes import buy, table, write_tape


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def data(tmp_path):
    """A data folder whose tape holds one movement."""
    folder = tmp_path / "data"
    read_tape(write_tape(tmp_path / "old", [buy()]), folder)
    return folder


@pytest.fixture
def new_tape(tmp_path):
    return write_tape(tmp_path / "new", [buy(), buy(leg="1")])


def test_killed_while_writing_the_old_tape_stands(data, new_tape, monkeypatch):
    def die(connection, folder):
        (folder / "movements.parquet").write_bytes(b"half")
        raise Killed

    monkeypatch.setattr(read, "_write_tables", die)
    with pytest.raises(Killed):
        read_tape(new_tape, data)

    ensure_tape(data)
    assert len(table(data, "movements")) == 1


@pytest.mark.parametrize("renames_before", [0, 1, 2])
def test_killed_between_the_renames_a_whole_tape_stands(
    data, new_tape, monkeypatch, renames_before
):
    rename = Path.rename
    done = []

    def die_later(self, target):
        if len(done) == renames_before:
            raise Killed
        done.append(target)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", die_later)
    if renames_before < 2:
        with pytest.raises(Killed):
            read_tape(new_tape, data)
    else:
        read_tape(new_tape, data)
    monkeypatch.undo()

    ensure_tape(data)
    assert len(table(data, "movements")) == (2 if renames_before == 2 else 1)


def test_what_a_killed_run_left_behind_does_not_hurt_the_next(data, new_tape):
    rubbish = data / ".tape.new"
    (rubbish / "tape").mkdir(parents=True)
    (rubbish / "tape.duckdb").write_bytes(b"half a database")

    read_tape(new_tape, data)

    assert len(table(data, "movements")) == 2
    assert not rubbish.exists()
