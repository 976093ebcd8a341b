"""What System and Token instructions say: who pays whom how much, what is created.

Compiled instructions are read from their data bytes (layouts of the System program and of the
Token and Token-2022 programs), parsed ones from the node's own reading of them. Both give the
same `Effects`. An instruction too short for its layout, which only a failed transaction can
carry, has no effect.
"""

from dataclasses import dataclass

import msgspec
import numpy as np
import pyarrow as pa
from numba import njit

from ingest.solana import base58
from ingest.solana.arrow import Addresses

SYSTEM = "11111111111111111111111111111111"
TOKEN_PROGRAMS = (
    "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
    "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
)

# Position in KINDS is the code in Effects.kind; 0 is no effect.
KINDS = (
    "",
    "create_account",
    "assign",
    "transfer",
    "create_account_with_seed",
    "withdraw_nonce",
    "allocate",
    "allocate_with_seed",
    "assign_with_seed",
    "transfer_with_seed",
    "create_account_allow_prefund",
    # Token programs from here on.
    "initialize_mint",
    "initialize",
    "transfer",
    "approve",
    "revoke",
    "set_authority",
    "mint",
    "burn",
    "close",
    "freeze",
    "thaw",
    "sync_native",
    "withdraw_excess_lamports",
    "unwrap_lamports",
    "batch",
)
FIRST_TOKEN_KIND = KINDS.index("initialize_mint")
NATIVE_MOVES = [
    KINDS.index(kind)
    for kind in (
        "create_account",
        "transfer",
        "create_account_with_seed",
        "withdraw_nonce",
        "transfer_with_seed",
        "create_account_allow_prefund",
    )
]
CREATIONS = [
    KINDS.index(kind)
    for kind in (
        "create_account",
        "assign",
        "create_account_with_seed",
        "allocate",
        "allocate_with_seed",
        "assign_with_seed",
        "create_account_allow_prefund",
    )
]

# System instruction by its u32 tag: kind, places of source and destination in the account list
# (-1: none), places of lamports, space and owner key in the data. A seed (base key, u64 length,
# text) moves what follows it by the length of its text.
_N = -1
_SYSTEM = np.full((14, 6), _N, dtype=np.int64)
_SYSTEM[0] = (1, 0, 1, 4, 12, 20)
_SYSTEM[1] = (2, _N, 0, _N, _N, 4)
_SYSTEM[2] = (3, 0, 1, 4, _N, _N)
_SYSTEM[3] = (4, 0, 1, 44, 52, 60)
_SYSTEM[5] = (5, 0, 1, 4, _N, _N)
_SYSTEM[8] = (6, _N, 0, _N, 4, _N)
_SYSTEM[9] = (7, _N, 0, _N, 44, 52)
_SYSTEM[10] = (8, _N, 0, _N, _N, 44)
_SYSTEM[11] = (9, 0, 2, 4, _N, _N)
_SYSTEM[13] = (10, 1, 0, 4, 12, 20)
_SEEDED = np.isin(np.arange(14), (3, 9, 10))

