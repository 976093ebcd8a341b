"""Instruction names out of program logs.

A program that logs `Instruction: Swap` says what was called. The log lists calls in the order in
which they ran, which is the order of the call table, so a log line is tied to its call by walking
both together. Native precompiles log nothing; they are stepped over.
"""

import numpy as np
import pyarrow as pa
from numba import njit

from ingest.solana.arrow import list_parts, text_buffers

_PROGRAM = np.frombuffer(b"Program ", dtype=np.uint8).copy()
_LOG = np.frombuffer(b"log: ", dtype=np.uint8).copy()
_INSTRUCTION = np.frombuffer(b"Instruction: ", dtype=np.uint8).copy()
_INVOKE = np.frombuffer(b"invoke [", dtype=np.uint8).copy()
_SUCCESS = np.frombuffer(b"success", dtype=np.uint8).copy()
_FAILED = np.frombuffer(b"failed", dtype=np.uint8).copy()
_TRUNCATED = np.frombuffer(b"Log truncated", dtype=np.uint8).copy()

# How many calls without a log line may stand between two that have one. The runtime allows 64
# calls in all; the bound keeps a hostile body from costing the product of its lists.
_LOOK_AHEAD = 256
_MAX_DEPTH = 64


@njit(cache=True, nogil=True, inline="always")
def _starts(text, start, end, prefix):
    same = end - start >= len(prefix)
    i = 0
    while same and i < len(prefix):
        same = text[start + i] == prefix[i]
        i += 1
    return same


@njit(cache=True, nogil=True)
def _same(text, start, end, other, other_start, other_end):
    same = end - start == other_end - other_start
    i = 0
    while same and i < end - start:
        same = text[start + i] == other[other_start + i]
        i += 1
    return same


@njit(cache=True, nogil=True)
def _find_call(text, start, end, first, last, programs, names, name_offsets):
    """Find the first call of [first, last) whose program is text[start:end], else -1."""
    for call in range(first, min(last, first + _LOOK_AHEAD)):
        program = programs[call]
        if _same(text, start, end, names, name_offsets[program], name_offsets[program + 1]):
            return call
    return -1


# What a log line means.
_OTHER, _NAMES, _ENTERS, _LEAVES, _CUT = range(5)


@njit(cache=True, nogil=True)
def _meaning(text, start, end):
    """What a line means, and where the word lies that says of what: a name, or a program."""
    if not _starts(text, start, end, _PROGRAM):
        is_cut = end - start == len(_TRUNCATED) and _starts(text, start, end, _TRUNCATED)
        return (_CUT if is_cut else _OTHER), start, end
    start += len(_PROGRAM)
    if _starts(text, start, end, _LOG):
        start += len(_LOG)
        names = _starts(text, start, end, _INSTRUCTION)
        return (_NAMES if names else _OTHER), start + len(_INSTRUCTION), end
    space = start
    while space < end and text[space] != 32:
        space += 1
    if _starts(text, space + 1, end, _INVOKE):
        return _ENTERS, start, space
    if _starts(text, space + 1, end, _SUCCESS) or _starts(text, space + 1, end, _FAILED):
        return _LEAVES, start, space
    return _OTHER, start, space


@njit(cache=True, nogil=True)
def _walk(text, offsets, rows, calls, programs, names, name_offsets, starts, sizes, truncated):
    """Fill `starts` and `sizes` (per call: its name in `text`) and `truncated` (per row)."""
    stack = np.empty(_MAX_DEPTH, dtype=np.int64)
    for row in range(len(rows) - 1):
        depth = 0
        cursor, last = calls[row], calls[row + 1]
        for line in range(rows[row], rows[row + 1]):
            meaning, start, end = _meaning(text, offsets[line], offsets[line + 1])
            if meaning == _CUT:
                truncated[row] = True
            elif meaning == _NAMES and depth:
                call = stack[depth - 1]
                if call >= 0 and sizes[call] == 0:
                    starts[call] = start
                    sizes[call] = end - start
            elif meaning == _ENTERS and depth < _MAX_DEPTH:
                call = _find_call(text, start, end, cursor, last, programs, names, name_offsets)
                cursor = max(cursor, call + 1)
                stack[depth] = call
                depth += 1
            elif meaning == _LEAVES and depth:
                depth -= 1


def instruction_names(
    logs: pa.ListArray, calls: np.ndarray, programs: np.ndarray, addresses: pa.StringArray
) -> tuple[pa.Array, pa.Array]:
    """Tie log lines to calls.

    Args:
        logs: the log lines of every transaction; null where the node kept none.
        calls: n + 1 offsets of each transaction's calls, which stand in the order they ran.
        programs: per call, the place of its program in `addresses`.
        addresses: the strings of programs.

    Returns:
        per call its name (null when no line names it), and per transaction whether the log was
        cut off (null without a log).
    """
    lines, rows = list_parts(logs)
    text, offsets = text_buffers(lines)
    names, name_offsets = text_buffers(addresses)
    starts = np.zeros(len(programs), dtype=np.int64)
    sizes = np.zeros(len(programs), dtype=np.int64)
    truncated = np.zeros(len(logs), dtype=np.bool_)
    _walk(text, offsets, rows, calls, programs, names, name_offsets, starts, sizes, truncated)
    texts = _slices(text, starts, sizes)
    return (
        texts,
        pa.array(truncated, mask=np.asarray(logs.is_null())),
    )


@njit(cache=True, nogil=True)
def _copy(text, starts, offsets, out):
    for i in range(len(starts)):
        out[offsets[i] : offsets[i + 1]] = text[starts[i] : starts[i] + offsets[i + 1] - offsets[i]]


def _slices(text: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> pa.StringArray:
    """Cut pieces out of `text`; an empty piece is null."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int32)
    np.cumsum(sizes, out=offsets[1:])
    out = np.empty(offsets[-1], dtype=np.uint8)
    _copy(text, starts, offsets, out)
    valid = np.packbits(sizes > 0, bitorder="little")
    return pa.StringArray.from_buffers(
        len(sizes), pa.py_buffer(offsets), pa.py_buffer(out), pa.py_buffer(valid)
    )
