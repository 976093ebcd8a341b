"""Two dbt steps with the replay between them.

The halves are told apart by the graph, not by names: whatever lies downstream of the replay's
source is a mart's matter, everything else comes before.
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg
from dagster_dbt import DbtCliResource, dbt_assets

from dagster_project.defs.dbt.project import PROJECT
from dagster_project.defs.dbt.translator import FolderTranslator
from dagster_project.defs.resources import Workspace
from dagster_project.lib.build import log
from dagster_project.lib.dbt import build_args, keep_results, read_results
from dagster_project.lib.outcome import BuildError
from dagster_project.lib.publish import start

AFTER_REPLAY = "source:replay+"
TRANSLATOR = FolderTranslator()


@dbt_assets(
    manifest=PROJECT.manifest_path,
    project=PROJECT,
    name="ledger",
    exclude=AFTER_REPLAY,
    dagster_dbt_translator=TRANSLATOR,
    pool="duckdb",
)
def ledger(
    context: dg.AssetExecutionContext, dbt: DbtCliResource, workspace: Workspace
) -> Iterator[Any]:
    """Reference tables, movements and values: everything that the replay reads."""
    start(workspace.folder)
    yield from _build(context, dbt, workspace)


@dbt_assets(
    manifest=PROJECT.manifest_path,
    project=PROJECT,
    name="marts",
    select=AFTER_REPLAY,
    dagster_dbt_translator=TRANSLATOR,
    pool="duckdb",
)
def marts(
    context: dg.AssetExecutionContext, dbt: DbtCliResource, workspace: Workspace
) -> Iterator[Any]:
    """Figures and leaderboards: everything that rests on the replay."""
    yield from _build(context, dbt, workspace)


def _build(
    context: dg.AssetExecutionContext, dbt: DbtCliResource, workspace: Workspace
) -> Iterator[Any]:
    step = context.op.name
    folder = workspace.folder
    log.info("Building the %s with dbt", step)
    invocation = dbt.cli(
        build_args(ledger=workspace.ledger, as_of=workspace.moment),
        context=context,
        target_path=folder.build / "target",
        raise_on_error=False,
    )
    yield from invocation.stream()
    if not (invocation.target_path / "run_results.json").exists():
        raise BuildError.without_results(step, invocation.get_error())
    results = read_results(invocation.target_path, folder.build_database)
    if results.failures:
        raise BuildError.from_failures(results.failures)
    keep_results(invocation.target_path, step)
    log.info("%d tables built, %d tests passed", results.built, results.tests_passed)
