"""Parsed transactions into the decoded tables.

Everything is an operation on whole columns: an address is an integer, an account of an
instruction a gather from the joined keys. A transaction of which any part does not fit is
rejected as a whole, so the tables never hold half of one.
"""

import hashlib
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from ingest.solana import balances, base58, calls, instructions, logs
from ingest.solana.arrow import (
    Addresses,
    amounts,
    integers,
    list_parts,
    owner_rows,
    text_buffers,
)
from ingest.solana.parse import Parsed


class Problems:
    """The first problem found with each transaction."""

    def __init__(self, rows: int) -> None:
        """Start with `rows` good transactions."""
        self.found: dict[int, tuple[str, str]] = {}
        self._rows = rows

    def add(self, rows: np.ndarray, reason: str, column: str) -> None:
        """Note a problem for `rows` (places, repeats allowed); an earlier one stays."""
        for row in np.unique(rows).tolist():
            self.found.setdefault(row, (reason, column))

    def good(self) -> np.ndarray:
        """Per transaction whether nothing was found."""
        good = np.ones(self._rows, dtype=np.bool_)
        good[list(self.found)] = False
        return good


class _Batch:
    """The joined columns of good and bad transactions alike, and what is wrong with them."""

    def __init__(self, parsed: Parsed) -> None:
        table = parsed.rows
        self.table = table
        self.addresses = Addresses()
        self.problems = problems = Problems(len(table))
        values, offsets = list_parts(table["keys"].chunk(0))
        row = owner_rows(offsets)
        if parsed.encoding == "json":
            count = integers(table["signer_count"].chunk(0), -1)
            problems.add(np.flatnonzero(count < 1), "unknown_shape", "transaction.message.header")
            self.is_signer = np.arange(len(values)) - offsets[row] < count[row]
            texts = values
        else:
            self.is_signer = pc.fill_null(values.field("signer"), False).to_numpy(False)
            texts = values.field("pubkey")
        self.sides = (
            balances.Side(table["pre_tokens"].chunk(0), "meta.preTokenBalances"),
            balances.Side(table["post_tokens"].chunk(0), "meta.postTokenBalances"),
        )
        key_ids, *side_ids = self.addresses.ids(texts, *self.sides[0].texts, *self.sides[1].texts)
        self.keys = calls.Keys(key_ids, offsets)
        problems.add(row[key_ids < 0], "malformed_value", "transaction.message.accountKeys")
        self.native = (
            balances.lamports(table["pre"].chunk(0), "meta.preBalances", problems),
            balances.lamports(table["post"].chunk(0), "meta.postBalances", problems),
        )
        is_failed = np.asarray(table["err"].chunk(0).is_valid())
        self.sides[0].resolve(side_ids[:3], self.keys, is_failed, problems)
        self.sides[1].resolve(side_ids[3:], self.keys, is_failed, problems)
        self.calls = calls.build(table, parsed.encoding, self.keys, self.addresses, problems)
        self.data, self.data_offsets, valid = base58.decode(self.calls.data)
        problems.add(self.calls.row[~valid], "malformed_value", "instructions.data")


def flatten(parsed: Parsed, raw_file: str) -> tuple[dict[str, pa.Table], pa.Table]:
    """Flatten transactions of one encoding.

    Args:
        parsed: transactions that passed the row checks.
        raw_file: the name of the raw file they are from.

    Returns:
        the decoded tables but `rejects`, and the rows that were rejected here, with `problem`.
    """
    batch = _Batch(parsed)
    rejected = parsed.rows.slice(0, 0)
    if batch.problems.found:
        good = batch.problems.good()
        rejected = parsed.rows.filter(pa.array(~good))
        found = [
            f"{reason}|{column}" for _, (reason, column) in sorted(batch.problems.found.items())
        ]
        rejected = rejected.set_column(
            rejected.schema.get_field_index("problem"), "problem", pa.array(found, pa.string())
        )
        rows = parsed.rows.filter(pa.array(good)).combine_chunks()
        if not len(rows):
            return {}, rejected
        batch = _Batch(Parsed(parsed.encoding, rows))
    return _tables(batch, raw_file), rejected


def _tables(batch: _Batch, raw_file: str) -> dict[str, pa.Table]:
    table, addresses, made = batch.table, batch.addresses, batch.calls
    signatures = table["signature"].chunk(0)
    effects = instructions.Effects.none(len(made.row))
    accounts, lists = list_parts(made.accounts)
    instructions.read_compiled(
        made.program,
        batch.data,
        batch.data_offsets,
        accounts.to_numpy(),
        lists,
        addresses,
        effects,
    )
    types = None
    if made.parsed is not None:
        types = instructions.read_parsed(made.program, made.parsed, addresses, effects)
    names, truncated = logs.instruction_names(
        table["logs"].chunk(0), made.of_rows(len(table)), made.program, addresses.strings
    )
    if types is not None:
        names = pc.coalesce(names, types)
    return {
        "account_balances": balances.table(
            signatures, batch.keys, batch.is_signer, batch.native, batch.sides, addresses
        ),
        "native_transfers": _native_transfers(made, effects, signatures, addresses),
        "created_accounts": _created_accounts(made, effects, signatures, addresses),
        "program_calls": _program_calls(batch, signatures, names),
        "token_transfers": _token_transfers(batch, effects, signatures),
        "transactions": _transactions(batch, raw_file, truncated),
    }


