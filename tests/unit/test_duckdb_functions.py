"""The SQL functions as DuckDB calls them; the expected values are worked by hand."""

from decimal import Decimal

import duckdb
import pytest

from dagster_project.lib.duckdb_functions import FUNCTIONS, register


@pytest.fixture(scope="module")
def con():
    with duckdb.connect() as connection:
        register(connection)
        yield connection


def value(con, expression):
    return con.execute(f"select {expression}").fetchone()[0]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # 3 × 1.5 ÷ 2 = 2.25.
        ("usd_at_ratio(3, 1.5, 2)", "2.25"),
        # Half of 1e-9 goes to the even 0, one and a half to the even 2.
        ("usd_at_ratio(1, 0.000000001, 2)", "0"),
        ("usd_at_ratio(3, 0.000000001, 2)", "0.000000002"),
        # A product of 76 digits.
        (f"usd_at_ratio({'9' * 38}, 1, {'9' * 38})", "1"),
        # 0.0015 SOL at 150.123456789 = 0.2251851851835.
        ("usd_at_price(1500000, 150.123456789, 9)", "0.225185185"),
        # A token of 23 decimals, the most there are.
        ("usd_at_price(100000000000000000000000, 2.5, 23)", "2.5"),
        # 0.2 ÷ 150.5 SOL = 1328903.65 lamports.
        ("native_at_price(0.2, 150.5, 9)", "1328904"),
        # 0.0000000005 twice: one by one each would be 0.
        ("usd_of_two(1, 0.0000000005, 0, 1, 0.0000000005, 0)", "0.000000001"),
        ("usd_of_two(1, 0.0000000005, 0, 1, 0.000000001, 0)", "0.000000002"),
        ("usd_of_two(15, 0.1, 1, -5, 1, 2)", "0.1"),
        # 1.5 lamports and 1 are 2.5: half to even is 2, not 2 + 1.
        ("native_of_two(0.000000003, 2, 9, 1)", "2"),
        ("native_of_two(0.000000003, 2, 9, -5000)", "-4998"),
        ("compare_ratios(1, 1, 3, 1, 2, 6)", 0),
        ("compare_ratios(201, 1, 3, 200, 1, 3)", 1),
        ("compare_ratios(1, 0.999999999, 1, 1, 1, 1)", -1),
    ],
)
def test_values_are_rounded_once_from_exact_terms(con, expression, expected):
    assert value(con, expression) == (Decimal(expected) if isinstance(expected, str) else expected)


def test_a_null_argument_gives_null(con):
    for function, arguments, _ in FUNCTIONS:
        for missing in range(len(arguments)):
            values = ["1"] * len(arguments)
            values[missing] = f"null::{arguments[missing]}"
            assert value(con, f"{function.__name__}({', '.join(values)})") is None


def test_nulls_among_values_keep_their_rows(con):
    rows = con.execute(
        "select i, usd_at_ratio(case when i % 3 > 0 then i end, 2, 1)"
        " from range(5000) t(i) order by i"
    ).fetchall()
    assert rows == [(i, Decimal(2 * i) if i % 3 else None) for i in range(5000)]


def test_a_tick_values_nothing_beyond_all_money(con):
    at_limit, beyond, absurd = con.execute(
        "select usd_at_ratio(1000000000000000000000000000, 1, 1),"
        " usd_at_ratio(1000000000000000000000000001, 1, 1),"
        f" usd_at_ratio({'9' * 38}, 1000000, 1)"
    ).fetchone()
    assert (at_limit, beyond, absurd) == (Decimal(10**27), None, None)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("usd_at_ratio(1, 1, 0)", "divisor must be above 0"),
        ("native_at_price(1, 0, 9)", "divisor must be above 0"),
        ("native_of_two(1, -1, 9, 1)", "divisor must be above 0"),
        ("compare_ratios(1, 1, 1, 1, 1, 0)", "must be above 0"),
        ("usd_at_price(1, 1, 24)", "decimals must be from 0 to 23"),
        ("usd_at_price(1, 1, -1)", "decimals must be from 0 to 23"),
        (f"usd_at_price({'9' * 38}, 2, 0)", "passes 38 digits"),
    ],
)
def test_what_has_no_exact_value_is_an_error(con, expression, message):
    with pytest.raises(duckdb.InvalidInputException, match=message):
        value(con, expression)
