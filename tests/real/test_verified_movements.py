"""Real transactions whose movements were verified one by one from the chain's own facts."""

import json
from pathlib import Path

import pytest

from tests.support.solana_ledger import AMOUNTS

HAND_VERIFIED = Path(__file__).with_name("hand_verified.jsonl")
# A file of facts names one asset a side; several assets on a side stand as none.
SIDES = (("sent_asset", "sent_raw"), ("received_asset", "received_raw"))


def as_one_row(rows):
    """A wallet's legs as the verified files write them."""
    merged = dict(rows[0])
    for asset, raw in SIDES:
        legs = [row for row in rows if row[asset] is not None]
        merged[asset] = legs[0][asset] if len(legs) == 1 else None
        merged[raw] = legs[0][raw] if len(legs) == 1 else None
    return merged


def differences(ledger, facts):
    """What of a fact the ledger says otherwise: {row: {column: (expected, found)}}."""
    wrong = {}
    for fact in facts:
        rows = ledger.movements.get((fact["signature"], fact["wallet"]))
        found = as_one_row(rows) if rows else dict.fromkeys(fact["expect"], "no row")
        other = {
            column: (expected, found[column])
            for column, expected in fact["expect"].items()
            if found[column] != expected
        }
        if other:
            wrong[fact["signature"][:12], fact["wallet"]] = other
    return wrong


def read(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_ninety_verified_rows(shared, real_ledger):
    facts = read(shared / "data" / "solana" / "verified_movements.jsonl")
    assert len(facts) == 90
    assert differences(real_ledger, facts) == {}


def test_rows_verified_by_hand(real_ledger):
    facts = read(HAND_VERIFIED)
    assert len(facts) >= 20
    assert differences(real_ledger, facts) == {}


def test_no_swap_is_of_an_asset_for_itself(real_ledger):
    swaps = [
        row for rows in real_ledger.movements.values() for row in rows if row["kind"] == "swap"
    ]
    assert len(swaps) > 100
    for row in swaps:
        assert row["sent_asset"] != row["received_asset"]
        assert row["sent_raw"] > 0
        assert row["received_raw"] > 0


def test_fees_stand_on_the_first_leg_only(real_ledger):
    for rows in real_ledger.movements.values():
        for row in rows[1:]:
            assert [row[name] for name in AMOUNTS[2:]] == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("kind", ["failed", "unfetched"])
def test_what_failed_or_is_unknown_moves_nothing(real_ledger, kind):
    rows = [row for rows in real_ledger.movements.values() for row in rows if row["kind"] == kind]
    assert len(rows) > 100
    for row in rows:
        assert row["sent_asset"] is None
        assert row["received_asset"] is None
        assert (row["tip"], row["bot_fee"], row["other_fee"], row["deposit"]) == (0, 0, 0, 0)
        assert row["venue"] is None
