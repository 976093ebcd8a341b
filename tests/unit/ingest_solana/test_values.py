"""Exact values: balances, owners, created accounts, instruction layouts, names."""

from decimal import Decimal
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.solana import base58
from ingest.solana.balances import u64 as parse_u64
from tests.unit.ingest_solana.bodies import (
    SYSTEM,
    TOKEN,
    TOKEN_2022,
    b58,
    balance,
    call,
    decoded,
    key,
    result,
    signature,
    u32,
    u64,
)

PAYER, OTHER, HOLD, MINT, OWNER = (key(n) for n in range(1, 6))
LARGEST = 2**64 - 1


@given(st.lists(st.binary(max_size=80), max_size=8))
def test_base58_both_ways(values):
    texts = pa.array([b58(value) for value in values], pa.string())
    data, offsets, valid = base58.decode(texts)
    assert valid.all()
    assert [bytes(data[a:b]) for a, b in pairwise(offsets)] == values
    joined = np.frombuffer(b"".join(values), dtype=np.uint8)
    borders = np.cumsum([0, *map(len, values)])
    assert base58.encode(joined, borders).to_pylist() == texts.to_pylist()


def test_base58_refuses_what_it_is_not():
    _, offsets, valid = base58.decode(pa.array(["0", "I", "a b", "é", "2" * 13_986, "2"]))
    assert valid.tolist() == [False] * 5 + [True]
    assert offsets.tolist() == [0] * 6 + [1]


def test_u64_texts():
    texts = [str(LARGEST), str(LARGEST + 1), "0", "007", "-1", "1.5", "1e3", "", None, "\uff19"]
    values, valid = parse_u64(pa.array(texts))
    assert valid.tolist() == [True, False, True, True] + [False] * 6
    assert [int(values[i]) for i in (0, 2, 3)] == [LARGEST, 0, 7]


def test_amounts_above_2_53_are_exact(tmp_path):
    body = result(
        [PAYER, HOLD, OTHER, MINT, TOKEN],
        [call(4, [1, 2, 0], b"\x03" + u64(LARGEST - 1))],
        preTokenBalances=[balance(1, MINT, PAYER, LARGEST)],
        postTokenBalances=[balance(1, MINT, PAYER, 1), balance(2, MINT, OWNER, LARGEST - 1)],
        preBalances=[2**63 - 1, 2**53 + 1, 0, 0, 0],
        postBalances=[2**63 - 2, 2**53 + 3, 0, 0, 0],
    )
    tables = decoded(tmp_path, [{**body, "slot": 2**53 + 5}])
    rows = tables["account_balances"]
    assert tables["transactions"][0]["slot"] == 2**53 + 5
    assert [row["pre_lamports"] for row in rows[:2]] == [2**63 - 1, 2**53 + 1]
    assert [row["post_lamports"] for row in rows[:2]] == [2**63 - 2, 2**53 + 3]
    assert (rows[1]["pre_amount"], rows[1]["post_amount"]) == (LARGEST, 1)
    assert (rows[2]["pre_amount"], rows[2]["post_amount"]) == (0, LARGEST - 1)
    assert tables["token_transfers"][0]["amount"] == LARGEST - 1
    # The instruction does not name the mint; the balances of its account do.
    assert tables["token_transfers"][0]["mint"] == MINT


def test_b3_account_closed_in_the_transaction_has_zero_after(tmp_path):
    body = result([PAYER, HOLD], [], preTokenBalances=[balance(1, MINT, PAYER, 77)])
    row = decoded(tmp_path, [body])["account_balances"][1]
    assert (row["pre_amount"], row["post_amount"], row["mint"]) == (77, 0, MINT)


def test_b4_owner_is_the_later_one_else_the_earlier(tmp_path):
    closed = balance(1, MINT, OWNER, 5)
    given_away = balance(2, MINT, OWNER, 5), balance(2, MINT, OTHER, 5)
    body = result(
        [PAYER, HOLD, key(9)],
        [],
        preTokenBalances=[closed, given_away[0]],
        postTokenBalances=[given_away[1]],
    )
    _, one, two = decoded(tmp_path, [body])["account_balances"]
    assert (one["owner"], one["pre_owner"], one["post_owner"]) == (OWNER, OWNER, None)
    assert (two["owner"], two["pre_owner"], two["post_owner"]) == (OTHER, OWNER, OTHER)


def test_account_reopened_for_another_mint_has_a_row_for_each(tmp_path):
    body = result(
        [PAYER, HOLD],
        [],
        preTokenBalances=[balance(1, MINT, OWNER, 5, 6)],
        postTokenBalances=[balance(1, OTHER, OWNER, 8, 9)],
    )
    rows = decoded(tmp_path, [body])["account_balances"]
    held = {(row["mint"], row["pre_amount"], row["post_amount"], row["decimals"]) for row in rows}
    assert held == {(None, None, None, None), (MINT, 5, 0, 6), (OTHER, 0, 8, 9)}
    assert [row["account_index"] for row in rows] == [0, 1, 1]


