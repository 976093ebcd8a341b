"""Names, places and schemas of the raw and decoded Solana tables.

`signature` (the transaction's first one) is the key everywhere. Lamports are BIGINT (all SOL in
existence is below 2^63), token amounts DECIMAL(38,0) (they are u64). `outer_index` counts the
top-level instructions from 0; `inner_index` counts within that instruction's inner list from 0
and is -1 for the top-level instruction itself.
"""

from pathlib import Path

import pyarrow as pa

DECODER_VERSION = 1
"""Raised whenever the same raw file would decode to something else; old output is then unused."""

AMOUNT = pa.decimal128(38, 0)


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


_PLACE = (
    _required("signature", pa.string()),
    _required("outer_index", pa.int32()),
    _required("inner_index", pa.int32()),
)

TRANSACTIONS = pa.schema(
    [
        _required("signature", pa.string()),
        _required("raw_file", pa.string()),
        _required("raw_row", pa.int64()),
        pa.field("slot", pa.int64()),
        pa.field("tx_index", pa.int64()),
        pa.field("block_time", pa.int64()),
        _required("version", pa.string()),
        _required("fee_payer", pa.string()),
        _required("fee_lamports", pa.int64()),
        _required("is_failed", pa.bool_()),
        pa.field("err", pa.string()),
        pa.field("logs_truncated", pa.bool_()),
        _required("body_digest", pa.string()),
    ]
)

ACCOUNT_BALANCES = pa.schema(
    [
        _required("signature", pa.string()),
        _required("account_index", pa.int32()),
        _required("account", pa.string()),
        _required("is_signer", pa.bool_()),
        # Null for an account that holds tokens or whose lamports did not change: not worked out.
        pa.field("account_on_curve", pa.bool_()),
        _required("pre_lamports", pa.int64()),
        _required("post_lamports", pa.int64()),
        pa.field("mint", pa.string()),
        pa.field("owner", pa.string()),
        pa.field("owner_on_curve", pa.bool_()),
        pa.field("pre_owner", pa.string()),
        pa.field("post_owner", pa.string()),
        pa.field("token_program", pa.string()),
        pa.field("decimals", pa.int32()),
        pa.field("pre_amount", AMOUNT),
        pa.field("post_amount", AMOUNT),
    ]
)

NATIVE_TRANSFERS = pa.schema(
    [
        *_PLACE,
        _required("source", pa.string()),
        _required("destination", pa.string()),
        _required("lamports", pa.int64()),
        _required("kind", pa.string()),
    ]
)

CREATED_ACCOUNTS = pa.schema(
    [
        *_PLACE,
        _required("account", pa.string()),
        pa.field("funder", pa.string()),
        pa.field("lamports", pa.int64()),
        pa.field("space", pa.int64()),
        pa.field("owner_program", pa.string()),
        _required("kind", pa.string()),
    ]
)

PROGRAM_CALLS = pa.schema(
    [
        *_PLACE,
        pa.field("stack_height", pa.int32()),
        _required("program_id", pa.string()),
        pa.field("instruction_name", pa.string()),
        pa.field("discriminator", pa.string()),
        pa.field("accounts", pa.list_(pa.string())),
    ]
)

TOKEN_TRANSFERS = pa.schema(
    [
        *_PLACE,
        _required("kind", pa.string()),
        pa.field("source", pa.string()),
        pa.field("destination", pa.string()),
        pa.field("authority", pa.string()),
        pa.field("mint", pa.string()),
        pa.field("amount", AMOUNT),
    ]
)

REJECTS = pa.schema(
    [
        _required("file", pa.string()),
        _required("row", pa.int64()),
        pa.field("signature", pa.string()),
        pa.field("fee_payer", pa.string()),
        pa.field("slot", pa.int64()),
        pa.field("block_time", pa.int64()),
        _required("column", pa.string()),
        _required("reason", pa.string()),
    ]
)

TABLES = {
    "account_balances": ACCOUNT_BALANCES,
    "native_transfers": NATIVE_TRANSFERS,
    "created_accounts": CREATED_ACCOUNTS,
    "program_calls": PROGRAM_CALLS,
    "token_transfers": TOKEN_TRANSFERS,
    "rejects": REJECTS,
    # Last on purpose: files are put in place in this order, and the last one says "done".
    "transactions": TRANSACTIONS,
}


def raw_folder(data_dir: Path) -> Path:
    """Where raw `getTransaction` responses lie."""
    return data_dir / "raw" / "solana" / "transactions"


def table_folder(data_dir: Path, table: str) -> Path:
    """Where the decoded files of `table` lie for this decoder version."""
    return data_dir / "decoded" / f"v{DECODER_VERSION}" / table