# Token instruction by its u8 tag: kind, places of source, destination, authority and mint in the
# account list, place of the amount and of an authority key in the data.
_TOKEN = np.full((257, 7), _N, dtype=np.int64)
_TOKEN[0] = (11, _N, _N, _N, 0, _N, 2)
_TOKEN[20] = _TOKEN[0]
_TOKEN[1] = (12, _N, 0, 2, 1, _N, _N)
_TOKEN[16] = (12, _N, 0, _N, 1, _N, 1)
_TOKEN[18] = _TOKEN[16]
_TOKEN[3] = (13, 0, 1, 2, _N, 1, _N)
_TOKEN[12] = (13, 0, 2, 3, 1, 1, _N)
_TOKEN[4] = (14, 0, 1, 2, _N, 1, _N)
_TOKEN[13] = (14, 0, 2, 3, 1, 1, _N)
_TOKEN[5] = (15, 0, _N, 1, _N, _N, _N)
_TOKEN[6] = (16, 0, _N, 1, _N, _N, _N)
_TOKEN[7] = (17, _N, 1, 2, 0, 1, _N)
_TOKEN[14] = _TOKEN[7]
_TOKEN[8] = (18, 0, _N, 2, 1, 1, _N)
_TOKEN[15] = _TOKEN[8]
_TOKEN[9] = (19, 0, 1, 2, _N, _N, _N)
_TOKEN[10] = (20, 0, _N, 2, 1, _N, _N)
_TOKEN[11] = (21, 0, _N, 2, 1, _N, _N)
_TOKEN[17] = (22, _N, 0, _N, _N, _N, _N)
_TOKEN[38] = (23, 0, 1, 2, _N, _N, _N)
_TOKEN[45] = (24, 0, 1, 2, _N, _N, _N)
_TOKEN[255] = (25, _N, _N, _N, _N, _N, _N)
# A transfer with fee lies under the transfer-fee extension's own tag; its amount follows both.
_TRANSFER_FEE_TAG, _WITH_FEE, _WITH_FEE_ROW = 26, 1, 256
_TOKEN[_WITH_FEE_ROW] = (13, 0, 2, 3, 1, 2, _N)


@dataclass(frozen=True)
class Effects:
    """Per call: a code of KINDS, addresses as ids (-1 unknown), u64 amount and space.

    `amount` is lamports for System and for the lamport-moving Token kinds, else raw tokens.
    """

    kind: np.ndarray
    source: np.ndarray
    destination: np.ndarray
    authority: np.ndarray
    mint: np.ndarray
    amount: np.ndarray
    has_amount: np.ndarray
    space: np.ndarray
    has_space: np.ndarray
    owner: np.ndarray

    @classmethod
    def none(cls, size: int) -> "Effects":
        """No effect for `size` calls, to be filled in."""
        ids = [np.full(size, -1, dtype=np.int32) for _ in range(5)]
        return cls(
            kind=np.zeros(size, dtype=np.int8),
            source=ids[0],
            destination=ids[1],
            authority=ids[2],
            mint=ids[3],
            amount=np.zeros(size, dtype=np.uint64),
            has_amount=np.zeros(size, dtype=np.bool_),
            space=np.zeros(size, dtype=np.uint64),
            has_space=np.zeros(size, dtype=np.bool_),
            owner=ids[4],
        )


@njit(cache=True, nogil=True, inline="always")
def _u64(data, at):
    value = np.uint64(0)
    for i in range(8):
        value |= np.uint64(data[at + i]) << np.uint64(8 * i)
    return value


@njit(cache=True, nogil=True, inline="always")
def _account(accounts, start, end, place):
    if place < 0 or start + place >= end:
        return np.int32(-1)
    return accounts[start + place]


@njit(cache=True, nogil=True)
def _seed_length(data, start, size):
    """Bytes of seed text by which a seed moves what follows it; -1 when it does not fit."""
    if size < 44:
        return -1
    length = _u64(data, start + 36)
    return np.int64(length) if length <= np.uint64(size - 44) else -1


@njit(cache=True, nogil=True)
def _system_row(data, start, size, table, seeded):
    """The row of `table` that the data fits (-1: none), and the bytes of seed in it."""
    if size < 4 or data[start + 1] or data[start + 2] or data[start + 3]:
        return -1, 0
    tag = data[start]
    if tag >= len(table) or table[tag, 0] < 0:
        return -1, 0
    seed = _seed_length(data, start, size) if seeded[tag] else 0
    if seed < 0:
        return -1, 0
    for column, width in ((3, 8), (4, 8), (5, 32)):
        if table[tag, column] >= 0 and table[tag, column] + seed + width > size:
            return -1, 0
    return tag, seed


