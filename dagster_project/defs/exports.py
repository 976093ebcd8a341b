"""What goes out: the exports and the published warehouse."""

import dagster as dg

from dagster_project.defs.dbt.assets import ledger, marts
from dagster_project.defs.resources import Workspace
from dagster_project.lib.build import log
from dagster_project.lib.export import export_tables
from dagster_project.lib.parquet_facts import facts
from dagster_project.lib.publish import publish, staged_exports
from dagster_project.lib.warehouse import opened


@dg.asset(
    key=["exports", "warehouse"],
    deps=[*ledger.keys, *marts.keys],
    group_name="exports",
    pool="duckdb",
)
def warehouse(workspace: Workspace) -> dg.MaterializeResult:
    """Write the exports, then replace the published warehouse; every test has passed by now."""
    folder = workspace.folder
    log.info("Writing the exports")
    with opened(folder.build_database) as connection:
        (as_of,) = connection.execute("select as_of from intermediate.int_as_of").fetchone()
    export_tables(folder.build_database, staged_exports(folder), as_of)
    log.info("Publishing")
    publish(folder)
    return dg.MaterializeResult(
        metadata={
            **facts([folder.exports]),
            "database_bytes": folder.database.stat().st_size,
            "as_of": as_of.isoformat(),
        }
    )
