"""Moments as people write them."""

from datetime import UTC, datetime

from ingest.errors import InputError

# Epoch seconds reach into the year 5138; a larger number is milliseconds by mistake.
LARGEST_EPOCH = 100_000_000_000


def parse_moment(text: str) -> datetime:
    """Read a moment: ISO 8601 (a date alone is its midnight) or epoch seconds; UTC unless said.

    Fractions of a second are cut, as everywhere in the ledger.

    Raises:
        InputError: The text is neither.
    """
    text = text.strip()
    try:
        moment = _from_epoch(text) if text.lstrip("-").isdecimal() else datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(
            f"cannot read the time {text!r}; write it like 2025-01-31T12:00:00Z, 2025-01-31 or "
            "as epoch seconds"
        ) from error


def _from_epoch(text: str) -> datetime:
    seconds = int(text)
    if abs(seconds) >= LARGEST_EPOCH:
        raise ValueError(text)
    return datetime.fromtimestamp(seconds, UTC)
