"""The exports: types, order, bytes, and what strangers' text may not do."""

import csv
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dagster_project.lib import export
from dagster_project.lib.export import export_tables
from ingest.errors import InputError

AS_OF = datetime(2024, 1, 2, 3, 4, 5)


def warehouse(folder: Path, *statements: str) -> Path:
    database = folder / "warehouse.duckdb"
    with duckdb.connect(str(database)) as connection:
        for statement in statements:
            connection.execute(statement)
    return database


def rows(out: Path, table: str) -> list[dict[str, str]]:
    with (out / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def text_table(folder: Path, value: str, column: str = "symbol") -> Path:
    database = warehouse(folder, f"create table assets ({column} varchar)")
    with duckdb.connect(str(database)) as connection:
        connection.execute("insert into assets values (?)", [value])
    return database


def test_every_type_is_written_as_the_contract_says(tmp_path):
    database = warehouse(
        tmp_path,
        "create table trades (tx_id varchar, block_time timestamp, qty_raw decimal(38, 0), "
        "value_usd decimal(38, 9), qty varchar, ratio double, priced boolean, note varchar, "
        "total hugeint)",
        "insert into trades values ('t', '2024-01-01 00:00:01', "
        "12345678901234567890123456789012345678, -0.000000001, '0.000000000000000001', 1e-7, true, "
        "null, 170141183460469231731687303715884105)",
    )

    summary = export_tables(database, tmp_path / "out", AS_OF)

    assert summary.rows == {"trades": 1}
    assert (tmp_path / "out" / "trades.csv").read_bytes() == (
        b"tx_id,block_time,qty_raw,value_usd,qty,ratio,priced,note,total\n"
        b"t,2024-01-01T00:00:01Z,12345678901234567890123456789012345678,-0.000000001,"
        b"0.000000000000000001,1e-07,true,,170141183460469231731687303715884105\n"
    )
    table = pq.read_table(tmp_path / "out" / "trades.parquet")
    assert table.schema.field("block_time").type == pa.timestamp("us", tz="UTC")
    assert table.schema.field("total").type == pa.decimal128(38, 0)
    assert table.schema.field("value_usd").type == pa.decimal128(38, 9)
    (row,) = table.to_pylist()
    assert row["qty_raw"] == Decimal("12345678901234567890123456789012345678")
    assert row["block_time"] == datetime(2024, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert table.schema.metadata[b"as_of"] == b"2024-01-02T03:04:05Z"


def test_an_empty_table_still_has_its_files(tmp_path):
    database = warehouse(
        tmp_path,
        "create table lots (lot_id varchar, opened_at timestamp)",
        'create table leaderboard ("window" varchar, rank bigint)',
    )

    export_tables(database, tmp_path / "out", AS_OF)

    assert (tmp_path / "out" / "lots.csv").read_text() == "lot_id,opened_at\n"
    assert pq.read_table(tmp_path / "out" / "lots.parquet").schema.names == ["lot_id", "opened_at"]
    assert json.loads((tmp_path / "out" / "leaderboard.json").read_text()) == []


def test_the_leaderboard_is_also_json_without_a_rounded_decimal(tmp_path):
    database = warehouse(
        tmp_path,
        "create table leaderboard (rank bigint, wallet varchar, figure decimal(38, 9), "
        "win_rate double, as_of timestamp)",
        "insert into leaderboard values (2, 'b', 1, 0.5, '2024-01-01'), "
        "(1, 'a', 12345678901234567890.123456789, null, '2024-01-01')",
    )

    export_tables(database, tmp_path / "out", AS_OF)

    assert json.loads((tmp_path / "out" / "leaderboard.json").read_text()) == [
        {
            "rank": 1,
            "wallet": "a",
            "figure": "12345678901234567890.123456789",
            "win_rate": None,
            "as_of": "2024-01-01T00:00:00Z",
        },
        {
            "rank": 2,
            "wallet": "b",
            "figure": "1.000000000",
            "win_rate": 0.5,
            "as_of": "2024-01-01T00:00:00Z",
        },
    ]


@pytest.mark.parametrize(
    ("hostile", "in_parquet", "in_csv"),
    [
        ('=HYPERLINK("http://x")', '=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'),
        ("+1", "+1", "'+1"),
        ("@SUM(A1)", "@SUM(A1)", "'@SUM(A1)"),
        ("-1+cmd|' /C calc'!A0", "-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
        ("\t=1", " =1", "' =1"),
        ("\r=1", " =1", "' =1"),
        ("\u200b=1", "=1", "'=1"),
        ("\uff1d1", "\uff1d1", "'\uff1d1"),
        ("-", "-", "'-"),
        ("-1e5", "-1e5", "'-1e5"),
        # Amounts as text are numbers and stay numbers.
        ("-12.5", "-12.5", "-12.5"),
        ("-7", "-7", "-7"),
        ("0.5", "0.5", "0.5"),
        ("\x1b[31mred\x1b[0m", "red", "red"),
        ("\x1b]0;title\x07name", "name", "name"),
        ("\x1b]8;;http://x\x1b\\link", "link", "link"),
        ("\x9b31mred", "red", "red"),
        ("a\x00b\x07c\x7f", "abc", "abc"),
        ("two\nlines", "two lines", "two lines"),
        ("\u202egnp.exe\u2066x\u2069", "gnp.exex", "gnp.exex"),
        ("in\u00advisi\u2060ble\ufeff", "invisible", "invisible"),
        ("line\u2028break", "line break", "line break"),
        ("日本 é 🚀 <b>&amp;", "日本 é 🚀 <b>&amp;", "日本 é 🚀 <b>&amp;"),
        ('O\'Neil, "x"', 'O\'Neil, "x"', 'O\'Neil, "x"'),
        ("0xAbC123", "0xAbC123", "0xAbC123"),
        (
            "So11111111111111111111111111111111111111112",
            "So11111111111111111111111111111111111111112",
            "So11111111111111111111111111111111111111112",
        ),
    ],
)
def test_strangers_text_is_made_harmless(tmp_path, hostile, in_parquet, in_csv):
    export_tables(text_table(tmp_path, hostile), tmp_path / "out", AS_OF)

    assert pq.read_table(tmp_path / "out" / "assets.parquet").to_pylist() == [
        {"symbol": in_parquet}
    ]
    assert rows(tmp_path / "out", "assets") == [{"symbol": in_csv}]


def test_lists_of_text_are_made_harmless_too(tmp_path):
    database = warehouse(
        tmp_path,
        "create table movements (tx_id varchar, pools varchar[])",
        "insert into movements values ('t', ['a\x1b[1m', '=b'])",
    )

    export_tables(database, tmp_path / "out", AS_OF)

    (row,) = pq.read_table(tmp_path / "out" / "movements.parquet").to_pylist()
    assert row["pools"] == ["a", "=b"]
    assert rows(tmp_path / "out", "movements")[0]["pools"] == '["a","=b"]'


def test_the_same_rows_in_any_order_give_the_same_bytes(tmp_path):
    # More than one row group, and keys that tie until the last column.
    make = (
        "create table movements as select 'solana' as chain, cast(i % 7 as varchar) as wallet, "
        "cast(i % 1000 as varchar) as tx_id, 0 as leg, i * 0.1 as ratio, "
        "cast(i as decimal(38, 9)) as value_usd from range(150000) as r(i) order by {}"
    )
    written = []
    for name, order in (("a", "i"), ("b", "hash(i)")):
        (tmp_path / name).mkdir()
        database = warehouse(tmp_path / name, make.format(order))
        export_tables(database, tmp_path / name / "out", AS_OF)
        written.append(
            {path.name: path.read_bytes() for path in (tmp_path / name / "out").iterdir()}
        )

    assert written[0] == written[1]
    assert sorted(written[0]) == ["movements.csv", "movements.parquet"]


def test_rows_are_read_in_the_order_of_their_key(tmp_path):
    database = warehouse(
        tmp_path,
        'create table leaderboard (wallet varchar, rank bigint, "window" varchar)',
        "insert into leaderboard values ('b', 2, '7d'), ('c', null, '7d'), ('a', 10, '7d'), "
        "('d', 1, '24h')",
    )

    export_tables(database, tmp_path / "out", AS_OF)

    assert [row["wallet"] for row in rows(tmp_path / "out", "leaderboard")] == list("dbac")


def test_equal_ranks_are_listed_by_volume_then_address(tmp_path):
    database = warehouse(
        tmp_path,
        "create table leaderboard (rank bigint, wallet varchar, volume_usd decimal(38, 9))",
        "insert into leaderboard values (1, 'a', 5), (1, 'c', 7), (1, 'b', 7), (3, 'd', 100)",
    )

    export_tables(database, tmp_path / "out", AS_OF)

    assert [row["wallet"] for row in rows(tmp_path / "out", "leaderboard")] == list("bcad")


def test_files_of_dropped_tables_vanish(tmp_path):
    database = warehouse(tmp_path, "create table a (x int)", "create table b (x int)")
    export_tables(database, tmp_path / "out", AS_OF)

    warehouse(tmp_path, "drop table b")
    export_tables(database, tmp_path / "out", AS_OF)

    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.csv", "a.parquet"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "warehouse.duckdb"]


def test_other_schemas_and_views_are_not_exported_and_tables_can_be_chosen(tmp_path):
    database = warehouse(
        tmp_path,
        "create table a (x int)",
        "create table b (x int)",
        "create view v as select * from a",
        "create schema staging",
        "create table staging.c (x int)",
    )

    assert list(export_tables(database, tmp_path / "all", AS_OF).rows) == ["a", "b"]
    assert list(export_tables(database, tmp_path / "one", AS_OF, tables=["b"]).rows) == ["b"]
    with pytest.raises(InputError, match="no table c in the warehouse; it has a, b"):
        export_tables(database, tmp_path / "one", AS_OF, tables=["c"])


def test_a_failing_export_leaves_the_old_one(tmp_path, monkeypatch):
    database = warehouse(tmp_path, "create table a (x int)")
    export_tables(database, tmp_path / "out", AS_OF)

    monkeypatch.setattr(export, "_csv_cell", lambda column, kind: "no_such_function()")
    with pytest.raises(duckdb.Error):
        export_tables(database, tmp_path / "out", AS_OF)

    assert (tmp_path / "out" / "a.csv").read_text() == "x\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "warehouse.duckdb"]


def test_without_a_warehouse_the_message_says_how_to_make_one(tmp_path):
    with pytest.raises(InputError, match="run `tradebasis build` first"):
        export_tables(tmp_path / "nothing.duckdb", tmp_path / "out", AS_OF)
