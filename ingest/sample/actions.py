"""What wallets do: each function builds one transaction and says what it means.

Every function takes the world, the second, and how the transaction is shown, and returns the
finished transaction with the movements that METHODS 1 asks of it, written down from intent and
never read back from balances.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from ingest.sample.chain import (
    BuiltTransaction,
    Ledger,
    Mint,
    TransactionBuilder,
    token_account_address,
)
from ingest.sample.names import BOTS, JUPITER, SOL, TIP_ACCOUNTS, USDC, VENUE_NAMES
from ingest.sample.numbers import rent
from ingest.sample.prices import PricePaths
from ingest.sample.truth import Movement
from ingest.sample.venues import USD_COIN, WRAPPED_SOL, Pool, discriminator

Outcome = tuple[BuiltTransaction, list[Movement]]


@dataclass(frozen=True)
class Style:
    """Compute limit and price of a transaction; both 0 for version-1 messages."""

    units: int = 0
    micro_lamports: int = 0


@dataclass(frozen=True)
class Costs:
    """What a trader pays beside the price, in lamports.

    Attributes:
        tip: to a known tip account.
        bot: index of the trading bot that sends the order, or None.
        bot_fee: paid to that bot's fee account.
        bot_fee_wrapped: paid in wrapped SOL in an instruction of its own, without the router.
        other_fee: to an address in no table, in an instruction of its own.
        sponsor: who pays the network fee instead of the trader.
    """

    tip: int = 0
    bot: int | None = None
    bot_fee: int = 0
    bot_fee_wrapped: bool = False
    other_fee: int = 0
    sponsor: str | None = None


NO_COSTS = Costs()


@dataclass
class World:
    """Everything the actions work on."""

    ledger: Ledger
    paths: PricePaths
    sol_pool: Pool
    relay: str
    keeps_wrapped: set[str] = field(default_factory=set)


@dataclass
class _Legs:
    sent_asset: str
    sent_raw: int
    received_asset: str
    received_raw: int
    deposit: int = 0


def _begin(world: World, wallet: str, style: Style, costs: Costs) -> TransactionBuilder:
    payer = costs.sponsor or wallet
    tx = TransactionBuilder(world.ledger, payer, signers=(wallet,))
    if style.units:
        tx.compute_budget(style.units, style.micro_lamports)
    if costs.tip:
        tx.transfer_lamports(wallet, TIP_ACCOUNTS[costs.tip % len(TIP_ACCOUNTS)], costs.tip)
    return tx


@contextmanager
def _routed(tx: TransactionBuilder, wallet: str, costs: Costs, *, jupiter: bool) -> Iterator[None]:
    """The router around a venue's call: a bot's, which takes its fee inside, or Jupiter's."""
    if jupiter:
        with tx.call(JUPITER, (wallet,), discriminator("route"), log="Instruction: Route"):
            yield
    elif costs.bot is not None and not costs.bot_fee_wrapped:
        _, router, fee_account = BOTS[costs.bot]
        accounts = (wallet, fee_account)
        with tx.call(router, accounts, discriminator("trade"), log="Instruction: Trade"):
            yield
            tx.transfer_lamports(wallet, fee_account, costs.bot_fee)
    else:
        with nullcontext():
            yield


def _finish_swap(
    tx: TransactionBuilder, wallet: str, costs: Costs, legs: _Legs, venue: str | None
) -> Outcome:
    built = tx.finish()
    source = "direct" if venue else None
    if costs.bot is not None:
        source = BOTS[costs.bot][0]
    paid_by_wallet = costs.sponsor is None
    movement = Movement(
        wallet=wallet,
        kind="swap",
        sent_asset=legs.sent_asset,
        sent_raw=legs.sent_raw,
        received_asset=legs.received_asset,
        received_raw=legs.received_raw,
        network_fee=built.fee if paid_by_wallet else 0,
        tip=costs.tip,
        bot_fee=costs.bot_fee,
        other_fee=costs.other_fee,
        deposit=legs.deposit,
        venue=venue,
        source=source,
    )
    rows = [movement]
    if costs.sponsor:
        rows.append(
            Movement(costs.sponsor, "none", network_fee=built.fee, venue=venue, source=source)
        )
    return built, rows


