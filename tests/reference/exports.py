"""Reading what the warehouse exported and comparing it, cell by cell, with what it should be."""

from __future__ import annotations

import csv
import math
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pyarrow.parquet as pq

from tests.reference.tape import Row, Tape, iso
from tests.support.command import succeeded, tradebasis


def build(tape: Tape, as_of: int, folder: Path) -> Path:
    """Write the tape, build it through the command and return the exports folder."""
    succeeded(run_build(tape, as_of, folder))
    return folder / "data" / "exports"


def run_build(tape: Tape, as_of: int, folder: Path) -> CompletedProcess[str]:
    """Write the tape to ``folder/tape`` and build it into ``folder/data``."""
    tape.write(folder / "tape")
    arguments = ("--tape", folder / "tape", "--as-of", iso(as_of), "--data", folder / "data")
    return tradebasis("build", *arguments)


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
