"""The tape as an ordered ledger of exact integers (METHODS 1.2, 1.5; CONTRACTS 1)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from tests.reference.tape import Row, Tape

AssetKey = tuple[str, str]
Owner = tuple[str, str]
COSTS = ("network_fee", "tip", "bot_fee", "other_fee", "deposit")
CASH_ROLES = ("native", "stable")


@dataclass(frozen=True)
class Asset:
    """One row of the tape's assets."""

    chain: str
    address: str
    decimals: int
    role: str
    supply: Fraction | None = None
    creator: str | None = None
    created_block: int | None = None

    @property
    def is_cash(self) -> bool:
        """Cash is what the reference table says it is (METHODS 1.1)."""
        return self.role in CASH_ROLES


@dataclass(frozen=True)
class Movement:
    """One movement; amounts in smallest units, time in epoch seconds."""

    chain: str
    tx_id: str
    wallet: str | None
    leg: int
    block: int
    tx_index: int | None
    seq: int | None
    time: int | None
    kind: str
    reason: str | None
    sent_asset: str | None
    sent_raw: int | None
    received_asset: str | None
    received_raw: int | None
    costs: tuple[int, ...]
    venue: str | None
    source: str | None
    recognised_venue: bool
    pool: str | None = None

    @property
    def place(self) -> tuple:
        """Where ticks are compared: (block, tx_index), an unknown index after the known ones."""
        return (self.block, *_nulls_last(self.tx_index))

    @property
    def order(self) -> tuple:
        """The total order (METHODS 6, Order); the wallet only parts rows of one transaction."""
        return (
            *self.place,
            *_nulls_last(self.seq),
            self.tx_id,
            self.leg,
            self.wallet or "",
        )

    @property
    def owner(self) -> Owner | None:
        """(chain, wallet), None where the row belongs to nobody (METHODS 1.4)."""
        return None if self.wallet is None else (self.chain, self.wallet)


@dataclass(frozen=True)
class Ledger:
    """Movements up to as_of in total order, with the assets they move."""

    as_of: int
    movements: list[Movement]
    assets: dict[AssetKey, Asset]

    def asset(self, chain: str, address: str) -> Asset:
        """The asset of an address on a chain."""
        return self.assets[chain, address]

    def native(self, chain: str) -> Asset | None:
        """The native asset of a chain, None when the tape names none."""
        return next(
            (a for a in self.assets.values() if a.chain == chain and a.role == "native"), None
        )


def epoch(value: str | int) -> int:
    """Epoch seconds of a tape time: an integer, or ISO 8601 with fractions cut."""
    if isinstance(value, int):
        return value
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() // 1)


def to_raw(amount: Any, decimals: int) -> int:
    """A decimal string in whole units as an integer of smallest units, exactly."""
    raw = Fraction(amount or 0) * 10**decimals
    if raw.denominator != 1:
        raise ValueError(f"{amount} has more than {decimals} places")
    return int(raw)


def read_ledger(tape: Tape, as_of: int) -> Ledger:
    """Parse, collapse, time, cut at as_of and order the tape's movements."""
    assets = {
        (a["chain"], a["address"]): Asset(
            a["chain"],
            a["address"],
            int(a["decimals"]),
            a["role"],
            None if a.get("supply") is None else Fraction(a["supply"]),
            a.get("creator"),
            a.get("created_block"),
        )
        for a in tape.assets
    }
    ledger = Ledger(as_of, [], assets)
    parsed = [_movement(row, ledger) for row in tape.movements]
    timed = _with_time(sorted(_collapsed(parsed), key=lambda m: m.order))
    visible = [m for m in timed if m.time is not None and m.time <= as_of]
    return Ledger(as_of, visible, assets)


def _movement(row: Row, ledger: Ledger) -> Movement:
    chain, kind, venue = row["chain"], row["kind"], row.get("venue")
    native = ledger.native(chain)
    recognised = row.get("recognised_venue")
    moved = kind != "failed"  # amounts on a failed row are ignored (CONTRACTS 1)

    def side(name: str) -> tuple[str | None, int | None]:
        address = row.get(f"{name}_asset") if moved else None
        if address is None:
            return None, None
        return address, to_raw(row[f"{name}_amount"], ledger.asset(chain, address).decimals)

    sent_asset, sent_raw = side("sent")
    received_asset, received_raw = side("received")
    return Movement(
        chain=chain,
        tx_id=row["tx_id"],
        wallet=row.get("wallet"),
        leg=row.get("leg") or 0,
        block=row["block"],
        tx_index=row.get("tx_index"),
        seq=row.get("seq"),
        time=None if row.get("block_time") is None else epoch(row["block_time"]),
        kind=kind,
        reason=row.get("reason"),
        sent_asset=sent_asset,
        sent_raw=sent_raw,
        received_asset=received_asset,
        received_raw=received_raw,
        costs=tuple(to_raw(row.get(c), native.decimals if native else 0) for c in COSTS),
        venue=venue,
        source=row.get("source"),
        recognised_venue=venue is not None if recognised is None else recognised,
        pool=row.get("pool"),
    )


def _collapsed(movements: list[Movement]) -> list[Movement]:
    """Equal rows collapse; one key with different contents rejects them all (CONTRACTS 1)."""
    by_key: dict[tuple, set[Movement]] = defaultdict(set)
    for movement in movements:
        by_key[movement.chain, movement.tx_id, movement.wallet, movement.leg].add(movement)
    return [next(iter(rows)) for rows in by_key.values() if len(rows) == 1]


def _with_time(movements: list[Movement]) -> list[Movement]:
    """An unfetched row without time takes the last known time before it (CONTRACTS 1)."""
    known: dict[str, int] = {}
    timed = []
    for movement in movements:
        if movement.time is None:
            movement = Movement(**{**vars(movement), "time": known.get(movement.chain)})
        else:
            known[movement.chain] = movement.time
        timed.append(movement)
    return timed


def _nulls_last(value: int | None) -> tuple[bool, int]:
    return (value is None, value or 0)
