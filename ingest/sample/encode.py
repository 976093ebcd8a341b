"""Built transactions as `getTransaction` results: json, jsonParsed and base64; legacy, 0 and 1."""

from __future__ import annotations

import base64
from dataclasses import dataclass

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

from ingest.sample.chain import Balance, BuiltTransaction, Instruction, ui_amount

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_V1_UNITS = 200_000


@dataclass(frozen=True)
class Envelope:
    """How a transaction is shown: place in the chain, signature, version and encoding.

    `version` is 'legacy', 0 or 1; `encoding` is 'json', 'jsonParsed' or 'base64';
    `lookup` are the accounts that a version-0 message loads from `table`.
    """

    signatures: tuple[str, ...]
    slot: int
    tx_index: int | None
    block_time: int
    version: str | int
    encoding: str
    blockhash: str
    table: str
    lookup: frozenset[str]


@dataclass(frozen=True)
class _Keys:
    static: tuple[str, ...]
    loaded_writable: tuple[str, ...]
    loaded_readonly: tuple[str, ...]
    signed: int
    readonly_unsigned: int
    place: dict[str, int]

    @property
    def all(self) -> tuple[str, ...]:
        return self.static + self.loaded_writable + self.loaded_readonly


def base58(data: bytes) -> str:
    """Base58 text of bytes."""
    number = int.from_bytes(data, "big")
    text = ""
    while number:
        number, digit = divmod(number, 58)
        text = _ALPHABET[digit] + text
    zeros = len(data) - len(data.lstrip(b"\0"))
    return "1" * zeros + text


def encode(built: BuiltTransaction, envelope: Envelope) -> dict:
    """The RPC result of one transaction."""
    keys = _order_keys(built, envelope)
    result: dict = {"slot": envelope.slot, "blockTime": envelope.block_time}
    if envelope.tx_index is not None:
        result["transactionIndex"] = envelope.tx_index
    parsed = envelope.encoding == "jsonParsed"
    if envelope.encoding == "base64":
        result["transaction"] = [_binary(built, envelope, keys), "base64"]
    else:
        result["transaction"] = {
            "signatures": list(envelope.signatures),
            "message": _message(built, envelope, keys, parsed=parsed),
        }
    result["meta"] = _meta(built, envelope, keys, parsed=parsed)
    result["version"] = envelope.version
    return result


def _order_keys(built: BuiltTransaction, envelope: Envelope) -> _Keys:
    programs = {top.program for top, _ in built.calls}
    loads = envelope.lookup - programs if envelope.version == 0 else frozenset()
    others = [k for k in built.keys if k not in built.signers]
    writable = [k for k in others if k in built.writable and k not in loads]
    readonly = [k for k in others if k not in built.writable and k not in loads]
    loaded_writable = tuple(k for k in others if k in built.writable and k in loads)
    loaded_readonly = tuple(k for k in others if k not in built.writable and k in loads)
    static = (*built.signers, *writable, *readonly)
    ordered = (*static, *loaded_writable, *loaded_readonly)
    return _Keys(
        static=static,
        loaded_writable=loaded_writable,
        loaded_readonly=loaded_readonly,
        signed=len(built.signers),
        readonly_unsigned=len(readonly),
        place={key: i for i, key in enumerate(ordered)},
    )


def _message(built: BuiltTransaction, envelope: Envelope, keys: _Keys, *, parsed: bool) -> dict:
    message: dict = {"recentBlockhash": envelope.blockhash}
    if parsed:
        message["accountKeys"] = [_parsed_key(built, keys, key) for key in keys.all]
        message["instructions"] = [_parsed(top) for top, _ in built.calls]
    else:
        message["header"] = {
            "numRequiredSignatures": keys.signed,
            "numReadonlySignedAccounts": 0,
            "numReadonlyUnsignedAccounts": keys.readonly_unsigned,
        }
        message["accountKeys"] = list(keys.static)
        message["instructions"] = [_compiled(top, keys) for top, _ in built.calls]
    if envelope.version == 0:
        message["addressTableLookups"] = _lookups(envelope, keys)
    if envelope.version == 1:
        message["transactionConfig"] = {
            "computeUnitLimit": _V1_UNITS,
            "heapSize": None,
            "loadedAccountsDataSizeLimit": None,
            "priorityFee": None,
        }
    return message


