"""SQL functions for exact arithmetic wider than 38 digits, registered with DuckDB.

METHODS 2 and 6 round a value once, half to even, from exact terms. Products of two 38-digit
integers do not fit DECIMAL(38), so SQL hands the multiplication and the division to these. A null
argument gives null; a result of more than 38 digits, a divisor that is not above 0 and a number of
decimals outside 0 to 23 are errors.
"""

from collections.abc import Callable

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from dbt.adapters.duckdb.plugins import BasePlugin

from dagster_project.lib import exact
from dagster_project.lib.exact import (
    NOTHING,
    add,
    compare,
    compare_products,
    compiled,
    floor_mul_div,
    half_even,
    is_zero,
    load,
    mul_div_half_even,
    store,
    subtract,
)

# A price has 24 decimals and a dollar value 9, so 10^(decimals + 15) lies between raw units × price
# and 1e-9 dollar; 23 decimals keep it within 38 digits.
MAX_DECIMALS = 23
# In 1e-9 dollars: 10^27 dollars, a hundredth of what 38 digits hold. Strangers make ticks, so one
# can say that a dust trade prices a supply beyond what a column holds; that is no value.
BELIEVABLE_USD = exact.to_limbs(10**36)
_POWERS = np.array([[10**e & (2**64 - 1), 10**e >> 64] for e in range(39)], np.uint64)

Column = pa.Array | pa.ChunkedArray


@compiled
def _power(exponent):
    return load(_POWERS, exponent)


@compiled
def _unbelievable(rows, qty, num, den, out):
    for i in rows:
        out[i] = compare_products(load(qty, i), load(num, i), BELIEVABLE_USD, load(den, i)) > 0


@compiled
def _ratio(rows, qty, num, den, out):
    for i in rows:
        store(out, i, mul_div_half_even(load(qty, i), load(num, i), load(den, i)))


@compiled
def _at_price(rows, qty, price, decimals, out):
    for i in rows:
        unit = _power(decimals[i] + 15)
        store(out, i, mul_div_half_even(load(qty, i), load(price, i), unit))


@compiled
def _native(rows, usd, price, decimals, out):
    for i in rows:
        unit = _power(decimals[i] + 15)
        store(out, i, mul_div_half_even(load(usd, i), unit, load(price, i)))


@compiled
def _native_plus(rows, usd, price, decimals, extra, out):
    for i in rows:
        unit = load(price, i)
        whole, rest = floor_mul_div(load(usd, i), _power(decimals[i] + 15), unit)
        store(out, i, half_even(add(whole, load(extra, i)), rest, unit))


@compiled
def _widen(rest, power):
    wider, _ = floor_mul_div(rest, _power(power), _power(0))
    return wider


@compiled
def _two_at_price(rows, qty1, price1, decimals1, qty2, price2, decimals2, out):
    for i in rows:
        d1, d2 = decimals1[i], decimals2[i]
        common = max(d1, d2)
        unit = _power(common + 15)
        whole1, rest1 = floor_mul_div(load(qty1, i), load(price1, i), _power(d1 + 15))
        whole2, rest2 = floor_mul_div(load(qty2, i), load(price2, i), _power(d2 + 15))
        whole = add(whole1, whole2)
        rest1, rest2 = _widen(rest1, common - d1), _widen(rest2, common - d2)
        # Both remainders are below the unit; their sum may reach it once.
        room = NOTHING if is_zero(rest2) else subtract(unit, rest2)
        if is_zero(rest2):
            rest = rest1
        elif compare(rest1, room) >= 0:
            rest = subtract(rest1, room)
            whole = add(whole, _power(0))
        else:
            rest = add(rest1, rest2)
        store(out, i, half_even(whole, rest, unit))


@compiled
def _multiply(k, v):
    return mul_div_half_even((np.uint64(k), np.int64(k >> 63)), v, _power(0))


@compiled
def _compare(rows, k1, v1, q1, k2, v2, q2, out):
    for i in rows:
        left, right = _multiply(k1[i], load(v1, i)), _multiply(k2[i], load(v2, i))
        out[i] = compare_products(left, load(q2, i), right, load(q1, i))


def _view(array: pa.Array) -> np.ndarray:
    if pa.types.is_decimal(array.type):
        return exact.limbs(array)
    return array.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)


def _check_decimals(function: str, name: str, values: np.ndarray) -> None:
    if ((values < 0) | (values > MAX_DECIMALS)).any():
        raise ValueError(f"{function}: {name} must be from 0 to {MAX_DECIMALS}")


def _check_divisor(function: str, name: str, values: np.ndarray) -> None:
    is_nothing = (values == 0).all(axis=1)
    if (is_nothing | (values[:, 1] >= 1 << 63)).any():
        raise ZeroDivisionError(f"{function}: {name} must be above 0")


