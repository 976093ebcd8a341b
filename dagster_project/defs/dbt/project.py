"""The dbt project and its manifest, prepared when missing or stale."""

import os
import shutil
from collections.abc import Sequence
from functools import cached_property
from importlib import metadata

from dagster_dbt import DbtCliResource, DbtProject
from packaging.version import Version

from dagster_project.lib.dbt import fingerprint, manifest_is_fresh, mark_manifest
from dagster_project.settings import DBT_EXECUTABLE, DBT_PROJECT, data_folder


class Dbt(DbtCliResource):
    """dbt without what dagster-dbt does beside running it.

    Its own handle on the database serves row counts and column metadata, which are not asked for:
    it would cost seconds per call and could keep the file open in this process. Which dbt this is
    the environment knows without starting it.
    """

    @cached_property
    def _cli_version(self) -> Version:
        return Version(metadata.version("dbt-core"))

    def _initialize_dbt_core_adapter(self, args: Sequence[str]) -> None:
        return None


DBT = Dbt(project_dir=str(DBT_PROJECT), dbt_executable=str(DBT_EXECUTABLE))


def prepared_project() -> DbtProject:
    """Return the project with a manifest made from its files as they are now."""
    project = DbtProject(project_dir=DBT_PROJECT)
    if not manifest_is_fresh(DBT_PROJECT):
        state = fingerprint(DBT_PROJECT)
        _parse(project)
        mark_manifest(DBT_PROJECT, state)
    return project


def _parse(project: DbtProject) -> None:
    """Parse aside and rename, because another process may be reading the manifest."""
    # Parsing asks for the paths, though only their structure reaches the manifest's readers.
    data_folder().export()
    target = project.manifest_path.parent
    aside = target / f"parse-{os.getpid()}"
    DBT.cli(["parse", "--quiet"], target_path=aside).wait()
    (aside / project.manifest_path.name).replace(project.manifest_path)
    shutil.rmtree(aside)


PROJECT = prepared_project()
