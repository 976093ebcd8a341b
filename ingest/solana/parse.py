"""Raw bodies into typed Arrow columns, one row per transaction, with what is wrong with each.

DuckDB reads the JSON once, as a typed struct; a body that is no such struct comes back empty
and is looked at by `shapes.classify`, row by row. Nothing here fails on a row.
"""

from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest.solana import schema, shapes

_INSIDE = {"bare": "body", "envelope": "body.result", "wrapper": "body.tx"}
_PAYER = {"json": "keys[1]", "parsed": "keys[1].pubkey"}
_LOADED = {
    # Loaded addresses stand behind the static ones, writable before readonly. Some collectors
    # send them merged already, which the number of balances tells.
    "json": """case
            when len(tx.transaction.message.accountKeys) = len(tx.meta.preBalances)
                then tx.transaction.message.accountKeys
            else list_concat(
                tx.transaction.message.accountKeys,
                tx.meta.loadedAddresses.writable,
                tx.meta.loadedAddresses.readonly
            )
        end""",
    "parsed": "tx.transaction.message.accountKeys",
}

# The first that applies names the row. `column` is the place in the node's answer.
_CHECKS = (
    ("signature is null", "unknown_shape", "transaction.signatures"),
    ("first_signature <> signature", "signature_mismatch", "transaction.signatures"),
    ("version not in ('legacy', '0', '1')", "unknown_version", "version"),
    ("meta is null", "missing_meta", "meta"),
    ("inner_groups is null", "null_inner_instructions", "meta.innerInstructions"),
    ("pre_tokens is null", "missing_token_balances", "meta.preTokenBalances"),
    ("post_tokens is null", "missing_token_balances", "meta.postTokenBalances"),
    ("fee is null or fee < 0", "malformed_value", "meta.fee"),
    ("fee_payer is null", "unknown_shape", "transaction.message.accountKeys"),
    ("outer_calls is null", "unknown_shape", "transaction.message.instructions"),
    (
        "has_lookups and not has_loaded and len(keys) is distinct from len(pre)",
        "missing_loaded_addresses",
        "meta.loadedAddresses",
    ),
    ("len(keys) is distinct from len(pre)", "unknown_shape", "meta.preBalances"),
    ("len(keys) is distinct from len(post)", "unknown_shape", "meta.postBalances"),
)


@dataclass(frozen=True)
class Parsed:
    """Transactions of one encoding, in file order: the columns of `_query`, all checks passed."""

    encoding: str
    rows: pa.Table


def _query(bodies: str, door: str, encoding: str) -> str:
    """Select flat columns of every row of `bodies`, empty ones where it reads as no such shape."""
    inside = _INSIDE[door]
    outer = "body.{}" if door == "wrapper" else "null"
    checks = "\n".join(
        f"            when {test} then '{reason}|{column}'" for test, reason, column in _CHECKS
    )
    signer_count = "tx.transaction.message.header.numRequiredSignatures"
    return f"""
    with
    parsed as (
        select row, try(from_json(body, $structure)) as body from {bodies}
    ),
    opened as (
        select
            row,
            {outer.format("signature")} as outer_signature,
            {outer.format("slot")} as outer_slot,
            {outer.format("blockTime")} as outer_time,
            {inside} as tx
        from parsed
    ),
    flat as (
        select
            row,
            tx.transaction.signatures[1] as first_signature,
            coalesce(outer_signature, tx.transaction.signatures[1]) as signature,
            coalesce(tx.slot, outer_slot) as slot,
            tx.transactionIndex as tx_index,
            coalesce(tx.blockTime, outer_time) as block_time,
            {_LOADED[encoding]} as keys,
            {signer_count} as signer_count,
            coalesce(len(tx.transaction.message.addressTableLookups), 0) > 0 as has_lookups,
            tx.meta.loadedAddresses is not null as has_loaded,
            coalesce(len(tx.meta.loadedAddresses.writable), 0)
            + coalesce(len(tx.meta.loadedAddresses.readonly), 0) as loaded,
            coalesce(
                tx.version, case when has_lookups or loaded > 0 then '0' else 'legacy' end
            ) as version,
            tx.transaction.message.instructions as outer_calls,
            tx.meta as meta,
            tx.meta.fee as fee,
            nullif(tx.meta.err, 'null') as err,
            tx.meta.innerInstructions as inner_groups,
            tx.meta.preBalances as pre,
            tx.meta.postBalances as post,
            tx.meta.preTokenBalances as pre_tokens,
            tx.meta.postTokenBalances as post_tokens,
            tx.meta.logMessages as logs,
            {_PAYER[encoding]} as fee_payer,
            tx.transaction.message.accountKeys is not null
            and not coalesce({_PAYER[encoding]} like '{{%', false) as is_read
        from opened
    )
    select
        * exclude (meta, has_lookups, has_loaded, loaded, first_signature),
        case
{checks}
        end as problem
    from flat
    """


