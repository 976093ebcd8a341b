"""What Python needs to know about dbt: its manifest, its arguments and its results."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dagster_project.lib.warehouse import opened

ROWS_SHOWN = 5
IGNORED_FOLDERS = ("target", "logs", "__pycache__")
FINGERPRINT = "sources.fingerprint"

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """One model or test that did not succeed.

    Attributes:
        name: The node's name as in the project.
        kind: `test`, `model`, `seed`, ...
        message: dbt's one-line reason.
        columns: Names of the columns of `rows`.
        rows: The first rows that a failing test found, as text.
    """

    name: str
    kind: str
    message: str
    columns: Row = ()
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Results:
    """How one dbt invocation went: tests passed, tables built and what failed."""

    tests_passed: int
    built: int
    failures: tuple[Failure, ...]


def build_args(*, ledger: str, as_of: datetime | None) -> list[str]:
    """Arguments of a scheduled `dbt build`.

    Unit tests stay out: their fixtures say nothing about tonight's data, and Dagster cannot show
    them as checks. The test suite runs them. dbt's log file is left out too: it repeats what the
    run reports, and writing it costs a fifth of dbt's time.

    Args:
        ledger: `raw` or `tape`: the door that fills the ledger.
        as_of: Everything after it is invisible; None for the newest block time in the data.
    """
    variables = {"ledger": ledger, "as_of": instant(as_of)}
    return [
        "build",
        "--log-level-file",
        "none",
        "--exclude-resource-type",
        "unit_test",
        "--vars",
        json.dumps(variables, sort_keys=True),
    ]


def instant(moment: datetime | None) -> str:
    """Write a moment as dbt's variable wants it: ISO 8601 in UTC, empty for none."""
    return "" if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def fingerprint(project: Path) -> str:
    """Name the state of a dbt project's files, so that a stale manifest is seen."""
    digest = hashlib.sha256()
    for path in sorted(project.rglob("*")):
        relative = path.relative_to(project)
        if path.is_file() and relative.parts[0] not in IGNORED_FOLDERS:
            status = path.stat()
            digest.update(f"{relative}:{status.st_size}:{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def manifest_is_fresh(project: Path) -> bool:
    """Whether `target/manifest.json` was made from the project's files as they are now."""
    target = project / "target"
    mark = target / FINGERPRINT
    return (
        (target / "manifest.json").exists()
        and mark.exists()
        and mark.read_text() == fingerprint(project)
    )


def mark_manifest(project: Path, state: str) -> None:
    """Remember which state of the files the manifest was made from."""
    (project / "target" / FINGERPRINT).write_text(state)


def read_results(target: Path, database: Path) -> Results:
    """Read what a dbt invocation left behind, with the rows that its failing tests found.

    Args:
        target: The invocation's target folder.
        database: The database it built; closed by now.
    """
    results = json.loads((target / "run_results.json").read_text())["results"]
    names = json.loads((target / "manifest.json").read_text())["nodes"]
    passed = sum(result["status"] == "pass" for result in results)
    built = sum(result["status"] == "success" for result in results)
    failed = [result for result in results if result["status"] in ("error", "fail")]
    return Results(passed, built, tuple(_failures(failed, names, database)))


def keep_results(target: Path, step: str) -> None:
    """Keep what a step left behind; the next one writes to the same folder."""
    (target / "run_results.json").replace(target / f"run_results_{step}.json")


def passed_tests(target: Path) -> int:
    """Count the data tests that passed in the steps whose results were kept."""
    return sum(
        result["status"] == "pass"
        for kept in target.glob("run_results_*.json")
        for result in json.loads(kept.read_text())["results"]
    )


def _failures(
    failed: Sequence[Mapping[str, Any]], nodes: Mapping[str, Any], database: Path
) -> Iterable[Failure]:
    for result in failed:
        kind = result["unique_id"].partition(".")[0]
        name = nodes.get(result["unique_id"], {}).get("name", result["unique_id"])
        message = " ".join(str(result["message"]).split())
        columns, rows = (), ()
        if result["status"] == "fail" and result.get("compiled_code"):
            columns, rows = _first_rows(database, result["compiled_code"])
        yield Failure(name, kind, message, columns, rows)


def _first_rows(database: Path, sql: str) -> tuple[Row, tuple[Row, ...]]:
    """Run a failing test's own query again and take the first rows it finds."""
    with opened(database, exact_functions=True) as connection:
        found = connection.execute(f"select * from ({sql}) limit {ROWS_SHOWN}")
        columns = tuple(column[0] for column in found.description)
        rows = found.fetchall()
    return columns, tuple(tuple("" if cell is None else str(cell) for cell in row) for row in rows)
