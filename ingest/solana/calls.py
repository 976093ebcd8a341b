"""Every instruction that ran, in the order in which it ran."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.solana.arrow import Addresses, integers, list_parts, owner_rows

# Places within a transaction fit 20 bits each; the runtime allows 64 calls.
_MOST = 1 << 20


@dataclass(frozen=True)
class Keys:
    """The account keys of every transaction: ids, joined, and their n + 1 borders."""

    ids: np.ndarray
    offsets: np.ndarray


@dataclass(frozen=True)
class Calls:
    """The calls of all transactions, ordered by (row, outer, inner)."""

    row: np.ndarray
    outer: np.ndarray
    inner: np.ndarray
    program: np.ndarray
    stack_height: pa.Array
    accounts: pa.ListArray
    data: pa.StringArray
    parsed: pa.StringArray | None

    def of_rows(self, rows: int) -> np.ndarray:
        """The n + 1 borders of each transaction's calls."""
        return np.searchsorted(self.row, np.arange(rows + 1))


def build(table: pa.Table, encoding: str, keys: Keys, addresses: Addresses, problems) -> Calls:
    """Join top-level and inner calls of `table` and resolve their accounts to ids.

    Calls that cannot be placed or resolved are told to `problems`, by transaction; their rows
    must then be dropped as a whole.
    """
    top, top_offsets = list_parts(table["outer_calls"].chunk(0))
    groups, group_offsets = list_parts(table["inner_groups"].chunk(0))
    inner, inner_offsets = list_parts(groups.field("instructions"))
    group_row = owner_rows(group_offsets)
    group_of = owner_rows(inner_offsets)
    group_index = integers(groups.field("index"), -1)
    top_row = owner_rows(top_offsets)
    row = np.concatenate([top_row, group_row[group_of]])
    outer = np.concatenate([_within(top_offsets), group_index[group_of]])
    place = np.concatenate([np.full(len(top), -1), _within(inner_offsets)])
    top_count = np.diff(top_offsets)
    wrong = (group_index < 0) | (group_index >= top_count[group_row])
    problems.add(group_row[wrong], "malformed_value", "meta.innerInstructions")
    huge = (outer >= _MOST) | (place >= _MOST) | (outer < 0)
    problems.add(row[huge], "malformed_value", "meta.innerInstructions")
    key = (row << 41) | (np.clip(outer, 0, _MOST) << 20) | (place + 1)
    order = np.argsort(key, kind="stable")
    same = np.diff(key[order]) == 0
    problems.add(row[order][1:][same], "malformed_value", "meta.innerInstructions")
    both = _rows(pa.concat_arrays([top, inner]), order)
    row = row[order]
    resolve = _compiled if encoding == "json" else _parsed
    program, accounts, is_parsed = resolve(both, row, keys, addresses, problems)
    no_data = np.asarray(both.field("data").is_null()) & ~is_parsed
    problems.add(row[no_data], "unknown_shape", "instructions.data")
    return Calls(
        row=row,
        outer=outer[order].astype(np.int32),
        inner=place[order].astype(np.int32),
        program=program,
        stack_height=both.field("stackHeight"),
        accounts=accounts,
        data=both.field("data"),
        parsed=both.field("parsed") if encoding == "parsed" else None,
    )


def _within(offsets: np.ndarray) -> np.ndarray:
    """For each value of a list column its place in its list."""
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))


def _rows(calls: pa.StructArray, order: np.ndarray) -> pa.StructArray:
    return calls if np.array_equal(order, np.arange(len(order))) else calls.take(pa.array(order))


def _compiled(calls, row, keys, addresses, problems):
    """Resolve indices into the transaction's keys."""
    del addresses  # the keys are ids already
    counts = np.diff(keys.offsets)
    index = integers(calls.field("programIdIndex"), -1)
    wrong = (index < 0) | (index >= counts[row])
    problems.add(row[wrong], "unknown_shape", "instructions.programIdIndex")
    program = _ids(keys, row, np.where(wrong, 0, index))
    lists = calls.field("accounts")
    no_list = np.asarray(lists.is_null())
    problems.add(row[no_list], "unknown_shape", "instructions.accounts")
    values, offsets = list_parts(lists)
    value_row = row[owner_rows(offsets)]
    index = integers(values, -1)
    wrong = (index < 0) | (index >= counts[value_row])
    problems.add(value_row[wrong], "unknown_shape", "instructions.accounts")
    ids = _ids(keys, value_row, np.where(wrong, 0, index))
    accounts = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(ids))
    return program, accounts, np.zeros(len(calls), dtype=np.bool_)


def _ids(keys: Keys, row: np.ndarray, index: np.ndarray) -> np.ndarray:
    if not len(keys.ids):
        return np.full(len(row), -1, dtype=np.int32)
    return keys.ids[np.minimum(keys.offsets[row] + index, len(keys.ids) - 1)]


def _parsed(calls, row, keys, addresses, problems):
    """Take the addresses that the node put in place of indices."""
    del keys
    lists = calls.field("accounts")
    values, offsets = list_parts(lists)
    program, ids = addresses.ids(calls.field("programId"), values)
    problems.add(row[program < 0], "unknown_shape", "instructions.programId")
    problems.add(row[owner_rows(offsets)][ids < 0], "unknown_shape", "instructions.accounts")
    is_parsed = np.asarray(calls.field("parsed").is_valid())
    no_list = np.asarray(lists.is_null()) & ~is_parsed
    problems.add(row[no_list], "unknown_shape", "instructions.accounts")
    accounts = pa.ListArray.from_arrays(
        pa.array(offsets, pa.int32()), pa.array(ids), mask=pc.is_null(lists)
    )
    return program, accounts, is_parsed
