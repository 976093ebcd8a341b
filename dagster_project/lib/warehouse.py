"""The one opener of DuckDB from Python.

DuckDB lets one process write or many read a file, never both, so a connection is opened late,
read-only unless asked otherwise, and closed with the `with` block that needed it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb


@contextmanager
def opened(
    database: Path, *, read_only: bool = True, exact_functions: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open `database` for the length of a `with` block.

    Args:
        database: A DuckDB file; it must exist when `read_only`.
        read_only: False takes DuckDB's exclusive lock.
        exact_functions: Register the exact arithmetic that the models use.

    Yields:
        A connection whose session is in UTC.
    """
    connection = duckdb.connect(str(database), read_only=read_only)
    try:
        connection.execute("set timezone = 'UTC'")
        if exact_functions:
            # Imported here: it loads dbt, which most readers do not need.
            from dagster_project.lib.duckdb_functions import register

            register(connection)
        yield connection
    finally:
        connection.close()


def quoted(name: str) -> str:
    """Write an identifier for SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Write a text for SQL where no parameter can stand."""
    return "'" + text.replace("'", "''") + "'"
