"""Arrow buffers as numpy views, and addresses as integers."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def plain(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return one contiguous array that starts at its buffers' beginning."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return column


def text_buffers(texts: pa.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """Give the joined characters (uint8) and the n + 1 offsets (int64) of a string array.

    Nulls must have no extent, which holds for arrays that DuckDB or Arrow kernels made.
    """
    buffers = texts.buffers()
    offsets = np.frombuffer(buffers[1], dtype=np.int32)[
        texts.offset : texts.offset + len(texts) + 1
    ]
    if buffers[2] is None:
        return np.empty(0, dtype=np.uint8), offsets.astype(np.int64)
    return np.frombuffer(buffers[2], dtype=np.uint8), offsets.astype(np.int64)


def list_parts(lists: pa.ListArray) -> tuple[pa.Array, np.ndarray]:
    """Split a list array into its values and n + 1 offsets from 0; a null list is empty."""
    offsets = lists.offsets.to_numpy().astype(np.int64)
    values = lists.values.slice(offsets[0], offsets[-1] - offsets[0])
    return values, offsets - offsets[0]


def owner_rows(offsets: np.ndarray) -> np.ndarray:
    """For each value of a list column the row it belongs to."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def integers(column: pa.Array, missing: int, dtype: type = np.int64) -> np.ndarray:
    """A nullable integer column as numpy, nulls as `missing`."""
    return pc.fill_null(column, missing).to_numpy(zero_copy_only=False).astype(dtype, copy=False)


def amounts(values: np.ndarray, known: np.ndarray | None = None) -> pa.Array:
    """u64 values as DECIMAL(38,0), null where not `known`."""
    limbs = np.zeros((len(values), 2), dtype=np.uint64)
    limbs[:, 0] = values
    mask = None if known is None else pa.py_buffer(np.packbits(known, bitorder="little"))
    return pa.Array.from_buffers(
        pa.decimal128(38, 0), len(values), [mask, pa.py_buffer(limbs.reshape(-1))]
    )


class Addresses:
    """A growing set of strings, each known by a small integer; -1 is null."""

    def __init__(self) -> None:
        """Start with no strings."""
        self.strings = pa.array([], pa.string())

    def ids(self, *columns: pa.Array) -> list[np.ndarray]:
        """Return the int32 ids of every value of each string array, adding what is new."""
        encoded = pa.concat_arrays(columns).dictionary_encode()
        known = pc.index_in(encoded.dictionary, self.strings)
        new = encoded.dictionary.filter(pc.is_null(known))
        of_entry = integers(known, -1, np.int32).copy()
        of_entry[of_entry < 0] = np.arange(len(self.strings), len(self.strings) + len(new))
        self.strings = pa.concat_arrays([self.strings, new])
        of_entry = np.append(of_entry, np.int32(-1))
        ids = of_entry[integers(encoded.indices, -1, np.int32)]
        return np.split(ids, np.cumsum([len(column) for column in columns])[:-1])

    def id(self, text: str) -> int:
        """Return the id of one string, adding it if it is new."""
        return int(self.ids(pa.array([text]))[0][0])

    def column(self, ids: np.ndarray) -> pa.DictionaryArray:
        """Return the strings of `ids`, dictionary-encoded over those in use only."""
        used = np.zeros(len(self.strings) + 1, dtype=np.bool_)
        used[ids] = True
        used[-1] = False
        place = np.cumsum(used, dtype=np.int32) - np.int32(1)
        indices = pa.array(place[ids], mask=ids < 0)
        return pa.DictionaryArray.from_arrays(indices, self.strings.filter(pa.array(used[:-1])))
