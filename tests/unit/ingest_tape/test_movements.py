"""Every rule of CONTRACTS 1 on rows of `movements`, with values worked out by hand."""

from datetime import datetime
from decimal import Decimal

from ingest.tape.read import read_tape
from tests.unit.ingest_tape.tapes import (
    SOL,
    buy,
    filler,
    one_sided,
    rejects,
    table,
    write_csv,
    write_tape,
)


def read(tmp_path, rows, **files):
    summary = read_tape(write_tape(tmp_path / "in", rows, **files), tmp_path / "data")
    return summary, table(tmp_path / "data", "movements"), rejects(tmp_path / "data")


def test_a_swap_becomes_raw_units_with_the_defaults_of_the_contract(tmp_path):
    row = buy(venue="pump", network_fee="0.000005", deposit="-0.00203928", tx_index="7", seq="3")

    _, movements, quarantined = read(tmp_path, [row])

    assert quarantined == []
    assert movements == [
        {
            "chain": "solana",
            "tx_id": "buy",
            "wallet": "alice",
            "leg": 0,
            "block": 100,
            "tx_index": 7,
            "seq": 3,
            "block_time": datetime(2024, 1, 1, 0, 0, 30),
            "kind": "swap",
            "reason": None,
            "sent_asset": SOL,
            "sent_raw": Decimal(1_500_000_000),
            "received_asset": "CAT",
            "received_raw": Decimal(3_000_000),
            "network_fee": Decimal(5_000),
            "tip": Decimal(0),
            "bot_fee": Decimal(0),
            "other_fee": Decimal(0),
            "deposit": Decimal(-2_039_280),
            "venue": "pump",
            "route": None,
            "source": None,
            "recognised_venue": True,
            "is_fee_payer": None,
            "pool": None,
            "rules": "",
        }
    ]


BAD_ROWS = [
    (buy(chain=""), "chain", "missing_value"),
    (buy(tx_id=""), "tx_id", "missing_value"),
    (buy(block=""), "block", "missing_value"),
    (buy(block="12.5"), "block", "not_an_integer"),
    (buy(block="-1"), "block", "negative_integer"),
    (buy(block="9223372036854775808"), "block", "too_large"),
    (buy(tx_index="x"), "tx_index", "not_an_integer"),
    (buy(leg="-1"), "leg", "negative_integer"),
    (buy(leg="2147483648"), "leg", "too_large"),
    (buy(block_time=""), "block_time", "missing_value"),
    (buy(block_time="yesterday"), "block_time", "unparsable_time"),
    (buy(block_time="2024-02-30T00:00:00Z"), "block_time", "unparsable_time"),
    (buy(block_time="1704067230000"), "block_time", "epoch_not_in_seconds"),
    (buy(kind="Swap"), "kind", "unknown_word"),
    (buy(kind=""), "kind", "missing_value"),
    (buy(sent_asset="DOG"), "sent_asset", "unknown_asset"),
    (buy(chain="bsc"), "sent_asset", "unknown_asset"),
    (buy(sent_asset="CAT", sent_amount="1"), "received_asset", "same_asset"),
    (buy(sent_asset="", sent_amount=""), "sent_asset", "one_sided_swap"),
    (buy(received_asset="", received_amount=""), "received_asset", "one_sided_swap"),
    (buy(received_amount="0"), "received_amount", "one_sided_swap"),
    (buy(sent_amount=""), "sent_amount", "missing_value"),
    (buy(sent_asset=""), "sent_asset", "missing_value"),
    (buy(sent_amount="-1.5"), "sent_amount", "negative_amount"),
    (buy(sent_amount="1.5e0"), "sent_amount", "not_a_decimal"),
    (buy(sent_amount="1,500"), "sent_amount", "not_a_decimal"),
    (buy(sent_amount="0x10"), "sent_amount", "not_a_decimal"),
    (buy(sent_amount="NaN"), "sent_amount", "not_a_decimal"),
    (buy(sent_amount="0.0000000001"), "sent_amount", "too_many_places"),
    (buy(received_asset="NFT", received_amount="1.5"), "received_amount", "too_many_places"),
    (buy(sent_amount="1" + "0" * 29), "sent_amount", "too_large"),
    (buy(network_fee="-0.1"), "network_fee", "negative_amount"),
    (buy(tip="0.0000000001"), "tip", "too_many_places"),
    (buy(deposit="x"), "deposit", "not_a_decimal"),
    (buy(recognised_venue="yes"), "recognised_venue", "not_a_boolean"),
    (one_sided("transfer_in", "sent"), "sent_asset", "unexpected_side"),
    (one_sided("transfer_out", "received"), "sent_asset", "missing_value"),
    (one_sided("transfer_in", ""), "received_asset", "missing_value"),
    (buy(kind="transfer_in"), "sent_asset", "unexpected_side"),
    (one_sided("none", "sent"), "sent_asset", "unexpected_side"),
    (one_sided("unfetched", "received"), "received_asset", "unexpected_side"),
    (one_sided("ambiguous", ""), "sent_asset", "no_side"),
    (buy(kind="ambiguous"), "received_asset", "two_sides"),
]


