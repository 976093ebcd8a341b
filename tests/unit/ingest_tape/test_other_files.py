"""Assets, prices, balances and pools of a tape."""

from datetime import datetime
from decimal import Decimal

import pytest

from ingest.errors import InputError
from ingest.tape.read import read_tape
from tests.unit.ingest_tape.tapes import ASSETS, PRICES, SOL, buy, rejects, table, write_tape


def many_assets(*extra, count=60):
    tokens = [ASSETS[2] | {"address": f"T{i}"} for i in range(count)]
    return [*ASSETS, *tokens, *extra]


def test_assets_keep_their_supply_in_smallest_units(tmp_path):
    cat = ASSETS[2] | {"supply": "1000000000.5", "creator": "carol", "created_block": "42"}

    read_tape(write_tape(tmp_path / "in", [], assets=[ASSETS[0], cat]), tmp_path / "data")

    row = table(tmp_path / "data", "assets")[0]
    assert (row["address"], row["supply_raw"]) == ("CAT", 1_000_000_000_500_000)
    assert (row["creator"], row["created_block"], row["role"]) == ("carol", 42, "token")


WRONG_ASSETS = [
    ({"decimals": "24"}, "decimals", "too_many_decimals"),
    ({"decimals": "-1"}, "decimals", "negative_integer"),
    ({"decimals": ""}, "decimals", "missing_value"),
    ({"role": "coin"}, "role", "unknown_word"),
    ({"address": ""}, "address", "missing_value"),
    ({"supply": "-1"}, "supply", "negative_amount"),
    ({"supply": "0.0000001"}, "supply", "too_many_places"),
]


def test_a_wrong_asset_is_quarantined(tmp_path):
    wrong = [
        ASSETS[2] | {"address": f"ODD{i}", "supply": ""} | changes
        for i, (changes, _, _) in enumerate(WRONG_ASSETS)
    ]

    folder = write_tape(tmp_path / "in", [], assets=[*wrong, *many_assets(count=200)])
    read_tape(folder, tmp_path / "data")

    assert rejects(tmp_path / "data") == [
        ("assets.csv", 2 + i, column, reason) for i, (_, column, reason) in enumerate(WRONG_ASSETS)
    ]


def test_23_decimals_are_the_most(tmp_path):
    fine = ASSETS[2] | {"address": "FINE", "decimals": "23"}
    movement = buy(received_asset="FINE", received_amount="0." + "0" * 22 + "1")

    read_tape(write_tape(tmp_path / "in", [movement], assets=many_assets(fine)), tmp_path / "data")

    assert table(tmp_path / "data", "movements")[0]["received_raw"] == 1


def test_e1_two_answers_about_an_assets_decimals_are_held_not_guessed_between(tmp_path):
    first, second = (ASSETS[2] | {"address": "ODD", "decimals": d} for d in ("6", "9"))
    movements = [buy(tx_id=str(i)) for i in range(40)] + [buy(received_asset="ODD")]

    folder = write_tape(tmp_path / "in", movements, assets=many_assets(first, second))
    read_tape(folder, tmp_path / "data")

    assert rejects(tmp_path / "data") == [
        ("assets.csv", 66, "address", "conflicting_rows"),
        ("assets.csv", 67, "address", "conflicting_rows"),
        ("movements.csv", 42, "received_asset", "unknown_asset"),
    ]


def test_a_chain_has_one_native_asset(tmp_path):
    other = ASSETS[0] | {"address": "SOL2"}

    folder = write_tape(tmp_path / "in", [], assets=many_assets(other), prices=[])
    read_tape(folder, tmp_path / "data")

    assert rejects(tmp_path / "data") == [
        ("assets.csv", 2, "role", "several_native_assets"),
        ("assets.csv", 66, "role", "several_native_assets"),
    ]


def test_prices_are_exact(tmp_path):
    rows = [
        PRICES[0] | {"price_usd": "0.000000000000000000000001", "time": "1704067200"},
        PRICES[0] | {"price_usd": "99999999999999.5", "time": "1704067260"},
    ]

    read_tape(write_tape(tmp_path / "in", [], prices=rows), tmp_path / "data")

    assert [(row["at"], row["price"]) for row in table(tmp_path / "data", "prices")] == [
        (datetime(2024, 1, 1, 0, 0), Decimal("0.000000000000000000000001")),
        (datetime(2024, 1, 1, 0, 1), Decimal("99999999999999.5")),
    ]


WRONG_PRICES = [
    ({"price_usd": "0"}, "price_usd", "not_positive"),
    ({"price_usd": "-0.00"}, "price_usd", "not_positive"),
    ({"price_usd": "-5"}, "price_usd", "not_positive"),
    ({"price_usd": ""}, "price_usd", "missing_value"),
    ({"price_usd": "inf"}, "price_usd", "not_a_decimal"),
    ({"price_usd": "100000000000000"}, "price_usd", "too_large"),
    ({"price_usd": "0." + "0" * 24 + "1"}, "price_usd", "too_many_places"),
    ({"address": "DOG"}, "address", "unknown_asset"),
    ({"resolution": "day"}, "resolution", "unknown_word"),
    ({"time": "1704067200000"}, "time", "epoch_not_in_seconds"),
    ({"source": ""}, "source", "missing_value"),
]


def test_a_wrong_price_is_quarantined(tmp_path):
    good = [PRICES[0] | {"time": str(1704067200 + 60 * i)} for i in range(300)]
    wrong = [
        PRICES[0] | {"time": f"2025-01-01T00:{i:02}:00Z"} | changes
        for i, (changes, _, _) in enumerate(WRONG_PRICES)
    ]

    read_tape(write_tape(tmp_path / "in", [], prices=[*wrong, *good]), tmp_path / "data")

    assert rejects(tmp_path / "data") == [
        ("prices.csv", 2 + i, column, reason) for i, (_, column, reason) in enumerate(WRONG_PRICES)
    ]


def test_balances_and_pools_are_in_smallest_units(tmp_path):
    balance = {"chain": "solana", "wallet": "alice", "address": SOL, "amount": "1.000000001"}
    pool = {
        "chain": "solana",
        "pool": "P",
        "base_address": "CAT",
        "quote_address": SOL,
        "base_reserve": "2.5",
        "quote_reserve": "0.5",
    }
    folder = write_tape(
        tmp_path / "in",
        [],
        balances=[balance | {"as_of": "2024-01-01"}],
        pools=[pool | {"as_of": "2024-01-01"}],
    )

    read_tape(folder, tmp_path / "data")

    assert table(tmp_path / "data", "balances")[0]["amount_raw"] == 1_000_000_001
    reserves = table(tmp_path / "data", "pools")[0]
    assert (reserves["base_reserve_raw"], reserves["quote_reserve_raw"]) == (2_500_000, 500_000_000)


def test_e5_a_pool_of_an_asset_with_itself_is_refused(tmp_path):
    pool = dict.fromkeys(("base_reserve", "quote_reserve"), "1")
    pool |= {"chain": "solana", "pool": "P", "base_address": "CAT", "quote_address": "CAT"}
    folder = write_tape(tmp_path / "in", [], pools=[pool | {"as_of": "2024-01-01"}])

    with pytest.raises(InputError, match=r"pools\.csv: 1 of 1 rows.*row 2: quote_address same_as"):
        read_tape(folder, tmp_path / "data")
