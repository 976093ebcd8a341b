"""Candle files into the raw lake, with moments and prices worked out by hand."""

from datetime import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.errors import InputError
from ingest.lake import SCHEMA_FILE
from ingest.prices.importing import ensure_prices, import_candles
from ingest.prices.schema import TABLES, table_folder
from ingest.prices.sniffing import sniff

SOL = "So11111111111111111111111111111111111111112"


def candle_file(folder, lines, name="Exchange A (SOL).csv", header="open_time,close,interval"):
    path = folder / name
    path.write_text("\n".join([header, *lines, ""]))
    return path


def stored(data, table="candles"):
    files = sorted(table_folder(data, table).glob("*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def minutes(count, price="10", start=1704067200):
    return [f"{start + 60 * i},{price},1m" for i in range(count)]


def test_a_candle_of_csv_is_sol_of_a_source_named_after_the_file(tmp_path):
    path = candle_file(tmp_path, ["2024-01-01T00:00:00Z,100.25,1m"])

    summary = import_candles(path, tmp_path / "data")

    assert stored(tmp_path / "data") == [
        {
            "chain": "solana",
            "address": SOL,
            "at": datetime(2024, 1, 1),
            "price": Decimal("100.25"),
            "resolution": "minute",
            "source": "exchange-a-sol",
            "interval": "1m",
            "file": "Exchange A (SOL).csv",
            "row": 2,
        }
    ]
    assert (summary.rows, summary.kept, summary.is_new, summary.warnings) == (1, 1, True, [])


@pytest.mark.parametrize(
    ("interval", "resolution", "at"),
    [
        ("1m", "minute", datetime(2024, 1, 1, 12, 0)),
        ("minute", "minute", datetime(2024, 1, 1, 12, 0)),
        ("2m", "minute", datetime(2024, 1, 1, 12, 1)),
        ("3m", "minute", datetime(2024, 1, 1, 12, 2)),
        ("4m", "minute", datetime(2024, 1, 1, 12, 3)),
        ("5m", "minute", datetime(2024, 1, 1, 12, 4)),
        ("60m", "hour", datetime(2024, 1, 1, 12, 0)),
        ("1h", "hour", datetime(2024, 1, 1, 12, 0)),
        ("hour", "hour", datetime(2024, 1, 1, 12, 0)),
    ],
)
def test_a_candle_counts_for_its_last_minute_or_its_hour(tmp_path, interval, resolution, at):
    import_candles(candle_file(tmp_path, [f"2024-01-01T12:00:00Z,1,{interval}"]), tmp_path)

    (candle,) = stored(tmp_path)
    assert (candle["resolution"], candle["at"], candle["interval"]) == (resolution, at, interval)


def test_wrong_candles_are_quarantined(tmp_path):
    wrong = {
        "2023-01-01,0,1m": ("close", "not_positive"),
        "2023-01-01,-1,1m": ("close", "not_positive"),
        "2023-01-01,nan,1m": ("close", "not_a_decimal"),
        "2023-01-01,,1m": ("close", "missing_value"),
        "2023-01-01,1,1M": ("interval", "unknown_interval"),
        "2023-01-01,1,1d": ("interval", "unknown_interval"),
        "2023-01-01,1,": ("interval", "missing_value"),
        "1672531200000,1,1m": ("open_time", "epoch_not_in_seconds"),
        "never,1,1m": ("open_time", "unparsable_time"),
        "2023-01-01,1": (None, "wrong_number_of_cells"),
    }
    path = candle_file(tmp_path, [*wrong, *minutes(200)])

    summary = import_candles(path, tmp_path)

    assert [(r["row"], r["column"], r["reason"]) for r in stored(tmp_path, "rejects")] == [
        (row, column, reason) for row, (column, reason) in enumerate(wrong.values(), start=2)
    ]
    assert (summary.rows, summary.kept, summary.rejected) == (210, 200, 10)


def test_equal_candles_collapse_to_the_shortest_and_contradictions_are_all_rejected(tmp_path):
    lines = [
        "2024-01-02T00:00:00Z,7,5m",  # counts for 00:04
        "2024-01-02T00:04:00Z,7.0,1m",
        "2024-01-02T00:05:00Z,8,5m",  # counts for 00:09
        "2024-01-02T00:09:00Z,8.5,1m",
        # An hour is another series.
        "2024-01-02T00:04:00Z,9,1h",
    ]
    path = candle_file(tmp_path, [*lines, *minutes(60)])

    summary = import_candles(path, tmp_path)

    assert [
        (c["interval"], c["at"].minute, c["price"])
        for c in stored(tmp_path)
        if c["at"] > datetime(2024, 1, 2)
    ] == [("1h", 4, 9), ("1m", 4, 7)]
    assert [(r["row"], r["column"], r["reason"]) for r in stored(tmp_path, "rejects")] == [
        (4, "close", "conflicting_rows"),
        (5, "close", "conflicting_rows"),
    ]
    assert (summary.kept, summary.repeated, summary.rejected) == (62, 1, 2)


def test_importing_twice_or_in_another_order_changes_nothing(tmp_path):
    lines = minutes(50)
    first = import_candles(candle_file(tmp_path, lines), tmp_path)
    before = {path: path.read_bytes() for path in (tmp_path / "raw").rglob("*.parquet")}

    second = import_candles(candle_file(tmp_path, lines[::-1]), tmp_path)

    assert (first.is_new, second.is_new) == (True, False)
    assert {path: path.read_bytes() for path in (tmp_path / "raw").rglob("*.parquet")} == before


def test_another_price_is_another_file_and_the_first_one_stays(tmp_path):
    import_candles(candle_file(tmp_path, minutes(1)), tmp_path)
    import_candles(candle_file(tmp_path, minutes(1, price="11")), tmp_path)

    assert sorted(candle["price"] for candle in stored(tmp_path)) == [10, 11]


def test_source_chain_and_address_may_be_columns(tmp_path):
    path = candle_file(
        tmp_path,
        ["2024-01-01,1,1h,other,bsc,0xABC", "2024-01-01,2,1h,,,"],
        header="open_time,close,interval,source,chain,address",
    )

    import_candles(path, tmp_path, source="given")

    assert [(c["chain"], c["address"], c["source"]) for c in stored(tmp_path)] == [
        ("bsc", "0xABC", "other"),
        ("solana", SOL, "given"),
    ]


def test_floats_of_parquet_are_their_shortest_text(tmp_path):
    path = tmp_path / "candles.parquet"
    pq.write_table(
        pa.table(
            {
                "open_time": pa.array([0, 60, 120], pa.timestamp("s", tz="UTC")),
                "open": [1.0, 2.0, 3.0],
                "close": [0.1, 1.2345e-05, 146.99],
                "interval": ["1m"] * 3,
            }
        ),
        path,
    )

    import_candles(path, tmp_path)

    assert [candle["price"] for candle in stored(tmp_path)] == [
        Decimal("0.1"),
        Decimal("0.000012345"),
        Decimal("146.99"),
    ]


def test_more_than_five_percent_wrong_refuses_the_file(tmp_path):
    path = candle_file(tmp_path, ["2023-01-01,0,1m", *minutes(18)], name="c.csv")

    with pytest.raises(InputError, match=r"c\.csv: 1 of 19 rows can't be right.*row 2: close"):
        import_candles(path, tmp_path)

    assert not (tmp_path / "raw").exists()


def test_a_missing_column_refuses_the_file(tmp_path):
    path = candle_file(tmp_path, [], header="time,close,interval", name="c.csv")

    with pytest.raises(InputError, match=r"c\.csv lacks the required column\(s\) open_time"):
        import_candles(path, tmp_path)


def test_a_file_without_candles_stores_nothing(tmp_path):
    summary = import_candles(candle_file(tmp_path, []), tmp_path)

    assert (summary.rows, summary.is_new) == (0, False)
    assert not (tmp_path / "raw").exists()


def test_columns_that_no_candle_has_are_named(tmp_path):
    path = candle_file(
        tmp_path, ["2024-01-01,1,1h,2,x"], header="open_time,close,interval,high,mood", name="c.csv"
    )

    assert import_candles(path, tmp_path).warnings == [
        "c.csv: columns that are not known are ignored: mood"
    ]


def test_ensure_prices_makes_every_table_readable(tmp_path):
    ensure_prices(tmp_path)

    for table, schema in TABLES.items():
        assert pq.read_schema(table_folder(tmp_path, table) / SCHEMA_FILE).names == schema.names


def test_real_candles(shared, tmp_path):
    """Every moment of the real file once; 5m candles that end with a 1m one repeat it."""
    path = shared / "data" / "prices" / "sol_usdt_spot_candles.parquet"
    if not path.is_file():
        pytest.skip(f"no {path}")

    summary = import_candles(path, tmp_path)

    given = pq.read_table(path, columns=["open_time", "interval"])
    opened_s = given["open_time"].cast(pa.int64()).to_numpy() // 10**6
    interval = given["interval"].to_numpy()
    hours = np.unique(opened_s[interval == "1h"])
    minutes = np.unique(
        np.concatenate([opened_s[interval == "1m"], opened_s[interval == "5m"] + 240])
    )
    assert (summary.rows, summary.rejected) == (len(given), 0)
    assert summary.kept == len(hours) + len(minutes)
    (file,) = table_folder(tmp_path, "candles").glob("*.parquet")
    candles = pq.read_table(file, filters=[("at", "=", datetime(2021, 9, 17, 22, 22))])
    # Read by eye from the file: opened 22:22, 1m, closed at 146.99.
    assert candles["price"].to_pylist() == [Decimal("146.99")]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.csv", "candles"),
        ("a.PARQUET", "candles"),
        ("a.jsonl", "transactions"),
        ("a.json", "transactions"),
        ("a.jsonl.gz", "transactions"),
        ("a.jsonl.zst", "transactions"),
    ],
)
def test_a_file_is_told_by_its_name(tmp_path, name, kind):
    (tmp_path / name).write_bytes(b"anything")

    assert sniff(tmp_path / name) == kind


@pytest.mark.parametrize("name", ["a.csv.gz", "a.parquet.zst"])
def test_packed_candles_are_no_transactions(tmp_path, name):
    (tmp_path / name).write_bytes(b"anything")

    with pytest.raises(InputError, match=f"{name} is a packed candle file; unpack it"):
        sniff(tmp_path / name)


def test_a_file_without_a_telling_name_is_told_by_its_content(tmp_path):
    (tmp_path / "dump").write_bytes(b'\xef\xbb\xbf\n {"slot": 1}')
    (tmp_path / "notes.txt").write_text("hello")

    assert sniff(tmp_path / "dump") == "transactions"
    with pytest.raises(InputError, match=r"notes\.txt is neither"):
        sniff(tmp_path / "notes.txt")
    with pytest.raises(InputError, match="is no file"):
        sniff(tmp_path / "nowhere.csv")
