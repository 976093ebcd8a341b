"""Files of a user into the raw lake, whatever they hold."""

import logging
from collections.abc import Sequence
from pathlib import Path

from dagster_project.lib.outcome import counts
from dagster_project.settings import DataFolder
from ingest.errors import InputError
from ingest.lake import files
from ingest.prices.importing import import_candles
from ingest.prices.sniffing import sniff
from ingest.solana.decode import decode_new
from ingest.solana.importing import import_transactions
from ingest.solana.schema import raw_folder

log = logging.getLogger("tradebasis")


def import_files(paths: Sequence[Path], data: DataFolder) -> None:
    """Append files of transactions or candles to the raw lake, and decode what is new.

    What becomes of each file is logged, and what the decoder set aside.

    Raises:
        InputError: A file is missing, unreadable or mostly wrong; nothing of it is stored.
    """
    readers = [
        (path, {"candles": _candles, "transactions": _transactions}[sniff(path)]) for path in paths
    ]
    for path, read in readers:
        log.info("Reading %s", path)
        read(path, data.root)
    if any(read is _transactions for _, read in readers):
        decode_raw(data)


def need_raw(data: DataFolder) -> None:
    """Check that there is something to build from.

    Raises:
        InputError: Nothing was ever imported, and an empty warehouse would replace what stands.
    """
    if not files(raw_folder(data.root)):
        raise InputError(
            f"{data.root} holds no imported transactions: nothing to build; import files first "
            "(tradebasis import FILE), or name a ledger of your own with --tape"
        )


def decode_raw(data: DataFolder) -> None:
    """Flatten the raw files that this decoder has not read yet, and log what it set aside."""
    found = decode_new(
        data.root, lambda done, to_do: log.info("Decoded %d of %d files", done, to_do)
    )
    log.info(
        "%s transactions decoded from %s new files (%s known before); quarantined: %s",
        f"{found.transactions:,}",
        f"{found.new_files:,}",
        f"{found.known_files:,}",
        counts(dict(found.rejects.most_common())),
    )


def _candles(path: Path, root: Path) -> None:
    found = import_candles(path, root)
    for warning in found.warnings:
        log.warning("%s", warning)
    log.info(
        "%s: %s candles %s; %s rejected, %s repeated",
        found.file,
        f"{found.kept:,}",
        "stored" if found.is_new else "known before",
        f"{found.rejected:,}",
        f"{found.repeated:,}",
    )


def _transactions(path: Path, root: Path) -> None:
    found = import_transactions(path, root)
    log.info(
        "%s: %s lines in %d new raw files, %d known before",
        found.file,
        f"{found.rows:,}",
        found.new_files,
        found.known_files,
    )
