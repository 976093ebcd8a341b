"""What the assets share: the data folder of the run, and dbt."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import dagster as dg

from dagster_project.defs.dbt.project import DBT
from dagster_project.lib.lock import sole_builder
from dagster_project.lib.moments import parse_moment
from dagster_project.settings import DataFolder, data_folder


class Workspace(dg.ConfigurableResource):
    """The data folder of a run and what was asked of it.

    Attributes:
        data: The data folder; empty for `TRADEBASIS_DATA`, else `data/` of the checkout.
        tape: The folder of a tape that is to be the whole ledger; empty for raw chain data.
        as_of: ISO 8601 or epoch seconds; empty for the newest block time in the data.
    """

    data: str = ""
    tape: str = ""
    as_of: str = ""

    @property
    def folder(self) -> DataFolder:
        """The paths of the data folder."""
        return data_folder(Path(self.data) if self.data else None)

    @property
    def ledger(self) -> str:
        """The door that fills the ledger: `tape` or `raw`."""
        return "tape" if self.tape else "raw"

    @property
    def moment(self) -> datetime | None:
        """The moment of the figures, None for the newest block time."""
        return parse_moment(self.as_of) if self.as_of else None

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator["Workspace"]:
        """Hold the data folder's lock for the whole run, however the run was started."""
        folder = self.folder
        with sole_builder(folder.lock, folder.build_database):
            folder.export()
            yield self


@dg.definitions
def resources() -> dg.Definitions:
    """The resources by the names under which assets ask for them."""
    return dg.Definitions(
        resources={
            "workspace": Workspace(),
            "dbt": DBT,
        },
        executor=dg.in_process_executor,
    )
