"""The exports: every published table as Parquet and CSV, leaderboards also as JSON (CONTRACTS 2).

The same tables give the same bytes. Names and symbols in them were written by strangers, so what
could act on a terminal, a browser or a spreadsheet is taken out of the text:

* everywhere: control characters and terminal escapes, direction marks and other invisible
  characters; tabs and line breaks become blanks;
* in CSV, which spreadsheets open: text that starts like a formula gets a leading apostrophe.
  Plain decimal numbers are left alone, so negative amounts stay numbers.

Times are UTC (`…Z` in text), decimals are never scientific. JSON holds decimals as strings, since
its readers would round them.
"""

import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from dagster_project.lib.warehouse import literal, opened, quoted
from ingest.errors import InputError
from ingest.folders import replace_folder, scratch_beside

PUBLISHED_SCHEMA = "main"
JSON_TABLES = frozenset({"leaderboard"})

# Columns by which rows are sorted first; the others follow, so that the order is total.
LEADING_COLUMNS = (
    "method",
    "board",
    "pricing_rule",
    "window",
    "rank",
    "chain",
    "wallet",
    "token",
    "criterion",
    "number",
    "block",
    "tx_index",
    "tx_id",
    "leg",
)

TIE_BREAKS = ("volume_usd", "wallet")
"""Of equal ranks the larger volume stands first, then the address (METHODS 6, boards)."""

_MEMORY = "4GB"
_ROW_GROUP_ROWS = 122_880

_ESCAPES = (
    r"(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]"  # terminal control sequences
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links and other strings to terminals
)
_BREAKS = r"[\t\n\v\f\r\x{85}\p{Zl}\p{Zp}]"
_INVISIBLE = (
    r"[\p{Cc}\p{Cf}\x{34f}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{3164}\x{ffa0}\x{fe00}-\x{fe0f}]"
)
_FORMULA = r"^\s*[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]"

_MACROS = f"""
create or replace temp macro harmless(v) as case
    when regexp_matches(v, '[^ -~]') then regexp_replace(
        regexp_replace(regexp_replace(v, '{_ESCAPES}', '', 'g'), '{_BREAKS}', ' ', 'g'),
        '{_INVISIBLE}', '', 'g'
    )
    else v
end;

create or replace temp macro no_formula(v) as case
    when regexp_matches(v, '{_FORMULA}') and not regexp_full_match(v, '-?[0-9]+([.][0-9]+)?')
        then concat('''', v)
    else v
end;

create or replace temp macro utc_text(v) as strftime(v, '%Y-%m-%dT%H:%M:%SZ');
"""


@dataclass(frozen=True)
class ExportSummary:
    """What was exported: rows per table."""

    out_dir: Path
    as_of: datetime
    rows: dict[str, int] = field(default_factory=dict)


def export_tables(
    database: Path, out_dir: Path, as_of: datetime, tables: list[str] | None = None
) -> ExportSummary:
    """Write the tables of a warehouse as files named after them.

    Args:
        database: A DuckDB file; the tables of its schema `main` are exported.
        out_dir: Folder of the exports; it is replaced as a whole, by rename.
        as_of: The moment the figures stand for (naive = UTC); kept in the Parquet metadata, where
            an empty table has it too.
        tables: Names of the tables; default all.

    Raises:
        InputError: The database or a table is not there.
    """
    if not database.is_file():
        raise InputError(f"{database} is not there; run `tradebasis build` first")
    scratch = scratch_beside(out_dir)
    try:
        fresh = scratch / "exports"
        fresh.mkdir()
        summary = ExportSummary(out_dir, as_of)
        with opened(database) as connection:
            _set_up(connection, scratch)
            for table in _chosen(connection, tables):
                summary.rows[table] = _export(connection, table, fresh, as_of)
        replace_folder(fresh, out_dir)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return summary


def _set_up(connection: duckdb.DuckDBPyConnection, scratch: Path) -> None:
    connection.execute(f"set memory_limit = '{_MEMORY}'")
    connection.execute(f"set temp_directory = {literal(str(scratch / 'spill'))}")
    # CSV and JSON are written in the order of the sorted Parquet file.
    connection.execute("set preserve_insertion_order = true")
    connection.execute(_MACROS)


