"""The replay's edges: the ledger out of DuckDB, the results into Parquet."""

import logging
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dagster_project.lib.replay.errors import ReplayOverflow
from dagster_project.lib.replay.events import SCHEMA
from dagster_project.lib.replay.run import SCHEMAS, replay_all
from dagster_project.lib.warehouse import opened
from dagster_project.settings import DataFolder
from ingest.errors import InputError
from ingest.lake import replacing

log = logging.getLogger("tradebasis")

TABLES = tuple(SCHEMAS)
# Events are numbered by method, position and place in the ledger, so one narrow key sorts them.
EVENTS = f"""
    select method, {", ".join(SCHEMA.names)} from intermediate.int_ledger_events order by event_id
"""
METHODS = "select * from reference.methods order by method"
PLACE = """
    select distinct chain, wallet, token from intermediate.int_ledger_events
    where position_id = $position_id
"""


def replay_ledger(data: DataFolder) -> dict[str, Path]:
    """Replay the ledger under construction by every method.

    Returns:
        The file of each result table.

    Raises:
        InputError: An amount passes 38 digits; the message names the wallet and the token.
    """
    with opened(data.build_database) as connection:
        events = connection.sql(EVENTS).to_arrow_table()
        methods = connection.sql(METHODS).to_arrow_table().to_pylist()
    log.info("Replaying %d events", events.num_rows)
    try:
        results = replay_all(events, methods)
    except ReplayOverflow as overflow:
        raise _named(overflow, data.build_database) from overflow
    return {table: _write(results[table], data.replay / f"{table}.parquet") for table in TABLES}


def _named(overflow: ReplayOverflow, database: Path) -> InputError:
    with opened(database) as connection:
        place = connection.execute(PLACE, {"position_id": overflow.position_id}).fetchone()
    chain, wallet, token = place
    return InputError(f"wallet {wallet}, token {token} on {chain}: {overflow}")


def _write(table: pa.Table, path: Path) -> Path:
    with replacing(path) as fresh:
        pq.write_table(table, fresh, compression="zstd")
    return path
