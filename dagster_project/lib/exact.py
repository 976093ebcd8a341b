"""Exact 128-bit decimal integers on Arrow buffers, for numba kernels.

A ``decimal128`` column is a buffer of 16-byte little-endian two's-complement integers. `limbs`
views it as rows of two unsigned 64-bit limbs ``(low, high)`` without a copy, and `decimals`
builds a column from such rows without a copy. Inside kernels a number is a tuple
``(low: uint64, high: int64)``.

Every result is exact or an error: a result of more than 38 digits raises `OverflowError`, a
division by zero `ZeroDivisionError`. Nothing wraps and nothing passes through a float that is
not corrected by its exact residual (METHODS 6, rounding).
"""

import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_LOW32 = np.uint64(0xFFFFFFFF)
_S32 = np.uint64(32)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_TOP = np.uint64(1 << 63)
# 10^38 - 1, the largest DECIMAL(38), as limbs.
_MAX_LOW = np.uint64((10**38 - 1) & (2**64 - 1))
_MAX_HIGH = np.uint64((10**38 - 1) >> 64)
_MAX_HIGH_SIGNED = np.int64((10**38 - 1) >> 64)
_ESTIMATE_LIMIT = 2.0**50
_DIVISOR_LIMIT = np.uint64(1 << 61)

# The kernels' 0.
NOTHING = (_ZERO, np.int64(0))

# The files whose code is compiled into one another.
_SOURCES = [Path(__file__), *sorted(Path(__file__).parent.glob("replay/*.py"))]
_DIGEST = hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES)).hexdigest()


def _compiler(**options):
    """Make a decorator that compiles and keeps the machine code in __pycache__.

    numba takes kept code for fresh as long as the file of the function itself is unchanged, though
    callees of other files are compiled into it. So a digest of all of them joins that file's stamp.
    """
    decorate = njit(cache=True, nogil=True, **options)

    def compile_and_keep(function):
        dispatcher = decorate(function)
        index = dispatcher._cache._cache_file
        index._source_stamp = (index._source_stamp, _DIGEST)
        return dispatcher

    return compile_and_keep


# A callee takes `forceinline` from its caller unless it says otherwise.
compiled = _compiler(forceinline=False)
# For what a kernel calls several times an event: a call through numba's convention costs more than
# the arithmetic.
inlined = _compiler(forceinline=True)
# Parts of a kernel, which Python never calls: nothing is built for calls from there. Parts that
# most events do not meet stay out of line, since each copy takes its time to compile.
_INSIDE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
kernel_part = _compiler(**_INSIDE, forceinline=True)
rare_part = _compiler(**_INSIDE, forceinline=False)


# --------------------------------------------------------------------------- Arrow buffers


def _one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def limbs(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """View a decimal128 column as its integers: shape (n, 2), uint64, low limb first.

    Rows that are null hold whatever the buffer holds; ask `validity`. A slice is respected. Only a
    column of several chunks is copied.
    """
    array = _one_array(column)
    if not pa.types.is_decimal128(array.type):
        raise TypeError(f"expected a decimal128 column, got {array.type}")
    if len(array) == 0:
        return np.empty((0, 2), np.uint64)
    words = np.frombuffer(array.buffers()[1], np.uint64)
    return words[2 * array.offset : 2 * (array.offset + len(array))].reshape(-1, 2)


def _unpacked(packed, offset, length):
    first = offset // 8
    last = (offset + length + 7) // 8
    bits = np.unpackbits(np.frombuffer(packed, np.uint8)[first:last], bitorder="little")
    start = offset - 8 * first
    return bits[start : start + length].view(np.bool_)


def validity(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Tell for each row whether it has a value: shape (n,), bool. A slice is respected."""
    array = _one_array(column)
    packed = array.buffers()[0]
    if array.null_count == 0 or packed is None:
        return np.ones(len(array), np.bool_)
    return _unpacked(packed, array.offset, len(array))


def flags(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Read a bool column as one byte a row: shape (n,), bool. A slice is respected."""
    array = _one_array(column)
    if len(array) == 0:
        return np.empty(0, np.bool_)
    return _unpacked(array.buffers()[1], array.offset, len(array))


def decimals(values: np.ndarray, scale: int, valid: np.ndarray | None = None) -> pa.Array:
    """Build a DECIMAL(38, scale) column from limbs of shape (n, 2); false in `valid` is null."""
    values = np.ascontiguousarray(values, np.uint64)
    return _from_buffer(pa.decimal128(38, scale), len(values), pa.py_buffer(values), valid)


def booleans(values: np.ndarray) -> pa.Array:
    """Build a bool column from one byte a row."""
    packed = np.packbits(values, bitorder="little")
    return _from_buffer(pa.bool_(), len(values), pa.py_buffer(packed), None)


def integers(values: np.ndarray, valid: np.ndarray | None = None) -> pa.Array:
    """Build an integer column of the array's own type; false in `valid` is null."""
    values = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(values.dtype)
    return _from_buffer(kind, len(values), pa.py_buffer(values), valid)


def bitmap(valid: np.ndarray | None) -> pa.Buffer | None:
    """Pack one byte a row into Arrow's validity; None where every row has a value."""
    if valid is None or valid.all():
        return None
    return pa.py_buffer(np.packbits(valid, bitorder="little"))


def _from_buffer(kind, length, data, valid):
    return pa.Array.from_buffers(kind, length, [bitmap(valid), data])


def to_limbs(value: int) -> tuple[np.uint64, np.int64]:
    """Write a Python integer of at most 38 digits as the tuple that kernels use."""
    if abs(value) >= 10**38:
        raise OverflowError(f"{value} has more than 38 digits")
    return np.uint64(value & (2**64 - 1)), np.int64(value >> 64)


def to_int(value: tuple[int, int]) -> int:
    """Read a kernel's tuple as a Python integer."""
    return (int(value[1]) << 64) + int(value[0])


# --------------------------------------------------------------------------- limb arithmetic


@intrinsic
def _mul64(typingctx, a, b):
    """Multiply two uint64 into (low, high) uint64; the processor does it in one instruction."""

    def build(context, builder, signature, args):
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        low = builder.trunc(product, ir.IntType(64))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))
        return context.make_tuple(builder, signature.return_type, (low, high))

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), build


