"""The shapes in which a node, a file or a collector hands out a transaction.

A body is the RPC result itself (`bare`), the JSON-RPC answer around it (`envelope`) or a
collector's `{signature, slot, blockTime, tx}` (`wrapper`). Inside, the transaction is compiled
instructions over an account list (`json`), parsed instructions (`parsed`) or the wire bytes
(`binary`). The first two are read by DuckDB as typed structs; the last is turned into `json`.
"""

import base64
import binascii
import json
from dataclasses import dataclass

import msgspec
import numpy as np
import pyarrow as pa
from solders.message import Message, MessageV0
from solders.transaction import VersionedTransaction

from ingest.solana import base58

_BALANCE = {
    "accountIndex": "INTEGER",
    "mint": "VARCHAR",
    "owner": "VARCHAR",
    "programId": "VARCHAR",
    "uiTokenAmount": {"amount": "VARCHAR", "decimals": "INTEGER"},
}
_INSTRUCTION = {
    "json": {
        "programIdIndex": "INTEGER",
        "accounts": ["INTEGER"],
        "data": "VARCHAR",
        "stackHeight": "INTEGER",
    },
    "parsed": {
        "programId": "VARCHAR",
        "accounts": ["VARCHAR"],
        "data": "VARCHAR",
        "stackHeight": "INTEGER",
        "parsed": "JSON",
    },
}
_KEY = {"json": "VARCHAR", "parsed": {"pubkey": "VARCHAR", "signer": "BOOLEAN"}}


def structure(door: str, encoding: str) -> str:
    """Give DuckDB's `from_json` structure of a body of this door and encoding."""
    instruction = _INSTRUCTION[encoding]
    result = {
        "slot": "BIGINT",
        "blockTime": "BIGINT",
        "transactionIndex": "BIGINT",
        "version": "VARCHAR",
        "transaction": {
            "signatures": ["VARCHAR"],
            "message": {
                "accountKeys": [_KEY[encoding]],
                "header": {"numRequiredSignatures": "INTEGER"},
                "instructions": [instruction],
                "addressTableLookups": ["JSON"],
            },
        },
        "meta": {
            "err": "JSON",
            "fee": "BIGINT",
            "innerInstructions": [{"index": "INTEGER", "instructions": [instruction]}],
            "preBalances": ["BIGINT"],
            "postBalances": ["BIGINT"],
            "preTokenBalances": [_BALANCE],
            "postTokenBalances": [_BALANCE],
            "logMessages": ["VARCHAR"],
            "loadedAddresses": {"writable": ["VARCHAR"], "readonly": ["VARCHAR"]},
        },
    }
    outer = {
        "bare": result,
        "envelope": {"result": result},
        "wrapper": {
            "signature": "VARCHAR",
            "slot": "BIGINT",
            "blockTime": "BIGINT",
            "tx": result,
        },
    }
    return json.dumps(outer[door])


class _Body(msgspec.Struct):
    """What is looked at to tell shapes apart; everything else is passed over."""

    signature: object = None
    slot: object = None
    blockTime: object = None  # noqa: N815 (the node's name)
    transactionIndex: object = None  # noqa: N815
    version: object = None
    tx: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()
    transaction: msgspec.Raw = msgspec.Raw()
    meta: msgspec.Raw = msgspec.Raw()


class _Message(msgspec.Struct):
    accountKeys: list | None = None  # noqa: N815
    staticAccountKeys: list | None = None  # noqa: N815
    instructions: list | None = None


class _Transaction(msgspec.Struct):
    message: _Message
    signatures: list | None = None


_read_body = msgspec.json.Decoder(_Body).decode
_read_transaction = msgspec.json.Decoder(_Transaction).decode
_read_any = msgspec.json.Decoder().decode


@dataclass(frozen=True)
class Shape:
    """What a body turned out to be.

    `encoding` is `json` or `parsed` when DuckDB can read `body` through `door`; `is_rewritten`
    when it is not the body as it was sent. Otherwise encoding is None and `reason` says why, at
    `column`, with whatever could still be told about it.
    """

    door: str = "bare"
    encoding: str | None = None
    body: str = ""
    is_rewritten: bool = False
    reason: str = ""
    column: str = "body"
    signature: str | None = None
    fee_payer: str | None = None
    slot: int | None = None
    block_time: int | None = None


def classify(body: str) -> Shape:
    """Tell the shape of one body; a binary transaction comes back as `json`."""
    try:
        outer = _read_body(body)
    except msgspec.ValidationError:
        empty = body.strip() == "null"
        return Shape(reason="null_body" if empty else "unknown_shape")
    except (msgspec.DecodeError, RecursionError):
        return Shape(reason="malformed_json")
    door, text = _door(outer)
    known = {"signature": _text(outer.signature), "slot": _integer(outer.slot)}
    known["block_time"] = _integer(outer.blockTime)
    if text is None:
        return _classify_result(body, door, outer, known)
    if text == b"null":
        return _unread(door, outer, known)
    try:
        inner = _read_body(text)
    except msgspec.DecodeError:
        return Shape(door=door, reason="unknown_shape", column=_COLUMN[door], **known)
    return _classify_result(body, door, inner, _merged(known, inner))