def _place(made: calls.Calls, which: np.ndarray, signatures: pa.Array) -> dict:
    """The key columns of the calls `which`."""
    return {
        "signature": pa.DictionaryArray.from_arrays(
            pa.array(made.row[which].astype(np.int32)), signatures
        ),
        "outer_index": made.outer[which],
        "inner_index": made.inner[which],
    }


def _kinds(effects: instructions.Effects, which: np.ndarray) -> pa.Array:
    # A name may stand for a System and a Token kind, and a dictionary must not repeat a value:
    # the Parquet writer would leave bytes of it unset.
    return pa.array(instructions.KINDS).take(pa.array(effects.kind[which])).dictionary_encode()


_LAMPORTS_LIMIT = np.uint64(2**63)


def _native_transfers(made, effects, signatures, addresses) -> pa.Table:
    which = np.isin(effects.kind, instructions.NATIVE_MOVES)
    # A failed transaction may ask for more lamports than exist, or name no account.
    which &= (effects.source >= 0) & (effects.destination >= 0)
    which &= effects.amount < _LAMPORTS_LIMIT
    which = np.flatnonzero(which)
    return pa.table(
        {
            **_place(made, which, signatures),
            "source": addresses.column(effects.source[which]),
            "destination": addresses.column(effects.destination[which]),
            "lamports": effects.amount[which].astype(np.int64),
            "kind": _kinds(effects, which),
        }
    )


def _signed(values: np.ndarray, known: np.ndarray) -> pa.Array:
    """u64 values as BIGINT, null where unknown or beyond it."""
    return pa.array(values.astype(np.int64), mask=~known | (values >= _LAMPORTS_LIMIT))


def _created_accounts(made, effects, signatures, addresses) -> pa.Table:
    which = np.isin(effects.kind, instructions.CREATIONS) & (effects.destination >= 0)
    which = np.flatnonzero(which)
    return pa.table(
        {
            **_place(made, which, signatures),
            "account": addresses.column(effects.destination[which]),
            "funder": addresses.column(effects.source[which]),
            "lamports": _signed(effects.amount[which], effects.has_amount[which]),
            "space": _signed(effects.space[which], effects.has_space[which]),
            "owner_program": addresses.column(effects.owner[which]),
            "kind": _kinds(effects, which),
        }
    )


def _program_calls(batch: _Batch, signatures: pa.Array, names: pa.Array) -> pa.Table:
    made = batch.calls
    accounts, lists = list_parts(made.accounts)
    return pa.table(
        {
            **_place(made, np.arange(len(made.row)), signatures),
            "stack_height": made.stack_height,
            "program_id": batch.addresses.column(made.program),
            "instruction_name": names.dictionary_encode(),
            "discriminator": _discriminators(batch),
            "accounts": pa.ListArray.from_arrays(
                pa.array(lists, pa.int32()),
                batch.addresses.column(accounts.to_numpy()),
                mask=made.accounts.is_null(),
            ),
        }
    )


_HEX = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)


def _discriminators(batch: _Batch) -> pa.Array:
    """The first 8 bytes of each call's data in hex (fewer when it has fewer); null without."""
    sizes = np.diff(batch.data_offsets)
    width = np.minimum(sizes, 8)
    starts = np.repeat(batch.data_offsets[:-1], width)
    offsets = np.concatenate([[0], np.cumsum(width)])
    at = starts + np.arange(offsets[-1]) - np.repeat(offsets[:-1], width)
    data = batch.data[at]
    text = np.empty(2 * len(data), dtype=np.uint8)
    text[0::2] = _HEX[data >> 4]
    text[1::2] = _HEX[data & 15]
    return pa.StringArray.from_buffers(
        len(sizes),
        pa.py_buffer((2 * offsets).astype(np.int32)),
        pa.py_buffer(text),
        pa.py_buffer(np.packbits(sizes > 0, bitorder="little")),
    ).dictionary_encode()


def _token_transfers(batch: _Batch, effects: instructions.Effects, signatures) -> pa.Table:
    made, addresses = batch.calls, batch.addresses
    which = np.flatnonzero(effects.kind >= instructions.FIRST_TOKEN_KIND)
    mint = _resolved_mints(batch, effects, which)
    return pa.table(
        {
            **_place(made, which, signatures),
            "kind": _kinds(effects, which),
            "source": addresses.column(effects.source[which]),
            "destination": addresses.column(effects.destination[which]),
            "authority": addresses.column(effects.authority[which]),
            "mint": addresses.column(mint),
            "amount": amounts(effects.amount[which], effects.has_amount[which]),
        }
    )


