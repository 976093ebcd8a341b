"""Exact arithmetic against Python's integers, at the edges and at random."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dagster_project.lib import exact
from dagster_project.lib.exact import to_int, to_limbs

LARGEST = 10**38 - 1
EDGES = [0, 1, 2, 3, 2**32 - 1, 2**32, 2**61, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**126, LARGEST]
NUMBERS = st.one_of(
    st.sampled_from(EDGES + [-edge for edge in EDGES]),
    st.integers(-12, 12),
    st.integers(-(2**64), 2**64),
    st.integers(-LARGEST, LARGEST),
)


def half_even(numerator, denominator):
    """Round a quotient as a person does: look at what is left over."""
    if denominator < 0:
        numerator, denominator = -numerator, -denominator
    whole, rest = divmod(numerator, denominator)
    up = 2 * rest > denominator or (2 * rest == denominator and whole % 2 == 1)
    return whole + up


def outcome(call):
    """The value of a call, or the name of its error; a Python integer too large is an overflow."""
    try:
        value = call()
    except (OverflowError, ZeroDivisionError) as error:
        return type(error).__name__
    return "OverflowError" if isinstance(value, int) and abs(value) > LARGEST else value


@settings(max_examples=400, deadline=None)
@given(a=NUMBERS, b=NUMBERS, c=NUMBERS)
@example(a=1, b=1, c=2)
@example(a=3, b=1, c=2)
@example(a=-3, b=1, c=2)
@example(a=2**62, b=2**62 - 1, c=2**61 - 1)
@example(a=LARGEST, b=LARGEST, c=LARGEST)
@example(a=LARGEST, b=2, c=1)
def test_product_by_quotient_rounds_half_to_even(a, b, c):
    found = outcome(lambda: to_int(exact.mul_div_half_even(to_limbs(a), to_limbs(b), to_limbs(c))))
    assert found == outcome(lambda: half_even(a * b, c))


@settings(max_examples=200, deadline=None)
@given(a=NUMBERS, b=NUMBERS)
@example(a=LARGEST, b=1)
@example(a=-LARGEST, b=-1)
@example(a=LARGEST, b=LARGEST)
def test_sums_and_differences_are_exact_or_an_error(a, b):
    x, y = to_limbs(a), to_limbs(b)
    assert outcome(lambda: to_int(exact.add(x, y))) == outcome(lambda: a + b)
    assert outcome(lambda: to_int(exact.subtract(x, y))) == outcome(lambda: a - b)
    assert exact.compare(x, y) == (a > b) - (a < b)


@settings(max_examples=200, deadline=None)
@given(a=NUMBERS, b=NUMBERS, c=NUMBERS, d=NUMBERS)
@example(a=2**40, b=2**40, c=2**39, d=2**41)
def test_products_compare_exactly(a, b, c, d):
    found = exact.compare_products(to_limbs(a), to_limbs(b), to_limbs(c), to_limbs(d))
    assert found == (a * b > c * d) - (a * b < c * d)


@settings(max_examples=200, deadline=None)
@given(a=NUMBERS, b=NUMBERS, c=st.integers(1, LARGEST))
def test_floor_and_remainder_make_the_product(a, b, c):
    def call():
        floor, rest = exact.floor_mul_div(to_limbs(a), to_limbs(b), to_limbs(c))
        return to_int(floor), to_int(rest)

    floor, rest = divmod(a * b, c)
    assert outcome(call) == ("OverflowError" if abs(floor) > LARGEST else (floor, rest))


@pytest.mark.parametrize(
    ("floor", "rest", "unit", "expected"),
    [
        (0, 1, 2, 0),
        (1, 1, 2, 2),
        (-1, 1, 2, 0),
        (-2, 1, 2, -2),
        (5, 0, 10**38 - 1, 5),
        (5, 2, 3, 6),
    ],
)
def test_a_tie_goes_to_the_even_neighbour(floor, rest, unit, expected):
    assert to_int(exact.half_even(to_limbs(floor), to_limbs(rest), to_limbs(unit))) == expected


def column(values, scale=0):
    return pa.array([None if v is None else Decimal(v) for v in values], pa.decimal128(38, scale))


def as_integers(limbs):
    return [to_int((low, np.uint64(high).view(np.int64))) for low, high in limbs]


def test_a_column_is_viewed_without_a_copy():
    values = column([5, -7, LARGEST, -LARGEST])
    view = exact.limbs(values)
    assert as_integers(view) == [5, -7, LARGEST, -LARGEST]
    assert view.ctypes.data == values.buffers()[1].address


def test_a_slice_shows_its_own_rows_and_nulls():
    values = column([1, None, 3, None, 5, 6, 7, 8, 9, None, 11])
    for start in range(11):
        part = values.slice(start)
        known = exact.validity(part)
        assert known.tolist() == [v is not None for v in part.to_pylist()]
        shown = [n for n, k in zip(as_integers(exact.limbs(part)), known, strict=True) if k]
        assert shown == [int(v) for v in part.to_pylist() if v is not None]


def test_a_slice_shows_its_own_flags():
    values = [n % 3 == 0 for n in range(19)]
    for start in range(19):
        assert exact.flags(pa.array(values).slice(start)).tolist() == values[start:]
    assert exact.flags(pa.array([], pa.bool_())).tolist() == []
    chunked = pa.chunked_array([pa.array([True]), pa.array([False, True])])
    assert exact.flags(chunked).tolist() == [True, False, True]


def test_a_chunked_and_an_empty_column_are_viewed():
    chunked = pa.chunked_array([column([1, 2]), column([3])])
    assert as_integers(exact.limbs(chunked)) == [1, 2, 3]
    assert exact.limbs(column([])).shape == (0, 2)
    assert exact.validity(column([])).tolist() == []


def test_a_column_of_another_type_is_refused():
    with pytest.raises(TypeError, match="decimal128"):
        exact.limbs(pa.array([1.0]))


def test_a_column_is_built_with_its_nulls_and_its_scale():
    limbs = exact.limbs(column([15, 0, -25]))
    built = exact.decimals(limbs, 1, np.array([True, False, True]))
    built.validate(full=True)
    assert built.to_pylist() == [Decimal("1.5"), None, Decimal("-2.5")]
    assert exact.booleans(np.array([True, False, True])).to_pylist() == [True, False, True]
    assert exact.integers(np.array([4, 5]), np.array([False, True])).to_pylist() == [None, 5]


def test_more_than_38_digits_are_refused():
    with pytest.raises(OverflowError, match="38 digits"):
        to_limbs(10**38)


CALLER = """
from exact import NOTHING, compiled, is_zero

@compiled
def ask(value):
    return is_zero(value)

print(ask(NOTHING))
"""


def test_kept_machine_code_is_renewed_when_a_callee_changes(tmp_path):
    source, caller = tmp_path / "exact.py", tmp_path / "caller.py"
    text = Path(exact.__file__).read_text()
    source.write_text(text)
    caller.write_text("from called import ask")
    (tmp_path / "called.py").write_text(CALLER)

    def answer():
        command = [sys.executable, caller.name]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)

    assert answer().stdout == "True\n"
    kept = "a[0] == _ZERO and a[1] == 0"
    assert text.count(kept) == 1
    source.write_text(text.replace(kept, "a[0] == _ONE and a[1] == 0"))
    assert answer().stdout == "False\n"
