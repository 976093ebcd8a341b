"""The sample market through the whole road, against its truth: nothing here is computed by SQL."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from decimal import Decimal
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from dagster_project.definitions import defs
from dagster_project.lib.build import build
from dagster_project.lib.importing import import_files
from dagster_project.settings import DataFolder
from ingest.sample import write_sample
from ingest.sample.names import SOL

pytestmark = pytest.mark.slow

FEES = ("network_fee", "tip", "bot_fee", "other_fee", "deposit")
SIDES = ("sent_asset", "sent_raw", "received_asset", "received_raw")
DOLLARS = ("realized_usd", "unrealized_usd", "total_usd", "volume_usd")
COUNTS = (
    *("trades", "sells", "tokens_traded", "closed_trades", "wins", "sales_left_out"),
    *("trades_not_priced", "positions_without_price", "failed_transactions"),
)
RATIOS = ("win_rate", "avg_hold_s", "wash_share")


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    """One build of the sample: `truth`, and `table(name)` for the rows of an export."""
    root = tmp_path_factory.mktemp("market")
    sample = write_sample(root / "sample")
    folder = DataFolder(root / "data")
    import_files(sample.files, folder)
    built = build(defs().resolve_job_def("nightly"), folder)
    return SimpleNamespace(
        truth=json.loads(gzip.decompress(sample.truth.read_bytes())),
        built=built,
        table=lambda name: pq.read_table(folder.exports / f"{name}.parquet").to_pylist(),
    )


def by_wallet_and_window(rows):
    return {(row["wallet"], row["window"]): row for row in rows}


def test_as_of_is_the_newest_block(market):
    assert market.built.as_of.isoformat() + "Z" == market.truth["as_of"]


def effects(rows):
    """What each transaction did to each wallet: kind, sides of all legs, fees, venue, source."""
    grouped = defaultdict(list)
    for row in rows:
        grouped[row["tx_id"], row["wallet"]].append(row)
    return {
        key: {
            "kind": {row["kind"] for row in group},
            "sides": sorted(tuple(str(row[name]) for name in SIDES) for row in group),
            "fees": {name: sum(int(row[name]) for row in group) for name in FEES},
            "venue": {row["venue"] for row in group},
            "source": {row["source"] for row in group},
            "place": {(row["block"], row["tx_index"]) for row in group},
        }
        for key, group in grouped.items()
    }


def test_every_movement_is_what_its_transaction_meant(market):
    expected = effects(market.truth["movements"])
    found = effects(market.table("movements"))
    differing = {
        (key, market.truth["wallets"].get(key[1])): (expected.get(key), found.get(key))
        for key in expected.keys() | found.keys()
        if expected.get(key) != found.get(key)
    }
    assert not differing, f"{len(differing)} differ, such as {list(differing.items())[:3]}"


def test_round_trips_say_so(market):
    trips = {m["tx_id"] for m in market.truth["movements"] if m["reason"] == "round_trip"}
    found = {row["tx_id"]: row["reason"] for row in market.table("movements")}
    assert {found[tx_id] for tx_id in trips} == {"round_trip"}


def test_every_figure_of_every_wallet_in_every_window(market):
    expected = by_wallet_and_window(market.truth["moving_average"])
    found = by_wallet_and_window(
        row for row in market.table("wallet_pnl") if row["method"] == "moving_average"
    )
    assert found.keys() == expected.keys()
    for key, row in expected.items():
        dollars = {name: row[name] and Decimal(row[name]) for name in DOLLARS}
        assert {name: found[key][name] for name in DOLLARS} == dollars, key
        assert [found[key][name] for name in COUNTS] == [row[name] for name in COUNTS], key
        for name in RATIOS:
            unknown = row[name] is None
            wanted = None if unknown else pytest.approx(row[name], rel=1e-12)
            assert found[key][name] == wanted, (key, name)


def test_open_units_and_their_cost(market):
    found = {
        (row["wallet"], row["token"]): row
        for row in market.table("positions")
        if row["method"] == "moving_average" and Decimal(row["open_qty"])
    }
    expected = {(row["wallet"], row["token"]): row for row in market.truth["positions"]}
    assert found.keys() == expected.keys()
    for key, row in expected.items():
        assert found[key]["open_cost_usd"] == Decimal(row["open_cost_usd"])
        # Decimals differ by token, digits do not.
        digits = Decimal(found[key]["open_qty"]).as_tuple().digits
        assert "".join(map(str, digits)).strip("0") == str(row["open_raw"]).strip("0")
        share = Decimal(found[key]["estimated_qty"]) / Decimal(found[key]["open_qty"])
        assert share == pytest.approx(Decimal(row["estimated_raw"]) / row["open_raw"])


def test_ranks_and_why_not(market):
    ranks = {
        (row["wallet"], row["window"]): row["rank"]
        for row in market.table("leaderboard")
        if row["method"] == "moving_average" and row["board"] == "realized"
    }
    failing = defaultdict(set)
    for row in market.table("eligibility"):
        if row["method"] == "moving_average" and not row["passed"]:
            failing[row["wallet"], row["window"]].add(row["criterion"])
    for row in market.truth["moving_average"]:
        key = (row["wallet"], row["window"])
        assert ranks.get(key) == row["rank"], key
        assert failing[key] == set(row["failing"]), key
    assert len(ranks) == sum(row["rank"] is not None for row in market.truth["moving_average"])


def test_breaks_are_the_planted_ones(market):
    names = ("wallet", "account", "after_tx_id", "before_tx_id")
    expected = {
        (*(row[n] for n in names), row["mint"], row["missing_raw"])
        for row in market.truth["breaks"]
    }
    found = {
        (*(row[n] for n in names), row["mint"] or SOL, int(row["missing_raw"]))
        for row in market.table("completeness")
    }
    assert found == expected


def test_bodies_that_could_not_be_had_are_named(market):
    unfetched = [m for m in market.truth["movements"] if m["kind"] == "unfetched"]
    rejects = market.table("rejects")
    assert len(rejects) == len(unfetched)
    assert {row["reason"] for row in rejects} == {"null_body", "missing_meta"}
    # Somebody paid for a body without meta; nobody is known of a body that is not there.
    assert sum(row["reason"] == "null_body" for row in rejects) == sum(
        m["wallet"] is None for m in unfetched
    )