def _parsed_key(built: BuiltTransaction, keys: _Keys, key: str) -> dict:
    static = keys.place[key] < len(keys.static)
    return {
        "pubkey": key,
        "signer": key in built.signers,
        "source": "transaction" if static else "lookupTable",
        "writable": key in built.writable,
    }


def _lookups(envelope: Envelope, keys: _Keys) -> list[dict]:
    if not keys.loaded_writable and not keys.loaded_readonly:
        return []
    first = len(keys.loaded_writable)
    return [
        {
            "accountKey": envelope.table,
            "writableIndexes": list(range(first)),
            "readonlyIndexes": list(range(first, first + len(keys.loaded_readonly))),
        }
    ]


def _compiled(call: Instruction, keys: _Keys) -> dict:
    return {
        "accounts": [keys.place[a] for a in call.accounts],
        "data": base58(call.data),
        "programIdIndex": keys.place[call.program],
        "stackHeight": None if call.depth == 1 else call.depth,
    }


def _parsed(call: Instruction) -> dict:
    height = None if call.depth == 1 else call.depth
    if call.parsed is None:
        return {
            "accounts": list(call.accounts),
            "data": base58(call.data),
            "programId": call.program,
            "stackHeight": height,
        }
    program, kind, info = call.parsed
    return {
        "parsed": {"info": info, "type": kind},
        "program": program,
        "programId": call.program,
        "stackHeight": height,
    }


def _meta(built: BuiltTransaction, envelope: Envelope, keys: _Keys, *, parsed: bool) -> dict:
    inner = [
        {"index": i, "instructions": [_parsed(c) if parsed else _compiled(c, keys) for c in calls]}
        for i, (_, calls) in enumerate(built.calls)
        if calls
    ]
    meta: dict = {
        "err": built.error,
        "status": {"Ok": None} if built.error is None else {"Err": built.error},
        "fee": built.fee,
        "preBalances": [built.before[k].lamports for k in keys.all],
        "postBalances": [built.after[k].lamports for k in keys.all],
        "preTokenBalances": _token_balances(keys, built.before),
        "postTokenBalances": _token_balances(keys, built.after),
        "innerInstructions": inner,
        "logMessages": built.logs,
        "rewards": [],
        "computeUnitsConsumed": 450 * len(built.logs),
    }
    if not parsed:
        meta["loadedAddresses"] = {
            "writable": list(keys.loaded_writable),
            "readonly": list(keys.loaded_readonly),
        }
    return meta


def _token_balances(keys: _Keys, balances: dict[str, Balance]) -> list[dict]:
    entries = []
    for i, key in enumerate(keys.all):
        token = balances[key].token
        if token is not None:
            entries.append(
                {
                    "accountIndex": i,
                    "mint": token.mint.address,
                    "owner": token.holder,
                    "programId": token.mint.token_program,
                    "uiTokenAmount": ui_amount(token.amount, token.mint.decimals),
                }
            )
    return entries


def _binary(built: BuiltTransaction, envelope: Envelope, keys: _Keys) -> str:
    calls = [
        CompiledInstruction(
            keys.place[top.program], top.data, bytes(keys.place[a] for a in top.accounts)
        )
        for top, _ in built.calls
    ]
    header = MessageHeader(keys.signed, 0, keys.readonly_unsigned)
    static = [Pubkey.from_string(k) for k in keys.static]
    blockhash = Hash.from_string(envelope.blockhash)
    message: Message | MessageV0 | MessageV1
    if envelope.version == "legacy":
        message = Message.new_with_compiled_instructions(
            keys.signed, 0, keys.readonly_unsigned, static, blockhash, calls
        )
    elif envelope.version == 0:
        lookups = [
            MessageAddressTableLookup(
                Pubkey.from_string(entry["accountKey"]),
                bytes(entry["writableIndexes"]),
                bytes(entry["readonlyIndexes"]),
            )
            for entry in _lookups(envelope, keys)
        ]
        message = MessageV0(header, static, blockhash, calls, lookups)
    else:
        config = TransactionConfig(compute_unit_limit=_V1_UNITS)
        message = MessageV1(header, config, blockhash, static, calls)
    signatures = [Signature.from_string(s) for s in envelope.signatures]
    return base64.b64encode(bytes(VersionedTransaction.populate(message, signatures))).decode()
