"""CSV and Parquet files of people, read as text with the line each row stands on.

Every cell becomes text (or null when empty) whatever the file's own types are, so that one set of
rules judges both formats. Reading streams: a file of any size takes bounded memory.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from ingest.errors import InputError

# A row must fit into one block; an unclosed quote swallows the rest of a file and does not.
BLOCK_BYTES = 32 * 1024 * 1024

# Text of a floating-point number in plain digits: DuckDB prints the shortest text that reads
# back as the same number, and below 1e-4 or above 1e15 with an exponent.
_PLAIN_FLOAT = """
create or replace macro plain_digits(v) as case
    when not contains(v, 'e') then v
    when split_part(v, 'e', 2)::integer < 0 then concat(
        case when starts_with(v, '-') then '-' end, '0.',
        repeat('0', -1 - split_part(v, 'e', 2)::integer),
        replace(ltrim(split_part(v, 'e', 1), '-'), '.', '')
    )
    else concat(
        split_part(split_part(v, 'e', 1), '.', 1),
        rpad(
            split_part(split_part(v, 'e', 1), '.', 2),
            greatest(
                split_part(v, 'e', 2)::integer,
                length(split_part(split_part(v, 'e', 1), '.', 2))::integer
            ),
            '0'
        )
    )
end
"""


@dataclass
class TabularFile:
    """A file on its way through DuckDB.

    Attributes:
        path: The file.
        unknown_columns: Columns of the file that nobody asked for, in the file's order.
        malformed_lines: Lines of rows without the header's number of cells; complete once the
            relation was read.
    """

    path: Path
    unknown_columns: list[str]
    malformed_lines: list[int] = field(default_factory=list)
    _failure: Exception | None = None

    def explain(self, error: Exception) -> InputError:
        """The error to show for a failure while the relation was being read."""
        cause = self._failure or error
        text = " ".join(str(cause).split())[:300]
        if "straddling" in text:
            text = f"a row is longer than {BLOCK_BYTES:,} bytes; is a quote left open?"
        return InputError(f"{self.path.name} can't be read: {text}")


def open_tabular(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    columns: Mapping[str, bool],
    relation: str,
) -> TabularFile:
    """Make `relation` read `path`: `line` BIGINT and every asked-for column as VARCHAR.

    Args:
        connection: Where the relation is made; it can be read once.
        path: A `.csv` (UTF-8, comma, header) or `.parquet` file.
        columns: Column name to whether the file must have it; others that are absent are null.
        relation: Name of the relation; one of an earlier file is replaced.

    Raises:
        InputError: The file is unreadable, or a column is missing or named twice.
    """
    connection.unregister(relation)
    connection.execute(f"drop view if exists {relation}")
    if path.suffix == ".parquet":
        return _open_parquet(connection, path, columns, relation)
    return _open_csv(connection, path, columns, relation)


def _open_csv(connection, path, columns, relation) -> TabularFile:
    header = _csv_header(path)
    names = [name.strip() for name in header]
    source = TabularFile(path, _check_columns(path, names, columns))
    wanted = [(name, names.index(name) if name in names else None) for name in columns]
    schema = pa.schema([("line", pa.int64()), *((name, pa.string()) for name in columns)])
    batches = _csv_batches(source, header, wanted, schema)
    connection.register(relation, pa.RecordBatchReader.from_batches(schema, batches))
    return source


def _csv_header(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            header = next(csv.reader(lines), [])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path.name} can't be read: {error}; save it as a UTF-8 CSV file"
        ) from None
    if not header:
        raise InputError(f"{path.name} has no header line; its first line must name the columns")
    return header


def _check_columns(path: Path, names: list[str], columns: Mapping[str, bool]) -> list[str]:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{path.name} names a column twice: {', '.join(twice)}; keep one of each")
    missing = [name for name, required in columns.items() if required and name not in names]
    if missing:
        raise InputError(
            f"{path.name} lacks the required column(s) {', '.join(missing)}; "
            f"it has {', '.join(names)[:300]}"
        )
    return [name for name in names if name not in columns]


class _LineCounter:
    """Numbers the lines on which records start, although quoted cells may hold line breaks.

    A record's line is its number (the header is record 1) plus the line breaks inside the records
    before it. Malformed records arrive through `skip`, in order, never later than the batch of
    the block they stand in.
    """

    def __init__(self, source: TabularFile) -> None:
        self._source = source
        self._skipped: list[tuple[int, int]] = []  # record number, breaks inside
        self._reported = 0
        self._records = 0
        self._breaks = 0

    def skip(self, row: pacsv.InvalidRow) -> str:
        self._skipped.append((row.number, row.text.count("\n")))
        return "skip"

    def lines(self, batch: pa.RecordBatch) -> np.ndarray:
        """The lines of the next `batch` of well-formed records."""
        inside = _line_breaks(batch)
        breaks_before = self._breaks + np.concatenate(([0], np.cumsum(inside)))
        ordinals = np.arange(self._records, self._records + batch.num_rows, dtype=np.int64)
        numbers = np.array([number for number, _ in self._skipped], dtype=np.int64)
        skipped_breaks = np.array([0, *(inside for _, inside in self._skipped)]).cumsum()
        # How many well-formed records stand before each malformed one.
        records_before = numbers - 2 - np.arange(len(numbers))
        skipped_before = np.searchsorted(records_before, ordinals, side="right")
        self._report(records_before, breaks_before, skipped_breaks)
        self._records += batch.num_rows
        self._breaks = int(breaks_before[-1])
        return ordinals + 2 + skipped_before + breaks_before[:-1] + skipped_breaks[skipped_before]

    def finish(self, schema: pa.Schema) -> None:
        """Number the malformed records behind the last well-formed one."""
        self.lines(pa.RecordBatch.from_pylist([], schema=schema))

    def _report(self, records_before, breaks_before, skipped_breaks) -> None:
        while self._reported < len(self._skipped):
            place = int(records_before[self._reported]) - self._records
            if place >= len(breaks_before):
                return
            number, _ = self._skipped[self._reported]
            line = number + int(breaks_before[place]) + int(skipped_breaks[self._reported])
            self._source.malformed_lines.append(line)
            self._reported += 1


def _line_breaks(batch: pa.RecordBatch) -> np.ndarray:
    total = np.zeros(batch.num_rows, dtype=np.int64)
    for column in batch.columns:
        text = column.buffers()[2]
        if text is not None and (np.frombuffer(text, dtype=np.uint8) == ord("\n")).any():
            counted = pc.fill_null(pc.count_substring(column, "\n"), 0)
            total += counted.to_numpy(zero_copy_only=False)
    return total


def _csv_batches(
    source: TabularFile,
    header: list[str],
    wanted: list[tuple[str, int | None]],
    schema: pa.Schema,
) -> Iterator[pa.RecordBatch]:
    """Batches of the wanted columns; what goes wrong is kept for `TabularFile.explain`."""
    try:
        counter = _LineCounter(source)
        reader = _csv_reader(source.path, header, counter)
        for batch in reader:
            yield _pick(batch, counter.lines(batch), wanted, schema)
        counter.finish(reader.schema)
    except (pa.ArrowInvalid, OSError) as error:
        source._failure = error
        raise


def _csv_reader(path: Path, header: list[str], counter: _LineCounter) -> pacsv.CSVStreamingReader:
    return pacsv.open_csv(
        path,
        # Only a single thread numbers the rows that it skips.
        read_options=pacsv.ReadOptions(block_size=BLOCK_BYTES, use_threads=False),
        parse_options=pacsv.ParseOptions(
            newlines_in_values=True,
            ignore_empty_lines=False,
            invalid_row_handler=counter.skip,
        ),
        convert_options=pacsv.ConvertOptions(
            column_types={name: pa.string() for name in header},
            null_values=[""],
            strings_can_be_null=True,
        ),
    )


def _pick(batch, lines, wanted, schema) -> pa.RecordBatch:
    """The wanted columns under their line numbers, without the blank lines."""
    empty = pa.nulls(batch.num_rows, pa.string())
    columns = [empty if place is None else batch.column(place) for _, place in wanted]
    picked = pa.RecordBatch.from_arrays([pa.array(lines), *columns], schema=schema)
    blank = np.ones(batch.num_rows, dtype=bool)
    for column in batch.columns:
        blank &= column.is_null().to_numpy(zero_copy_only=False)
    return picked.filter(pa.array(~blank)) if blank.any() else picked


def _open_parquet(connection, path, columns, relation) -> TabularFile:
    try:
        fields = pq.read_schema(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path.name} is no readable Parquet file: {error}") from None
    names = [name.strip() for name in fields.names]
    source = TabularFile(path, _check_columns(path, names, columns))
    connection.execute(_PLAIN_FLOAT)
    cells = [
        _parquet_cell(path, fields.field(names.index(name)) if name in names else None, name)
        for name in columns
    ]
    connection.execute(
        f"create temp view {relation} as "
        f"select file_row_number + 2 as line, {', '.join(cells)} "
        f"from read_parquet({_quoted(str(path))}, file_row_number = true)"
    )
    return source


def _parquet_cell(path: Path, cell: pa.Field | None, name: str) -> str:
    """SQL that turns one column of a Parquet file into the text a CSV would hold."""
    if cell is None:
        return f'cast(null as varchar) as "{name}"'
    column = '"' + cell.name.replace('"', '""') + '"'
    kind = cell.type.value_type if pa.types.is_dictionary(cell.type) else cell.type
    if pa.types.is_decimal256(kind):
        raise InputError(
            f"{path.name}: column {name} is a decimal wider than 38 digits; write it as text"
        )
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        text = f"strftime(cast({column} as timestamp), '%Y-%m-%dT%H:%M:%SZ')"
    elif pa.types.is_floating(kind):
        text = f"plain_digits(cast({column} as varchar))"
    else:
        text = f"nullif(cast({column} as varchar), '')"
    return f'{text} as "{name}"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
