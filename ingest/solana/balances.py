"""Balances before and after, one row per account of a transaction and mint."""

import numpy as np
import pyarrow as pa
from numba import njit
from solders.pubkey import Pubkey

from ingest.solana.arrow import (
    Addresses,
    amounts,
    integers,
    list_parts,
    owner_rows,
    text_buffers,
)
from ingest.solana.calls import Keys


@njit(cache=True, nogil=True)
def _parse_u64(text, offsets, out, valid):
    limit = np.uint64(0xFFFFFFFFFFFFFFFF) // np.uint64(10)
    for i in range(len(offsets) - 1):
        start, end = offsets[i], offsets[i + 1]
        value = np.uint64(0)
        fine = end > start
        for j in range(start, end):
            digit = np.uint64(text[j]) - np.uint64(48)
            if digit > 9 or value > limit or (value == limit and digit > 5):
                fine = False
                break
            value = value * np.uint64(10) + digit
        out[i] = value
        valid[i] = fine


def u64(texts: pa.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """Parse decimal texts as u64: values and whether each is one (null and '' are not)."""
    text, offsets = text_buffers(texts)
    out = np.zeros(len(texts), dtype=np.uint64)
    valid = np.zeros(len(texts), dtype=np.bool_)
    _parse_u64(text, offsets, out, valid)
    return out, valid


class Side:
    """The token balances of one side (before or after), by place in the joined keys."""

    def __init__(self, lists: pa.ListArray, column: str) -> None:
        """Hold the entries of `lists`; `column` is their place in the node's answer."""
        self._entries, self.offsets = list_parts(lists)
        self._column = column
        self.row = owner_rows(self.offsets)

    @property
    def texts(self) -> list[pa.Array]:
        """Mint, owner and program of the entries, whose ids `resolve` wants."""
        return [self._entries.field(name) for name in ("mint", "owner", "programId")]

    def resolve(self, ids: list[np.ndarray], keys: Keys, is_failed: np.ndarray, problems) -> None:
        """Place the entries; what is wrong with one is told to `problems` by its transaction.

        A failed transaction moved no token, so there nobody needs to know the owner.
        """
        column, row, entries = self._column, self.row, self._entries
        ui_amount = entries.field("uiTokenAmount")
        self.mint, self.owner, self.program = ids
        nobody = (self.owner < 0) & ~is_failed[row]
        problems.add(row[nobody], "token_balance_without_owner", column)
        self.decimals = integers(ui_amount.field("decimals"), -1, np.int32)
        self.amount, is_amount = u64(ui_amount.field("amount"))
        index = integers(entries.field("accountIndex"), -1)
        wrong = (index < 0) | (index >= np.diff(keys.offsets)[row])
        wrong |= (self.mint < 0) | ~is_amount | (self.decimals < 0) | (self.decimals > 255)
        problems.add(row[wrong], "malformed_value", column)
        place = keys.offsets[row] + np.where(wrong, 0, index)
        # `at[place]` is the entry of that account, -1 where it has none.
        self.at = np.full(len(keys.ids) + 1, -1)
        self.at[place] = np.arange(len(place))
        again = self.at[place] != np.arange(len(place))
        problems.add(row[again & ~wrong], "malformed_value", column)
        self.index = index

    def values(self, column: np.ndarray, entry: np.ndarray, missing: int) -> np.ndarray:
        """Values of `column` at `entry`, `missing` where the entry is -1."""
        return np.append(column, column.dtype.type(missing))[entry]


def lamports(lists: pa.ListArray, column: str, problems) -> np.ndarray:
    """The lamports of one side, joined in key order."""
    values, offsets = list_parts(lists)
    numbers = integers(values, -1)
    problems.add(owner_rows(offsets)[numbers < 0], "malformed_value", column)
    return numbers


def _on_curve(addresses: Addresses, signers: np.ndarray, *columns: np.ndarray) -> list[pa.Array]:
    """Whether each address is a point of ed25519, so that a key can sign for it.

    Addresses that programs own are chosen off the curve. `signers` did sign, which is proof.
    Null for -1 and for what is no key.
    """
    asked = np.zeros(len(addresses.strings) + 1, dtype=np.bool_)
    for ids in columns:
        asked[ids] = True
    answers = np.full(len(addresses.strings) + 1, -1, dtype=np.int8)
    answers[signers] = 1
    asked = np.flatnonzero(asked[:-1] & (answers[:-1] < 0))
    texts = addresses.strings.take(pa.array(asked)).to_pylist()
    answers[asked] = [_is_point(text) for text in texts]
    return [pa.array(answers[ids] == 1, mask=answers[ids] < 0) for ids in columns]


def _is_point(address: str) -> int:
    try:
        return int(Pubkey.from_string(address).is_on_curve())
    except ValueError:
        return -1


def table(
    signatures: pa.Array,
    keys: Keys,
    is_signer: np.ndarray,
    native: tuple[np.ndarray, np.ndarray],
    sides: tuple[Side, Side],
    addresses: Addresses,
) -> pa.Table:
    """Build `account_balances`.

    A side without an entry counts as zero when the account holds the mint on the other side. An
    account that held one mint before and another after has a row for each, both with its
    lamports.
    """
    pre, post = sides
    place = np.arange(len(keys.ids))
    before, after = pre.at[:-1], post.at[:-1]
    changed = (before >= 0) & (after >= 0)
    changed &= pre.values(pre.mint, before, -1) != post.values(post.mint, after, -1)
    if changed.any():
        place = np.concatenate([place, np.flatnonzero(changed)])
        before = np.concatenate([np.where(changed, -1, before), before[changed]])
        after = np.concatenate([after, np.full(changed.sum(), -1)])
        order = np.argsort(place, kind="stable")
        place, before, after = place[order], before[order], after[order]
    row = owner_rows(keys.offsets)[place]

    def either(column: str) -> np.ndarray:
        late = post.values(getattr(post, column), after, -1)
        return np.where(late < 0, pre.values(getattr(pre, column), before, -1), late)

    decimals, owner = either("decimals"), either("owner")
    holds = (before >= 0) | (after >= 0)
    lamports = native[0][place], native[1][place]
    account = keys.ids[place]
    payee = np.where(holds | (lamports[0] == lamports[1]), -1, account)
    account_on_curve, owner_on_curve = _on_curve(addresses, keys.ids[is_signer], payee, owner)
    return pa.table(
        {
            "signature": pa.DictionaryArray.from_arrays(pa.array(row.astype(np.int32)), signatures),
            "account_index": (place - keys.offsets[row]).astype(np.int32),
            "account": addresses.column(account),
            "is_signer": is_signer[place],
            "account_on_curve": account_on_curve,
            "pre_lamports": lamports[0],
            "post_lamports": lamports[1],
            "mint": addresses.column(either("mint")),
            "owner": addresses.column(owner),
            "owner_on_curve": owner_on_curve,
            "pre_owner": addresses.column(pre.values(pre.owner, before, -1)),
            "post_owner": addresses.column(post.values(post.owner, after, -1)),
            "token_program": addresses.column(either("program")),
            "decimals": pa.array(decimals, mask=decimals < 0),
            "pre_amount": amounts(pre.values(pre.amount, before, 0), holds),
            "post_amount": amounts(post.values(post.amount, after, 0), holds),
        }
    )