def test_a_row_that_cannot_be_right_is_quarantined_where_it_stands(tmp_path):
    # A key of its own for each, so that none is other content for another.
    bad = [row | {"wallet": f"w{i}"} for i, (row, _, _) in enumerate(BAD_ROWS)]
    good = filler(900)

    summary, movements, quarantined = read(tmp_path, [*good[:4], *bad, *good[4:]])

    # The header is line 1, four good rows stand before.
    assert quarantined == [
        ("movements.csv", 6 + i, column, reason) for i, (_, column, reason) in enumerate(BAD_ROWS)
    ]
    assert len(movements) == 900
    counts = summary.files["movements"]
    assert (counts.rows, counts.kept) == (900 + len(BAD_ROWS), 900)
    assert (counts.rejected, counts.repeated) == (len(BAD_ROWS), 0)


AMOUNTS = [
    ("1", 1_000_000),
    ("1.500000000000", 1_500_000),
    (".5", 500_000),
    ("5.", 5_000_000),
    ("007", 7_000_000),
    (" 1 ", 1_000_000),
    ("0.000001", 1),
    ("9" * 32, int("9" * 32) * 10**6),
]


def test_amounts_are_exact(tmp_path):
    rows = [buy(leg=str(i), received_amount=text) for i, (text, _) in enumerate(AMOUNTS)]

    _, movements, _ = read(tmp_path, rows)

    assert [row["received_raw"] for row in movements] == [raw for _, raw in AMOUNTS]


TIMES = [
    ("2024-01-01T12:00:00Z", datetime(2024, 1, 1, 12)),
    ("2024-01-01T12:00:00", datetime(2024, 1, 1, 12)),
    ("2024-01-01 12:00:00", datetime(2024, 1, 1, 12)),
    ("2024-01-01T12:00:00.999999999Z", datetime(2024, 1, 1, 12)),
    ("2024-01-01T12:00:00+05:30", datetime(2024, 1, 1, 6, 30)),
    ("2024-01-01T22:30:00-0330", datetime(2024, 1, 2, 2, 0)),
    ("2024-01-01", datetime(2024, 1, 1)),
    ("1704110400", datetime(2024, 1, 1, 12)),
    ("1704110400.9", datetime(2024, 1, 1, 12)),
]


def test_times_are_utc_and_their_fractions_are_cut(tmp_path):
    rows = [buy(leg=str(i), block_time=text) for i, (text, _) in enumerate(TIMES)]

    _, movements, _ = read(tmp_path, rows)

    assert [row["block_time"] for row in movements] == [moment for _, moment in TIMES]