@njit(cache=True, nogil=True)
def _read_system(which, data, offsets, accounts, lists, table, seeded, out, keys):
    kind, source, destination, amount, has_amount, space, has_space = out
    for call in which:
        start = offsets[call]
        tag, seed = _system_row(data, start, offsets[call + 1] - start, table, seeded)
        if tag < 0:
            continue
        kind[call] = table[tag, 0]
        source[call] = _account(accounts, lists[call], lists[call + 1], table[tag, 1])
        destination[call] = _account(accounts, lists[call], lists[call + 1], table[tag, 2])
        if table[tag, 3] >= 0:
            amount[call] = _u64(data, start + table[tag, 3] + seed)
            has_amount[call] = True
        if table[tag, 4] >= 0:
            space[call] = _u64(data, start + table[tag, 4] + seed)
            has_space[call] = True
        if table[tag, 5] >= 0:
            keys[call] = start + table[tag, 5] + seed


@njit(cache=True, nogil=True)
def _token_row(data, start, size, table):
    """The row of `table` that the data fits, -1 when none."""
    if size < 1:
        return -1
    tag = np.int64(data[start])
    if tag == _TRANSFER_FEE_TAG and size > 1 and data[start + 1] == _WITH_FEE:
        tag = _WITH_FEE_ROW
    if table[tag, 0] < 0:
        return -1
    if table[tag, 5] >= 0 and table[tag, 5] + 8 > size:
        return -1
    if table[tag, 6] >= 0 and table[tag, 6] + 32 > size:
        return -1
    return tag


@njit(cache=True, nogil=True)
def _read_token(which, data, offsets, accounts, lists, table, out, keys):
    kind, source, destination, authority, mint, amount, has_amount = out
    for call in which:
        start = offsets[call]
        tag = _token_row(data, start, offsets[call + 1] - start, table)
        if tag < 0:
            continue
        kind[call] = table[tag, 0]
        source[call] = _account(accounts, lists[call], lists[call + 1], table[tag, 1])
        destination[call] = _account(accounts, lists[call], lists[call + 1], table[tag, 2])
        authority[call] = _account(accounts, lists[call], lists[call + 1], table[tag, 3])
        mint[call] = _account(accounts, lists[call], lists[call + 1], table[tag, 4])
        if table[tag, 5] >= 0:
            amount[call] = _u64(data, start + table[tag, 5])
            has_amount[call] = True
        if table[tag, 6] >= 0:
            keys[call] = start + table[tag, 6]


def read_compiled(
    programs: np.ndarray,
    data: np.ndarray,
    offsets: np.ndarray,
    accounts: np.ndarray,
    lists: np.ndarray,
    addresses: Addresses,
    effects: Effects,
) -> None:
    """Fill `effects` from instruction data.

    Args:
        programs: per call, the id of its program.
        data: instruction data, joined.
        offsets: the n + 1 borders of each call's data.
        accounts: account ids, joined.
        lists: the n + 1 borders of each call's accounts.
        addresses: where ids come from; owner keys in the data are added to it.
        effects: rows of System and Token calls are filled in.
    """
    keys = np.full(len(programs), -1, dtype=np.int64)
    e = effects
    which = np.flatnonzero(programs == addresses.id(SYSTEM))
    out = (e.kind, e.source, e.destination, e.amount, e.has_amount, e.space, e.has_space)
    _read_system(which, data, offsets, accounts, lists, _SYSTEM, _SEEDED, out, keys)
    which = np.flatnonzero(np.isin(programs, [addresses.id(token) for token in TOKEN_PROGRAMS]))
    out = (e.kind, e.source, e.destination, e.authority, e.mint, e.amount, e.has_amount)
    _read_token(which, data, offsets, accounts, lists, _TOKEN, out, keys)
    _fill_keys(keys, data, addresses, effects)