# solders: Keypair.from_seed(32 bytes of 1), and find_program_address([b"x"], Token program).
ON_CURVE = "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9"
OFF_CURVE = "5FRFKetBc2pg8btuzfxBYqpbwwh21t1NEr835WC7khy2"


def test_keys_are_told_from_program_addresses(tmp_path):
    body = result(
        [ON_CURVE, OFF_CURVE, HOLD, key(8)],
        [],
        preBalances=[9, 9, 9, 9],
        postBalances=[8, 8, 9, 9],
        postTokenBalances=[balance(2, MINT, OFF_CURVE, 1), balance(3, MINT, ON_CURVE, 1)],
    )
    rows = decoded(tmp_path, [body])["account_balances"]
    assert [row["account_on_curve"] for row in rows] == [True, False, None, None]
    assert [row["owner_on_curve"] for row in rows] == [None, None, False, True]


SEED = u64(4) + b"seed"
BASE = bytes([7]) * 32
PROGRAM = bytes([8]) * 32
SYSTEM_CALLS = [
    # data, kind, (source, destination, lamports) moved, (account, lamports, space) created
    (u32(0) + u64(9) + u64(165) + PROGRAM, "create_account", (0, 1, 9), (1, 9, 165)),
    (u32(2) + u64(9), "transfer", (0, 1, 9), None),
    (
        u32(3) + BASE + SEED + u64(9) + u64(165) + PROGRAM,
        "create_account_with_seed",
        (0, 1, 9),
        (1, 9, 165),
    ),
    (u32(5) + u64(9), "withdraw_nonce", (0, 1, 9), None),
    (u32(8) + u64(165), "allocate", None, (0, None, 165)),
    (u32(9) + BASE + SEED + u64(165) + PROGRAM, "allocate_with_seed", None, (0, None, 165)),
    (u32(1) + PROGRAM, "assign", None, (0, None, None)),
    (u32(10) + BASE + SEED + PROGRAM, "assign_with_seed", None, (0, None, None)),
    (u32(11) + u64(9) + SEED + PROGRAM, "transfer_with_seed", (0, 2, 9), None),
    (u32(13) + u64(9) + u64(165) + PROGRAM, "create_account_allow_prefund", (1, 0, 9), (0, 9, 165)),
]


@pytest.mark.parametrize(("data", "kind", "moved", "created"), SYSTEM_CALLS)
def test_system_instructions(tmp_path, data, kind, moved, created):
    keys = [PAYER, OTHER, HOLD, SYSTEM]
    whole = call(3, [0, 1, 2], data)
    cut = call(3, [0, 1, 2], data[:-1])
    tables = decoded(tmp_path, [result(keys, [whole, cut])])
    moves = [
        (keys.index(row["source"]), keys.index(row["destination"]), row["lamports"], row["kind"])
        for row in tables["native_transfers"]
        if row["outer_index"] == 0
    ]
    made = [
        (keys.index(row["account"]), row["lamports"], row["space"], row["kind"])
        for row in tables["created_accounts"]
        if row["outer_index"] == 0
    ]
    assert moves == ([(*moved, kind)] if moved else [])
    assert made == ([(*created, kind)] if created else [])
    owners = {row["owner_program"] for row in tables["created_accounts"]} - {None}
    assert owners <= {b58(PROGRAM)}
    if kind != "transfer_with_seed":  # its lamports stand before what was cut off
        places = [row["outer_index"] for row in tables["native_transfers"]]
        assert 1 not in places + [row["outer_index"] for row in tables["created_accounts"]]


TOKEN_CALLS = [
    # data, kind, source, destination, authority, mint, amount (places in the account list)
    (b"\x03" + u64(5), "transfer", 0, 1, 2, None, 5),
    (b"\x0c" + u64(5) + b"\x06", "transfer", 0, 2, 3, 1, 5),
    (b"\x1a\x01" + u64(5) + b"\x06" + u64(1), "transfer", 0, 2, 3, 1, 5),
    (b"\x04" + u64(5), "approve", 0, 1, 2, None, 5),
    (b"\x0d" + u64(5) + b"\x06", "approve", 0, 2, 3, 1, 5),
    (b"\x05", "revoke", 0, None, 1, None, None),
    (b"\x06\x02\x00", "set_authority", 0, None, 1, None, None),
    (b"\x07" + u64(5), "mint", None, 1, 2, 0, 5),
    (b"\x0e" + u64(5) + b"\x06", "mint", None, 1, 2, 0, 5),
    (b"\x08" + u64(5), "burn", 0, None, 2, 1, 5),
    (b"\x0f" + u64(5) + b"\x06", "burn", 0, None, 2, 1, 5),
    (b"\x09", "close", 0, 1, 2, None, None),
    (b"\x0a", "freeze", 0, None, 2, 1, None),
    (b"\x0b", "thaw", 0, None, 2, 1, None),
    (b"\x01", "initialize", None, 0, 2, 1, None),
    (b"\x11", "sync_native", None, 0, None, None, None),
]


