"""Transactions of our own making, as a node would hand them out."""

import base64
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from solders.hash import Hash
from solders.instruction import CompiledInstruction
from solders.message import (
    Message,
    MessageAddressTableLookup,
    MessageHeader,
    MessageV0,
    MessageV1,
    TransactionConfig,
)
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from ingest.solana.decode import decode_new
from ingest.solana.importing import import_transactions
from ingest.solana.schema import TABLES, table_folder

SYSTEM = "11111111111111111111111111111111"
TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"

# A plain reading of base58, to check the compiled one and to write data by.
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def b58(data: bytes) -> str:
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = _ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def key(number: int) -> str:
    """An address that is not special."""
    return str(Pubkey.from_bytes(number.to_bytes(2, "big") * 16))


def signature(number: int = 1) -> str:
    return str(Signature.from_bytes(bytes([number]) * 64))


def u32(value: int) -> bytes:
    return value.to_bytes(4, "little")


def u64(value: int) -> bytes:
    return value.to_bytes(8, "little")


def call(program: int, accounts: list[int], data: bytes, height: int | None = None) -> dict:
    return {
        "programIdIndex": program,
        "accounts": accounts,
        "data": b58(data),
        "stackHeight": height,
    }


def balance(index: int, mint: str, owner: str | None, amount: int, decimals: int = 6) -> dict:
    entry = {
        "accountIndex": index,
        "mint": mint,
        "programId": TOKEN,
        "uiTokenAmount": {"amount": str(amount), "decimals": decimals},
    }
    return entry if owner is None else {**entry, "owner": owner}


def result(keys: list[str], calls: list[dict], **meta) -> dict:
    """A `json` result in which nothing happened but the fee, unless `meta` says otherwise."""
    pre = [10_000_000] * len(keys)
    return {
        "slot": 300_000_001,
        "blockTime": 1_730_000_000,
        "transaction": {
            "signatures": [signature()],
            "message": {
                "accountKeys": keys,
                "header": {"numRequiredSignatures": 1},
                "instructions": calls,
            },
        },
        "meta": {
            "err": None,
            "fee": 5000,
            "innerInstructions": [],
            "preBalances": pre,
            "postBalances": [pre[0] - 5000, *pre[1:]],
            "preTokenBalances": [],
            "postTokenBalances": [],
            "logMessages": [],
            **meta,
        },
    }


def binary(body: dict, version: str | int, encoding: str = "base64") -> dict:
    """The same result with its transaction as wire bytes, built by solders."""
    message = body["transaction"]["message"]
    keys = [Pubkey.from_string(text) for text in message["accountKeys"]]
    calls = [
        CompiledInstruction(
            item["programIdIndex"], _from_b58(item["data"]), bytes(item["accounts"])
        )
        for item in message["instructions"]
    ]
    header = MessageHeader(1, 0, 1)
    if version == "legacy":
        built = Message.new_with_compiled_instructions(1, 0, 1, keys, Hash.default(), calls)
    elif version == 0:
        lookups = [
            MessageAddressTableLookup(Pubkey.from_string(key(90)), b"\x00", b"\x01")
            for _ in message.get("addressTableLookups", [])
        ]
        built = MessageV0(header, keys, Hash.default(), calls, lookups)
    else:
        built = MessageV1(header, TransactionConfig(), Hash.default(), keys, calls)
    signatures = [Signature.from_string(body["transaction"]["signatures"][0])]
    wire = bytes(VersionedTransaction.populate(built, signatures))
    text = base64.b64encode(wire).decode() if encoding == "base64" else b58(wire)
    return {**body, "transaction": [text, encoding]}


def _from_b58(text: str) -> bytes:
    number = 0
    for character in text:
        number = number * 58 + _ALPHABET.index(character)
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def write_lines(path: Path, bodies: list) -> Path:
    lines = [body if isinstance(body, str) else json.dumps(body) for body in bodies]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines))
    return path


def read(data_dir: Path, table: str) -> list[dict]:
    """All rows of a decoded table, files in name order."""
    paths = sorted(table_folder(data_dir, table).glob("*.parquet"))
    return pa.concat_tables([pq.read_table(path) for path in paths]).to_pylist()


def decoded(folder: Path, bodies: list) -> dict[str, list[dict]]:
    """Import and decode bodies; every table as rows."""
    import_transactions(write_lines(folder / "in.jsonl", bodies), folder / "data")
    decode_new(folder / "data")
    return {table: read(folder / "data", table) for table in TABLES}
