"""Real transactions, 2020 to 2026: every one is decoded or rejected, and the facts are theirs."""

import gzip
import json
from collections import Counter, defaultdict

import pytest

from ingest.solana.decode import decode_new
from ingest.solana.importing import import_transactions
from ingest.solana.schema import TABLES
from tests.unit.ingest_solana.bodies import read

# Looked at one by one, but for the owners, which a test below counts in the source: web3.js
# objects and half-parsed instructions, empty lists of 2020, lookup tables without what they
# loaded, inner calls of a call that is not there, one key for three token accounts.
REJECTS = {
    "token_balance_without_owner": 152,
    "unknown_shape": 3,
    "null_inner_instructions": 2,
    "missing_loaded_addresses": 2,
    "malformed_value": 2,
}


@pytest.fixture(scope="module")
def source(shared):
    with gzip.open(shared / "data/solana/transactions.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def tables(shared, tmp_path_factory):
    data_dir = tmp_path_factory.mktemp("real")
    import_transactions(shared / "data/solana/transactions.jsonl.gz", data_dir)
    decode_new(data_dir)
    return {table: read(data_dir, table) for table in TABLES}


def by_signature(rows: list[dict]) -> dict[str, list[dict]]:
    grouped = defaultdict(list)
    for row in rows:
        grouped[row["signature"]].append(row)
    return grouped


def test_every_line_is_accounted_for(source, tables):
    assert len(source) == 6330
    assert Counter(row["reason"] for row in tables["rejects"]) == REJECTS
    places = [row["raw_row"] for row in tables["transactions"]]
    places += [row["row"] for row in tables["rejects"]]
    assert sorted(places) == list(range(1, 6331))
    assert all(row["signature"] and row["fee_payer"] for row in tables["rejects"])


def test_owners_are_missing_where_the_source_lacks_them(source, tables):
    lacking = {
        body["signature"]
        for body in source
        if body["tx"]["meta"].get("err") is None
        for side in ("preTokenBalances", "postTokenBalances")
        for entry in body["tx"]["meta"].get(side, [])
        if not entry.get("owner")
    }
    rejected = {
        row["signature"]
        for row in tables["rejects"]
        if row["reason"] == "token_balance_without_owner"
    }
    assert rejected == lacking


def test_heads_and_balances_are_those_of_the_source(source, tables):
    heads = {row["signature"]: row for row in tables["transactions"]}
    balances = by_signature(tables["account_balances"])
    for body in source:
        head = heads.get(body["signature"])
        if head is None:
            continue
        meta = body["tx"]["meta"]
        assert head["slot"] == body["slot"]
        assert head["block_time"] == body["blockTime"]
        assert head["fee_lamports"] == meta["fee"]
        assert head["is_failed"] == (meta["err"] is not None)
        rows = {row["account_index"]: row for row in balances[body["signature"]]}
        count = len(meta["preBalances"])
        assert [rows[i]["pre_lamports"] for i in range(count)] == meta["preBalances"]
        assert [rows[i]["post_lamports"] for i in range(count)] == meta["postBalances"]
        for side in ("pre", "post"):
            told = {
                (entry["accountIndex"], entry["mint"]): int(entry["uiTokenAmount"]["amount"])
                for entry in meta[f"{side}TokenBalances"]
            }
            held = {
                (row["account_index"], row["mint"]): int(row[f"{side}_amount"])
                for row in balances[body["signature"]]
                if row["mint"]
            }
            assert {place: held.pop(place) for place in told} == told
            assert not any(held.values())


def test_calls_are_those_of_the_source(source, tables):
    calls = by_signature(tables["program_calls"])
    checked = 0
    for body in source:
        transaction = body["tx"]["transaction"]
        if body["signature"] not in calls or isinstance(transaction, list):
            continue
        checked += 1
        told = [
            (row["outer_index"], row["inner_index"], row["program_id"], row["accounts"])
            for row in calls[body["signature"]]
        ]
        assert told == list(_calls(body["tx"]["meta"], transaction["message"]))
    assert checked > 5600


def _calls(meta: dict, message: dict):
    keys = [one["pubkey"] if isinstance(one, dict) else one for one in message["accountKeys"]]
    if len(keys) < len(meta["preBalances"]):
        loaded = meta["loadedAddresses"]
        keys = keys + loaded["writable"] + loaded["readonly"]
    groups = {group["index"]: group["instructions"] for group in meta["innerInstructions"]}
    for outer, top in enumerate(message["instructions"]):
        for inner, one in enumerate([top, *groups.get(outer, [])], -1):
            program = one.get("programId") or keys[one["programIdIndex"]]
            accounts = one.get("accounts")
            if accounts is not None:
                accounts = [keys[at] if isinstance(at, int) else at for at in accounts]
            yield outer, inner, program, accounts


def test_every_verified_transaction_is_there(shared, tables):
    lines = (shared / "data/solana/verified_movements.jsonl").read_text().splitlines()
    wanted = {json.loads(line)["signature"] for line in lines}
    assert wanted <= {row["signature"] for row in tables["transactions"]}