@compiled
def _leading_zeros(x):
    n = 0
    while x < _TOP:
        x <<= _ONE
        n += 1
    return np.uint64(n)


@compiled
def _div_2by1(high, low, divisor):
    """Divide (high, low) by a divisor with its top bit set; high < divisor. Knuth D, base 2^32."""
    d1 = divisor >> _S32
    d0 = divisor & _LOW32
    low1 = low >> _S32
    low0 = low & _LOW32
    q1 = high // d1
    r = high - q1 * d1
    while q1 > _LOW32 or q1 * d0 > ((r << _S32) | low1):
        q1 -= _ONE
        r += d1
        if r > _LOW32:
            break
    middle = (high << _S32) + low1 - q1 * divisor
    q0 = middle // d1
    r = middle - q0 * d1
    while q0 > _LOW32 or q0 * d0 > ((r << _S32) | low0):
        q0 -= _ONE
        r += d1
        if r > _LOW32:
            break
    return (q1 << _S32) + q0, (middle << _S32) + low0 - q0 * divisor


@compiled
def _mul_128(a0, a1, b0, b1):
    """Multiply unsigned 128 by 128 bits into four limbs, lowest first."""
    p0, c0 = _mul64(a0, b0)
    x0, x1 = _mul64(a0, b1)
    y0, y1 = _mul64(a1, b0)
    z0, p3 = _mul64(a1, b1)
    p1 = c0 + x0
    carry = np.uint64(p1 < x0)
    p1 += y0
    carry += np.uint64(p1 < y0)
    p2 = x1 + y1
    p3 += np.uint64(p2 < y1)
    p2 += z0
    p3 += np.uint64(p2 < z0)
    p2 += carry
    p3 += np.uint64(p2 < carry)
    return p0, p1, p2, p3


@compiled
def _quotient_limb(u2, u1, u0, v1, v0):
    """One step of Knuth D: the limb of (u2, u1, u0) / (v1, v0) and the remainder's limbs."""
    if u2 >= v1:
        q = _ALL
    else:
        q, _ = _div_2by1(u2, u1, v1)
    while True:
        low, carry = _mul64(q, v0)
        middle, high = _mul64(q, v1)
        middle += carry
        high += np.uint64(middle < carry)
        if high < u2 or (high == u2 and (middle < u1 or (middle == u1 and low <= u0))):
            break
        q -= _ONE
    r0 = u0 - low
    r1 = u1 - middle - np.uint64(u0 < low)
    return q, r1, r0


