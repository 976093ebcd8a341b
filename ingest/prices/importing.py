"""Candle files into the raw lake.

A file is judged as a whole and stored once: its name in the lake is a digest of the candles, so
importing it twice, or its rows in another order, changes nothing. Closes keep 24 decimal places;
a float is its shortest text that reads back as the same number.
"""

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from ingest import lake
from ingest.cells import REASONS, define_macros, first_fault
from ingest.prices.schema import CANDLES, REJECTS, TABLES, table_folder
from ingest.quarantine import TOLD, refuse_if_mostly_wrong
from ingest.tabular import TabularFile, open_tabular

SOL = ("solana", "So11111111111111111111111111111111111111112")
"""Chain and address of the asset that a file prices when it names none."""

CANDLE_REASONS = REASONS | {
    "unknown_interval": "candles of 1m to 5m and 1h (or minute, hour) are taken",
}

_COLUMNS = {
    "open_time": True,
    "close": True,
    "interval": True,
    "source": False,
    "chain": False,
    "address": False,
}

# Minutes of a candle by how its interval is written; case counts: 1M is a month elsewhere.
_MINUTES = {
    "1m": 1,
    "minute": 1,
    "2m": 2,
    "3m": 3,
    "4m": 4,
    "5m": 5,
    "60m": 60,
    "1h": 60,
    "hour": 60,
}

# Candles have these too; nothing here needs them, so their presence is no news.
_CANDLE_EXTRAS = {"open", "high", "low", "volume", "close_time"}

_JUDGED = f"""
create or replace table judged as
with intervals as (
    select unnest($intervals) as name, unnest($minutes) as minutes
),
trimmed as (
    select
        cells.line,
        coalesce(cells.chain, $chain) as chain,
        coalesce(cells.address, $address) as address,
        coalesce(cells.source, $source) as source,
        cell(cells.open_time) as time_text,
        cell(cells.close) as close_text,
        cell(cells."interval") as interval_text,
        intervals.minutes
    from cells
    left join intervals on cell(cells."interval") = intervals.name
),
typed as (
    select
        *,
        moment(time_text) as opened_at,
        price(close_text) as price
    from trimmed
)
select
    line,
    chain,
    address,
    opened_at + to_minutes(case when minutes = 60 then 0 else coalesce(minutes, 1) - 1 end) as "at",
    price,
    case when minutes = 60 then 'hour' else 'minute' end as resolution,
    source,
    interval_text as "interval",
    minutes,
    {
    first_fault(
        {
            "open_time": "coalesce(required(time_text), moment_fault(time_text, opened_at))",
            "close": "price_fault(close_text, price)",
            "interval": '''coalesce(
                required(interval_text),
                case when minutes is null then 'unknown_interval' end
            )''',
        }
    )
} as fault
from typed
"""

# Closes of one source for one moment must agree; of agreeing ones the shortest candle stays.
_SETTLED = """
create or replace table settled as
select
    *,
    min(price) over same_moment <> max(price) over same_moment as conflict,
    row_number() over (
        partition by chain, address, resolution, source, "at" order by minutes, line
    ) as place
from judged
where fault is null
window same_moment as (partition by chain, address, resolution, source, "at")
"""

_KEPT = """
select chain, address, "at", price, resolution, source, "interval", $file as file, line as "row"
from settled
where not conflict and place = 1
order by chain, address, resolution, source, "at"
"""

_REJECTED = """
select $file as file, line as "row", split_part(fault, ':', 1) as "column",
    split_part(fault, ':', 2) as reason
from judged
where fault is not null
union all
select $file, line, 'close', 'conflicting_rows'
from settled
where conflict
union all
select $file, unnest($malformed), null, 'wrong_number_of_cells'
order by "row"
"""

_DIGEST_TEXT = """
select concat_ws(
    chr(31), chain, address, epoch("at"), price, resolution, source, "interval"
) as candle
from kept
order by chain, address, resolution, source, "at"
"""


