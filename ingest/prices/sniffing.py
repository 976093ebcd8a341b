"""Telling candle files from transaction files."""

from pathlib import Path

from ingest.errors import InputError

_TRANSACTION_SUFFIXES = {".jsonl", ".ndjson", ".json"}
_PACKED_SUFFIXES = {".gz", ".zst"}
_CANDLE_SUFFIXES = {".csv", ".parquet"}


def sniff(path: Path) -> str:
    """Say what `tradebasis import` finds in a file: `candles` or `transactions`.

    The name decides where it says it; a file of another name is told by how it begins.

    Raises:
        InputError: The file is not there, or is neither.
    """
    if not path.is_file():
        raise InputError(f"{path} is no file; name files of transactions or candles")
    suffix = path.suffix.lower()
    if suffix in _PACKED_SUFFIXES and Path(path.stem).suffix.lower() in _CANDLE_SUFFIXES:
        raise InputError(f"{path.name} is a packed candle file; unpack it, then import it")
    if suffix in _TRANSACTION_SUFFIXES | _PACKED_SUFFIXES:
        return "transactions"
    if suffix in _CANDLE_SUFFIXES:
        return "candles"
    return _by_content(path)


def _by_content(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"{", b"[")):
        return "transactions"
    raise InputError(
        f"{path.name} is neither transactions (.jsonl, plain or .gz or .zst) nor candles (.csv or"
        " .parquet); rename it to say which it is"
    )
