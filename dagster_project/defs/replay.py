"""The replay of every method over the ledger, between the two dbt steps."""

from collections.abc import Iterator

import dagster as dg
from dagster_dbt import get_asset_key_for_model

from dagster_project.defs.dbt.assets import ledger
from dagster_project.defs.resources import Workspace
from dagster_project.lib.parquet_facts import facts
from dagster_project.lib.replaying import TABLES, replay_ledger

READS = [get_asset_key_for_model([ledger], name) for name in ("int_ledger_events", "methods")]


@dg.multi_asset(
    name="replay",
    specs=[dg.AssetSpec(["replay", table], deps=READS, group_name="replay") for table in TABLES],
    pool="duckdb",
)
def replay(workspace: Workspace) -> Iterator[dg.MaterializeResult]:
    """Turn the ledger's events into fills, lots, positions and closed trades."""
    for table, path in replay_ledger(workspace.folder).items():
        yield dg.MaterializeResult(asset_key=["replay", table], metadata=facts([path]))