@compiled
def _div_256(p0, p1, p2, p3, c0, c1):
    """Divide four unsigned limbs by two: quotient (low, high), remainder (low, high)."""
    if p3 > c1 or (p3 == c1 and p2 >= c0):
        raise OverflowError("a result has more than 38 digits")
    if c1 == _ZERO:
        shift = _leading_zeros(c0)
        c0 <<= shift
        if shift > _ZERO:
            back = np.uint64(64) - shift
            p2 = (p2 << shift) | (p1 >> back)
            p1 = (p1 << shift) | (p0 >> back)
            p0 <<= shift
        q1, r = _div_2by1(p2, p1, c0)
        q0, r = _div_2by1(r, p0, c0)
        return q0, q1, r >> shift, _ZERO
    shift = _leading_zeros(c1)
    back = np.uint64(64) - shift
    if shift > _ZERO:
        c1 = (c1 << shift) | (c0 >> back)
        c0 <<= shift
        p3 = (p3 << shift) | (p2 >> back)
        p2 = (p2 << shift) | (p1 >> back)
        p1 = (p1 << shift) | (p0 >> back)
        p0 <<= shift
    q1, r1, r0 = _quotient_limb(p3, p2, p1, c1, c0)
    q0, r1, r0 = _quotient_limb(r1, r0, p0, c1, c0)
    if shift > _ZERO:
        r0 = (r0 >> shift) | (r1 << back)
        r1 >>= shift
    return q0, q1, r0, r1


@compiled
def _magnitude(a):
    if a[1] < 0:
        low = ~a[0] + _ONE
        return low, ~np.uint64(a[1]) + np.uint64(low == _ZERO)
    return a[0], np.uint64(a[1])


@compiled
def _signed(low, high, negative):
    """Give an unsigned magnitude its sign; more than 38 digits is an error."""
    if high > _MAX_HIGH or (high == _MAX_HIGH and low > _MAX_LOW):
        raise OverflowError("a result has more than 38 digits")
    if negative:
        return ~low + _ONE, np.int64(~high + np.uint64(low == _ZERO))
    return low, np.int64(high)


@compiled
def _mul_div_wide(a, b, c):
    if c[0] == _ZERO and c[1] == 0:
        raise ZeroDivisionError("division of an exact amount by zero")
    a0, a1 = _magnitude(a)
    b0, b1 = _magnitude(b)
    c0, c1 = _magnitude(c)
    p0, p1, p2, p3 = _mul_128(a0, a1, b0, b1)
    q0, q1, r0, r1 = _div_256(p0, p1, p2, p3, c0, c1)
    # Twice the remainder against the divisor, without forming twice: remainder vs the rest.
    h0 = c0 - r0
    h1 = c1 - r1 - np.uint64(c0 < r0)
    above = r1 > h1 or (r1 == h1 and r0 > h0)
    tie = r1 == h1 and r0 == h0
    if above or (tie and (q0 & _ONE) == _ONE):
        q0 += _ONE
        q1 += np.uint64(q0 == _ZERO)
    return _signed(q0, q1, (a[1] < 0) ^ (b[1] < 0) ^ (c[1] < 0))


# --------------------------------------------------------------------------- what kernels use


@compiled
def _out_of_range(low, high):
    """Settle the rare cases at the edge of 38 digits."""
    m0, m1 = _magnitude((low, high))
    return m1 > _MAX_HIGH or (m1 == _MAX_HIGH and m0 > _MAX_LOW)


@inlined
def add(a, b):
    """Return a + b."""
    low = a[0] + b[0]
    high = np.int64(np.uint64(a[1]) + np.uint64(b[1]) + np.uint64(low < a[0]))
    # Two terms of 38 digits cannot wrap back into 38 digits, so the range alone tells.
    if (high >= _MAX_HIGH_SIGNED or high <= -_MAX_HIGH_SIGNED) and _out_of_range(low, high):
        raise OverflowError("a sum has more than 38 digits")
    return low, high


@inlined
def subtract(a, b):
    """Return a - b."""
    low = a[0] - b[0]
    high = np.int64(np.uint64(a[1]) - np.uint64(b[1]) - np.uint64(a[0] < b[0]))
    if (high >= _MAX_HIGH_SIGNED or high <= -_MAX_HIGH_SIGNED) and _out_of_range(low, high):
        raise OverflowError("a difference has more than 38 digits")
    return low, high


@inlined
def compare(a, b):
    """Return -1, 0 or 1 as a is below, at or above b."""
    if a[1] != b[1]:
        return -1 if a[1] < b[1] else 1
    if a[0] != b[0]:
        return -1 if a[0] < b[0] else 1
    return 0


@inlined
def is_zero(a):
    """Tell whether a is 0."""
    return a[0] == _ZERO and a[1] == 0


