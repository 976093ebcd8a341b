"""SQL functions for exact arithmetic wider than 38 digits, registered with DuckDB.

METHODS 2 and 6 round a value once, half to even, from exact terms; products of two 38-digit
integers do not fit DECIMAL(38), so the multiplication and division happen here.
"""

from dbt.adapters.duckdb.plugins import BasePlugin
import duckdb
import pyarrow as pa


def _rhe(n, d):
    q, r = divmod(n, d)
    if 2 * r > d or (2 * r == d and q & 1):
        q += 1
    return q


def _ints(col):
    t = pa.decimal128(38, 0)
    return [None if v is None else int(v.scaleb(col.type.scale)) for v in col.to_pylist()]


def _dec(values, scale):
    from decimal import Decimal, localcontext

    with localcontext() as c:
        c.prec = 60
        return pa.array([None if v is None else Decimal(v).scaleb(-scale) for v in values], pa.decimal128(38, scale))


def usd_at_ratio(qty, num, den):
    return _dec([_rhe(q * n, d) for q, n, d in zip(_ints(qty), _ints(num), _ints(den))], 9)


def usd_at_price(qty, price, decimals):
    return _dec([_rhe(q * p, 10 ** (d + 15)) for q, p, d in zip(_ints(qty), _ints(price), decimals.to_pylist())], 9)


def native_at_price(usd, price, decimals):
    return _dec([_rhe(u * 10 ** (d + 15), p) for u, p, d in zip(_ints(usd), _ints(price), decimals.to_pylist())], 0)


def compare_ratios(k1, v1, q1, k2, v2, q2):
    out = []
    for a, b, c, d, e, f in zip(k1.to_pylist(), _ints(v1), _ints(q1), k2.to_pylist(), _ints(v2), _ints(q2)):
        x, y = a * b * f, d * e * c
        out.append((x > y) - (x < y))
    return pa.array(out, pa.int32())


QTY, USD, PRICE = "DECIMAL(38,0)", "DECIMAL(38,9)", "DECIMAL(38,24)"
FUNCTIONS = [
    (usd_at_ratio, [QTY, USD, QTY], USD),
    (usd_at_price, [QTY, PRICE, "INTEGER"], USD),
    (native_at_price, [USD, PRICE, "INTEGER"], QTY),
    (compare_ratios, ["INTEGER", USD, QTY, "INTEGER", USD, QTY], "INTEGER"),
]


def register(con: duckdb.DuckDBPyConnection) -> None:
    """Register every function on an open connection."""
    for function, arguments, result in FUNCTIONS:
        con.create_function(function.__name__, function, arguments, result, type="arrow")


class Plugin(BasePlugin):
    """Registers the functions on dbt's own connection."""

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Register on the connection dbt opened."""
        register(conn)
