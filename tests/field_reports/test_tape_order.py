"""FIELD_REPORTS A8, A10 and G4 through the tape door: repeats, order in a block, window edges."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.example import AS_OF, DAY, Example, tape_of
from tests.reference.exports import build, read_csv
from tests.reference.tape import Tape

pytestmark = pytest.mark.slow


def _same_block() -> Example:
    """Buys and a sale in one block; the listing, the ids and the file say another order."""
    x = Example("block")
    x.sell(0, "10", "50", tx_id="a", tx_index=7)  # first in the file and by id, third in the block
    x.buy(0, "10", "40", tx_id="b", tx_index=5)
    x.buy(0, "10", "20", tx_id="c", tx_index=6)
    # Average of 40 and 20 over 20 units: the sale takes 30, realized 20.
    return x


def _unknown_index() -> Example:
    """A sale whose place in the block nobody gives: it stands after the known ones."""
    x = Example("unknown")
    x.sell(0, "10", "50", tx_id="d", tx_index=None)
    x.buy(0, "10", "40", tx_id="e", tx_index=9)
    return x


def _edges() -> Example:
    """A dollar figure of its own at every edge of every window."""
    x = Example("edges", start=0)
    for number, (days, shift) in enumerate(
        [(30, 0), (30, 1), (7, 0), (7, 1), (1, 0), (1, 1), (0, 0), (0, 1)]
    ):
        x.buy(shift - days * DAY, "1", str(10**number))
    return x


def _tape() -> Tape:
    return tape_of([_same_block(), _unknown_index(), _edges()])


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(_tape(), AS_OF, tmp_path_factory.mktemp("order"))


def _one(exports: Path, table: str, wallet: str, **where: str) -> dict:
    (row,) = [
        row
        for row in read_csv(exports, table)
        if row["wallet"] == wallet and all(row[k] == v for k, v in where.items())
    ]
    return row


def test_a10_the_index_in_the_block_orders(exports: Path) -> None:
    sale = _one(exports, "fills", _same_block().wallet())
    assert (float(sale["cost_usd"]), float(sale["realized_usd"])) == (30.0, 20.0)


def test_a10_an_unknown_index_stays_unknown_and_comes_last(exports: Path) -> None:
    wallet = _unknown_index().wallet()
    assert _one(exports, "movements", wallet, tx_id="d")["tx_index"] is None
    sale = _one(exports, "fills", wallet)
    assert (float(sale["realized_usd"]), sale["left_out_reason"]) == (10.0, None)


def test_g4_a_window_leaves_out_its_start_and_takes_its_end(exports: Path) -> None:
    volumes = {
        window: float(_one(exports, "wallet_pnl", _edges().wallet(), window=window)["volume_usd"])
        for window in ("24h", "7d", "30d", "all")
    }
    # Digit n is the n-th purchase; the last one, a second after as_of, is in no window.
    assert volumes == {"all": 1111111, "30d": 1111110, "7d": 1111000, "24h": 1100000}


def test_g4_every_row_says_as_of_when(exports: Path) -> None:
    moments = {row["as_of"] for row in read_csv(exports, "wallet_pnl")}
    assert moments == {"2026-03-01T00:00:00Z"}


def test_a8_rows_given_twice_in_another_order_change_no_byte(exports: Path, tmp_path: Path) -> None:
    twice = _tape()
    twice.movements = [*reversed(twice.movements), *twice.movements]
    again = build(twice, AS_OF, tmp_path)
    files = sorted(path.name for path in exports.iterdir() if path.is_file())
    assert files == sorted(path.name for path in again.iterdir() if path.is_file())
    assert "wallet_pnl.csv" in files
    changed = [
        name for name in files if (exports / name).read_bytes() != (again / name).read_bytes()
    ]
    assert changed == []
