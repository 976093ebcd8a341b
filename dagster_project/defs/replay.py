"""The replay of every method over the ledger, between the two dbt steps."""

from collections.abc import Iterator

import dagster as dg
import pyarrow.parquet as pq
from dagster_dbt import get_asset_key_for_model

from dagster_project.defs.dbt.assets import ledger
from dagster_project.defs.resources import Workspace
from dagster_project.lib.build import log
from dagster_project.lib.parquet_facts import facts
from dagster_project.lib.replay.run import replay_all
from dagster_project.lib.warehouse import opened
from ingest.lake import replacing

TABLES = ("fills", "lots", "positions", "closed_trades")
READS = [get_asset_key_for_model([ledger], name) for name in ("int_ledger_events", "methods")]
EVENTS = "select * from intermediate.int_ledger_events order by method, position_id, event_id"
METHODS = "select * from reference.methods order by method"


@dg.multi_asset(
    name="replay",
    specs=[dg.AssetSpec(["replay", table], deps=READS, group_name="replay") for table in TABLES],
    pool="duckdb",
)
def replay(workspace: Workspace) -> Iterator[dg.MaterializeResult]:
    """Turn the ledger's events into fills, lots, positions and closed trades."""
    folder = workspace.folder
    with opened(folder.build_database) as connection:
        events = connection.sql(EVENTS).to_arrow_table()
        methods = connection.sql(METHODS).to_arrow_table().to_pylist()
    log.info("Replaying %d events", events.num_rows)
    results = replay_all(events, methods)
    for table in TABLES:
        path = folder.replay / f"{table}.parquet"
        with replacing(path) as fresh:
            pq.write_table(results[table], fresh, compression="zstd")
        yield dg.MaterializeResult(asset_key=["replay", table], metadata=facts([path]))
