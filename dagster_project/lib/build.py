"""One run of the nightly job, whoever asks for it: the command, the tests, the benchmark."""

import logging
import os
from contextlib import redirect_stdout
from datetime import datetime
from pathlib import Path

import dagster as dg

from dagster_project.lib.dbt import instant, passed_tests
from dagster_project.lib.outcome import BuildSummary
from dagster_project.lib.warehouse import opened
from dagster_project.settings import DataFolder
from ingest.errors import InputError

log = logging.getLogger("tradebasis")


def build(
    job: dg.JobDefinition,
    data: DataFolder,
    *,
    as_of: datetime | None = None,
    tape: Path | None = None,
) -> BuildSummary:
    """Run the nightly job in this process and say what it made.

    Args:
        job: The job to run.
        data: The folder to build in; made when missing.
        as_of: Everything after it is invisible; None for the newest block time in the data.
        tape: A folder that is to be the whole ledger, instead of the imported raw data.

    Raises:
        InputError: The input, or another build, is in the way.
        BuildError: A model or a data test failed; what was published before still stands.
    """
    data.export()
    # dagster-dbt repeats dbt's lines on standard output.
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        try:
            job.execute_in_process(
                # Kept in memory: a thousand events on disk would cost more than the build. Runs
                # that Dagster's own service starts are kept in its home.
                instance=dg.DagsterInstance.ephemeral(),
                run_config=run_config(data, as_of=as_of, tape=tape),
            )
        except Exception as error:
            raise _cause(error) from error
    return _summary(data)


def _cause(error: BaseException) -> BaseException:
    """Find what went wrong below Dagster's own wrappers: ours if there is one, else the first."""
    while error.__cause__ is not None and not isinstance(error, InputError):
        error = error.__cause__
    return error


def run_config(data: DataFolder, *, as_of: datetime | None, tape: Path | None) -> dict:
    """Write a build's settings as the job's run configuration."""
    workspace = {
        "data": str(data.root),
        "tape": "" if tape is None else str(tape.resolve()),
        "as_of": instant(as_of),
    }
    return {
        "resources": {"workspace": {"config": workspace}},
        # The command reports for itself.
        "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
    }


def _summary(data: DataFolder) -> BuildSummary:
    with opened(data.database) as connection:
        (as_of,) = connection.execute("select as_of from intermediate.int_as_of").fetchone()
        names = connection.execute(
            "select table_name from duckdb_tables() where schema_name = 'main' order by table_name"
        ).fetchall()
        tables = {
            name: connection.execute(f'select count(*) from main."{name}"').fetchone()[0]
            for (name,) in names
        }

        def counts(table: str, column: str) -> dict[str, int]:
            return dict(
                connection.execute(
                    f"select coalesce({column}, 'no reason') as what, count(*) as rows "
                    f"from {table} group by what order by rows desc, what"
                ).fetchall()
            )

        return BuildSummary(
            data=data,
            as_of=as_of,
            tables=tables,
            movements=counts("movements", "kind"),
            rejects=counts("rejects", "reason"),
            unexplained=counts("unexplained", "coalesce(reason, kind)"),
            tests_passed=passed_tests(data.build / "target"),
        )
