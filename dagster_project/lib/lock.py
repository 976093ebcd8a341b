"""One build at a time in a data folder."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from ingest.errors import InputError


@contextmanager
def sole_builder(lock: Path, database: Path) -> Iterator[None]:
    """Hold the data folder's lock for the length of a `with` block.

    The kernel holds the lock and drops it with the process, however that ends, so a lock is never
    stale. What the file says is only for the message to the second builder.

    Args:
        lock: The lock file; made when missing and left in place.
        database: The database under construction: a dbt process that outlived a killed build
            still holds DuckDB's own lock on it.

    Raises:
        InputError: Somebody else is building here.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a+", encoding="utf-8") as holder:
        if not _taken(holder):
            raise InputError(
                f"another build is running in {lock.parent} ({_holder(holder)}); wait for it"
            )
        if database.exists():
            with database.open("r+b") as left:
                if not _unused(left):
                    raise InputError(
                        f"a killed build in {lock.parent} has a dbt process still writing; "
                        "wait a moment and try again"
                    )
        holder.truncate(0)
        started = datetime.now(UTC).isoformat(timespec="seconds")
        json.dump({"pid": os.getpid(), "started": started}, holder)
        holder.flush()
        try:
            yield
        finally:
            holder.truncate(0)


def _taken(holder: TextIO) -> bool:
    try:
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unused(database) -> bool:
    # DuckDB locks with fcntl records, which `lockf` sees and `flock` does not.
    try:
        fcntl.lockf(database, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _holder(holder: TextIO) -> str:
    holder.seek(0)
    try:
        first = json.load(holder)
    except ValueError:
        return "just starting"
    return f"pid {first['pid']}, started {first['started']}"