RECOGNISED = [
    ("true", "", True),
    ("1", "", True),
    ("T", "", True),
    ("FALSE", "pump", False),
    ("0", "pump", False),
    ("f", "pump", False),
    ("", "pump", True),
    ("", "", False),
]


def test_recognised_venue_is_spelt_in_six_ways_and_defaults_to_having_one(tmp_path):
    rows = [
        buy(leg=str(i), recognised_venue=text, venue=venue)
        for i, (text, venue, _) in enumerate(RECOGNISED)
    ]

    _, movements, _ = read(tmp_path, rows)

    assert [row["recognised_venue"] for row in movements] == [known for _, _, known in RECOGNISED]


def test_amounts_of_a_failed_row_are_ignored_whatever_they_are(tmp_path):
    row = buy(kind="failed", sent_amount="-garbage", sent_asset="DOG", network_fee="0.000005")
    row |= {"tip": "0.1", "deposit": "oops"}

    _, movements, quarantined = read(tmp_path, [row])

    assert quarantined == []
    failed = movements[0]
    assert failed["network_fee"] == 5_000
    assert [failed[name] for name in ("sent_asset", "sent_raw", "received_asset")] == [None] * 3
    assert [failed[name] for name in ("tip", "deposit")] == [0, 0]


def test_a_zero_on_the_side_that_a_kind_does_not_need_says_that_nothing_moved(tmp_path):
    row = one_sided("transfer_in", "received", sent_amount="0", sent_asset=SOL)

    _, movements, quarantined = read(tmp_path, [row])

    assert quarantined == []
    assert (movements[0]["sent_asset"], movements[0]["received_raw"]) == (None, 2_000_000)


def test_nobody_may_be_the_trader(tmp_path):
    _, movements, _ = read(tmp_path, [buy(wallet="")])

    assert movements[0]["wallet"] is None
    assert table(tmp_path / "data", "wallets") == []


def test_equal_rows_collapse_however_they_are_written(tmp_path):
    rows = [
        buy(),
        buy(sent_amount="1.50", block_time="1704067230", leg="0", tip="0", recognised_venue="f"),
    ]

    summary, movements, quarantined = read(tmp_path, rows)

    assert (len(movements), quarantined) == (1, [])
    assert summary.files["movements"].repeated == 1


def test_rows_of_one_key_with_other_content_are_all_rejected(tmp_path):
    rows = [buy(), buy(sent_amount="1.6"), buy(), *filler(60)]

    summary, movements, quarantined = read(tmp_path, rows)

    assert quarantined == [("movements.csv", row, "tx_id", "conflicting_rows") for row in (2, 3, 4)]
    assert len(movements) == 60
    assert summary.files["movements"].repeated == 0


def test_a_wrong_row_is_other_content_for_the_key_it_claims(tmp_path):
    rows = [buy(), buy(sent_amount="-1"), *filler(40)]

    _, movements, quarantined = read(tmp_path, rows)

    assert quarantined == [
        ("movements.csv", 2, "tx_id", "conflicting_rows"),
        ("movements.csv", 3, "sent_amount", "negative_amount"),
    ]
    assert len(movements) == 40


def test_keys_without_a_wallet_conflict_too(tmp_path):
    rows = [buy(wallet=""), buy(wallet="", sent_amount="9"), *filler(40)]

    _, _, quarantined = read(tmp_path, rows)

    assert [row for _, row, _, _ in quarantined] == [2, 3]


def test_legs_wallets_and_chains_are_different_keys(tmp_path):
    rows = [buy(), buy(leg="1"), buy(wallet="bob"), buy(wallet="")]

    _, movements, quarantined = read(tmp_path, rows)

    assert (len(movements), quarantined) == (4, [])


