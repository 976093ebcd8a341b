"""Raw files into decoded tables, each once per decoder version."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ingest import lake
from ingest.solana.flatten import flatten
from ingest.solana.parse import Parser, reject_rows
from ingest.solana.schema import TABLES, raw_folder, table_folder

# Files decoded at a time. Each is bounded by what the import put into one raw file.
WORKERS = 2


@dataclass
class DecodeSummary:
    """What one run of the decoder did."""

    new_files: int = 0
    known_files: int = 0
    transactions: int = 0
    rejects: Counter[str] = field(default_factory=Counter)
    """Quarantined bodies by reason."""


def decode_new(data_dir: Path, progress: Callable[[int, int], None] | None = None) -> DecodeSummary:
    """Decode every raw file that this decoder version has not decoded.

    A raw file becomes one file in each table's folder. They are renamed into place one by one,
    `transactions` last: a raw file without all of them is decoded again from its start and gives
    the same bytes, so a run may be killed at any time. Every table has its schema file even when
    nothing is raw.

    Args:
        data_dir: the data folder.
        progress: called with (files done, files to do) after each file.
    """
    data_dir = Path(data_dir)
    for table, schema in TABLES.items():
        lake.write_schema_file(table_folder(data_dir, table), schema)
    raw_files = lake.files(raw_folder(data_dir))
    waiting = [raw for raw in raw_files if not _is_decoded(data_dir, raw)]
    summary = DecodeSummary(known_files=len(raw_files) - len(waiting))
    with ThreadPoolExecutor(WORKERS) as pool:
        for transactions, rejects in pool.map(lambda raw: decode_file(data_dir, raw), waiting):
            summary.new_files += 1
            summary.transactions += transactions
            summary.rejects.update(rejects)
            if progress:
                progress(summary.new_files, len(waiting))
    return summary


def _is_decoded(data_dir: Path, raw: Path) -> bool:
    return all((table_folder(data_dir, table) / raw.name).exists() for table in TABLES)


def decode_file(data_dir: Path, raw: Path) -> tuple[int, Counter[str]]:
    """Decode one raw file.

    Returns:
        the number of transactions decoded, and of quarantined bodies by reason.
    """
    tables = decode_table(pq.read_table(raw, columns=["file", "row", "body"]), raw.stem)
    for name, schema in TABLES.items():
        lake.write(tables[name], table_folder(data_dir, name) / raw.name, schema)
    return len(tables["transactions"]), Counter(tables["rejects"]["reason"].to_pylist())


def decode_table(raw: pa.Table, raw_file: str) -> dict[str, pa.Table]:
    """Decode raw rows (file, row, body) in memory into all tables of schema.TABLES.

    Every body ends up as one row of `transactions` or as one row of `rejects`.
    """
    with duckdb.connect(config={"threads": 1}) as connection:
        good, rejects = Parser(connection).parse(raw.select(["row", "body"]))
    parts: dict[str, list[pa.Table]] = {name: [] for name in TABLES}
    parts["rejects"].append(rejects)
    for parsed in good:
        tables, rejected = flatten(parsed, raw_file)
        parts["rejects"].append(reject_rows(rejected))
        for name, table in tables.items():
            parts[name].append(table)
    joined = {
        name: pa.concat_tables(tables) if tables else TABLES[name].empty_table()
        for name, tables in parts.items()
    }
    joined["rejects"] = _with_file(joined["rejects"].sort_by("row"), raw)
    return joined


def _with_file(rejects: pa.Table, raw: pa.Table) -> pa.Table:
    """Name the source file; one raw file holds lines of one source."""
    file = raw["file"][0].as_py() if len(raw) else ""
    return rejects.add_column(0, "file", pa.repeat(file, len(rejects)))
