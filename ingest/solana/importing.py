"""Transactions from files into the raw lake, exactly as they were sent."""

import gzip
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import zstandard

from ingest import lake
from ingest.errors import InputError
from ingest.solana.schema import raw_folder

# A chunk becomes one raw file and is decoded in memory as a whole.
CHUNK_ROWS = 20_000
CHUNK_BYTES = 64_000_000
# The largest block is far below this; a longer line is no transaction and would not fit in memory.
LINE_BYTES = 256_000_000

# DuckDB reads row groups in parallel and this many bodies fit its vectors well.
_ROW_GROUP = 2_048

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True)
class ImportSummary:
    """What one file brought: its lines, and the raw files new to and known to the lake."""

    file: str
    rows: int
    new_files: int
    known_files: int


def import_transactions(
    path: Path, data_dir: Path, progress: Callable[[int], None] | None = None
) -> ImportSummary:
    """Put the `getTransaction` results of one file into the raw lake.

    A line is one body: a bare result, a JSON-RPC answer, or a wrapper `{signature, tx}`. Nothing
    is judged here: a line that is no JSON is kept too and rejected, with its number, when it is
    decoded. Raw files are named after what they hold, so importing again changes nothing.

    Args:
        path: JSON lines, plain or compressed with gzip or Zstandard (told by content, not name).
        data_dir: the data folder.
        progress: called with the number of lines read so far, after each chunk.

    Raises:
        InputError: the file cannot be read to its end. Nothing of it is kept then.
    """
    path = Path(path)
    folder = raw_folder(Path(data_dir))
    lake.write_schema_file(folder, lake.RAW_SCHEMA)
    rows, waiting = 0, []
    try:
        for number, (lines, bodies) in enumerate(_chunks(path)):
            name = f"{lake.digest(body.encode() for body in bodies)}-{number:04d}.parquet"
            rows += len(lines)
            if not (folder / name).exists():
                waiting.append((_write_aside(folder / name, path.name, lines, bodies), name))
            else:
                waiting.append((None, name))
            if progress:
                progress(rows)
        for written, name in waiting:
            if written:
                written.replace(folder / name)
    finally:
        for written, _ in waiting:
            if written:
                written.unlink(missing_ok=True)
    new = sum(1 for written, _ in waiting if written)
    return ImportSummary(path.name, rows, new, len(waiting) - new)


def _write_aside(path: Path, file: str, lines: list[int], bodies: list[str]) -> Path:
    """Write one raw file beside its place; it moves there when the whole source was readable."""
    aside = path.with_name(f".{path.name}.new")
    count = len(lines)
    table = pa.table(
        {
            "endpoint": pa.repeat("file", count),
            "method": pa.repeat("getTransaction", count),
            "requested_at": pa.nulls(count, pa.timestamp("us")),
            "cursor": pa.nulls(count, pa.string()),
            "file": pa.repeat(file, count),
            "row": pa.array(lines, pa.int64()),
            "body": pa.array(bodies, pa.string()),
        }
    )
    lake.write(table, aside, lake.RAW_SCHEMA, row_group_size=_ROW_GROUP)
    return aside


def _chunks(path: Path) -> Iterator[tuple[list[int], list[str]]]:
    """Yield line numbers and bodies, bounded in rows and bytes; empty lines are no bodies."""
    lines: list[int] = []
    bodies: list[str] = []
    size = 0
    for number, body in _lines(path):
        if lines and (len(lines) == CHUNK_ROWS or size + len(body) > CHUNK_BYTES):
            yield lines, bodies
            lines, bodies, size = [], [], 0
        lines.append(number)
        # Bytes that are no UTF-8 are no JSON either; they are kept in a form that can be read.
        bodies.append(body.decode("utf-8", errors="backslashreplace"))
        size += len(body)
    if lines:
        yield lines, bodies


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, text without its line end) of the lines that hold something."""
    number = 0
    try:
        with path.open("rb") as source, _unpacked(source) as stream:
            while line := stream.readline(LINE_BYTES):
                number += 1
                if len(line) == LINE_BYTES and not line.endswith(b"\n"):
                    raise InputError(
                        f"{path}, line {number}: longer than {LINE_BYTES} bytes, which no"
                        " transaction is; the file must hold one JSON body per line"
                    )
                body = line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").strip()
                if body:
                    yield number, body
    except (EOFError, gzip.BadGzipFile, zstandard.ZstdError, OSError) as error:
        place = f" after line {number}" if number else ""
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{path}: cannot be read{place} ({reason}); nothing of it was imported,"
            " fetch the file again"
        ) from error


def _unpacked(source: io.BufferedReader) -> io.BufferedIOBase:
    """Open the decompressor that the first bytes ask for."""
    start = source.peek(4)[:4]
    if start.startswith(_GZIP):
        return gzip.GzipFile(fileobj=source)
    if start == _ZSTD:
        return io.BufferedReader(_Zstd(source))
    return source


class _Zstd(io.RawIOBase):
    """Zstandard frames as a stream that, unlike the library's reader, misses a cut-off end."""

    def __init__(self, source: io.BufferedReader) -> None:
        super().__init__()
        self._source = source
        self._decompressor = None
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, target: memoryview) -> int:
        while not self._ready:
            packed = self._packed()
            if not packed:
                return 0
            if self._decompressor is None:
                self._decompressor = zstandard.ZstdDecompressor().decompressobj()
            self._ready = memoryview(self._decompressor.decompress(packed))
        size = min(len(target), len(self._ready))
        target[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _packed(self) -> bytes:
        """The next compressed bytes: what followed the last frame, else more of the file."""
        rest = b""
        if self._decompressor is not None and self._decompressor.eof:
            rest = self._decompressor.unused_data
            self._decompressor = None
        packed = rest or self._source.read(1 << 17)
        if not packed and self._decompressor is not None:
            raise EOFError("the compressed data ends early")
        return packed