@dataclass(frozen=True)
class CandleSummary:
    """What became of a candle file.

    Attributes:
        file: Its name.
        rows: Rows in it, blank lines aside.
        kept: Candles stored, or already stored.
        rejected: Rows in quarantine.
        repeated: Rows that said the same as another one.
        is_new: False when the lake held these candles already.
        warnings: One line each.
    """

    file: str
    rows: int
    kept: int
    rejected: int
    repeated: int
    is_new: bool
    warnings: list[str] = field(default_factory=list)


def import_candles(path: Path, data_dir: Path, source: str | None = None) -> CandleSummary:
    """Append a file of candles to the raw lake of `data_dir`.

    Args:
        path: CSV or Parquet with `open_time`, `close` (dollars), `interval` and perhaps
            `source`, `chain`, `address`; without the last two the asset is SOL.
        data_dir: The data folder.
        source: Name of the source where the file has none; default: the file's name.

    Raises:
        InputError: The file is unreadable, lacks a column, or more than 5 % of its rows can't be
            right. Nothing is stored then.
    """
    with tempfile.TemporaryDirectory() as scratch, duckdb.connect(f"{scratch}/a.duckdb") as work:
        work.execute("set timezone = 'UTC'")
        define_macros(work)
        file = _judge(work, path, source or _source_name(path))
        kept, rejects = _sort_out(work, file)
        rows = _count(work, "judged") + len(file.malformed_lines)
        refuse_if_mostly_wrong(
            path.name,
            rows,
            rejects.num_rows,
            [tuple(row.values())[1:] for row in rejects.slice(0, TOLD).to_pylist()],
            CANDLE_REASONS,
        )
        is_new = kept.num_rows > 0 and _store(work, kept, rejects, data_dir)
    return CandleSummary(
        file=path.name,
        rows=rows,
        kept=kept.num_rows,
        rejected=rejects.num_rows,
        repeated=rows - kept.num_rows - rejects.num_rows,
        is_new=is_new,
        warnings=_warnings(file),
    )


def ensure_prices(data_dir: Path) -> None:
    """Make sure that every price table can be read, empty where nothing was imported."""
    for table, schema in TABLES.items():
        lake.write_schema_file(table_folder(data_dir, table), schema)


def _source_name(path: Path) -> str:
    return re.sub(r"[^a-z0-9_-]+", "-", path.stem.lower()).strip("-") or "file"


def _judge(work: duckdb.DuckDBPyConnection, path: Path, source: str) -> TabularFile:
    file = open_tabular(work, path, _COLUMNS, "cells")
    try:
        work.execute(
            _JUDGED,
            {
                "intervals": list(_MINUTES),
                "minutes": list(_MINUTES.values()),
                "chain": SOL[0],
                "address": SOL[1],
                "source": source,
            },
        )
    except (duckdb.InvalidInputException, duckdb.IOException) as error:
        raise file.explain(error) from None
    return file


def _sort_out(work: duckdb.DuckDBPyConnection, file: TabularFile):
    work.execute(_SETTLED)
    kept = work.sql(_KEPT, params={"file": file.path.name}).to_arrow_table()
    rejects = work.sql(
        _REJECTED, params={"file": file.path.name, "malformed": file.malformed_lines}
    ).to_arrow_table()
    return kept, rejects


def _store(work, kept, rejects, data_dir: Path) -> bool:
    work.register("kept", kept)
    batches = work.sql(_DIGEST_TEXT).to_arrow_reader()
    name = lake.digest(text.encode() for batch in batches for text in batch.column(0).to_pylist())
    candles = table_folder(data_dir, "candles") / f"{name}.parquet"
    if candles.exists():
        return False
    # The candles last: they are what says that the file was stored.
    lake.write(rejects, table_folder(data_dir, "rejects") / f"{name}.parquet", REJECTS)
    lake.write(kept, candles, CANDLES)
    return True


def _warnings(file: TabularFile) -> list[str]:
    ignored = [name for name in file.unknown_columns if name not in _CANDLE_EXTRAS]
    if not ignored:
        return []
    return [f"{file.path.name}: columns that are not known are ignored: {', '.join(ignored)}"]


def _count(work: duckdb.DuckDBPyConnection, relation: str) -> int:
    return work.execute(f"select count(*) from {relation}").fetchall()[0][0]
