"""The exported files have the columns, types and spellings of CONTRACTS 2."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.golden.tapes import exports_of
from tests.reference.exports import read_csv

pytestmark = pytest.mark.slow

METHOD = "method method_version as_of"
COLUMNS = {
    "movements": (
        "chain wallet tx_id leg block tx_index block_time kind reason sent_asset sent_raw"
        " received_asset received_raw network_fee tip bot_fee other_fee deposit venue route source"
        " recognised_venue is_fee_payer rules"
    ),
    "trades": (
        "chain wallet pricing_rule tx_id leg block tx_index block_time side token qty value_usd"
        " value_native price_usd priced price_source dust wash_like venue source network_fee tip"
        " bot_fee other_fee"
    ),
    "lots": (
        f"{METHOD} chain wallet token lot_id tx_id leg opened_at qty cost_usd cost_native"
        " cost_known qty_left cost_left_usd"
    ),
    "fills": (
        f"{METHOD} chain wallet token tx_id leg sold_at lot_id qty proceeds_usd cost_usd"
        " realized_usd realized_native cost_known left_out_reason"
    ),
    "positions": (
        f"{METHOD} chain wallet token open_qty open_cost_usd estimated_qty balance price_now_usd"
        " value_usd unrealized_usd"
    ),
    "closed_trades": (
        f"{METHOD} chain wallet token number opened_at closed_at bought_usd sold_usd profit_usd"
        " outcome counted not_counted_reason hold_s"
    ),
    "wallet_token_pnl": (
        f"{METHOD} window chain wallet token bought_qty sold_qty bought_usd sold_usd avg_buy_usd"
        " avg_sell_usd realized_usd realized_native unrealized_usd total_usd cost_of_sold_usd"
        " sold_unknown_cost_usd roi_pct buys sells first_trade_at last_trade_at holding_time_s"
        " cost_basis quote"
    ),
    "wallet_pnl": (
        f"{METHOD} window chain wallet realized_usd realized_native unrealized_usd total_usd"
        " roi_pct win_rate wins win_units avg_hold_s volume_usd trades sells tokens_traded"
        " tokens_with_known_cost closed_trades sales_left_out trades_not_priced"
        " positions_without_price sold_unknown_cost_usd known_cost_share coverage confidence"
        " confidence_reasons wash_share gas_spent_usd failed_transactions is_bot bot_reasons score"
        " indexed_since labels history_truncated best_token worst_token deposits_native"
        " failed_fees_native stable high_profit active"
    ),
    "eligibility": f"{METHOD} window chain wallet criterion value threshold passed",
    "leaderboard": (
        f"{METHOD} board window chain wallet rank ranked_by figure pnl_basis realized_usd"
        " unrealized_usd total_usd win_rate avg_hold_s volume_usd trades closed_trades wash_share"
    ),
    "unexplained": "chain wallet tx_id kind reason value_usd",
    "completeness": "chain wallet account mint after_tx_id before_tx_id missing_raw missing_usd",
    "rejects": "file row column reason",
}
TEXT_AMOUNTS = {"qty", "open_qty", "estimated_qty", "balance", "bought_qty", "sold_qty", "qty_left"}
TIMES = {"as_of", "block_time", "opened_at", "closed_at", "sold_at", "first_trade_at"}
# A ratio that is shown, though it is in dollars.
RATIOS = {"price_usd", "price_now_usd", "avg_buy_usd", "avg_sell_usd"}


@pytest.fixture(scope="module")
def exports() -> Path:
    return exports_of("examples")


def _wanted_type(column: str) -> pa.DataType | None:
    if column in RATIOS:
        return pa.float64()
    if column.endswith("_usd"):
        return pa.decimal128(38, 9)
    if column.endswith("_raw"):
        return pa.decimal128(38, 0)
    if column in TIMES:
        return pa.timestamp("us", tz="UTC")
    return pa.string() if column in TEXT_AMOUNTS else None


@pytest.mark.parametrize("table", COLUMNS)
def test_every_column_of_the_contract_is_there(exports: Path, table: str) -> None:
    schema = pq.read_schema(exports / f"{table}.parquet")
    assert set(COLUMNS[table].split()) - set(schema.names) == set()
    header = (exports / f"{table}.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.replace('"', "").split(",") == schema.names


@pytest.mark.parametrize("table", COLUMNS)
def test_money_and_amounts_are_exact_types(exports: Path, table: str) -> None:
    schema = pq.read_schema(exports / f"{table}.parquet")
    wanted = {name: _wanted_type(name) for name in schema.names}
    typed = {name: kind for name, kind in wanted.items() if kind is not None}
    assert {name: schema.field(name).type for name in typed} == typed


@pytest.mark.parametrize("table", COLUMNS)
def test_numbers_and_times_are_spelt_as_the_contract_says(exports: Path, table: str) -> None:
    exact = re.compile(r"-?\d+(\.\d+)?")
    moment = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
    for row in read_csv(exports, table):
        for column, cell in row.items():
            if cell is None or column in RATIOS:
                continue
            if column in TEXT_AMOUNTS or column.endswith(("_usd", "_raw")):
                assert exact.fullmatch(cell), (column, cell)
            elif column in TIMES:
                assert moment.fullmatch(cell), (column, cell)