@pytest.mark.parametrize("program", [TOKEN, TOKEN_2022])
@pytest.mark.parametrize(
    ("data", "kind", "source", "destination", "authority", "mint", "amount"), TOKEN_CALLS
)
def test_token_instructions(
    tmp_path, program, data, kind, source, destination, authority, mint, amount
):
    keys = [PAYER, OTHER, HOLD, MINT, program]
    tables = decoded(tmp_path, [result(keys, [call(4, [0, 1, 2, 3], data)])])
    (row,) = tables["token_transfers"]

    def at(place):
        return None if place is None else keys[place]

    assert row["kind"] == kind
    assert (row["source"], row["destination"]) == (at(source), at(destination))
    assert (row["authority"], row["mint"]) == (at(authority), at(mint))
    assert row["amount"] == (None if amount is None else Decimal(amount))


def test_owner_of_a_new_token_account_is_in_the_data(tmp_path):
    for tag in (b"\x10", b"\x12"):
        body = result([PAYER, HOLD, MINT, TOKEN], [call(3, [1, 2], tag + PROGRAM)])
        (row,) = decoded(tmp_path / tag.hex(), [body])["token_transfers"]
        assert (row["destination"], row["authority"], row["mint"]) == (HOLD, b58(PROGRAM), MINT)


def test_mint_of_an_account_opened_and_closed_within_the_transaction(tmp_path):
    calls = [
        call(4, [1, 2], b"\x12" + PROGRAM),
        call(4, [3, 1, 0], b"\x03" + u64(4)),
        call(4, [1, 0, 0], b"\x09"),
    ]
    tables = decoded(tmp_path, [result([PAYER, HOLD, MINT, OTHER, TOKEN], calls)])
    assert [row["mint"] for row in tables["token_transfers"]] == [MINT] * 3


def test_names_follow_the_calls_in_the_order_they_ran(tmp_path):
    one, two = key(30), key(31)
    silent = call(4, [], b"\x01", 2)
    body = result(
        [PAYER, one, two, TOKEN, key(32)],
        [call(1, [], b"\x01"), call(2, [], b"\x02"), call(1, [], b"\x03")],
        innerInstructions=[
            {"index": 0, "instructions": [silent, call(2, [], b"\x04", 2)]},
            {"index": 1, "instructions": [call(3, [], b"\xff", 2)]},
        ],
        logMessages=[
            f"Program {one} invoke [1]",
            f"Program {two} invoke [2]",
            "Program log: Instruction: Inner",
            f"Program {two} success",
            "Program log: Instruction: Outer",
            "Program log: Instruction: Again",
            f"Program {one} success",
            f"Program {two} invoke [1]",
            f"Program {TOKEN} invoke [2]",
            f"Program {TOKEN} success",
            f"Program {two} consumed 100 of 200 compute units",
            "Program log: Instruction: Second",
            f"Program {two} failed: custom program error: 0x1",
            "Log truncated",
        ],
    )
    tables = decoded(tmp_path, [body])
    named = {
        (row["outer_index"], row["inner_index"]): row["instruction_name"]
        for row in tables["program_calls"]
    }
    assert named == {
        (0, -1): "Outer",
        (0, 0): None,
        (0, 1): "Inner",
        (1, -1): "Second",
        (1, 0): None,
        (2, -1): None,
    }
    assert tables["transactions"][0]["logs_truncated"] is True


def test_digest_tells_bodies_apart_but_not_sources(tmp_path):
    first = result([PAYER, HOLD], [], postTokenBalances=[balance(1, MINT, OWNER, 5)])
    timeless = {**first, "blockTime": None, "transactionIndex": 3}
    other = result([PAYER, HOLD], [], postTokenBalances=[balance(1, MINT, OWNER, 6)])
    rows = decoded(tmp_path, [first, timeless, other])["transactions"]
    assert rows[0]["body_digest"] == rows[1]["body_digest"] != rows[2]["body_digest"]
    assert {row["signature"] for row in rows} == {signature()}
    assert [row["tx_index"] for row in rows] == [None, 3, None]
