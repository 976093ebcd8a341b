"""dbt as the conventions and unit tests see it: a manifest and an empty warehouse."""

import json
import subprocess
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from dagster_project.lib.replay.run import SCHEMAS
from dagster_project.settings import DBT_EXECUTABLE, DBT_PROJECT, DataFolder
from ingest.prices.importing import ensure_prices
from ingest.solana.decode import decode_new
from ingest.tape.read import ensure_tape


class Dbt:
    """dbt on one data folder, with targets and logs of its own."""

    def __init__(self, data: DataFolder) -> None:
        self.data = data
        self.target = data.build / "target"

    def run(self, *arguments: str) -> None:
        """Run dbt; its output is the message when it fails."""
        done = subprocess.run(
            [
                str(DBT_EXECUTABLE),
                *arguments,
                "--project-dir",
                str(DBT_PROJECT),
                "--profiles-dir",
                str(DBT_PROJECT),
                "--target-path",
                str(self.target),
                "--log-path",
                str(self.data.build / "logs"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-6000:]

    @property
    def manifest(self) -> dict:
        """The manifest of the last run."""
        return json.loads((self.target / "manifest.json").read_text())

    def columns(self) -> dict[str, list[str]]:
        """The columns of every relation, by its name, in their order."""
        with duckdb.connect(str(self.data.build_database), read_only=True) as connection:
            rows = connection.execute(
                "select table_name, column_name from duckdb_columns() where not internal "
                "order by table_name, column_index"
            ).fetchall()
        found: dict[str, list[str]] = {}
        for table, column in rows:
            found.setdefault(table, []).append(column)
        return found


@pytest.fixture(scope="session")
def dbt(tmp_path_factory) -> Dbt:
    """An empty warehouse: every door stands open and nothing came in.

    Parsing in full with deprecations as errors is part of it: dbt does not warn on DuckDB else.
    """
    data = DataFolder(tmp_path_factory.mktemp("empty"))
    data.build.mkdir()
    _open_doors(data.root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRADEBASIS_DATA", str(data.root))
        patch.setenv("TRADEBASIS_BUILD_DB", str(data.build_database))
        made = Dbt(data)
        made.run(
            "parse", "--no-partial-parse", "--warn-error-options", '{"error": ["Deprecations"]}'
        )
        made.run("build", "--empty", "--exclude-resource-type", "test", "unit_test")
        yield made


def _open_doors(root: Path) -> None:
    decode_new(root)
    ensure_tape(root)
    ensure_prices(root)
    (root / "replay").mkdir()
    for table, schema in SCHEMAS.items():
        pq.write_table(schema.empty_table(), root / "replay" / f"{table}.parquet")


@pytest.fixture(scope="session")
def manifest(dbt: Dbt) -> dict:
    """The project's manifest."""
    return dbt.manifest
