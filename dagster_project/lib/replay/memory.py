"""Rows of the kernels' columns by address.

A kernel gets its columns as tuples of addresses (`addresses`), not of arrays: numba counts a
reference for every array that it takes out of a tuple, which costs far more than the arithmetic.
The arrays must outlive the call, and nothing here checks a bound: the kernels size their columns
for the worst case before they start.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from dagster_project.lib.exact import kernel_part


def addresses(columns: NamedTuple) -> NamedTuple:
    """The same tuple with each array's address in its place."""
    for name, array in zip(columns._fields, columns, strict=True):
        if not array.flags.c_contiguous:
            raise ValueError(f"column {name} is not contiguous")
    return type(columns)(*(array.ctypes.data for array in columns))


def _cell(builder, bits, args):
    pointer = builder.inttoptr(args[0], ir.IntType(bits).as_pointer())
    return builder.gep(pointer, [args[1]])


def _reader(bits, kind):
    @intrinsic
    def read(typingctx, address, i):
        def build(context, builder, signature, args):
            return builder.load(_cell(builder, bits, args), align=bits // 8)

        return kind(types.int64, types.int64), build

    return read


def _writer(bits, kind, align=None):
    @intrinsic
    def write(typingctx, address, i, value):
        def build(context, builder, signature, args):
            builder.store(args[2], _cell(builder, bits, args), align=align or bits // 8)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, kind), build

    return write


at, put = _reader(64, types.int64), _writer(64, types.int64)
put_int32 = _writer(32, types.int32)
byte_at, put_byte = _reader(8, types.uint8), _writer(8, types.uint8)
_word_at, _put_word = _reader(64, types.uint64), _writer(64, types.uint64)
# Word i after any address, whatever it is a multiple of.
put_anywhere = _writer(64, types.uint64, align=1)


@kernel_part
def load(address, i):
    """Read row i of limbs as a kernel's number."""
    return _word_at(address, 2 * i), np.int64(_word_at(address, 2 * i + 1))


@kernel_part
def store(address, i, a):
    """Write row i of limbs."""
    _put_word(address, 2 * i, a[0])
    _put_word(address, 2 * i + 1, np.uint64(a[1]))


@kernel_part
def flag_at(address, i):
    """Read row i of one-byte booleans."""
    return byte_at(address, i) != 0