def _fill_keys(keys: np.ndarray, data: np.ndarray, addresses: Addresses, effects: Effects) -> None:
    """Turn the 32-byte keys found in data into ids: an owner program, or a token authority."""
    found = np.flatnonzero(keys >= 0)
    raw = data[keys[found, None] + np.arange(32)].reshape(-1)
    (ids,) = addresses.ids(base58.encode(raw, np.arange(0, len(raw) + 1, 32)))
    is_token = effects.kind[found] >= FIRST_TOKEN_KIND
    effects.authority[found[is_token]] = ids[is_token]
    effects.owner[found[~is_token]] = ids[~is_token]


# Kinds of token instruction that move an amount the account state decides.
_AMOUNT_OPTIONAL = ("withdraw_excess_lamports", "unwrap_lamports")

# How the node names things: (program, type) -> kind and, per effect, the `info` fields that may
# hold it, first present one first.
_LAMPORTS = {"amount": ("lamports",)}
_CREATED = {
    "source": ("source",),
    "destination": ("newAccount",),
    "space": ("space",),
    "owner": ("owner",),
    **_LAMPORTS,
}
_PLACED = {"destination": ("account",), "space": ("space",), "owner": ("owner",)}
_SOURCE = ("source", "account")
_HOLDER = {"source": ("account",), "mint": ("mint",)}
_MOVED = {
    "source": _SOURCE,
    "destination": ("destination",),
    "authority": ("authority", "multisigAuthority"),
    "mint": ("mint",),
    "amount": ("amount",),
}
_OPENED = {"destination": ("account",), "authority": ("owner",), "mint": ("mint",)}
_MINT_MADE = {"mint": ("mint",), "authority": ("mintAuthority",)}
_APPROVED = {
    **_MOVED,
    "destination": ("delegate",),
    "authority": ("owner", "multisigOwner"),
}
_MINTED = {
    "destination": ("account",),
    "authority": ("mintAuthority", "multisigMintAuthority"),
    "mint": ("mint",),
    "amount": ("amount",),
}
_CLOSED = {
    "source": ("account",),
    "destination": ("destination",),
    "authority": ("owner", "multisigOwner"),
}
_FROZEN = {**_HOLDER, "authority": ("freezeAuthority", "multisigFreezeAuthority")}
_PARSED = {
    ("system", "createAccount"): ("create_account", _CREATED),
    ("system", "createAccountWithSeed"): ("create_account_with_seed", _CREATED),
    ("system", "createAccountAllowPrefund"): ("create_account_allow_prefund", _CREATED),
    ("system", "transfer"): (
        "transfer",
        {"source": ("source",), "destination": ("destination",), **_LAMPORTS},
    ),
    ("system", "transferWithSeed"): (
        "transfer_with_seed",
        {"source": ("source",), "destination": ("destination",), **_LAMPORTS},
    ),
    ("system", "withdrawFromNonce"): (
        "withdraw_nonce",
        {"source": ("nonceAccount",), "destination": ("destination",), **_LAMPORTS},
    ),
    ("system", "allocate"): ("allocate", _PLACED),
    ("system", "allocateWithSeed"): ("allocate_with_seed", _PLACED),
    ("system", "assign"): ("assign", _PLACED),
    ("system", "assignWithSeed"): ("assign_with_seed", _PLACED),
    ("token", "initializeMint"): ("initialize_mint", _MINT_MADE),
    ("token", "initializeMint2"): ("initialize_mint", _MINT_MADE),
    ("token", "initializeAccount"): ("initialize", _OPENED),
    ("token", "initializeAccount2"): ("initialize", _OPENED),
    ("token", "initializeAccount3"): ("initialize", _OPENED),
    ("token", "transfer"): ("transfer", _MOVED),
    ("token", "transferChecked"): ("transfer", _MOVED),
    ("token", "transferCheckedWithFee"): ("transfer", _MOVED),
    ("token", "approve"): ("approve", _APPROVED),
    ("token", "approveChecked"): ("approve", _APPROVED),
    ("token", "revoke"): (
        "revoke",
        {"source": ("source",), "authority": ("owner", "multisigOwner")},
    ),
    ("token", "setAuthority"): (
        "set_authority",
        {"source": ("account", "mint"), "authority": ("authority", "multisigAuthority")},
    ),
    ("token", "mintTo"): ("mint", _MINTED),
    ("token", "mintToChecked"): ("mint", _MINTED),
    ("token", "burn"): ("burn", {**_MOVED, "source": ("account",)}),
    ("token", "burnChecked"): ("burn", {**_MOVED, "source": ("account",)}),
    ("token", "closeAccount"): ("close", _CLOSED),
    ("token", "freezeAccount"): ("freeze", _FROZEN),
    ("token", "thawAccount"): ("thaw", _FROZEN),
    ("token", "syncNative"): ("sync_native", {"destination": ("account",)}),
    ("token", "withdrawExcessLamports"): ("withdraw_excess_lamports", _MOVED),
    ("token", "unwrapLamports"): ("unwrap_lamports", _MOVED),
}