def _account_key(row: np.ndarray, account: np.ndarray) -> np.ndarray:
    return (row << 32) | account


def _resolved_mints(batch: _Batch, effects, which: np.ndarray) -> np.ndarray:
    """The mint of each token call: as named, else that of its account in this transaction.

    An account's mint is told by its balances or by another instruction of the transaction, which
    is how an account that was opened and closed within it is known at all.
    """
    row = batch.calls.row[which]
    accounts = (effects.source[which], effects.destination[which])
    named = effects.mint[which]
    keys, mints = [], []
    for side in reversed(batch.sides):
        place = batch.keys.offsets[side.row] + side.index
        keys.append(_account_key(side.row, batch.keys.ids[place]))
        mints.append(side.mint)
    for account in accounts:
        told = (named >= 0) & (account >= 0)
        keys.append(_account_key(row[told], account[told]))
        mints.append(named[told])
    known, first = np.unique(np.concatenate(keys), return_index=True)
    of_known = np.append(np.concatenate(mints)[first], np.int32(-1))
    for account in accounts:
        wanted = _account_key(row, account)
        at = np.searchsorted(known, wanted)
        at = np.where(np.append(known, -1)[at] == wanted, at, len(known))
        named = np.where((named < 0) & (account >= 0), of_known[at], named)
    return named.astype(np.int32)


def _transactions(batch: _Batch, raw_file: str, truncated: pa.Array) -> pa.Table:
    table = batch.table
    return pa.table(
        {
            "signature": table["signature"],
            "raw_file": pa.DictionaryArray.from_arrays(
                pa.array(np.zeros(len(table), dtype=np.int32)), pa.array([raw_file])
            ),
            "raw_row": table["row"],
            "slot": table["slot"],
            "tx_index": table["tx_index"],
            "block_time": table["block_time"],
            "version": table["version"],
            "fee_payer": table["fee_payer"],
            "fee_lamports": table["fee"],
            "is_failed": pc.is_valid(table["err"]),
            "err": table["err"],
            "logs_truncated": truncated,
            "body_digest": _body_digests(batch),
        }
    )


def _body_digests(batch: _Batch) -> pa.Array:
    """A digest of what a transaction did, equal for the same one in any encoding.

    Over slot, err, fee, keys, balances and token balances; block time and place in the block are
    left out, since sources differ in whether they give them.
    """
    table, rows = batch.table, np.arange(len(batch.table) + 1)
    marks = np.append(_marks(*text_buffers(batch.addresses.strings)), np.uint64(0))
    errors = _marks(*text_buffers(table["err"].chunk(0)))
    slots, fees = (integers(table[name].chunk(0), -1) for name in ("slot", "fee"))
    parts = [(rows, (slots, fees, errors))]
    parts.append((batch.keys.offsets, (marks[batch.keys.ids], *batch.native)))
    for side in batch.sides:
        order = np.lexsort((side.index, side.row))
        columns = (side.index, side.amount, marks[side.mint], marks[side.owner])
        parts.append((side.offsets, [column[order] for column in columns]))
    joined, borders = _side_by_side(parts)
    digests = [
        hashlib.blake2b(joined[start:end], digest_size=16).hexdigest()
        for start, end in pairwise(borders)
    ]
    return pa.array(digests, pa.string())


def _side_by_side(parts: list[tuple]) -> tuple[memoryview, list[int]]:
    """Join the 64-bit numbers of all parts by transaction.

    Args:
        parts: (n + 1 offsets, columns) each; a transaction owns the values between its offsets.

    Returns:
        the bytes, and the n + 1 borders of the transactions in them.
    """
    borders = sum(len(columns) * offsets for offsets, columns in parts)
    joined = np.empty(borders[-1], dtype=np.int64)
    starts = borders[:-1].copy()
    for offsets, columns in parts:
        width, counts = len(columns), np.diff(offsets)
        first = np.repeat(starts - width * offsets[:-1], counts) + width * np.arange(offsets[-1])
        for place, column in enumerate(columns):
            joined[first + place] = column.view(np.int64)
        starts += width * counts
    return memoryview(joined.view(np.uint8)), (8 * borders).tolist()


@njit(cache=True, nogil=True)
def _marks(text, offsets):
    """FNV-1a of every text: the same number for the same address in any file."""
    marks = np.empty(len(offsets) - 1, dtype=np.uint64)
    for i in range(len(marks)):
        mark = np.uint64(0xCBF29CE484222325)
        for at in range(offsets[i], offsets[i + 1]):
            mark = (mark ^ np.uint64(text[at])) * np.uint64(0x100000001B3)
        marks[i] = mark
    return marks
