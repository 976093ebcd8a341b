"""FIELD_REPORTS A8, A10 and G4 through the tape door: repeats, order in a block, window edges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.golden.examples_order import order
from tests.golden.tapes import examples_tape, exports_of
from tests.reference.exports import build, read_csv
from tests.reference.random_tape import AS_OF

pytestmark = pytest.mark.slow


def _rows(table: str, example: str, **where: str) -> list[dict]:
    wallet = order.examples[example].wallet()
    return [
        row
        for row in read_csv(exports_of("examples"), table)
        if row["wallet"] == wallet and all(row[k] == v for k, v in where.items())
    ]


def test_a10_the_index_in_the_block_orders() -> None:
    (sale,) = _rows("fills", "one_block")
    assert (float(sale["cost_usd"]), float(sale["realized_usd"])) == (30.0, 20.0)


def test_a10_an_unknown_index_stays_unknown_and_comes_last() -> None:
    (movement,) = _rows("movements", "unknown_place", tx_id="d")
    assert movement["tx_index"] is None
    (sale,) = _rows("fills", "unknown_place")
    assert (float(sale["realized_usd"]), sale["left_out_reason"]) == (10.0, None)


def test_g4_a_window_leaves_out_its_start_and_takes_its_end() -> None:
    rows = _rows("wallet_pnl", "window_edges")
    volumes = {row["window"]: float(row["volume_usd"]) for row in rows}
    # Digit n is the n-th purchase; the last one, a second after as_of, is in no window.
    assert volumes == {"all": 1111111, "30d": 1111110, "7d": 1111000, "24h": 1100000}


def test_g4_every_row_says_as_of_when() -> None:
    moments = {row["as_of"] for row in read_csv(exports_of("examples"), "wallet_pnl")}
    assert moments == {"2026-03-01T13:17:00Z"}


def test_a8_rows_given_twice_in_another_order_change_no_byte(tmp_path: Path) -> None:
    once = exports_of("examples")
    rows = examples_tape().movements
    again = build(replace(examples_tape(), movements=[*reversed(rows), *rows]), AS_OF, tmp_path)
    files = sorted(path.name for path in once.iterdir() if path.is_file())
    assert files == sorted(path.name for path in again.iterdir() if path.is_file())
    assert "wallet_pnl.csv" in files
    changed = [name for name in files if (once / name).read_bytes() != (again / name).read_bytes()]
    assert changed == []