class _Reading(msgspec.Struct):
    type: str | None = None
    info: dict | None = None


_read = msgspec.json.Decoder(_Reading).decode


def _first(info: dict, fields: tuple[str, ...]) -> object:
    return next((info[field] for field in fields if info.get(field) is not None), None)


def _whole(value: object) -> int | None:
    """A u64 given as integer or decimal text, else None."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20:
        value = int(value)
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64
    return value if fits else None


class _Collected:
    """Values of parsed instructions, gathered before addresses are made ids in one go."""

    def __init__(self) -> None:
        self.texts: dict[str, tuple[list[int], list[str]]] = {}

    def add(self, effect: str, call: int, value: object) -> None:
        if isinstance(value, str):
            calls, texts = self.texts.setdefault(effect, ([], []))
            calls.append(call)
            texts.append(value)


def read_parsed(
    programs: np.ndarray, parsed: pa.StringArray, addresses: Addresses, effects: Effects
) -> pa.StringArray:
    """Fill `effects` from the node's own reading, JSON `{type, info}` per call or null.

    Returns:
        the instruction type the node gave, null where it parsed nothing.
    """
    families = {addresses.id(SYSTEM): "system"}
    families.update((addresses.id(token), "token") for token in TOKEN_PROGRAMS)
    types: list[str | None] = [None] * len(parsed)
    collected = _Collected()
    for call, text in enumerate(parsed.to_pylist()):
        if text is None or not text.startswith("{"):
            continue
        try:
            reading = _read(text)
        except msgspec.DecodeError:
            continue
        types[call] = reading.type
        family = families.get(programs[call], "")
        rule = _PARSED.get((family, reading.type or ""))
        if rule:
            _take(call, family, rule, reading.info or {}, collected, effects)
    for effect, (calls, texts) in collected.texts.items():
        (ids,) = addresses.ids(pa.array(texts, pa.string()))
        getattr(effects, effect)[calls] = ids
    return pa.array(types, pa.string())


def _take(
    call: int, family: str, rule: tuple, info: dict, collected: _Collected, effects: Effects
) -> None:
    """Apply one rule of _PARSED to one call."""
    kind, fields = rule
    if isinstance(info.get("tokenAmount"), dict):  # the checked forms
        info = {**info, "amount": info["tokenAmount"].get("amount")}
    code = KINDS.index(kind, FIRST_TOKEN_KIND if family == "token" else 0)
    numbers = {}
    for number in ("amount", "space"):
        if number in fields:
            numbers[number] = _whole(_first(info, fields[number]))
    if "amount" in numbers and numbers["amount"] is None and kind not in _AMOUNT_OPTIONAL:
        return
    effects.kind[call] = code
    for number, value in numbers.items():
        if value is not None:
            getattr(effects, number)[call] = value
            getattr(effects, f"has_{number}")[call] = True
    for effect, names in fields.items():
        if effect not in numbers:
            collected.add(effect, call, _first(info, names))
