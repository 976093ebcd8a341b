"""Raw files into decoded tables, each once per decoder version."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

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
    parsers: SimpleQueue[Parser] = SimpleQueue()

    def decode_one(raw: Path) -> tuple[int, Counter[str]]:
        parser = parsers.get()
        try:
            return decode_file(data_dir, raw, parser)
        finally:
            parsers.put(parser)

    with ExitStack() as stack:
        for _ in range(WORKERS):
            connection = stack.enter_context(duckdb.connect(config={"threads": 1}))
            parsers.put(Parser(connection))
        pool = stack.enter_context(ThreadPoolExecutor(WORKERS))
        for transactions, rejects in pool.map(decode_one, waiting):
            summary.new_files += 1
            summary.transactions += transactions
            summary.rejects.update(rejects)
            if progress:
                progress(summary.new_files, len(waiting))
    return summary


def _is_decoded(data_dir: Path, raw: Path) -> bool:
    return all((table_folder(data_dir, table) / raw.name).exists() for table in TABLES)


def decode_file(data_dir: Path, raw: Path, parser: Parser) -> tuple[int, Counter[str]]:
    """Decode one raw file with a parser that no other thread uses meanwhile.

    Returns:
        the number of transactions decoded, and of quarantined bodies by reason.
    """
    tables = _decoded(raw, parser)
    for name, schema in TABLES.items():
        lake.write(tables[name], table_folder(data_dir, name) / raw.name, schema)
    return len(tables["transactions"]), Counter(tables["rejects"]["reason"].to_pylist())


def _decoded(raw: Path, parser: Parser) -> dict[str, pa.Table]:
    """All tables of schema.TABLES: every body is a row of `transactions` or of `rejects`."""
    good, rejects = parser.parse(raw)
    parts: dict[str, list[pa.Table]] = {name: [] for name in TABLES}
    parts["rejects"].append(rejects)
    for parsed in good:
        tables, rejected = flatten(parsed, raw.stem)
        parts["rejects"].append(reject_rows(rejected))
        for name, table in tables.items():
            parts[name].append(table)
    joined = {
        name: pa.concat_tables(tables) if tables else TABLES[name].empty_table()
        for name, tables in parts.items()
    }
    joined["rejects"] = _with_file(joined["rejects"].sort_by("row"), raw)
    return joined


def _with_file(rejects: pa.Table, raw: Path) -> pa.Table:
    """Name the source file; one raw file holds lines of one source."""
    first = next(pq.ParquetFile(raw).iter_batches(1, columns=["file"]), None)
    file = first["file"][0].as_py() if first else ""
    return rejects.add_column(0, "file", pa.repeat(file, len(rejects)))