_CHECKS = {
    "decimals": _check_decimals,
    "decimals1": _check_decimals,
    "decimals2": _check_decimals,
    "divisor": _check_divisor,
    "divisor1": _check_divisor,
    "divisor2": _check_divisor,
}


def _run(function: str, kernel: Callable, out: np.ndarray, **columns: Column) -> np.ndarray:
    """Run a kernel over the rows that have no null into `out`; returns which rows those are."""
    arrays = {
        name: column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        for name, column in columns.items()
    }
    known = np.ones(len(out), np.bool_)
    for array in arrays.values():
        known &= exact.validity(array)
    rows = np.flatnonzero(known)
    views = {name: _view(array) for name, array in arrays.items()}
    for name in views.keys() & _CHECKS.keys():
        _CHECKS[name](function, name, views[name][rows])
    try:
        kernel(rows, *views.values(), out)
    except OverflowError:
        raise OverflowError(
            f"{function}: a result passes 38 digits; check the amounts, decimals and prices"
        ) from None
    return known


def _amounts(function: str, kernel: Callable, scale: int, **columns: Column) -> pa.Array:
    out = np.zeros((len(next(iter(columns.values()))), 2), np.uint64)
    return exact.decimals(out, scale, _run(function, kernel, out, **columns))


def usd_at_ratio(qty: Column, num: Column, den: Column) -> pa.Array:
    """Value raw units at a tick: qty × num ÷ den in dollars, rounded half even to 1e-9.

    Null beyond 10^27 dollars: not a value, and no reason to stop everybody's figures.
    """
    beyond = np.zeros(len(qty), np.bool_)
    _run("usd_at_ratio", _unbelievable, beyond, qty=qty, num=num, divisor=den)
    if beyond.any():
        qty = pc.if_else(pa.array(beyond), None, qty)
    return _amounts("usd_at_ratio", _ratio, 9, qty=qty, num=num, divisor=den)


def usd_at_price(qty: Column, price: Column, decimals: Column) -> pa.Array:
    """Value raw units at a price per whole unit, in dollars, rounded half even to 1e-9."""
    return _amounts("usd_at_price", _at_price, 9, qty=qty, price=price, decimals=decimals)


def native_at_price(usd: Column, price: Column, decimals: Column) -> pa.Array:
    """Turn dollars into raw native units at the native asset's price, rounded half even."""
    return _amounts("native_at_price", _native, 0, usd=usd, divisor=price, decimals=decimals)


def usd_of_two(
    qty1: Column, price1: Column, decimals1: Column, qty2: Column, price2: Column, decimals2: Column
) -> pa.Array:
    """Sum two amounts at their prices in dollars, rounded once half even to 1e-9.

    Either amount may be negative: a value less its costs.
    """
    return _amounts(
        "usd_of_two",
        _two_at_price,
        9,
        qty1=qty1,
        price1=price1,
        decimals1=decimals1,
        qty2=qty2,
        price2=price2,
        decimals2=decimals2,
    )


def native_of_two(usd: Column, price: Column, decimals: Column, extra: Column) -> pa.Array:
    """Turn dollars into raw native units and add raw units, rounded once half even."""
    return _amounts(
        "native_of_two", _native_plus, 0, usd=usd, divisor=price, decimals=decimals, extra=extra
    )


def compare_ratios(
    k1: Column, v1: Column, q1: Column, k2: Column, v2: Column, q2: Column
) -> pa.Array:
    """Compare k1 × v1 ÷ q1 with k2 × v2 ÷ q2 exactly: -1, 0 or 1."""
    out = np.zeros(len(k1), np.int32)
    known = _run(
        "compare_ratios", _compare, out, k1=k1, v1=v1, divisor1=q1, k2=k2, v2=v2, divisor2=q2
    )
    return exact.integers(out, known)


QTY, USD, PRICE = "DECIMAL(38,0)", "DECIMAL(38,9)", "DECIMAL(38,24)"
FUNCTIONS = [
    (usd_at_ratio, [QTY, USD, QTY], USD),
    (usd_at_price, [QTY, PRICE, "INTEGER"], USD),
    (native_at_price, [USD, PRICE, "INTEGER"], QTY),
    (usd_of_two, [QTY, PRICE, "INTEGER", QTY, PRICE, "INTEGER"], USD),
    (native_of_two, [USD, PRICE, "INTEGER", QTY], QTY),
    (compare_ratios, ["INTEGER", USD, QTY, "INTEGER", USD, QTY], "INTEGER"),
]


def register(con: duckdb.DuckDBPyConnection) -> None:
    """Register every function on an open connection."""
    for function, arguments, result in FUNCTIONS:
        # Nulls come in and go out here: a tick may value nothing.
        con.create_function(
            function.__name__, function, arguments, result, type="arrow", null_handling="special"
        )


class Plugin(BasePlugin):
    """Registers the functions on dbt's own connection."""

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Register on the connection dbt opened."""
        register(conn)