def _open(world: World, tx: TransactionBuilder, wallet: str, mint: Mint) -> int:
    """Open the wallet's account of a mint if it has none; returns the rent paid."""
    if world.ledger.has_account(wallet, mint):
        return 0
    return tx.create_token_account(wallet, wallet, mint)


def _wrap(world: World, tx: TransactionBuilder, wallet: str, lamports: int) -> int:
    """Open the wrapped-SOL account if needed and put lamports in; returns the rent paid."""
    deposit = _open(world, tx, wallet, WRAPPED_SOL)
    if lamports:
        account = token_account_address(wallet, SOL)
        tx.transfer_lamports(wallet, account, lamports)
        tx.sync_native(account)
    return deposit


def _unwrap(world: World, tx: TransactionBuilder, wallet: str) -> int:
    """Close the wrapped-SOL account unless the wallet keeps it; returns minus the rent back."""
    if wallet in world.keeps_wrapped:
        return 0
    tx.close_token_account(token_account_address(wallet, SOL), wallet)
    return -rent(WRAPPED_SOL.account_bytes)


def _pay_wrapped_bot_fee(tx: TransactionBuilder, wallet: str, costs: Costs) -> None:
    if costs.bot is not None and costs.bot_fee_wrapped:
        fee_account = token_account_address(BOTS[costs.bot][2], SOL)
        tx.transfer_tokens(token_account_address(wallet, SOL), fee_account, wallet, costs.bot_fee)


def _pay_other_fee(world: World, tx: TransactionBuilder, wallet: str, costs: Costs) -> None:
    if costs.other_fee:
        tx.transfer_lamports(wallet, world.relay, costs.other_fee)


