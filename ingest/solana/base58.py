"""Base58 (the Bitcoin alphabet) over whole Arrow columns, compiled.

Instruction data is base58 text in every JSON encoding, and one transaction holds dozens of such
texts, so they are turned into bytes a column at a time without a Python object per value.
"""

import numpy as np
import pyarrow as pa
from numba import njit

from ingest.solana.arrow import text_buffers

ALPHABET = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

_VALUES = np.full(256, 255, dtype=np.uint8)
_VALUES[np.frombuffer(ALPHABET, dtype=np.uint8)] = np.arange(58, dtype=np.uint8)
_CHARACTERS = np.frombuffer(ALPHABET, dtype=np.uint8).copy()

# The runtime caps the data of one instruction at 10 KiB; decoding is quadratic, so a longer text
# is refused instead of letting one hostile row stall a night.
MAX_CHARACTERS = 13_985


@njit(cache=True, nogil=True)
def _decode_one(text, start, end, values, limbs, out, at):
    """Decode text[start:end] into out[at:]; returns the bytes written, or -1."""
    if end - start > MAX_CHARACTERS:
        return -1
    zeros = 0
    while start + zeros < end and text[start + zeros] == 49:  # '1' is a leading zero byte
        zeros += 1
    used = 0
    position = start + zeros
    while position < end:
        stop = min(position + 5, end)  # 58^5 < 2^32: five characters at once
        carry = np.uint64(0)
        scale = np.uint64(1)
        for i in range(position, stop):
            value = values[text[i]]
            if value == 255:
                return -1
            carry = carry * np.uint64(58) + np.uint64(value)
            scale *= np.uint64(58)
        position = stop
        for i in range(used):
            carry += np.uint64(limbs[i]) * scale
            limbs[i] = np.uint32(carry & np.uint64(0xFFFFFFFF))
            carry >>= np.uint64(32)
        if carry:
            limbs[used] = np.uint32(carry)
            used += 1
    return _write_bytes(zeros, limbs, used, out, at)


@njit(cache=True, nogil=True)
def _write_bytes(zeros, limbs, used, out, at):
    """Write leading zero bytes and the big-endian number in `limbs`; returns the bytes written."""
    out[at : at + zeros] = 0
    size = zeros
    for i in range(used - 1, -1, -1):
        for shift in (24, 16, 8, 0):
            byte = np.uint8((limbs[i] >> np.uint32(shift)) & np.uint32(0xFF))
            if size > zeros or byte:
                out[at + size] = byte
                size += 1
    return size


@njit(cache=True, nogil=True)
def _decode_all(text, offsets, values, out, out_offsets, valid):
    limbs = np.empty(MAX_CHARACTERS // 5 + 2, dtype=np.uint32)
    at = 0
    for i in range(len(offsets) - 1):
        size = _decode_one(text, offsets[i], offsets[i + 1], values, limbs, out, at)
        valid[i] = size >= 0
        at += max(size, 0)
        out_offsets[i + 1] = at


@njit(cache=True, nogil=True)
def _encode_all(data, offsets, characters, out, out_offsets):
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    digits = np.empty(longest * 138 // 100 + 2, dtype=np.uint8)
    at = 0
    for i in range(len(offsets) - 1):
        start, end = offsets[i], offsets[i + 1]
        zeros = 0
        while start + zeros < end and data[start + zeros] == 0:
            zeros += 1
        used = 0
        for j in range(start + zeros, end):
            carry = np.int64(data[j])
            for k in range(used):
                carry += np.int64(digits[k]) << 8
                digits[k] = carry % 58
                carry //= 58
            while carry:
                digits[used] = carry % 58
                used += 1
                carry //= 58
        for _ in range(zeros):
            out[at] = characters[0]
            at += 1
        for k in range(used - 1, -1, -1):
            out[at] = characters[digits[k]]
            at += 1
        out_offsets[i + 1] = at


def decode(texts: pa.StringArray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Decode a column; null counts as empty.

    Returns:
        bytes (uint8, all values joined), offsets (int64, n + 1) and valid (bool, n). A value with
        a character outside the alphabet, or too long for an instruction, is not valid and empty.
    """
    text, offsets = text_buffers(texts)
    out = np.empty(len(text) + 8, dtype=np.uint8)
    out_offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    valid = np.empty(len(texts), dtype=np.bool_)
    _decode_all(text, offsets, _VALUES, out, out_offsets, valid)
    return out, out_offsets, valid


def encode(data: np.ndarray, offsets: np.ndarray) -> pa.StringArray:
    """Encode byte strings given as joined bytes and n + 1 offsets."""
    out = np.empty((offsets[-1] - offsets[0]) * 138 // 100 + 2 * len(offsets), dtype=np.uint8)
    out_offsets = np.zeros(len(offsets), dtype=np.int32)
    _encode_all(data, offsets.astype(np.int64), _CHARACTERS, out, out_offsets)
    return pa.StringArray.from_buffers(
        len(offsets) - 1, pa.py_buffer(out_offsets), pa.py_buffer(out[: out_offsets[-1]])
    )
