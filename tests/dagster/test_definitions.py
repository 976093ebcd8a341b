"""What Dagster loads: a rename or a lost edge shows here before it shows at night."""

from pathlib import Path

import dagster as dg
import pytest

from dagster_project.definitions import defs
from dagster_project.defs.dbt.translator import group_of
from dagster_project.lib.build import run_config
from dagster_project.settings import DataFolder

ASSET_KEYS = Path(__file__).with_name("asset_keys.txt")
GROUPS = {
    "raw",
    "decoded",
    "reference",
    "staging",
    "ledger",
    "values",
    "replay",
    "figures",
    "marts",
    "exports",
}


@pytest.fixture(scope="session")
def definitions() -> dg.Definitions:
    return defs()


@pytest.fixture(scope="session")
def graph(definitions):
    return definitions.resolve_asset_graph()


def test_asset_keys_are_the_listed_ones(graph):
    """Whoever adds, drops or renames an asset says so in the list."""
    keys = sorted(key.to_user_string() for key in graph.get_all_asset_keys())
    assert keys == ASSET_KEYS.read_text().splitlines()


def test_groups_are_the_folders(graph):
    groups = {graph.get(key).group_name for key in graph.get_all_asset_keys()}
    assert groups <= GROUPS
    assert {"raw", "decoded", "reference", "ledger", "replay", "marts", "exports"} <= groups


@pytest.mark.parametrize(
    ("fqn", "resource_type", "group"),
    [
        (["tradebasis", "methods"], "seed", "reference"),
        (["tradebasis", "staging", "tape", "stg_tape__assets"], "model", "staging"),
        (["tradebasis", "intermediate", "values", "int_ticks"], "model", "values"),
        (["tradebasis", "marts", "trades"], "model", "marts"),
    ],
)
def test_the_group_comes_from_the_folder(fqn, resource_type, group):
    assert group_of(fqn, resource_type) == group


def ancestors(graph, key: dg.AssetKey) -> set[dg.AssetKey]:
    found, waiting = set(), [key]
    while waiting:
        for parent in graph.get(waiting.pop()).parent_keys - found:
            found.add(parent)
            waiting.append(parent)
    return found


def test_the_line_runs_from_raw_files_to_the_published_warehouse(graph):
    behind = ancestors(graph, dg.AssetKey(["exports", "warehouse"]))
    for key in (
        ["raw", "transactions"],
        ["decoded", "transactions"],
        ["tape", "movements"],
        ["prices", "candles"],
        ["reference", "methods"],
        ["intermediate", "int_movements"],
        ["intermediate", "int_ledger_events"],
        ["replay", "fills"],
        ["wallet_pnl"],
        ["leaderboard"],
    ):
        assert dg.AssetKey(key) in behind


def test_the_replay_stands_between_the_two_dbt_steps(definitions, graph):
    def step_of(key):
        return definitions.resolve_assets_def(dg.AssetKey(key)).node_def.name

    assert step_of(["intermediate", "int_ledger_events"]) == "ledger"
    assert step_of(["wallet_pnl"]) == "marts"
    behind = ancestors(graph, dg.AssetKey(["replay", "fills"]))
    assert dg.AssetKey(["intermediate", "int_ledger_events"]) in behind
    steps = {step_of(key.path) for key in behind if graph.get(key).is_materializable}
    assert "marts" not in steps


def test_data_tests_are_checks_of_their_assets(graph):
    checked = {key.asset_key.to_user_string() for key in graph.asset_check_keys}
    assert {"movements", "trades", "wallet_pnl", "leaderboard"} <= checked


def test_one_job_in_one_process_and_a_stopped_schedule_in_utc(definitions):
    job = definitions.resolve_job_def("nightly")
    assert job.executor_def.name == "in_process"
    (schedule,) = definitions.schedules
    assert schedule.job_name == "nightly"
    assert schedule.execution_timezone == "UTC"
    assert schedule.default_status == dg.DefaultScheduleStatus.STOPPED


def test_every_writer_of_duckdb_is_in_the_pool(definitions):
    pools = {
        assets.node_def.name: assets.node_def.pools
        for assets in definitions.resolve_asset_graph().assets_defs
        if assets.is_executable
    }
    for step in ("ledger", "replay", "marts", "exports__warehouse"):
        assert pools[step] == {"duckdb"}


def test_a_build_is_configured_by_its_data_folder(tmp_path):
    config = run_config(DataFolder(tmp_path), as_of=None, tape=None)
    assert config["resources"]["workspace"]["config"] == {
        "data": str(tmp_path),
        "tape": "",
        "as_of": "",
    }