_COLUMN = {"bare": "body", "envelope": "result", "wrapper": "tx"}


def _door(outer: _Body) -> tuple[str, bytes | None]:
    """Give the door and the text of the result inside, None when the body is the result."""
    for door, inside in (("wrapper", outer.tx), ("envelope", outer.result)):
        if bytes(inside):
            return door, bytes(inside)
    if bytes(outer.error):
        return "envelope", b"null"
    return "bare", None


def _unread(door: str, outer: _Body, known: dict) -> Shape:
    failed = bytes(outer.error) not in (b"", b"null")
    reason, column = ("rpc_error", "error") if failed else ("null_body", _COLUMN[door])
    return Shape(door=door, reason=reason, column=column, **known)


def _merged(known: dict, inner: _Body) -> dict:
    return {
        "signature": known["signature"] or _text(inner.signature),
        "slot": known["slot"] if _integer(inner.slot) is None else inner.slot,
        "block_time": known["block_time"] if _integer(inner.blockTime) is None else inner.blockTime,
    }


def _classify_result(body: str, door: str, result: _Body, known: dict) -> Shape:
    """Tell the encoding of the result that was found behind `door`."""
    raw = bytes(result.transaction)
    if raw[:1] in (b"[", b'"'):
        return _from_binary(result, known)
    try:
        transaction = _read_transaction(raw)
    except msgspec.DecodeError:
        return Shape(door=door, reason="unknown_shape", column="transaction", **known)
    message = transaction.message
    keys = message.accountKeys or message.staticAccountKeys or [None]
    payer = keys[0].get("pubkey") if isinstance(keys[0], dict) else keys[0]
    first = (transaction.signatures or [None])[0]
    known = {**known, "signature": known["signature"] or _text(first), "fee_payer": _text(payer)}
    if not message.accountKeys or message.instructions is None:
        return Shape(door=door, reason="unknown_shape", column="transaction.message", **known)
    encoding = "parsed" if isinstance(keys[0], dict) else "json"
    return Shape(door=door, encoding=encoding, body=body, **known)


def _from_binary(result: _Body, known: dict) -> Shape:
    """Parse wire bytes (`[text, encoding]`, or bare base58 text) into the `json` encoding."""
    try:
        parsed = VersionedTransaction.from_bytes(_wire_bytes(_read_any(bytes(result.transaction))))
        version, transaction = _compiled(parsed)
    except Exception:  # whatever the wire parser objects to, it is this row's problem alone
        return Shape(reason="unparsable_binary", column="transaction", **known)
    keys = transaction["message"]["accountKeys"]
    known = {**known, "fee_payer": keys[0]}
    body = {
        "signature": known["signature"],
        "tx": {
            "slot": known["slot"],
            "blockTime": known["block_time"],
            "transactionIndex": result.transactionIndex,
            "version": version if result.version is None else result.version,
            "transaction": transaction,
            "meta": result.meta if bytes(result.meta) else None,
        },
    }
    text = msgspec.json.encode(body).decode()
    return Shape(door="wrapper", encoding="json", body=text, is_rewritten=True, **known)


def _wire_bytes(transaction: object) -> bytes:
    text, encoding = transaction if isinstance(transaction, list) else (transaction, "base58")
    if encoding == "base64":
        return base64.b64decode(text, validate=True)
    if encoding != "base58":
        raise binascii.Error(encoding)
    data, offsets, valid = base58.decode(pa.array([text]))
    if not valid[0]:
        raise binascii.Error(encoding)
    return data[: offsets[1]].tobytes()


def _compiled(parsed: VersionedTransaction) -> tuple[object, dict]:
    """Give (version, transaction) as the `json` encoding has them."""
    message = parsed.message
    version = (
        "legacy" if isinstance(message, Message) else 0 if isinstance(message, MessageV0) else 1
    )
    lookups = getattr(message, "address_table_lookups", [])
    data = [bytes(instruction.data) for instruction in message.instructions]
    offsets = np.cumsum([0, *map(len, data)])
    texts = base58.encode(np.frombuffer(b"".join(data), dtype=np.uint8), offsets).to_pylist()
    instructions = [
        {
            "programIdIndex": instruction.program_id_index,
            "accounts": list(bytes(instruction.accounts)),
            "data": text,
        }
        for instruction, text in zip(message.instructions, texts, strict=True)
    ]
    header = {"numRequiredSignatures": message.header.num_required_signatures}
    compiled = {
        "accountKeys": [str(key) for key in message.account_keys],
        "header": header,
        "instructions": instructions,
        "addressTableLookups": [{"accountKey": str(lookup.account_key)} for lookup in lookups],
    }
    signatures = [str(signature) for signature in parsed.signatures]
    return version, {"signatures": signatures, "message": compiled}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _integer(value: object) -> int | None:
    fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
    return value if fits else None
