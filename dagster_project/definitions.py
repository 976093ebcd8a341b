"""Everything Dagster sees: loads `defs`, computes nothing."""

from pathlib import Path

import dagster as dg


@dg.definitions
def defs() -> dg.Definitions:
    """The assets, checks, jobs, schedules and resources of the warehouse."""
    return dg.load_from_defs_folder(path_within_project=Path(__file__).parent)
