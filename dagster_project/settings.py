"""Where things are: the one reader (and, for dbt's sake, the one writer) of the environment.

dbt can only be told its paths through environment variables, so `DataFolder.export` sets the two
that `profiles.yml` and the source files read. Nothing else in the project touches `os.environ`.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import InputError

DATA_VARIABLE = "TRADEBASIS_DATA"
# DuckDB reads these as patterns or quotes wherever it is given a path.
PATTERN_CHARACTERS = frozenset("'\"*?[]{}")
BUILD_DB_VARIABLE = "TRADEBASIS_BUILD_DB"

REPOSITORY = Path(__file__).resolve().parents[1]
DBT_PROJECT = REPOSITORY / "dbt_project"
# dbt is installed beside the running Python, whether or not that folder is on PATH.
DBT_EXECUTABLE = Path(sys.executable).parent / "dbt"


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The one folder that holds everything a warehouse reads and writes.

    Each property is a path below `root`; `data/README.md` says who writes which.
    """

    root: Path

    @property
    def raw_prices(self) -> Path:
        """Imported candles and what was rejected of them."""
        return self.root / "raw" / "prices"

    @property
    def tape(self) -> Path:
        """The normalised tape: always all of its tables."""
        return self.root / "tape"

    @property
    def replay(self) -> Path:
        """What the replay made of the ledger."""
        return self.root / "replay"

    @property
    def build(self) -> Path:
        """Scratch of the running build."""
        return self.root / "build"

    @property
    def build_database(self) -> Path:
        """The warehouse under construction."""
        return self.build / "tradebasis.duckdb"

    @property
    def database(self) -> Path:
        """The published warehouse."""
        return self.root / "warehouse" / "tradebasis.duckdb"

    @property
    def previous_database(self) -> Path:
        """The warehouse that was published before the present one."""
        return self.root / "warehouse" / "previous.duckdb"

    @property
    def exports(self) -> Path:
        """The published exports."""
        return self.root / "exports"

    @property
    def lock(self) -> Path:
        """Names the process that is building in this folder."""
        return self.root / "build.lock"

    def export(self) -> None:
        """Tell this process and its children (dbt) which data folder is meant."""
        os.environ[DATA_VARIABLE] = str(self.root)
        os.environ[BUILD_DB_VARIABLE] = str(self.build_database)


def data_folder(chosen: Path | None = None) -> DataFolder:
    """The data folder: `chosen`, else `TRADEBASIS_DATA`, else `data/` of the checkout.

    Raises:
        InputError: The path has a character that SQL's file patterns would read as their own.
    """
    root = chosen or os.environ.get(DATA_VARIABLE) or REPOSITORY / "data"
    folder = Path(root).expanduser().resolve()
    if found := sorted(set(str(folder)) & PATTERN_CHARACTERS):
        raise InputError(
            f"the data folder {folder} has {' '.join(found)} in its path; name another with --data"
        )
    return DataFolder(folder)
