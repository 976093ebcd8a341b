"""The raw price tables: `candles` and `rejects` under `raw/prices/` of the data folder."""

from pathlib import Path

import pyarrow as pa

CANDLES = pa.schema(
    [
        pa.field("chain", pa.string(), nullable=False),
        pa.field("address", pa.string(), nullable=False),
        pa.field("at", pa.timestamp("us"), nullable=False),
        pa.field("price", pa.decimal128(38, 24), nullable=False),
        pa.field("resolution", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("interval", pa.string(), nullable=False),
        pa.field("file", pa.string(), nullable=False),
        pa.field("row", pa.int64(), nullable=False),
    ]
)
"""A close in dollars and the moment it counts for, UTC: the open of an hour, the last minute of a
candle of one to five minutes (METHODS 2). `interval` is the candle's as given; `file` and `row`
say where it came from."""

REJECTS = pa.schema(
    [
        pa.field("file", pa.string(), nullable=False),
        pa.field("row", pa.int64(), nullable=False),
        pa.field("column", pa.string()),
        pa.field("reason", pa.string(), nullable=False),
    ]
)
"""A row of a candle file that can't be right."""

TABLES = {"candles": CANDLES, "rejects": REJECTS}


def table_folder(data_dir: Path, table: str) -> Path:
    """The folder of a price table's files."""
    return data_dir / "raw" / "prices" / table
