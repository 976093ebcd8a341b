"""What can be wrong with raw transactions: each fault is named, counted and stops nothing else."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import duckdb
import pyarrow.parquet as pq
import pytest
import zstandard

from ingest import lake
from ingest.errors import InputError
from ingest.solana.decode import decode_file, decode_new
from ingest.solana.importing import import_transactions
from ingest.solana.parse import Parser
from ingest.solana.schema import TABLES, raw_folder, table_folder
from tests.unit.ingest_solana.bodies import (
    SYSTEM,
    balance,
    call,
    decoded,
    key,
    read,
    result,
    signature,
    u32,
    u64,
    write_lines,
)

PAYER, OTHER, MINT = key(1), key(2), key(3)
KEYS = [PAYER, OTHER, SYSTEM]
CALLS = [call(2, [0, 1], u32(2) + u64(7))]


def good(number: int = 1) -> dict:
    body = result(KEYS, CALLS)
    body["transaction"]["signatures"] = [signature(number)]
    return body


def changed(**changes) -> dict:
    """A good body with parts replaced, by path: `meta__fee=...`; ... removes it."""
    body = json.loads(json.dumps(good()))
    for path, value in changes.items():
        *folders, name = path.split("__")
        place = body
        for folder in folders:
            place = place[folder]
        if value is ...:
            del place[name]
        else:
            place[name] = value
    return body


MESSAGE = "transaction__message__"
FAULTS = {
    "malformed_json": [
        "{",
        '{"slot": 1',
        "not json",
        "{} {}",
        '{"a": "\x01"}',
        "\ufeff{}",
        json.dumps(good()) + "x",
    ],
    "null_body": ["null", {"result": None}, {"signature": signature(), "tx": None}],
    "rpc_error": [{"jsonrpc": "2.0", "error": {"code": -32015, "message": "x"}, "id": 1}],
    "unknown_shape": [
        "[]",
        "5",
        '"text"',
        "{}",
        "[" * 5_000 + "]" * 5_000,
        {"tx": 5},
        {"transaction": {}},
        changed(transaction__message=None),
        changed(transaction__signatures=[]),
        changed(**{MESSAGE + "accountKeys": []}),
        changed(**{MESSAGE + "accountKeys": ...}),
        changed(**{MESSAGE + "instructions": None}),
        changed(**{MESSAGE + "header": ...}),
        changed(**{MESSAGE + "instructions": [{"programIdIndex": 9, "accounts": [], "data": ""}]}),
        changed(**{MESSAGE + "instructions": [{"programIdIndex": 2, "accounts": [3], "data": ""}]}),
        changed(
            **{MESSAGE + "instructions": [{"programIdIndex": 2, "accounts": [-1], "data": ""}]}
        ),
        changed(**{MESSAGE + "instructions": [{"programIdIndex": 2, "accounts": [0]}]}),
        changed(**{MESSAGE + "instructions": [{"accounts": [], "data": ""}]}),
        changed(**{MESSAGE + "instructions": [None]}),
        changed(**{MESSAGE + "instructions": [7]}),
        changed(meta__preBalances=[1, 2]),
        changed(meta__postBalances=[1, 2, 3, 4]),
    ],
    "unparsable_binary": [
        changed(transaction=["AAAA", "base64"]),
        changed(transaction=["!", "base64"]),
        changed(transaction=["AAAA", "base64+zstd"]),
        changed(transaction="0OIl"),
        changed(transaction=[]),
    ],
    "signature_mismatch": [{"signature": signature(9), "tx": good()}],
    "unknown_version": [changed(version=2), changed(version="next")],
    "missing_meta": [changed(meta=None), changed(meta=...)],
    "null_inner_instructions": [
        changed(meta__innerInstructions=None),
        changed(meta__innerInstructions=...),
    ],
    "missing_token_balances": [
        changed(meta__preTokenBalances=None),
        changed(meta__postTokenBalances=...),
    ],
    "token_balance_without_owner": [
        changed(meta__preTokenBalances=[balance(1, MINT, None, 5)]),
        changed(meta__postTokenBalances=[balance(1, MINT, None, 5)]),
    ],
    "missing_loaded_addresses": [
        changed(
            **{MESSAGE + "addressTableLookups": [{"accountKey": key(9)}]},
            meta__preBalances=[1, 1, 1, 1],
            meta__postBalances=[1, 1, 1, 1],
        )
    ],
    "malformed_value": [
        changed(meta__fee=2**64),
        changed(meta__fee=-1),
        changed(meta__fee="much"),
        changed(meta__preBalances=[2**63, 1, 1]),
        changed(meta__preBalances=[-1, 1, 1]),
        changed(meta__postBalances=[10**40, 1, 1]),
        changed(meta__postBalances=[None, 1, 1]),
        changed(**{MESSAGE + "accountKeys": [PAYER, None, SYSTEM]}),
        changed(**{MESSAGE + "instructions": [{"programIdIndex": 2, "accounts": [], "data": "0"}]}),
        changed(meta__preTokenBalances=[balance(3, MINT, OTHER, 5)]),
        changed(meta__preTokenBalances=[balance(-1, MINT, OTHER, 5)]),
        changed(meta__preTokenBalances=[balance(1, MINT, OTHER, 2**64)]),
        changed(meta__preTokenBalances=[balance(1, MINT, OTHER, -5)]),
        changed(meta__preTokenBalances=[balance(1, MINT, OTHER, 5)] * 2),
        changed(meta__preTokenBalances=[balance(1, MINT, OTHER, 5, decimals=256)]),
        changed(meta__preTokenBalances=[{"accountIndex": 1, "mint": MINT, "owner": OTHER}]),
        changed(meta__innerInstructions=[{"index": 1, "instructions": []}]),
        changed(meta__innerInstructions=[{"index": 0, "instructions": CALLS}] * 2),
    ],
}


@pytest.mark.parametrize("reason", FAULTS)
def test_fault_is_named_and_the_rest_goes_on(tmp_path, reason):
    bodies = FAULTS[reason]
    lines = [good(1), *bodies, good(2)]
    tables = decoded(tmp_path, lines)
    assert [row["raw_row"] for row in tables["transactions"]] == [1, len(lines)]
    found = [(row["row"], row["reason"]) for row in tables["rejects"]]
    assert found == [(row, reason) for row in range(2, 2 + len(bodies))]
    assert {row["file"] for row in tables["rejects"]} == {"in.jsonl"}
    # Nothing of a rejected transaction is left in any table.
    assert len(tables["native_transfers"]) == 2
    assert len(tables["account_balances"]) == 6


def test_faults_first_and_everywhere(tmp_path):
    """A file that starts with a fault is read as any other."""
    bodies = [body for faults in FAULTS.values() for body in faults]
    tables = decoded(tmp_path, [*bodies, good()])
    counted = Counter(row["reason"] for row in tables["rejects"])
    assert counted == {reason: len(faults) for reason, faults in FAULTS.items()}
    assert len(tables["transactions"]) == 1


def test_quarantined_transaction_stays_visible(tmp_path):
    body = {**changed(meta=None), "slot": 2**60, "blockTime": 1_700_000_000}
    null = {"signature": signature(5), "slot": 77, "blockTime": 1_700_000_001, "tx": None}
    one, two = decoded(tmp_path, [body, null])["rejects"]
    assert (one["signature"], one["fee_payer"]) == (signature(), PAYER)
    assert (one["slot"], one["block_time"], one["column"]) == (2**60, 1_700_000_000, "meta")
    assert (two["signature"], two["slot"], two["block_time"]) == (signature(5), 77, 1_700_000_001)


def test_missing_owner_does_not_matter_when_the_transaction_failed(tmp_path):
    body = changed(
        meta__err={"InstructionError": [0, "Custom"]},
        meta__preTokenBalances=[balance(1, MINT, None, 5)],
        meta__postTokenBalances=[balance(1, MINT, None, 5)],
    )
    tables = decoded(tmp_path, [body])
    (transaction,) = tables["transactions"]
    assert transaction["is_failed"] is True
    assert transaction["err"] == '{"InstructionError":[0,"Custom"]}'
    assert tables["account_balances"][1]["owner"] is None


def test_same_transaction_twice_keeps_both_and_tells_bodies_apart(tmp_path):
    tables = decoded(tmp_path, [good(), good(), changed(meta__fee=6000)])
    digests = [row["body_digest"] for row in tables["transactions"]]
    assert digests[0] == digests[1] != digests[2]
    assert len(tables["account_balances"]) == 9


def test_hostile_strings_are_only_data(tmp_path):
    hostile = [
        "'; drop table transactions; --",
        '=cmd|" /C calc"!A0',
        "\u202e\u0000<script>",
        "%s{}",
    ]
    body = changed(
        **{MESSAGE + "accountKeys": [*hostile, SYSTEM]},
        transaction__signatures=hostile[:1],
        meta__preBalances=[1] * 5,
        meta__postBalances=[1] * 5,
        meta__logMessages=[
            f"Program {hostile[0]} invoke [1]",
            "Program log: Instruction: " + hostile[1],
            "Program ",
            "Program  invoke [",
            "",
            *["Program x invoke [1]"] * 100,
        ],
        **{MESSAGE + "instructions": [{"programIdIndex": 0, "accounts": [1], "data": ""}]},
    )
    tables = decoded(tmp_path, [body])
    assert [row["account"] for row in tables["account_balances"]] == [*hostile, SYSTEM]
    assert tables["transactions"][0]["signature"] == hostile[0]


def test_surrogates_and_broken_utf8_are_malformed(tmp_path):
    path = tmp_path / "in.jsonl"
    lone = b'{"a": "\\ud800"}'
    path.write_bytes(b'{"a": "\xff\xfe"}\n' + lone + b"\n" + json.dumps(good()).encode())
    import_transactions(path, tmp_path)
    assert decode_new(tmp_path).rejects == {"malformed_json": 2}
    assert len(read(tmp_path, "transactions")) == 1


def test_nothing_raw_gives_empty_tables_with_their_schema(tmp_path):
    summary = decode_new(tmp_path)
    assert (summary.new_files, summary.transactions) == (0, 0)
    for table, schema in TABLES.items():
        assert read(tmp_path, table) == []
        path = table_folder(tmp_path, table) / lake.SCHEMA_FILE
        assert pq.read_schema(path).names == schema.names


@pytest.mark.parametrize("content", [b"", b"\n\n  \n"])
def test_empty_file_brings_nothing(tmp_path, content):
    path = tmp_path / "empty.jsonl"
    path.write_bytes(content)
    assert import_transactions(path, tmp_path).rows == 0
    assert lake.files(raw_folder(tmp_path)) == []


def packed(kind: str, content: bytes) -> bytes:
    if kind == "gz":
        return gzip.compress(content)
    return zstandard.compress(content[:100]) + zstandard.compress(content[100:])


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_compressed_file_is_the_same_file(tmp_path, kind):
    plain = write_lines(tmp_path / "in.jsonl", [good(1), good(2)])
    import_transactions(plain, tmp_path)
    path = tmp_path / "other"
    path.write_bytes(packed(kind, plain.read_bytes()))
    summary = import_transactions(path, tmp_path)
    assert (summary.rows, summary.new_files, summary.known_files) == (2, 0, 1)
    assert len(lake.files(raw_folder(tmp_path))) == 1


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_cut_off_file_is_refused_whole(tmp_path, kind):
    lines = "".join(json.dumps(good(number)) + "\n" for number in range(1, 200))
    path = tmp_path / f"cut.{kind}"
    path.write_bytes(packed(kind, lines.encode())[:-20])
    with pytest.raises(InputError, match=r"cut\.\w+: cannot be read after line \d+ .*fetch"):
        import_transactions(path, tmp_path)
    assert [path.name for path in raw_folder(tmp_path).iterdir()] == [lake.SCHEMA_FILE]


def test_missing_file_is_one_line(tmp_path):
    with pytest.raises(InputError, match="nowhere: cannot be read") as caught:
        import_transactions(tmp_path / "nowhere", tmp_path)
    assert "\n" not in str(caught.value)


def test_import_is_the_same_in_any_order_and_again(tmp_path):
    one = write_lines(tmp_path / "one.jsonl", [good(1)])
    two = write_lines(tmp_path / "two.jsonl", [good(2)])
    for data_dir, order in ((tmp_path / "a", [one, two]), (tmp_path / "b", [two, one, two])):
        for path in order:
            import_transactions(path, data_dir)
        decode_new(data_dir)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def contents(data_dir) -> dict:
    return {
        path.relative_to(data_dir): path.read_bytes()
        for path in sorted(data_dir.rglob("*"))
        if path.is_file()
    }


def test_raw_keeps_every_line_as_it_was_sent(tmp_path):
    lines = ['{ "slot" : 1 , "x" : 1.50 }', "not json", '{"u":"\\u0041"}']
    import_transactions(write_lines(tmp_path / "in.jsonl", lines), tmp_path)
    (raw,) = lake.files(raw_folder(tmp_path))
    table = pq.read_table(raw)
    assert table["body"].to_pylist() == lines
    assert table["row"].to_pylist() == [1, 2, 3]


def test_large_file_comes_in_chunks_that_keep_line_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.solana.importing.CHUNK_ROWS", 2)
    path = write_lines(tmp_path / "in.jsonl", [good(1), "", good(2), good(3), "x"])
    seen = []
    assert import_transactions(path, tmp_path, seen.append).new_files == 2
    assert seen == [2, 4]
    decode_new(tmp_path)
    assert sorted(row["raw_row"] for row in read(tmp_path, "transactions")) == [1, 3, 4]
    assert [row["row"] for row in read(tmp_path, "rejects")] == [5]


def test_decoded_once_and_again_only_where_a_table_is_missing(tmp_path):
    import_transactions(write_lines(tmp_path / "in.jsonl", [good(1), "x"]), tmp_path)
    done = []
    first = decode_new(tmp_path, lambda *counts: done.append(counts))
    assert (first.new_files, first.transactions, first.rejects) == (1, 1, {"malformed_json": 1})
    assert done == [(1, 1)]
    before = contents(tmp_path)
    assert decode_new(tmp_path).new_files == 0
    (raw,) = lake.files(raw_folder(tmp_path))
    # As if killed between two tables.
    (table_folder(tmp_path, "transactions") / raw.name).unlink()
    again = decode_new(tmp_path)
    assert (again.new_files, again.known_files) == (1, 0)
    assert contents(tmp_path) == before


def test_failure_while_writing_leaves_no_file_half_done(tmp_path, monkeypatch):
    import_transactions(write_lines(tmp_path / "in.jsonl", [good()]), tmp_path)
    (raw,) = lake.files(raw_folder(tmp_path))

    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ingest.lake.pq.write_table", full)
    with pytest.raises(OSError, match="No space"):
        decode_file(tmp_path, raw, Parser(duckdb.connect()))
    assert list((tmp_path / "decoded").rglob("*.*")) == []


KILLED = """
import sys
from pathlib import Path
from ingest.solana.decode import decode_new
print("ready", flush=True)
decode_new(Path(sys.argv[1]))
"""


def test_killed_half_way_and_run_again_gives_the_same_bytes(tmp_path, repository, monkeypatch):
    monkeypatch.setattr("ingest.solana.importing.CHUNK_ROWS", 20)
    path = write_lines(tmp_path / "in.jsonl", [good(number % 250) for number in range(240)])
    for data_dir in (tmp_path / "whole", tmp_path / "killed"):
        import_transactions(path, data_dir)
    decode_new(tmp_path / "whole")
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "killed")],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(repository)},
    )
    done = table_folder(tmp_path / "killed", "transactions")
    while process.poll() is None and len(list(done.glob("*.parquet"))) < 3:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(lake.files(done)) < 12, "it was done before it could be killed"
    decode_new(tmp_path / "killed")
    assert contents_of_tables(tmp_path / "killed") == contents_of_tables(tmp_path / "whole")


def contents_of_tables(data_dir) -> dict:
    """Parquet files; a killed writer may leave its temporary file, which no glob meets."""
    return {path: data for path, data in contents(data_dir).items() if path.suffix == ".parquet"}