def test_an_unfetched_row_takes_the_last_known_time_before_it_in_block_order(tmp_path):
    rows = [
        one_sided("unfetched", "", tx_id="late", block="103", tx_index="1", block_time=""),
        buy(tx_id="after", block="104", block_time="2024-01-01T00:09:00Z"),
        buy(tx_id="same block", block="103", tx_index="0", block_time="2024-01-01T00:05:00Z"),
        one_sided("unfetched", "", tx_id="next", block="103", tx_index="2", block_time=""),
        buy(tx_id="first", block="100", block_time="2024-01-01T00:01:00Z", wallet="bob"),
    ]

    _, movements, quarantined = read(tmp_path, rows)

    assert quarantined == []
    times = {row["tx_id"]: row["block_time"] for row in movements}
    assert times["late"] == times["next"] == datetime(2024, 1, 1, 0, 5)


def test_an_unfetched_row_with_no_time_before_it_cannot_be_placed(tmp_path):
    rows = [
        one_sided("unfetched", "", block="1", block_time=""),
        # Another chain's time says nothing.
        one_sided("none", "", chain="bsc", block="0"),
        *filler(30),
    ]

    _, _, quarantined = read(tmp_path, rows)

    assert quarantined == [("movements.csv", 2, "block_time", "no_time_before")]


def test_fees_need_the_decimals_of_a_native_asset(tmp_path):
    assets = [
        {"chain": "bsc", "address": "A", "symbol": "A", "decimals": "18", "role": "token"},
        {"chain": "bsc", "address": "B", "symbol": "B", "decimals": "18", "role": "token"},
    ]
    swap = buy(chain="bsc", sent_asset="A", received_asset="B", sent_amount="0." + "0" * 17 + "1")
    rows = [swap | {"tx_id": str(i)} for i in range(30)]
    rows[0] |= {"network_fee": "0.1"}
    rows[1] |= {"network_fee": "0.0"}

    _, movements, quarantined = read(tmp_path, rows, assets=assets, prices=[])

    assert quarantined == [("movements.csv", 2, "network_fee", "no_native_asset")]
    assert {row["sent_raw"] for row in movements} == {Decimal(1)}


def test_the_order_of_the_rows_does_not_matter(tmp_path):
    rows = [buy(), buy(leg="1"), buy(wallet=""), *filler(50)]

    read(tmp_path / "a", rows)
    read(tmp_path / "b", rows[::-1])

    for name in ("movements", "wallets"):
        file = f"data/tape/{name}.parquet"
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_without_a_wallets_file_each_wallet_is_tracked_from_its_first_movement(tmp_path):
    rows = [
        buy(tx_id="b", block_time="2024-01-02T00:00:00Z", block="101"),
        buy(tx_id="a", block_time="2024-01-01T00:00:00Z"),
        buy(wallet="bob", block_time="2024-01-03T00:00:00Z"),
        buy(wallet=""),
    ]

    read(tmp_path, rows)

    assert [
        (row["address"], row["tracked_since"]) for row in table(tmp_path / "data", "wallets")
    ] == [("alice", datetime(2024, 1, 1)), ("bob", datetime(2024, 1, 3))]


def test_a_wallets_file_is_the_whole_watch_list(tmp_path):
    watch = [
        {"chain": "solana", "address": "carol", "label": "=cmd()", "history_truncated": "t"},
        {"chain": "solana", "address": "dave", "label": "", "history_truncated": ""},
    ]

    read(tmp_path, [buy()], wallets=watch)

    assert [
        (row["address"], row["label"], row["history_truncated"], row["tracked_since"])
        for row in table(tmp_path / "data", "wallets")
    ] == [("carol", "=cmd()", True, None), ("dave", None, None, None)]


def test_columns_with_a_default_may_be_left_out(tmp_path):
    folder = write_tape(tmp_path / "in", [buy()])
    write_csv(folder / "movements.csv", [buy()])

    summary = read_tape(folder, tmp_path / "data")

    assert table(tmp_path / "data", "movements")[0]["leg"] == 0
    assert summary.warnings == []