def _chosen(connection: duckdb.DuckDBPyConnection, tables: list[str] | None) -> list[str]:
    there = connection.execute(
        "select table_name from duckdb_tables() where schema_name = ? and not temporary "
        "order by table_name",
        [PUBLISHED_SCHEMA],
    ).fetchall()
    names = [name for (name,) in there]
    missing = sorted(set(tables or []) - set(names))
    if missing:
        raise InputError(
            f"no table {', '.join(missing)} in the warehouse; it has {', '.join(names)}"
        )
    return sorted(set(tables)) if tables is not None else names


def _export(
    connection: duckdb.DuckDBPyConnection, table: str, folder: Path, as_of: datetime
) -> int:
    columns = connection.execute(
        "select column_name, data_type from duckdb_columns() "
        "where schema_name = ? and table_name = ? order by column_index",
        [PUBLISHED_SCHEMA, table],
    ).fetchall()
    parquet = folder / f"{table}.parquet"
    rows = _copy(
        connection,
        f"select {_cells(columns, _parquet_cell)} "
        f"from {PUBLISHED_SCHEMA}.{quoted(table)} order by {_order(columns)}",
        parquet,
        f"format parquet, compression zstd, row_group_size {_ROW_GROUP_ROWS}, "
        f"kv_metadata {{as_of: {literal(_utc_text(as_of))}}}",
    )
    sorted_rows = f"from read_parquet({literal(str(parquet))})"
    _copy(
        connection,
        f"select {_cells(columns, _csv_cell)} {sorted_rows}",
        folder / f"{table}.csv",
        "format csv, header true, delimiter ',', quote '\"', escape '\"', nullstr ''",
    )
    if table in JSON_TABLES:
        _copy(
            connection,
            f"select {_cells(columns, _json_cell)} {sorted_rows}",
            folder / f"{table}.json",
            "format json, array true",
        )
    return rows


def _copy(connection: duckdb.DuckDBPyConnection, query: str, path: Path, options: str) -> int:
    copied = connection.execute(f"copy ({query}) to {literal(str(path))} ({options})")
    return copied.fetchall()[0][0]


def _cells(columns: list[tuple[str, str]], cell) -> str:
    return ", ".join(f"{cell(quoted(name), kind)} as {quoted(name)}" for name, kind in columns)


def _order(columns: list[tuple[str, str]]) -> str:
    names = [name for name, _ in columns]
    leading = [name for name in LEADING_COLUMNS if name in names]
    if "rank" in names:
        place = leading.index("rank") + 1
        ties = [name for name in TIE_BREAKS if name in names]
        leading = leading[:place] + ties + [n for n in leading[place:] if n not in ties]
    others = [name for name in names if name not in leading]
    return ", ".join(
        f"{quoted(name)} {'desc' if name == 'volume_usd' else 'asc'} nulls last"
        for name in [*leading, *others]
    )


def _parquet_cell(column: str, kind: str) -> str:
    if kind == "VARCHAR":
        return f"harmless({column})"
    if kind == "VARCHAR[]":
        return f"list_transform({column}, lambda one: harmless(one))"
    if kind == "TIMESTAMP":
        return f"cast({column} as timestamptz)"  # the session is in UTC
    if kind in ("HUGEINT", "UHUGEINT"):
        return f"cast({column} as decimal(38, 0))"  # Parquet would make it a double
    return column


def _csv_cell(column: str, kind: str) -> str:
    if kind == "VARCHAR":
        return f"no_formula({column})"
    if kind.endswith("]"):
        return f"no_formula(cast(to_json({column}) as varchar))"
    return _text_of_time(column, kind)


def _json_cell(column: str, kind: str) -> str:
    if kind.startswith("DECIMAL") or kind in ("HUGEINT", "UHUGEINT"):
        return f"cast({column} as varchar)"
    return _text_of_time(column, kind)


def _text_of_time(column: str, kind: str) -> str:
    return f"utc_text({column})" if kind.startswith("TIMESTAMP") else column


def _utc_text(moment: datetime) -> str:
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
