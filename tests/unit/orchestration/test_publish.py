"""Publishing, and being killed at every one of its steps."""

import shutil
from pathlib import Path

import duckdb
import pytest

from dagster_project.lib.publish import PARSED_PROJECT, publish, staged_exports, start
from dagster_project.settings import DataFolder


def make_build(data: DataFolder, number: int, exports: tuple[str, ...] = ("a.csv", "b.csv")):
    start(data)
    with duckdb.connect(str(data.build_database)) as connection:
        connection.execute(f"create table generation as select {number} as number")
        connection.execute("create schema staging")
        connection.execute("create table staging.source as select 1 as one")
        connection.execute('create view staging."odd ""name" as select * from staging.source')
    staged_exports(data).mkdir()
    for name in exports:
        (staged_exports(data) / name).write_text(str(number))


def generation(database: Path) -> int:
    with duckdb.connect(str(database), read_only=True) as connection:
        return connection.execute("select number from generation").fetchone()[0]


def exported(data: DataFolder) -> dict[str, str]:
    return {file.name: file.read_text() for file in data.exports.iterdir()}


@pytest.fixture
def data(tmp_path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def test_publishing_replaces_database_and_exports_and_keeps_the_previous(data):
    make_build(data, 1)
    publish(data)
    assert generation(data.database) == 1
    assert not data.previous_database.exists()
    make_build(data, 2, ("a.csv", "c.csv"))
    publish(data)
    assert generation(data.database) == 2
    assert generation(data.previous_database) == 1
    assert exported(data) == {"a.csv": "2", "c.csv": "2"}
    assert sorted(file.name for file in data.database.parent.iterdir()) == [
        "previous.duckdb",
        "tradebasis.duckdb",
    ]


def test_published_database_holds_no_views_of_files(data):
    make_build(data, 1)
    publish(data)
    with duckdb.connect(str(data.database), read_only=True) as connection:
        views = connection.execute("select * from duckdb_views() where not internal").fetchall()
    assert views == []


def test_an_open_reader_keeps_what_it_opened(data):
    make_build(data, 1)
    publish(data)
    with data.database.open("rb") as reader:
        before = reader.read()
        make_build(data, 2)
        publish(data)
        reader.seek(0)
        assert reader.read() == before


class Killed(BaseException):
    """Stands for the end of the process: no handler of ours may catch it."""


def killed_after(monkeypatch, steps: int):
    """Let `steps` changes of the file system happen, and none after them."""
    left = [steps]

    def counted(change):
        def step(*arguments, **named):
            if left[0] == 0:
                raise Killed
            left[0] -= 1
            return change(*arguments, **named)

        return step

    for name in ("replace", "hardlink_to", "unlink"):
        monkeypatch.setattr(Path, name, counted(getattr(Path, name)))
    monkeypatch.setattr("dagster_project.lib.publish.shutil.rmtree", counted(shutil.rmtree))


@pytest.mark.parametrize("steps", range(20))
def test_killed_anywhere_readers_see_one_whole_generation(data, steps):
    make_build(data, 1)
    publish(data)
    make_build(data, 2)
    finished = False
    with pytest.MonkeyPatch.context() as patch:
        killed_after(patch, steps)
        try:
            publish(data)
            finished = True
        except Killed:
            pass
    assert generation(data.database) in (1, 2)
    assert {name for name in exported(data) if not name.endswith(".new")} == {"a.csv", "b.csv"}
    assert set(exported(data).values()) <= {"1", "2"}
    published = generation(data.database)
    start(data)
    assert generation(data.database) == published
    assert exported(data) == {"a.csv": str(published), "b.csv": str(published)}
    assert finished <= (published == 2)


def test_the_kill_test_reaches_the_last_step(data):
    make_build(data, 1)
    publish(data)
    make_build(data, 2)
    with pytest.MonkeyPatch.context() as patch:
        killed_after(patch, 19)
        publish(data)
    assert generation(data.database) == 2


def test_a_new_build_keeps_what_dbt_parsed_and_nothing_else(data):
    start(data)
    (data.build / PARSED_PROJECT).parent.mkdir()
    (data.build / PARSED_PROJECT).write_bytes(b"parsed")
    (data.build / "target" / "manifest.json").write_text("{}")
    start(data)
    left = [path for path in data.build.rglob("*") if path.is_file()]
    assert left == [data.build / PARSED_PROJECT]
    assert left[0].read_bytes() == b"parsed"
