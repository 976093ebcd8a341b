"""Replaces the published warehouse and exports by renames, so that a reader never sees half of one.

The order is what makes it safe to be killed anywhere: the complete exports are set aside, the
database is replaced by one rename, then the exports follow file by file. If the database has gone
over and the exports have not, `finish` brings them after at the start of the next build.
"""

import os
import shutil
from pathlib import Path

from dagster_project.lib.warehouse import literal, opened, quoted
from dagster_project.settings import DataFolder

STAGED_EXPORTS = "exports"
READY_EXPORTS = "exports.ready"
PARSED_PROJECT = Path("target", "partial_parse.msgpack")


def start(data: DataFolder) -> None:
    """Make room for a new build: finish a publication that was cut short, clear the scratch.

    What dbt parsed last time stays, so that it parses what has changed since; dbt itself judges
    whether the file still fits the project, its variables and its own version.
    """
    finish(data)
    kept = data.build / PARSED_PROJECT
    parsed = kept.read_bytes() if kept.is_file() else None
    shutil.rmtree(data.build, ignore_errors=True)
    data.build.mkdir(parents=True)
    if parsed is not None:
        kept.parent.mkdir()
        kept.write_bytes(parsed)


def staged_exports(data: DataFolder) -> Path:
    """The folder into which the build writes the exports that are to be published."""
    return data.build / STAGED_EXPORTS


def publish(data: DataFolder) -> None:
    """Put the finished build in the place of the published one; every test must have passed."""
    _seal(data.build_database)
    _sync(data.build_database)
    ready = data.build / READY_EXPORTS
    staged_exports(data).replace(ready)
    data.database.parent.mkdir(parents=True, exist_ok=True)
    _keep_previous(data)
    data.build_database.replace(data.database)
    _move_exports(ready, data.exports)


def finish(data: DataFolder) -> None:
    """Bring the exports after a database that was published just before the process died."""
    ready = data.build / READY_EXPORTS
    if ready.is_dir() and not data.build_database.exists():
        _move_exports(ready, data.exports)


def _seal(database: Path) -> None:
    """Keep the tables only: views of files hold this machine's paths, and so do freed blocks."""
    sealed = database.with_name(f"sealed.{database.name}")
    sealed.unlink(missing_ok=True)
    with opened(database, read_only=False) as connection:
        views = connection.execute(
            "select schema_name, view_name from duckdb_views() where not internal"
        ).fetchall()
        for schema, view in views:
            connection.execute(f"drop view {quoted(schema)}.{quoted(view)}")
        (name,) = connection.execute("select current_database()").fetchone()
        connection.execute(f"attach {literal(str(sealed))} as sealed")
        connection.execute(f"copy from database {quoted(name)} to sealed")
        connection.execute("detach sealed")
    sealed.replace(database)


def _sync(path: Path) -> None:
    """Have the file's bytes on the disk before its name changes."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _keep_previous(data: DataFolder) -> None:
    """Give the published database a second name; it keeps its first until the rename over it."""
    if data.database.exists():
        _name_also(data.database, data.previous_database)


def _move_exports(ready: Path, exports: Path) -> None:
    """Put every ready file in its place; `ready` stays whole until then, so it can be redone."""
    exports.mkdir(parents=True, exist_ok=True)
    names = {file.name for file in ready.iterdir()}
    for name in sorted(names):
        _name_also(ready / name, exports / name)
    for old in exports.iterdir():
        if old.name not in names:
            old.unlink()
    shutil.rmtree(ready)


def _name_also(file: Path, name: Path) -> None:
    """Let `name` be a second name of `file`, replacing what had it without a moment's absence."""
    link = name.with_name(name.name + ".new")
    link.unlink(missing_ok=True)
    link.hardlink_to(file)
    link.replace(name)
    # A rename between two names of the same file does nothing, and leaves this one behind.
    link.unlink(missing_ok=True)
