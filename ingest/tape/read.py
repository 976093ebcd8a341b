"""The tape: movements, assets and prices of people, judged and normalised (CONTRACTS 1).

A tape is read as a whole or not at all. What can't be right is quarantined in `rejects`; what is
left becomes Parquet in raw units under `tape/` of the data folder, in an order of its own, so the
result does not depend on the order of the input's rows.

Decisions where the contract is silent:

* Parquet cells are judged as the text they would be in a CSV; a float is its shortest text that
  reads back as the same number, so 0.1 fits an asset of one place. Row numbers count as in a CSV.
* Blanks around numbers, times and words do not matter; text is taken as it stands.
* A price keeps 24 decimal places, rounded; one that vanishes in them is rejected.
* A `failed` row keeps its network fee; everything else on it was rolled back.
* Without a `wallets` file, each wallet of the movements is tracked from its first movement.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from ingest.cells import define_macros
from ingest.errors import InputError
from ingest.folders import recover_folder, replace_folder, scratch_beside
from ingest.quarantine import TOLD, refuse_if_mostly_wrong
from ingest.tabular import TabularFile, open_tabular
from ingest.tape.rules import FILES, MOVEMENTS, TAPE_REASONS, WALLETS, TapeFile
from ingest.tape.schema import TABLES

_REJECTS = 'file varchar, "row" bigint, "column" varchar, reason varchar'
_MEMORY = "4GB"


@dataclass(frozen=True)
class FileSummary:
    """What became of one file.

    Attributes:
        file: Name of the file as given, or None when the tape has none.
        rows: Rows in the file, blank lines aside.
        kept: Rows in the normalised table.
        rejected: Rows in quarantine.
        repeated: Rows that said the same as another one.
    """

    file: str | None
    rows: int
    kept: int
    rejected: int
    repeated: int


@dataclass(frozen=True)
class TapeSummary:
    """What became of a tape: a summary per table, and warnings of one line each."""

    files: dict[str, FileSummary] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def rejected(self) -> int:
        """Rows in quarantine, over all files."""
        return sum(file.rejected for file in self.files.values())


def read_tape(
    tape_dir: Path, data_dir: Path, progress: Callable[[str], None] | None = None
) -> TapeSummary:
    """Make the tape in `tape_dir` the tape of `data_dir`.

    Args:
        tape_dir: Folder with `movements`, `assets`, `prices` and perhaps `wallets`, `balances`,
            `pools`, each `.csv` or `.parquet`.
        data_dir: The data folder; its `tape/` is replaced as a whole.
        progress: Told one line per file.

    Returns:
        Counts per file, and warnings.

    Raises:
        InputError: A file is missing, unreadable or lacks a column, or more than 5 % of its rows
            can't be right. The tape that stood before stays.
    """
    paths = {file.name: _find(tape_dir, file) for file in FILES}
    target = data_dir / "tape"
    scratch = scratch_beside(target)
    try:
        fresh = scratch / "tape"
        fresh.mkdir()
        with _workbench(scratch) as connection:
            summary = _read_files(connection, paths, progress or (lambda _: None))
            _write_tables(connection, fresh)
        replace_folder(fresh, target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return summary


def clear_tape(data_dir: Path) -> None:
    """Write every table of the tape empty, whatever stood there."""
    target = data_dir / "tape"
    scratch = scratch_beside(target)
    try:
        fresh = scratch / "tape"
        fresh.mkdir()
        with _workbench(scratch) as connection:
            for file in FILES:
                _make_empty(connection, file)
            _write_tables(connection, fresh)
        replace_folder(fresh, target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def ensure_tape(data_dir: Path) -> None:
    """Make sure that every table of the tape exists, empty where there is no tape yet."""
    recover_folder(data_dir / "tape")
    if not all((data_dir / "tape" / f"{name}.parquet").is_file() for name in TABLES):
        clear_tape(data_dir)


def _find(tape_dir: Path, file: TapeFile) -> Path | None:
    if not tape_dir.is_dir():
        raise InputError(f"{tape_dir} is no folder; --tape takes the folder of the tape's files")
    found = [
        path
        for extension in ("csv", "parquet")
        if (path := tape_dir / f"{file.name}.{extension}").is_file()
    ]
    if len(found) > 1:
        raise InputError(
            f"{tape_dir} holds both {found[0].name} and {found[1].name}; leave one of them"
        )
    if not found and file.is_required:
        raise InputError(
            f"{tape_dir} holds neither {file.name}.csv nor {file.name}.parquet; a tape needs it"
            " (it may be empty but for its header)"
        )
    return found[0] if found else None


def _workbench(scratch: Path) -> duckdb.DuckDBPyConnection:
    """A database in `scratch` that spills to disk and is thrown away."""
    connection = duckdb.connect(str(scratch / "tape.duckdb"))
    connection.execute("set timezone = 'UTC'")
    connection.execute(f"set memory_limit = '{_MEMORY}'")
    connection.execute(f"set temp_directory = {_quoted(str(scratch / 'spill'))}")
    connection.execute("set preserve_insertion_order = false")
    connection.execute(f"create table rejects ({_REJECTS})")
    define_macros(connection)
    return connection


def _read_files(
    connection: duckdb.DuckDBPyConnection,
    paths: dict[str, Path | None],
    progress: Callable[[str], None],
) -> TapeSummary:
    summary = TapeSummary()
    for file in FILES:
        path = paths[file.name]
        if path is None:
            _make_empty(connection, file)
            summary.files[file.name] = FileSummary(None, 0, 0, 0, 0)
            continue
        counts = _read_file(connection, file, path, summary.warnings)
        summary.files[file.name] = counts
        progress(
            f"{path.name}: {counts.rows:,} rows, {counts.kept:,} kept, "
            f"{counts.repeated:,} repeated, {counts.rejected:,} rejected"
        )
    for counts in summary.files.values():
        refuse_if_mostly_wrong(
            counts.file,
            counts.rows,
            counts.rejected,
            _first_rejects(connection, counts.file),
            TAPE_REASONS,
        )
    if paths[WALLETS.name] is None:
        _track_every_wallet(connection)
    return summary


def _make_empty(connection: duckdb.DuckDBPyConnection, file: TapeFile) -> None:
    columns = ", ".join(f'"{name}" {kind}' for name, kind in file.outputs.items())
    connection.execute(f"create table {file.name} ({columns})")


def _read_file(
    connection: duckdb.DuckDBPyConnection, file: TapeFile, path: Path, warnings: list[str]
) -> FileSummary:
    source = open_tabular(connection, path, file.columns, "cells")
    if source.unknown_columns:
        warnings.append(
            f"{path.name}: columns that the contract does not know are ignored: "
            f"{', '.join(source.unknown_columns)}"
        )
    _judge(connection, file, source)
    rows = _count(connection, "judged") + len(source.malformed_lines)
    repeated = _settle_repeated_keys(connection, file)
    if file is MOVEMENTS:
        _place_unfetched_in_time(connection)
    _quarantine(connection, source)
    columns = ", ".join(f'"{name}"' for name in file.outputs)
    connection.execute(
        f"create table {file.name} as select {columns} from judged where fault is null"
    )
    kept = _count(connection, file.name)
    return FileSummary(path.name, rows, kept, rows - kept - repeated, repeated)


def _judge(connection: duckdb.DuckDBPyConnection, file: TapeFile, source: TabularFile) -> None:
    """Table `judged`: `line`, the output columns, `fault` and a hash of the key."""
    columns = ", ".join(
        f'try_cast("{name}" as {kind}) as "{name}"' for name, kind in file.outputs.items()
    )
    try:
        connection.execute(
            f"create or replace table judged as select line, {columns}, fault, "
            f"hash({_key(file)}) as key_hash from ({file.sql})"
        )
    except (duckdb.InvalidInputException, duckdb.IOException) as error:
        raise source.explain(error) from None


def _key(file: TapeFile, relation: str = "") -> str:
    prefix = f"{relation}." if relation else ""
    return ", ".join(f'{prefix}"{name}"' for name in file.key)


def _settle_repeated_keys(connection: duckdb.DuckDBPyConnection, file: TapeFile) -> int:
    """Collapse equal rows and reject all rows of a key with different contents.

    A row that is wrong in itself counts as other content under its key, and keeps its own fault.

    Returns:
        How many rows went because another one says the same.
    """
    content = ", ".join(f'"{name}"' for name in file.outputs)
    same_key = " and ".join(
        f'judged."{name}" is not distinct from contents."{name}"' for name in file.key
    )
    connection.execute(f"""
        create or replace temp table repeats as
        with hashes as (
            select key_hash from judged group by key_hash having count(*) > 1
        ),
        contents as (
            select
                {_key(file)},
                any_value(key_hash) as key_hash,
                min(line) filter (where fault is null) as first_line,
                count(distinct row({content})) filter (where fault is null)
                    + count(*) filter (where fault is not null) > 1 as conflict
            from judged
            where key_hash in (select key_hash from hashes)
            group by {_key(file)}
        )
        select judged.line, contents.conflict
        from judged
        inner join contents on judged.key_hash = contents.key_hash and {same_key}
        where
            judged.fault is null
            and (contents.conflict or judged.line <> contents.first_line)
    """)
    connection.execute(
        f"update judged set fault = '{file.key_column}:conflicting_rows' from repeats "
        "where judged.line = repeats.line and repeats.conflict"
    )
    connection.execute(
        "delete from judged where line in (select line from repeats where not conflict)"
    )
    return _count(connection, "repeats where not conflict")


def _place_unfetched_in_time(connection: duckdb.DuckDBPyConnection) -> None:
    """Give each `unfetched` row without a time the last known time before it in block order."""
    if not _count(connection, "judged where fault is null and block_time is null"):
        return
    connection.execute(f"""
        create or replace temp table placed as
        with ordered as (
            select
                line,
                block_time,
                last_value(block_time ignore nulls) over (
                    partition by chain
                    order by {MOVEMENTS.order}
                    rows between unbounded preceding and current row
                ) as known_time
            from judged
            where fault is null
        )
        select line, known_time from ordered where block_time is null
    """)
    connection.execute("""
        update judged set
            block_time = placed.known_time,
            fault = case when placed.known_time is null then 'block_time:no_time_before' end
        from placed
        where judged.line = placed.line
    """)


def _quarantine(connection: duckdb.DuckDBPyConnection, source: TabularFile) -> None:
    name = source.path.name
    connection.execute(
        "insert into rejects select ?, line, split_part(fault, ':', 1), split_part(fault, ':', 2) "
        "from judged where fault is not null",
        [name],
    )
    connection.execute(
        "insert into rejects select ?, unnest(?::bigint[]), null, 'wrong_number_of_cells'",
        [name, source.malformed_lines],
    )


def _first_rejects(connection: duckdb.DuckDBPyConnection, file: str | None) -> list[tuple]:
    return connection.execute(
        f'select "row", "column", reason from rejects where file = ? order by "row" limit {TOLD}',
        [file],
    ).fetchall()


def _track_every_wallet(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("""
        insert into wallets (chain, address, tracked_since)
        select chain, wallet, min(block_time)
        from movements
        where wallet is not null
        group by chain, wallet
    """)


def _write_tables(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    orders = {file.name: file.order for file in FILES}
    orders["rejects"] = 'file, "row", "column", reason'
    for name in TABLES:
        order = orders[name]
        path = _quoted(str(folder / f"{name}.parquet"))
        connection.execute(
            f"copy (select * from {name} order by {order}) to {path} "
            "(format parquet, compression zstd)"
        )


def _count(connection: duckdb.DuckDBPyConnection, relation: str) -> int:
    return connection.execute(f"select count(*) from {relation}").fetchall()[0][0]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