@inlined
def mul_div_half_even(a, b, c):
    """Return a × b ÷ c, rounded once, half to even, from the exact 256-bit product."""
    if a[1] == 0 and b[1] == 0 and c[1] == 0 and c[0] < _DIVISOR_LIMIT:
        a0, b0, c0 = a[0], b[0], c[0]
        if a0 < _TOP and b0 < _TOP and c0 > _ZERO:
            estimate = float(np.int64(a0)) * float(np.int64(b0)) / float(np.int64(c0))
            if estimate < _ESTIMATE_LIMIT:
                # The estimate is within one of the quotient, so the residual fits 64 bits.
                q = np.int64(estimate)
                d = np.int64(c0)
                r = np.int64(a0 * b0 - np.uint64(q) * c0)
                if r < 0:
                    q -= 1
                    r += d
                elif r >= d:
                    q += 1
                    r -= d
                # An odd quotient rounds up at the tie. As a number: no branch can be guessed here.
                q += np.int64(2 * r + (q & 1) > d)
                return np.uint64(q), np.int64(0)
    return _mul_div_wide(a, b, c)


@compiled
def floor_mul_div(a, b, c):
    """Return the floor of a × b ÷ c and its remainder from 0 to below c; c is above 0."""
    if c[1] < 0 or is_zero(c):
        raise ZeroDivisionError("division of an exact amount by zero")
    a0, a1 = _magnitude(a)
    b0, b1 = _magnitude(b)
    c0, c1 = c[0], np.uint64(c[1])
    p0, p1, p2, p3 = _mul_128(a0, a1, b0, b1)
    q0, q1, r0, r1 = _div_256(p0, p1, p2, p3, c0, c1)
    if (a[1] < 0) == (b[1] < 0) or (r0 | r1) == _ZERO:
        return _signed(q0, q1, (a[1] < 0) != (b[1] < 0)), (r0, np.int64(r1))
    q0 += _ONE
    q1 += np.uint64(q0 == _ZERO)
    return _signed(q0, q1, True), (c0 - r0, np.int64(c1 - r1 - np.uint64(c0 < r0)))


@compiled
def half_even(floor, rest, unit):
    """Round floor + rest ÷ unit, half to even; rest is from 0 to below unit."""
    if is_zero(rest):
        return floor
    side = compare(rest, subtract(unit, rest))
    if side > 0 or (side == 0 and (floor[0] & _ONE) == _ONE):
        return add(floor, (_ONE, np.int64(0)))
    return floor


@inlined
def share_of(total, part, whole):
    """Return the share of a total that goes with a part of whole units; all units take all."""
    if (part[0] == whole[0] and part[1] == whole[1]) or is_zero(total):
        return total
    return mul_div_half_even(total, part, whole)


@compiled
def _compare_products_wide(a, b, c, d):
    a0, a1 = _magnitude(a)
    b0, b1 = _magnitude(b)
    c0, c1 = _magnitude(c)
    d0, d1 = _magnitude(d)
    p0, p1, p2, p3 = _mul_128(a0, a1, b0, b1)
    q0, q1, q2, q3 = _mul_128(c0, c1, d0, d1)
    p_sign = 0 if (p0 | p1 | p2 | p3) == _ZERO else (-1 if (a[1] < 0) ^ (b[1] < 0) else 1)
    q_sign = 0 if (q0 | q1 | q2 | q3) == _ZERO else (-1 if (c[1] < 0) ^ (d[1] < 0) else 1)
    if p_sign != q_sign:
        return 1 if p_sign > q_sign else -1
    for x, y in ((p3, q3), (p2, q2), (p1, q1), (p0, q0)):
        if x != y:
            return p_sign if x > y else -p_sign
    return 0


@inlined
def compare_products(a, b, c, d):
    """Return -1, 0 or 1 as a × b is below, at or above c × d, exactly."""
    if a[1] == 0 and b[1] == 0 and c[1] == 0 and d[1] == 0:
        p0, p1 = _mul64(a[0], b[0])
        q0, q1 = _mul64(c[0], d[0])
        if p1 != q1:
            return -1 if p1 < q1 else 1
        if p0 != q0:
            return -1 if p0 < q0 else 1
        return 0
    return _compare_products_wide(a, b, c, d)


@inlined
def load(values, i):
    """Read row i of limbs."""
    return values[i, 0], np.int64(values[i, 1])


@inlined
def store(values, i, a):
    """Write row i of limbs."""
    values[i, 0] = a[0]
    values[i, 1] = np.uint64(a[1])
