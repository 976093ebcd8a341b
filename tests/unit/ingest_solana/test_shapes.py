"""Every door, encoding and version gives the same decoded transaction."""

import json

import pytest

from tests.unit.ingest_solana.bodies import (
    SYSTEM,
    TOKEN,
    balance,
    binary,
    call,
    decoded,
    key,
    result,
    signature,
    u32,
    u64,
)

PAYER, PAYEE, HOLD, TAKE, MINT = (key(n) for n in range(1, 6))
KEYS = [PAYER, PAYEE, HOLD, TAKE, MINT, SYSTEM, TOKEN]


def example() -> dict:
    """The payer sends 700 lamports and 25 of a token; a program inside moves 5 more lamports."""
    return result(
        KEYS,
        [
            call(5, [0, 1], u32(2) + u64(700)),
            call(6, [2, 4, 3, 0], b"\x0c" + u64(25) + b"\x06"),
        ],
        innerInstructions=[{"index": 0, "instructions": [call(5, [1, 0], u32(2) + u64(5), 2)]}],
        preTokenBalances=[balance(2, MINT, PAYER, 100), balance(3, MINT, PAYEE, 0)],
        postTokenBalances=[balance(2, MINT, PAYER, 75), balance(3, MINT, PAYEE, 25)],
        logMessages=[
            f"Program {TOKEN} invoke [1]",
            "Program log: Instruction: TransferChecked",
            f"Program {TOKEN} success",
        ],
    )


def without(rows: list[dict], *columns: str) -> list[dict]:
    return [{name: row[name] for name in row if name not in columns} for row in rows]


def same(one: dict, other: dict) -> None:
    assert one["transactions"], one["rejects"]
    for table in one:
        dropped = ("raw_file", "version") if table == "transactions" else ()
        assert without(one[table], *dropped) == without(other[table], *dropped), table


@pytest.mark.parametrize("version", ["legacy", 0, 1])
@pytest.mark.parametrize("encoding", ["base64", "base58"])
def test_binary_equals_json(tmp_path, version, encoding):
    body = {**example(), "version": version}
    plain = decoded(tmp_path / "a", [body])
    wire = decoded(tmp_path / "b", [binary(body, version, encoding)])
    same(plain, wire)
    assert wire["transactions"][0]["version"] == str(version)


@pytest.mark.parametrize("version", ["legacy", 0, 1])
def test_version_is_told_by_the_bytes_when_the_node_left_it_out(tmp_path, version):
    tables = decoded(tmp_path, [binary(example(), version)])
    assert tables["transactions"][0]["version"] == str(version)


def test_doors_are_one(tmp_path):
    body = example()
    bare = decoded(tmp_path / "a", [body])
    envelope = decoded(tmp_path / "b", [{"jsonrpc": "2.0", "result": body, "id": 1}])
    bodiless = {name: body[name] for name in body if name not in ("slot", "blockTime")}
    wrapper = {
        "signature": signature(),
        "slot": body["slot"],
        "blockTime": body["blockTime"],
        "tx": bodiless,
    }
    same(bare, envelope)
    same(bare, decoded(tmp_path / "c", [wrapper]))


def test_all_shapes_in_one_file(tmp_path):
    body = example()
    bodies = [body, {"result": body}, binary(body, 0), {"tx": body}, "no json", body]
    for number, one in enumerate(bodies[:4], 1):
        inside = one.get("result") or one.get("tx") or one
        if isinstance(inside["transaction"], dict):
            inside = json.loads(json.dumps(inside))
            inside["transaction"]["signatures"] = [signature(number)]
            bodies[number - 1] = {"result": inside}
    tables = decoded(tmp_path, bodies)
    assert sorted(row["raw_row"] for row in tables["transactions"]) == [1, 2, 3, 4, 6]
    assert [row["row"] for row in tables["rejects"]] == [5]


def test_parsed_gives_the_same_facts(tmp_path):
    body = example()
    plain = decoded(tmp_path / "a", [body])
    message = {
        "accountKeys": [
            {"pubkey": text, "signer": place == 0, "writable": True}
            for place, text in enumerate(KEYS)
        ],
        "instructions": [
            _parsed(SYSTEM, "transfer", source=PAYER, destination=PAYEE, lamports=700),
            _parsed(
                TOKEN,
                "transferChecked",
                source=HOLD,
                destination=TAKE,
                authority=PAYER,
                mint=MINT,
                tokenAmount={"amount": "25", "decimals": 6},
            ),
        ],
    }
    inner = _parsed(SYSTEM, "transfer", source=PAYEE, destination=PAYER, lamports=5)
    meta = {**body["meta"], "innerInstructions": [{"index": 0, "instructions": [inner]}]}
    transaction = {"signatures": [signature()], "message": message}
    tables = decoded(tmp_path / "b", [{**body, "transaction": transaction, "meta": meta}])
    for table in ("transactions", "account_balances", "native_transfers", "token_transfers"):
        assert without(tables[table], "raw_file") == without(plain[table], "raw_file")
    # Log lines name a call before the node's own type does.
    names = [row["instruction_name"] for row in tables["program_calls"]]
    assert names == ["transfer", "transfer", "TransferChecked"]


def _parsed(program: str, kind: str, **info) -> dict:
    return {"program": "any", "programId": program, "parsed": {"type": kind, "info": info}}


def test_facts_of_the_example(tmp_path):
    tables = decoded(tmp_path, [example()])
    (transaction,) = tables["transactions"]
    assert transaction["signature"] == signature()
    assert transaction["slot"] == 300_000_001
    assert transaction["fee_payer"] == PAYER
    assert transaction["fee_lamports"] == 5000
    assert transaction["is_failed"] is False
    assert transaction["version"] == "legacy"
    moves = [
        (row["outer_index"], row["inner_index"], row["source"], row["destination"], row["lamports"])
        for row in tables["native_transfers"]
    ]
    assert moves == [(0, -1, PAYER, PAYEE, 700), (0, 0, PAYEE, PAYER, 5)]
    (transfer,) = tables["token_transfers"]
    assert (transfer["source"], transfer["destination"]) == (HOLD, TAKE)
    assert (transfer["authority"], transfer["mint"], transfer["amount"]) == (PAYER, MINT, 25)
    calls = [(row["outer_index"], row["inner_index"]) for row in tables["program_calls"]]
    assert calls == [(0, -1), (0, 0), (1, -1)]
    assert [row["discriminator"] for row in tables["program_calls"]] == [
        "02000000bc020000",
        "0200000005000000",
        "0c19000000000000",
    ]
    assert tables["program_calls"][1]["accounts"] == [PAYEE, PAYER]
    assert [row["is_signer"] for row in tables["account_balances"]] == [True] + [False] * 6


def test_lookup_table_addresses_stand_writable_before_readonly(tmp_path):
    far, near = key(61), key(60)
    body = result(
        [PAYER, SYSTEM],
        [call(1, [0, 2], u32(2) + u64(9)), call(1, [0, 3], u32(2) + u64(8))],
        loadedAddresses={"writable": [near], "readonly": [far]},
        preBalances=[10, 1, 0, 0],
        postBalances=[10, 1, 9, 8],
    )
    body["transaction"]["message"]["addressTableLookups"] = [{"accountKey": key(90)}]
    plain = decoded(tmp_path / "a", [body])
    assert [row["account"] for row in plain["account_balances"]] == [PAYER, SYSTEM, near, far]
    assert [row["destination"] for row in plain["native_transfers"]] == [near, far]
    assert plain["transactions"][0]["version"] == "0"
    same(plain, decoded(tmp_path / "b", [binary(body, 0)]))
