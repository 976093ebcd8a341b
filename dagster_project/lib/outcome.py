"""How a build ended, in words and counts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from dagster_project.lib.dbt import Failure
from dagster_project.settings import DataFolder
from ingest.errors import InputError


class BuildError(InputError):
    """A model or a data test did not succeed, so nothing was published.

    Attributes:
        failures: What failed, with the rows that failing tests found.
    """

    def __init__(self, message: str, failures: Iterable[Failure] = ()) -> None:
        """Keep `message`, one line, and what failed."""
        super().__init__(message)
        self.failures = tuple(failures)

    @classmethod
    def from_failures(cls, failures: Iterable[Failure]) -> "BuildError":
        """Name everything that failed in one line."""
        failures = tuple(failures)
        names = ", ".join(f"{failure.kind} {failure.name}" for failure in failures)
        return cls(f"nothing was published, because this failed: {names}", failures)

    @classmethod
    def without_results(cls, step: str, error: Exception | None) -> "BuildError":
        """Say that dbt stopped before it ran anything."""
        reason = " ".join(str(error or "no results were written").split())
        return cls(f"nothing was published, because dbt could not start the {step}: {reason}")


@dataclass(frozen=True, slots=True)
class BuildSummary:
    """What a build made.

    Attributes:
        data: The folder in which it was published.
        as_of: The moment of the figures, UTC without offset.
        tables: Rows of each published table.
        movements: Movements by kind.
        rejects: Rejected input rows by reason.
        unexplained: Movements that are no trade, by reason.
        tests_passed: Data tests that passed.
    """

    data: DataFolder
    as_of: datetime
    tables: dict[str, int]
    movements: dict[str, int]
    rejects: dict[str, int]
    unexplained: dict[str, int]
    tests_passed: int


def counts(found: Mapping[str, int]) -> str:
    """Counts by name, as they come; `none` when there are none."""
    return ", ".join(f"{name} {number:,}" for name, number in found.items()) or "none"
