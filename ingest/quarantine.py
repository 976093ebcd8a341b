"""The line between rows that are set aside and a file that is refused."""

from collections.abc import Mapping, Sequence

from ingest.errors import InputError

MOST_REJECTED = 0.05
"""A file of which a larger share is rejected is not read at all (CONTRACTS 1)."""

TOLD = 3
"""How many rejected rows a message names."""


def refuse_if_mostly_wrong(
    file: str,
    rows: int,
    rejected: int,
    first: Sequence[tuple[int, str | None, str]],
    reasons: Mapping[str, str],
) -> None:
    """Refuse a file of which more than 5 % can't be right.

    Args:
        file: The file's name.
        rows: Rows in the file.
        rejected: How many of them are in quarantine.
        first: Row number, column (or None) and reason of the first rejected rows.
        reasons: Reason to how it is mended.

    Raises:
        InputError: The share is above `MOST_REJECTED`.
    """
    if rejected <= MOST_REJECTED * rows:
        return
    told = "; ".join(
        f"row {row}: {column or 'whole row'} {reason} ({reasons[reason]})"
        for row, column, reason in first[:TOLD]
    )
    more = "; …" if rejected > TOLD else ""
    raise InputError(
        f"{file}: {rejected:,} of {rows:,} rows can't be right, more than {MOST_REJECTED:.0%}, so"
        f" nothing was read. {told}{more}. Mend these rows or leave them out"
    )
