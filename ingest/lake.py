"""The lake: append-only Parquet files that appear whole or not at all.

Every file is written beside its final place and renamed onto it, so a reader (and the next run
after a kill) sees either nothing or the complete file. Schemas are declared and enforced: what
is written has exactly the declared columns and types, and nulls only where the schema allows.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.errors import InputError

# An empty file of this name stands in every table folder, so that a glob always finds the schema.
SCHEMA_FILE = "0000-schema.parquet"

RAW_SCHEMA = pa.schema(
    [
        pa.field("endpoint", pa.string(), nullable=False),
        pa.field("method", pa.string(), nullable=False),
        pa.field("requested_at", pa.timestamp("us")),
        pa.field("cursor", pa.string()),
        pa.field("file", pa.string(), nullable=False),
        pa.field("row", pa.int64(), nullable=False),
        pa.field("body", pa.string(), nullable=False),
    ]
)
"""One row per response as it was sent; `row` is the line of the source file, from 1."""


def digest(parts: Iterable[bytes]) -> str:
    """Name a sequence of byte strings: 32 hex characters that depend on content and borders."""
    sha = hashlib.sha256()
    for part in parts:
        sha.update(len(part).to_bytes(8, "little"))
        sha.update(part)
    return sha.hexdigest()[:32]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path to write to that becomes `path` by rename when the block ends well.

    The temporary file lies in the same folder (a rename across file systems is a copy) and never
    ends in `.parquet`, so no glob meets it. On an error it is removed and `path` is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _stored(kind: pa.DataType) -> pa.DataType:
    """The type a column has in the file: a dictionary is only how its strings are held."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_list(kind):
        return pa.list_(_stored(kind.value_type))
    return kind


def _fit(column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    """Return `column` with the type of `field`, or a dictionary of it."""
    if not field.nullable and column.null_count:
        raise InputError(
            f"column {field.name} holds nulls but is declared without; reject those rows first"
        )
    if _stored(column.type) == field.type:
        return column
    try:
        return column.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(
            f"column {field.name} does not fit {field.type}: {error}; reject that row first"
        ) from error


def enforce(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return `table` with exactly the columns of `schema`, in its order and types.

    Strings may be dictionary-encoded: it is the same column once written.

    Raises:
        InputError: a column is missing or unknown, a value does not fit its type, or a null
            stands where the schema allows none.
    """
    if set(table.column_names) != set(schema.names):
        odd = sorted(set(table.column_names) ^ set(schema.names))
        raise InputError(
            f"columns {', '.join(odd)} differ from the declared schema; write exactly its columns"
        )
    columns = [_fit(table.column(field.name), field) for field in schema]
    fields = [field.with_type(column.type) for field, column in zip(schema, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_boolean(kind)


def _path(field: pa.Field) -> str:
    return f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name


def write(table: pa.Table, path: Path, schema: pa.Schema, row_group_size: int = 131_072) -> None:
    """Write `table` to `path` as zstd Parquet, atomically and with `schema` enforced.

    The same table gives the same bytes. Raises InputError as `enforce` does.
    """
    table = enforce(table, schema)
    with replacing(path) as temporary:
        pq.write_table(
            table,
            temporary,
            compression="zstd",
            # Numbers hardly repeat, and the least and greatest address of a file are never asked
            # for: looking for either costs more than it saves.
            use_dictionary=[_path(field) for field in schema if not _is_number(field.type)],
            write_statistics=[field.name for field in schema if _is_number(field.type)],
            row_group_size=row_group_size,
            store_schema=False,
        )


def write_schema_file(folder: Path, schema: pa.Schema) -> None:
    """Put the empty schema file into `folder` unless it is there already."""
    path = folder / SCHEMA_FILE
    if not path.exists():
        write(schema.empty_table(), path, schema)


def files(folder: Path) -> list[Path]:
    """List the data files of `folder` in name order, without the schema file; [] if no folder."""
    return sorted(path for path in folder.glob("*.parquet") if path.name != SCHEMA_FILE)
