"""How files are read: formats, headers, line numbers, and what stops a build."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.errors import InputError
from ingest.tape.read import clear_tape, ensure_tape, read_tape
from ingest.tape.schema import TABLES
from tests.unit.ingest_tape.tapes import (
    PRICES,
    SOL,
    buy,
    filler,
    one_sided,
    rejects,
    table,
    write_tape,
)


def write_movements_parquet(folder, **changes):
    """One buy as a Parquet file with columns of the given types."""
    columns = {name: pa.array([value]) for name, value in buy().items()}
    pq.write_table(pa.table(columns | changes), folder / "movements.parquet")
    (folder / "movements.csv").unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("cell", "raw"),
    [
        (pa.array([3], pa.int64()), 3_000_000),
        (pa.array([2**64 - 1], pa.uint64()), (2**64 - 1) * 10**6),
        (pa.array([Decimal("3.5")], pa.decimal128(38, 18)), 3_500_000),
        (pa.array([0.1], pa.float64()), 100_000),
        (pa.array([1e-06], pa.float64()), 1),
        (pa.array([1.5e20], pa.float64()), 15 * 10**25),
        (pa.array([0.1], pa.float32()), 100_000),
        (pa.array(["3"]).dictionary_encode(), 3_000_000),
    ],
)
def test_parquet_amounts_of_any_type_are_judged_as_their_text(tmp_path, cell, raw):
    folder = write_tape(tmp_path / "in", [])
    write_movements_parquet(folder, received_amount=cell)

    read_tape(folder, tmp_path / "data")

    assert table(tmp_path / "data", "movements")[0]["received_raw"] == raw


@pytest.mark.parametrize("value", [0.1234567, 1e-7, float("nan"), float("inf")])
def test_a_float_that_is_no_amount_of_the_asset_is_rejected(tmp_path, value):
    folder = write_tape(tmp_path / "in", [])
    write_movements_parquet(folder, received_amount=pa.array([value], pa.float64()))

    with pytest.raises(InputError, match="row 2: received_amount"):
        read_tape(folder, tmp_path / "data")


@pytest.mark.parametrize(
    "cell",
    [
        pa.array([datetime(2024, 1, 1, 12, 0, 0, 999999)], pa.timestamp("us")),
        pa.array([datetime(2024, 1, 1, 12, tzinfo=UTC)], pa.timestamp("ms", tz="America/New_York")),
        pa.array([1704110400], pa.int64()),
        pa.array([1704110400.0], pa.float64()),
        pa.array(["2024-01-01T12:00:00Z"], pa.large_string()),
    ],
)
def test_parquet_times_of_any_type_are_utc_seconds(tmp_path, cell):
    folder = write_tape(tmp_path / "in", [])
    write_movements_parquet(folder, block_time=cell)

    read_tape(folder, tmp_path / "data")

    assert table(tmp_path / "data", "movements")[0]["block_time"] == datetime(2024, 1, 1, 12)


def test_parquet_dates_booleans_and_integers_are_taken(tmp_path):
    folder = write_tape(tmp_path / "in", [])
    write_movements_parquet(
        folder,
        block_time=pa.array([date(2024, 1, 2)]),
        recognised_venue=pa.array([True]),
        block=pa.array([123.0], pa.float64()),
        leg=pa.array([None], pa.int32()),
    )

    read_tape(folder, tmp_path / "data")

    row = table(tmp_path / "data", "movements")[0]
    assert (row["block_time"], row["block"]) == (datetime(2024, 1, 2), 123)
    assert (row["recognised_venue"], row["leg"]) == (True, 0)


def test_both_formats_give_the_same_tape(tmp_path):
    as_csv = write_tape(tmp_path / "csv", [buy()])
    as_parquet = write_tape(tmp_path / "parquet", [])
    write_movements_parquet(as_parquet)

    read_tape(as_csv, tmp_path / "a")
    read_tape(as_parquet, tmp_path / "b")

    assert table(tmp_path / "a", "movements") == table(tmp_path / "b", "movements")


def test_row_numbers_are_lines_although_cells_hold_line_breaks(tmp_path):
    folder = write_tape(tmp_path / "in", [buy(), *filler(60)])
    lines = (folder / "movements.csv").read_text().split("\n")
    header, good, rest = lines[0], lines[1], lines[2:]
    broken = good.replace(",buy,", ',"bu\ny\n",').replace("alice", '"al\nice"')  # lines 2 to 5
    wrong = good.replace("1.5", "-1.5").replace("alice", "bob")  # line 7, after a blank one
    short = "solana,short"  # line 8
    text = "\r\n".join([header, broken, "", wrong, short, *rest])
    (folder / "movements.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())

    read_tape(folder, tmp_path / "data")

    assert rejects(tmp_path / "data") == [
        ("movements.csv", 7, "sent_amount", "negative_amount"),
        ("movements.csv", 8, None, "wrong_number_of_cells"),
    ]
    assert ("bu\ny\n", "al\nice") in {
        (row["tx_id"], row["wallet"]) for row in table(tmp_path / "data", "movements")
    }


def test_strangers_text_is_data(tmp_path):
    hostile = "'; drop table movements; --\x00\x1b[31m\u202e<script>,\"=1+1"
    folder = write_tape(tmp_path / "in", [buy(venue=hostile, tx_id="x" * 1_000_000)])

    read_tape(folder, tmp_path / "data")

    row = table(tmp_path / "data", "movements")[0]
    assert (row["venue"], len(row["tx_id"])) == (hostile, 1_000_000)


def test_na_and_null_are_text_and_only_an_empty_cell_is_null(tmp_path):
    folder = write_tape(tmp_path / "in", [buy(venue="NULL", source="NA")])

    read_tape(folder, tmp_path / "data")

    row = table(tmp_path / "data", "movements")[0]
    assert (row["venue"], row["source"], row["reason"]) == ("NULL", "NA", None)


def test_unknown_columns_are_ignored_and_named(tmp_path):
    folder = write_tape(tmp_path / "in", [buy()])
    text = (folder / "movements.csv").read_text().replace("seq\n", "seq,mood,rank\n")
    (folder / "movements.csv").write_text(text.replace(",\n", ",,good,1\n"))
    text = (folder / "movements.csv").read_text().splitlines()
    (folder / "movements.csv").write_text(f"{text[0]}\n{text[1].removesuffix(',')}\n")

    summary = read_tape(folder, tmp_path / "data")

    assert summary.warnings == [
        "movements.csv: columns that the contract does not know are ignored: mood, rank"
    ]
    assert summary.files["movements"].kept == 1


def test_files_with_nothing_but_a_header_are_a_tape(tmp_path):
    empty = write_tape(tmp_path / "in", [], prices=[])

    summary = read_tape(empty, tmp_path / "data")

    assert summary.rejected == 0
    assert table(tmp_path / "data", "movements") == []
    assert len(table(tmp_path / "data", "assets")) == 4


def test_five_percent_is_allowed_and_more_is_not(tmp_path):
    bad = buy(sent_amount="-1")

    read_tape(write_tape(tmp_path / "in", [bad, *filler(19)]), tmp_path / "data")
    assert len(rejects(tmp_path / "data")) == 1

    with pytest.raises(InputError) as caught:
        read_tape(write_tape(tmp_path / "in", [bad, *filler(18)]), tmp_path / "data")
    assert str(caught.value) == (
        "movements.csv: 1 of 19 rows can't be right, more than 5%, so nothing was read. "
        "row 2: sent_amount negative_amount (amounts are 0 or more; only deposit may be negative)."
        " Mend these rows or leave them out"
    )
    # The tape that stood before still stands.
    assert len(table(tmp_path / "data", "movements")) == 19


@pytest.mark.parametrize("name", ["movements", "assets", "prices"])
def test_a_required_file_must_be_there(tmp_path, name):
    folder = write_tape(tmp_path / "in", [buy()])
    (folder / f"{name}.csv").unlink()

    with pytest.raises(InputError, match=rf"neither {name}\.csv nor {name}\.parquet"):
        read_tape(folder, tmp_path / "data")
    assert not (tmp_path / "data" / "tape").exists()


@pytest.mark.parametrize("column", ["chain", "tx_id", "block", "wallet", "kind", "received_amount"])
def test_a_required_column_must_be_there(tmp_path, column):
    folder = write_tape(tmp_path / "in", [buy()])
    path = folder / "movements.csv"
    path.write_text(path.read_text().replace(f"{column},", "else,", 1))

    with pytest.raises(InputError, match=rf"movements\.csv lacks the required column.* {column};"):
        read_tape(folder, tmp_path / "data")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no header line"),
        (b"chain,chain\n", "names a column twice: chain"),
        ("chain;tx_id\n".encode("utf-16"), "UTF-8"),
        (b"PAR1", "lacks the required column"),
    ],
)
def test_a_file_that_is_no_csv_is_refused_in_one_line(tmp_path, content, message):
    folder = write_tape(tmp_path / "in", [buy()])
    (folder / "movements.csv").write_bytes(content)

    with pytest.raises(InputError, match=message):
        read_tape(folder, tmp_path / "data")


@pytest.mark.parametrize("rows_before", [0, 1000])
def test_text_that_is_not_utf8_is_refused(tmp_path, rows_before):
    folder = write_tape(tmp_path / "in", [*filler(rows_before), buy(venue="pump")])
    path = folder / "movements.csv"
    path.write_bytes(path.read_bytes().replace(b"pump", b"p\xfcmp"))

    with pytest.raises(InputError, match=r"movements\.csv can't be read: .*(UTF-8|UTF8)"):
        read_tape(folder, tmp_path / "data")


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    folder = write_tape(tmp_path / "in", [buy()])
    (folder / "movements.csv").rename(folder / "movements.parquet")

    with pytest.raises(InputError, match=r"movements\.parquet is no readable Parquet file"):
        read_tape(folder, tmp_path / "data")


def test_decimals_wider_than_duckdb_reads_exactly_are_refused(tmp_path):
    folder = write_tape(tmp_path / "in", [])
    write_movements_parquet(folder, received_amount=pa.array([Decimal(3)], pa.decimal256(60, 10)))

    with pytest.raises(InputError, match="received_amount is a decimal wider than 38 digits"):
        read_tape(folder, tmp_path / "data")


def test_a_file_in_both_formats_is_refused(tmp_path):
    folder = write_tape(tmp_path / "in", [buy()])
    (folder / "prices.parquet").write_bytes(b"")

    with pytest.raises(InputError, match=r"both prices\.csv and prices\.parquet"):
        read_tape(folder, tmp_path / "data")


def test_the_tape_is_a_folder(tmp_path):
    with pytest.raises(InputError, match="is no folder"):
        read_tape(tmp_path / "nowhere", tmp_path / "data")


def test_ensure_tape_writes_what_is_missing_and_keeps_what_is_there(tmp_path):
    ensure_tape(tmp_path / "data")

    assert sorted(path.stem for path in (tmp_path / "data" / "tape").iterdir()) == sorted(TABLES)
    assert all(table(tmp_path / "data", name) == [] for name in TABLES)

    read_tape(write_tape(tmp_path / "in", [buy()]), tmp_path / "data")
    ensure_tape(tmp_path / "data")
    assert len(table(tmp_path / "data", "movements")) == 1


def test_clear_tape_forgets_the_tape_and_keeps_its_types(tmp_path):
    read_tape(write_tape(tmp_path / "in", [buy()]), tmp_path / "data")
    types = {name: pq.read_schema(tmp_path / f"data/tape/{name}.parquet") for name in TABLES}

    clear_tape(tmp_path / "data")

    for name in TABLES:
        assert table(tmp_path / "data", name) == []
        assert pq.read_schema(tmp_path / f"data/tape/{name}.parquet").types == types[name].types


def test_progress_tells_one_line_per_file(tmp_path):
    told = []

    read_tape(write_tape(tmp_path / "in", [buy(), buy()]), tmp_path / "data", told.append)

    assert told == [
        "assets.csv: 4 rows, 4 kept, 0 repeated, 0 rejected",
        "movements.csv: 2 rows, 1 kept, 1 repeated, 0 rejected",
        "prices.csv: 1 rows, 1 kept, 0 repeated, 0 rejected",
    ]


def test_a_replaced_tape_leaves_nothing_of_the_old_one(tmp_path):
    first = write_tape(tmp_path / "a", [buy(), one_sided("none", "")])
    second = write_tape(tmp_path / "b", [], prices=[PRICES[0] | {"address": SOL}])

    read_tape(first, tmp_path / "data")
    read_tape(second, tmp_path / "data")

    assert table(tmp_path / "data", "movements") == []
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["tape"]
