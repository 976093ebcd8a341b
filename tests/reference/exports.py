"""Reading what the warehouse exported and comparing it, cell by cell, with what it should be."""

from __future__ import annotations

import csv
import math
import os
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.reference.tape import Row, Tape, iso

REPOSITORY = Path(__file__).parents[2]


class BuildError(AssertionError):
    """The command failed; the message is what it printed."""


def build(tape: Tape, as_of: int, folder: Path) -> Path:
    """Write the tape, build it through the command and return the exports folder."""
    tape.write(folder / "tape")
    data = folder / "data"
    run_build(folder / "tape", data, as_of)
    return data / "exports"


def run_build(tape: Path, data: Path, as_of: int) -> str:
    """``tradebasis build --tape``; what it printed, or BuildError with it."""
    command = [sys.executable, "-c", "from dagster_project.cli import main; main()", "build"]
    command += ["--tape", str(tape), "--as-of", iso(as_of), "--data", str(data)]
    binaries = str(Path(sys.executable).parent)
    env = {
        **os.environ,
        "PATH": os.pathsep.join([binaries, os.environ.get("PATH", "")]),
        "PYTHONPATH": str(REPOSITORY),
    }
    done = subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
    return done.stdout + done.stderr


def read_csv(exports: Path, table: str) -> list[Row]:
    """Rows of a CSV export as text, an empty cell as None."""
    with (exports / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return [{k: v or None for k, v in row.items()} for row in csv.DictReader(file)]


def read_parquet(exports: Path, table: str) -> list[Row]:
    """Rows of a Parquet export as Python values."""
    return pq.read_table(exports / f"{table}.parquet").to_pylist()


def same(expected: Any, actual: Any, tolerance: Decimal = Decimal(0)) -> bool:
    """Whether an exported cell is the expected value: null for null, exact but for floats.

    Dollars may differ by ``tolerance``; a float is a shown ratio and may differ by 1e-9 of it.
    """
    if expected is None or actual is None:
        return expected is None and actual is None
    if isinstance(expected, bool):
        return str(actual).lower() == str(expected).lower()
    if isinstance(expected, float):
        return math.isclose(float(actual), expected, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(expected, int | Decimal):
        return abs(_number(actual) - expected) <= tolerance
    return str(actual) == expected


def _number(actual: Any) -> Decimal:
    if isinstance(actual, str) and "T" in actual:
        actual = datetime.fromisoformat(actual)
    if isinstance(actual, datetime):
        moment = actual if actual.tzinfo else actual.replace(tzinfo=UTC)
        return Decimal(int(moment.timestamp()))
    return Decimal(actual)


def differences(expected: Row, actual: Row, tolerance: Decimal = Decimal(0)) -> list[str]:
    """One line per expected column whose exported cell is something else."""
    found = []
    for column, value in expected.items():
        if column not in actual:
            found.append(f"{column}: not exported")
        else:
            allowed = tolerance if column.endswith(("_usd", "figure")) else Decimal(0)
            if not same(value, actual[column], allowed):
                found.append(f"{column}: expected {value!r}, exported {actual[column]!r}")
    return found
