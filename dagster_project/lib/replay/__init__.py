"""The replay kernel: pure, Arrow in and Arrow out."""

from dagster_project.lib.replay.axes import ReplayAxes
from dagster_project.lib.replay.errors import ReplayInputError, ReplayOverflow
from dagster_project.lib.replay.kernel import ReplayResult, replay

__all__ = ["ReplayAxes", "ReplayInputError", "ReplayOverflow", "ReplayResult", "replay"]
