"""What the other methods read of a tape: pools, supply, launches and how far histories reach."""

from __future__ import annotations

from random import Random

from tests.reference.random_tape import AS_OF, DAY
from tests.reference.tape import USDC, Row, Tape, iso

POOLS = (None, None, "deep", "thin")
SUPPLIES = (None, "1", "1000", "50000000", "100000000000000")
RESERVES = ("0", "5", "999.999999", "1000", "1000000")
HISTORY_DAYS = (3, 7, 15, 30, 45, 90, 400)


def with_market(tape: Tape, seed: int) -> Tape:
    """The same tape with pools on movements and the facts of assets, pools and histories.

    A token's pools are its own. Equal rows stay equal: a choice depends on the row's key alone.
    """
    random = Random(seed)
    tokens = [asset for asset in tape.assets if asset["role"] == "token"]
    wallets = sorted({(r["chain"], r["wallet"]) for r in tape.movements if r["wallet"]})
    blocks = sorted(row["block"] for row in tape.movements)
    for asset in tokens:
        asset["supply"] = random.choice(SUPPLIES)
        asset["creator"] = random.choice((None, random.choice(wallets)[1]))
        asset["created_block"] = random.choice((None, random.choice(blocks)))
    names = {asset["address"] for asset in tokens}
    for row in tape.movements:
        row["pool"] = _pool(row, names, seed)
    tape.pools = [_reserves(asset, name, random) for asset in tokens for name in ("deep", "thin")]
    for row in tape.wallets or []:
        row["history_truncated"] = random.choice((None, False, True, True))
        days, shift = random.choice(HISTORY_DAYS), random.choice((-1, 0, 1))
        row["history_from"] = random.choice((None, iso(AS_OF - days * DAY + shift)))
    return tape


def _pool(row: Row, tokens: set[str], seed: int) -> str | None:
    if row["kind"] != "swap":
        return None
    traded = sorted(tokens & {row.get("sent_asset"), row.get("received_asset")})
    choice = Random(f"{seed} {row['tx_id']} {row.get('leg', 0)}").choice(POOLS)
    return None if choice is None or not traded else f"{traded[0]}-{choice}"


def _reserves(asset: Row, name: str, random: Random) -> Row:
    stable = USDC if asset["chain"] == "solana" else "0xstable"
    return {
        "chain": asset["chain"],
        "pool": f"{asset['address']}-{name}",
        "base_address": asset["address"],
        "quote_address": stable,
        "base_reserve": "1",
        "quote_reserve": random.choice(RESERVES),
        "as_of": iso(AS_OF - random.choice((0, 60))),
    }
