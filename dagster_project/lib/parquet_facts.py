"""What can be said of Parquet files without reading their rows."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq

# Columns that say how far the chain has been read, where a table has one.
BLOCK_COLUMNS = ("slot", "block")


def facts(paths: Iterable[Path]) -> dict[str, int]:
    """Count rows and bytes of Parquet files, and find the newest block from their statistics.

    Args:
        paths: Files, or folders that hold `*.parquet`.

    Returns:
        `rows`, `bytes` and, where a table has one and it is known, `newest_block`.
    """
    files = [file for path in paths for file in _files(path)]
    metadata = [pq.read_metadata(file) for file in files]
    found = {
        "rows": sum(one.num_rows for one in metadata),
        "bytes": sum(file.stat().st_size for file in files),
    }
    newest = [block for one in metadata for block in _newest_blocks(one)]
    if newest:
        found["newest_block"] = max(newest)
    return found


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.glob("*.parquet"))


def _newest_blocks(metadata: pq.FileMetaData) -> Iterable[int]:
    for group in range(metadata.num_row_groups):
        for index in range(metadata.num_columns):
            column = metadata.row_group(group).column(index)
            known = column.is_stats_set and column.statistics.has_min_max
            if column.path_in_schema in BLOCK_COLUMNS and known:
                yield column.statistics.max