def reject_rows(rows: pa.Table) -> pa.Table:
    """Give the rejects (row and the columns after it) of rows with a `reason|column` problem."""
    problems = [problem.split("|") for problem in rows["problem"].to_pylist()]
    known = rows.select(["row", "signature", "fee_payer", "slot", "block_time"])
    return (
        known.append_column("column", pa.array([column for _, column in problems], pa.string()))
        .append_column("reason", pa.array([reason for reason, _ in problems], pa.string()))
        .cast(_REJECT_ROW)
    )


_REJECT_ROW = pa.schema(
    [pa.field("row", pa.int64()), *[schema.REJECTS.field(i) for i in range(2, 8)]]
)


class Parser:
    """Parses the bodies of one raw file at a time over one DuckDB connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Use `connection`, which must be of this thread alone."""
        self._connection = connection

    def parse(self, raw: Path) -> tuple[list[Parsed], pa.Table]:
        """Parse the bodies of one raw file.

        Returns:
            the readable transactions by encoding, and the rejects (row and the columns of
            schema.REJECTS after it). Every row is in exactly one of them.
        """
        passes, bodies = self._whole_file(raw)
        later, refused = _classified(bodies)
        for (door, encoding), waiting in sorted(later.items()):
            self._connection.register("bodies", _bodies(waiting))
            read, rest = self._pass("bodies", door, encoding)
            self._connection.unregister("bodies")
            passes.append((encoding, read))
            odd = {row: waiting[row] for row in rest}
            refused += [_refusal(row, shape, "unknown_shape") for row, shape in odd.items()]
        good, bad = [], [pa.Table.from_pylist(refused, schema=_REJECT_ROW)]
        for encoding, read in passes:
            fine, wrong = _split(read, pc.is_null(read["problem"]))
            if len(fine):
                good.append(Parsed(encoding, fine.combine_chunks()))
            bad.append(reject_rows(wrong))
        return good, pa.concat_tables(bad)

    def _whole_file(self, raw: Path) -> tuple[list[tuple[str, pa.Table]], pa.Table]:
        """Read a file as what its first body is, as most files hold one shape only.

        DuckDB reads the file itself: the bodies that fit never become Python's. Gives what was
        read by encoding, and the bodies (row, body) that are something else.
        """
        file = pq.ParquetFile(raw)
        first = next(file.iter_batches(1, columns=["body"]), None)
        shape = shapes.classify(first["body"][0].as_py()) if first else None
        if shape is None or not shape.encoding or shape.is_rewritten:
            return [], file.read(columns=["row", "body"])
        read, rest = self._pass("read_parquet($raw)", shape.door, shape.encoding, raw=str(raw))
        bodies = file.read(columns=["row", "body"]) if rest else _bodies({})
        return [(shape.encoding, read)], bodies.filter(pc.is_in(bodies["row"], pa.array(rest)))

    def _pass(
        self, bodies: str, door: str, encoding: str, **parameters: str
    ) -> tuple[pa.Table, list[int]]:
        """Read what reads as this shape; give it and the rows of the bodies that did not."""
        parameters["structure"] = shapes.structure(door, encoding)
        query = _query(bodies, door, encoding)
        table = self._connection.sql(query, params=parameters).to_arrow_table()
        read, rest = _split(table, pc.fill_null(table["is_read"], False))
        return read, rest["row"].to_pylist()


def _bodies(waiting: dict[int, shapes.Shape]) -> pa.Table:
    return pa.table(
        {
            "row": pa.array(waiting, pa.int64()),
            "body": pa.array([shape.body for shape in waiting.values()], pa.string()),
        }
    )


def _classified(bodies: pa.Table) -> tuple[dict, list[dict]]:
    """Sort bodies: by (door, encoding) the shape of each row, and the refusals of the others."""
    later: dict[tuple[str, str], dict[int, shapes.Shape]] = {}
    refused = []
    for row, body in zip(bodies["row"].to_pylist(), bodies["body"].to_pylist(), strict=True):
        shape = shapes.classify(body)
        if shape.encoding is None:
            refused.append(_refusal(row, shape, shape.reason))
        else:
            later.setdefault((shape.door, shape.encoding), {})[row] = shape
    return later, refused


def _split(table: pa.Table, which: pa.ChunkedArray) -> tuple[pa.Table, pa.Table]:
    """Rows where `which` and rows where not; no copy when it is all of them."""
    if pc.all(which).as_py():
        return table, table.slice(0, 0)
    return table.filter(which), table.filter(pc.invert(which))


def _refusal(row: int, shape: shapes.Shape, reason: str) -> dict:
    return {
        "row": row,
        "signature": shape.signature,
        "fee_payer": shape.fee_payer,
        "slot": shape.slot,
        "block_time": shape.block_time,
        "column": shape.column,
        "reason": reason,
    }