def buy(
    world: World, at: int, style: Style, wallet: str, pool: Pool, amount: int,
    costs: Costs = NO_COSTS, *, jupiter: bool = False,
) -> Outcome:  # fmt: skip
    """Spend `amount` of the pool's quote on its token."""
    tx = _begin(world, wallet, style, costs)
    deposit = _open(world, tx, wallet, pool.token)
    wraps = pool.quote.address == SOL and not pool.is_curve
    if wraps:
        fee = costs.bot_fee if costs.bot_fee_wrapped else 0
        # A little more than needed is wrapped, as wallets do against slippage.
        deposit += _wrap(world, tx, wallet, amount + fee + amount // 200)
    with _routed(tx, wallet, costs, jupiter=jupiter):
        out = pool.swap(tx, world.paths, at, wallet, amount, buying=True)
    if wraps:
        _pay_wrapped_bot_fee(tx, wallet, costs)
        deposit += _unwrap(world, tx, wallet)
    _pay_other_fee(world, tx, wallet, costs)
    venue = VENUE_NAMES[JUPITER] if jupiter else pool.venue
    legs = _Legs(pool.quote.address, amount, pool.token.address, out, deposit)
    return _finish_swap(tx, wallet, costs, legs, venue)


def sell(
    world: World, at: int, style: Style, wallet: str, pool: Pool, amount: int,
    costs: Costs = NO_COSTS, *, jupiter: bool = False, close: bool = False,
) -> Outcome:  # fmt: skip
    """Sell `amount` raw units of the pool's token; `close` also closes the emptied account."""
    tx = _begin(world, wallet, style, costs)
    deposit = 0
    wraps = pool.quote.address == SOL and not pool.is_curve
    if wraps:
        deposit += _wrap(world, tx, wallet, 0)
    with _routed(tx, wallet, costs, jupiter=jupiter):
        out = pool.swap(tx, world.paths, at, wallet, amount, buying=False)
    if wraps:
        _pay_wrapped_bot_fee(tx, wallet, costs)
        deposit += _unwrap(world, tx, wallet)
    if close and world.ledger.token_amount(wallet, pool.token) == 0:
        mint = pool.token
        account = token_account_address(wallet, mint.address, mint.token_program)
        deposit -= tx.close_token_account(account, wallet)
    _pay_other_fee(world, tx, wallet, costs)
    venue = VENUE_NAMES[JUPITER] if jupiter else pool.venue
    legs = _Legs(pool.token.address, amount, pool.quote.address, out, deposit)
    return _finish_swap(tx, wallet, costs, legs, venue)


def buy_through_usdc(
    world: World,
    at: int,
    style: Style,
    wallet: str,
    pool: Pool,
    lamports: int,
    kept_thousandths: int,
) -> Outcome:
    """SOL to USDC to token in one Jupiter route; thousandths of the USDC may stay as crumbs."""
    tx = _begin(world, wallet, style, NO_COSTS)
    deposit = _open(world, tx, wallet, pool.token) + _open(world, tx, wallet, USD_COIN)
    deposit += _wrap(world, tx, wallet, lamports)
    with _routed(tx, wallet, NO_COSTS, jupiter=True):
        usdc = world.sol_pool.swap(tx, world.paths, at, wallet, lamports, buying=False)
        spent = usdc - usdc * kept_thousandths // 1_000
        out = pool.swap(tx, world.paths, at, wallet, spent, buying=True)
    deposit += _unwrap(world, tx, wallet)
    legs = _Legs(SOL, lamports, pool.token.address, out, deposit)
    return _finish_swap(tx, wallet, NO_COSTS, legs, VENUE_NAMES[JUPITER])


def swap_tokens(
    world: World, at: int, style: Style, wallet: str, sold: Pool, bought: Pool, amount: int
) -> Outcome:
    """Token for token through wrapped SOL in one Jupiter route (both pools against SOL)."""
    tx = _begin(world, wallet, style, NO_COSTS)
    deposit = _open(world, tx, wallet, bought.token) + _wrap(world, tx, wallet, 0)
    with _routed(tx, wallet, NO_COSTS, jupiter=True):
        lamports = sold.swap(tx, world.paths, at, wallet, amount, buying=False)
        out = bought.swap(tx, world.paths, at, wallet, lamports, buying=True)
    deposit += _unwrap(world, tx, wallet)
    legs = _Legs(sold.token.address, amount, bought.token.address, out, deposit)
    return _finish_swap(tx, wallet, NO_COSTS, legs, VENUE_NAMES[JUPITER])


def convert(
    world: World, at: int, style: Style, wallet: str, amount: int, *, to_sol: bool
) -> Outcome:
    """Cash for cash: USDC to SOL, or SOL to USDC."""
    tx = _begin(world, wallet, style, NO_COSTS)
    deposit = _open(world, tx, wallet, USD_COIN)
    deposit += _wrap(world, tx, wallet, 0 if to_sol else amount)
    pool = world.sol_pool
    out = pool.swap(tx, world.paths, at, wallet, amount, buying=to_sol)
    deposit += _unwrap(world, tx, wallet)
    sides = (USDC, amount, SOL, out) if to_sol else (SOL, amount, USDC, out)
    return _finish_swap(tx, wallet, NO_COSTS, _Legs(*sides, deposit), pool.venue)


def round_trip(
    world: World, at: int, style: Style, wallet: str, pool: Pool, lamports: int
) -> Outcome:
    """Buy and sell everything again in one transaction (a curve pool): no trade."""
    tx = _begin(world, wallet, style, NO_COSTS)
    opened = not world.ledger.has_account(wallet, pool.token)
    _open(world, tx, wallet, pool.token)
    units = pool.swap(tx, world.paths, at, wallet, lamports, buying=True)
    back = pool.swap(tx, world.paths, at, wallet, units, buying=False)
    if opened:
        mint = pool.token
        account = token_account_address(wallet, mint.address, mint.token_program)
        tx.close_token_account(account, wallet)
    built = tx.finish()
    movement = Movement(
        wallet,
        "ambiguous",
        reason="round_trip",
        sent_asset=SOL,
        sent_raw=lamports - back,
        network_fee=built.fee,
        venue=pool.venue,
        source="direct",
    )
    return built, [movement]


def add_liquidity(
    world: World, at: int, style: Style, wallet: str, pool: Pool, tokens: int, shares: Mint
) -> Outcome:
    """Token and SOL into a pool for freshly minted shares: three one-sided rows."""
    tx = _begin(world, wallet, style, NO_COSTS)
    lamports = tokens * pool.price_at(world.paths, at) // 10**12
    minted = lamports // 7
    deposit = _open(world, tx, wallet, shares) + _wrap(world, tx, wallet, lamports)
    pool.add_liquidity(tx, wallet, tokens, lamports, shares, minted)
    deposit += _unwrap(world, tx, wallet)
    built = tx.finish()
    common = {"reason": "liquidity", "venue": pool.venue, "source": "direct"}
    amounts = {pool.token.address: -tokens, SOL: -lamports, shares.address: minted}
    rows = []
    for leg, (asset, change) in enumerate(sorted(amounts.items())):
        fees = {"network_fee": built.fee, "deposit": deposit} if leg == 0 else {}
        side = _one_side(asset, change)
        rows.append(Movement(wallet, "ambiguous", leg, **side, **fees, **common))
    return built, rows


def _one_side(asset: str, change: int) -> dict:
    if change < 0:
        return {"sent_asset": asset, "sent_raw": -change}
    return {"received_asset": asset, "received_raw": change}


def send_tokens(
    world: World, style: Style, wallet: str, mint: Mint, gifts: dict[str, int]
) -> Outcome:
    """Send units of a mint to other wallets; the sender opens accounts that are missing."""
    tx = _begin(world, wallet, style, NO_COSTS)
    source = token_account_address(wallet, mint.address, mint.token_program)
    deposit = 0
    for receiver, amount in gifts.items():
        if not world.ledger.has_account(receiver, mint):
            deposit += tx.create_token_account(wallet, receiver, mint)
        target = token_account_address(receiver, mint.address, mint.token_program)
        tx.transfer_tokens(source, target, wallet, amount)
    built = tx.finish()
    total = sum(gifts.values())
    rows = [
        Movement(
            wallet,
            "transfer_out",
            **_one_side(mint.address, -total),
            network_fee=built.fee,
            deposit=deposit,
        )
    ]
    rows += [
        Movement(receiver, "transfer_in", **_one_side(mint.address, amount))
        for receiver, amount in gifts.items()
    ]
    return built, rows


def send_sol(world: World, style: Style, wallet: str, receiver: str, lamports: int) -> Outcome:
    """A plain SOL transfer."""
    tx = _begin(world, wallet, style, NO_COSTS)
    tx.transfer_lamports(wallet, receiver, lamports)
    built = tx.finish()
    sent = Movement(wallet, "transfer_out", **_one_side(SOL, -lamports), network_fee=built.fee)
    return built, [sent, Movement(receiver, "transfer_in", **_one_side(SOL, lamports))]


def fail(
    world: World, style: Style, wallet: str, pool: Pool, lamports: int, costs: Costs = NO_COSTS
) -> Outcome:
    """A buy that fails: its tip rolls back, the network fee is spent."""
    tx = _begin(world, wallet, style, costs)
    pool.fail(tx, wallet, lamports)
    built = tx.finish()
    return built, [Movement(wallet, "failed", network_fee=built.fee)]


def open_account(world: World, style: Style, wallet: str, mint: Mint) -> Outcome:
    """Open a token account and do nothing with it."""
    tx = _begin(world, wallet, style, NO_COSTS)
    deposit = tx.create_token_account(wallet, wallet, mint)
    built = tx.finish()
    return built, [Movement(wallet, "none", network_fee=built.fee, deposit=deposit)]


def close_account(world: World, style: Style, wallet: str, mint: Mint) -> Outcome:
    """Close an empty token account: its rent comes back."""
    tx = _begin(world, wallet, style, NO_COSTS)
    account = token_account_address(wallet, mint.address, mint.token_program)
    back = tx.close_token_account(account, wallet)
    built = tx.finish()
    return built, [Movement(wallet, "none", network_fee=built.fee, deposit=-back)]
