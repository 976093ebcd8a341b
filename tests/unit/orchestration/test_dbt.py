import json
from datetime import UTC, datetime, timedelta, timezone

import duckdb
import pytest

from dagster_project.lib.dbt import (
    Failure,
    build_args,
    fingerprint,
    keep_results,
    manifest_is_fresh,
    mark_manifest,
    passed_tests,
    read_results,
)


def variables(arguments: list[str]) -> dict:
    return json.loads(arguments[arguments.index("--vars") + 1])


def test_a_scheduled_build_leaves_unit_tests_out():
    # Their fixtures need relations that a fresh database has not, and prove nothing of the data.
    arguments = build_args(ledger="raw", as_of=None)
    assert arguments[0] == "build"
    assert arguments[arguments.index("--exclude-resource-type") + 1] == "unit_test"


def test_without_a_moment_the_variable_is_empty():
    assert variables(build_args(ledger="tape", as_of=None)) == {"ledger": "tape", "as_of": ""}


def test_the_moment_is_written_in_utc():
    moment = datetime(2025, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert variables(build_args(ledger="raw", as_of=moment))["as_of"] == "2024-12-31T23:30:00Z"


def test_equal_requests_have_equal_arguments():
    # dbt parses everything again when its variables differ by so much as their order.
    moment = datetime(2025, 1, 1, tzinfo=UTC)
    assert build_args(ledger="raw", as_of=moment) == build_args(as_of=moment, ledger="raw")


@pytest.fixture
def project(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a.sql").write_text("select 1")
    (tmp_path / "target").mkdir()
    return tmp_path


def test_a_manifest_is_stale_until_marked_and_after_any_change(project):
    (project / "target" / "manifest.json").write_text("{}")
    assert not manifest_is_fresh(project)
    mark_manifest(project, fingerprint(project))
    assert manifest_is_fresh(project)
    (project / "models" / "b.sql").write_text("select 2")
    assert not manifest_is_fresh(project)
    (project / "models" / "b.sql").unlink()
    assert manifest_is_fresh(project)
    (project / "target" / "manifest.json").unlink()
    assert not manifest_is_fresh(project)


def test_results_name_what_failed_with_its_first_rows(tmp_path):
    database = tmp_path / "build.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("create table trades as select 7 - i as qty from range(14) as r(i)")
    results = [
        {"unique_id": "model.t.trades", "status": "success", "message": "OK"},
        {"unique_id": "test.t.fine", "status": "pass", "message": None},
        {
            "unique_id": "test.t.qty_positive",
            "status": "fail",
            "message": "Got 7 results,\n configured to fail if != 0",
            "compiled_code": "select qty from trades where qty <= 0 order by qty desc",
        },
        {"unique_id": "model.t.broken", "status": "error", "message": "no such column"},
        {"unique_id": "model.t.after", "status": "skipped", "message": None},
    ]
    nodes = {"test.t.qty_positive": {"name": "qty_positive"}, "model.t.broken": {"name": "broken"}}
    (tmp_path / "run_results.json").write_text(json.dumps({"results": results}))
    (tmp_path / "manifest.json").write_text(json.dumps({"nodes": nodes}))
    found = read_results(tmp_path, database)
    assert (found.tests_passed, found.built) == (1, 1)
    assert found.failures == (
        Failure(
            "qty_positive",
            "test",
            "Got 7 results, configured to fail if != 0",
            ("qty",),
            (("0",), ("-1",), ("-2",), ("-3",), ("-4",)),
        ),
        Failure("broken", "model", "no such column"),
    )


def test_tests_are_counted_over_the_steps_of_a_build(tmp_path):
    for step, statuses in {"ledger": ["pass", "success", "pass"], "marts": ["pass"]}.items():
        results = [{"status": status} for status in statuses]
        (tmp_path / "run_results.json").write_text(json.dumps({"results": results}))
        keep_results(tmp_path, step)
    assert passed_tests(tmp_path) == 3
