"""Small Solana transactions, one or two per field report, built by moving what they say.

Every amount is lamports or smallest token units. `write` gives a file to import; CASES maps a
report's id (and what of it) to the signature.
"""

import hashlib
import json
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from solders.pubkey import Pubkey

from ingest.sample.chain import (
    Ledger,
    Mint,
    TransactionBuilder,
    program_address,
    token_account_address,
    wallet_address,
)
from ingest.sample.encode import Envelope, base58, encode
from ingest.sample.names import JUPITER, RAYDIUM_CPMM, RAYDIUM_V4, SOL, TOKEN, USDC

TIP_ACCOUNT = "96gYZGLnJYVFmbjzopPSU6QiEV5fGqZNyN9nmNhvrZU5"
UNKNOWN_ROUTER = program_address("router in no table", TOKEN)

WRAPPED = Mint(SOL, 9)
DOLLAR = Mint(USDC, 6)
PEAR = Mint(wallet_address("mint pear"), 6)
PLUM = Mint(wallet_address("mint plum"), 6)
SHARE = Mint(wallet_address("mint of pool shares"), 6)
BIG = Mint(wallet_address("mint with extensions"), 6, account_bytes=175)

RICH = 10**14
TOKENS = 10**15


def account(holder: str, mint: Mint) -> str:
    """The holder's token account of a mint."""
    return token_account_address(holder, mint.address, mint.token_program)


@dataclass
class Chain:
    """A ledger on which cases are built one after the other."""

    ledger: Ledger = field(default_factory=Ledger)
    lines: list[str] = field(default_factory=list)
    cases: dict[str, str] = field(default_factory=dict)

    def trader(self, label: str, *mints: Mint) -> str:
        """A wallet with SOL and units of the mints."""
        wallet = wallet_address(label)
        self.ledger.fund(wallet, RICH)
        for mint in mints:
            self.ledger.endow(wallet, mint, TOKENS)
        return wallet

    def pool(self, label: str, *mints: Mint) -> str:
        """A pool's authority off the curve, with full vaults."""
        authority = program_address(label, RAYDIUM_V4)
        for mint in mints:
            self.ledger.endow(authority, mint, TOKENS)
        return authority

    @contextmanager
    def case(self, name: str, payer: str, *signers: str):
        """Build one transaction and keep its answer under the case's name."""
        builder = TransactionBuilder(self.ledger, payer, signers=signers)
        yield builder
        signatures = tuple(
            base58(hashlib.sha512(f"{name} {place}".encode()).digest())
            for place in range(len(builder.signers))
        )
        number = len(self.lines)
        envelope = Envelope(
            signatures=signatures,
            slot=400_000_000 + number,
            tx_index=number,
            block_time=1_780_000_000 + number,
            version="legacy",
            encoding=("json", "jsonParsed", "base64")[number % 3],
            blockhash=wallet_address("blockhash"),
            table=wallet_address("lookup table"),
            lookup=frozenset(),
        )
        self.lines.append(json.dumps(encode(builder.finish(), envelope)))
        self.cases[name] = signatures[0]


def move(builder: TransactionBuilder, mint: Mint, source: str, destination: str, amount: int):
    """A token transfer between the accounts of two holders."""
    builder.transfer_tokens(account(source, mint), account(destination, mint), source, amount)


def swap(builder, program, trader, pool, given, taken, log="Instruction: Swap"):
    """One pool's call: `given` and `taken` are (mint, amount)."""
    with builder.call(program, (trader, pool), b"\x09" * 8, log=log):
        move(builder, given[0], trader, pool, given[1])
        move(builder, taken[0], pool, trader, taken[1])


def wrap(builder: TransactionBuilder, wallet: str, lamports: int) -> None:
    """Open the wallet's wrapped account and put lamports in."""
    builder.create_token_account(wallet, wallet, WRAPPED)
    builder.transfer_lamports(wallet, account(wallet, WRAPPED), lamports)
    builder.sync_native(account(wallet, WRAPPED))


def set_owner(builder: TransactionBuilder, mint: Mint, holder: str, new_holder: str) -> None:
    """A SetAuthority that hands a token account over as it is."""
    handed = account(holder, mint)
    data = b"\x06\x02\x01" + bytes(Pubkey.from_string(new_holder))
    info = {
        "account": handed,
        "authority": holder,
        "authorityType": "accountOwner",
        "newAuthority": new_holder,
    }
    parsed = ("spl-token", "setAuthority", info)
    with builder.call(
        TOKEN, (handed, holder), data, log="Instruction: SetAuthority", parsed=parsed
    ):
        held = builder.ledger.get(handed)
        builder.writable.add(handed)
        token = replace(held.token, holder=new_holder)
        builder.ledger.balances[handed] = replace(held, token=token)


def balance_metadata(chain: Chain) -> None:
    """B3, B4: closed accounts and accounts that change hands."""
    pool = chain.pool("pool b", WRAPPED, PEAR)
    seller = chain.trader("b3", PEAR)
    with chain.case("B3", seller) as b:
        b.create_token_account(seller, seller, WRAPPED)
        swap(b, RAYDIUM_V4, seller, pool, (PEAR, TOKENS), (WRAPPED, 7_000_000))
        b.close_token_account(account(seller, WRAPPED), seller)
        b.close_token_account(account(seller, PEAR), seller)
    sender, friend = chain.trader("b4", PEAR, PLUM), chain.trader("b4 friend", PEAR)
    with chain.case("B4 closed", sender) as b:
        move(b, PEAR, sender, friend, TOKENS)
        b.close_token_account(account(sender, PEAR), sender)
    with chain.case("B4 handed over", sender) as b:
        set_owner(b, PLUM, sender, friend)
    with chain.case("B4 friend signs", friend) as b:
        b.compute_budget(1_000, 1)


def routes(chain: Chain) -> None:
    """C1, C2, C3, C4, C5, C8: what is a trade and for how much."""
    pool = chain.pool("pool c", WRAPPED, PEAR, PLUM, DOLLAR)
    other = chain.pool("pool c2", WRAPPED, PEAR, PLUM, DOLLAR)
    trader = chain.trader("c", WRAPPED, DOLLAR, PEAR, PLUM)
    with chain.case("C1", trader) as b, b.call(RAYDIUM_V4, (trader, pool), b"\x09" * 8):
        move(b, WRAPPED, trader, pool, 500_000_000_000)
        move(b, PEAR, pool, trader, 278_000_000)
        move(b, PEAR, trader, pool, 278_000_000)
        move(b, WRAPPED, pool, trader, 499_999_999_000)
    with chain.case("C2", trader) as b, b.call(JUPITER, (trader,), b"\xe5" * 8):
        swap(b, RAYDIUM_V4, trader, pool, (DOLLAR, 90_000_000), (WRAPPED, 600_000_000))
        swap(b, RAYDIUM_CPMM, trader, other, (WRAPPED, 600_000_000), (PEAR, 4_444_444))
    with chain.case("C3", trader) as b:
        swap(b, RAYDIUM_V4, trader, pool, (DOLLAR, 90_000_000), (WRAPPED, 600_000_000))
        swap(b, RAYDIUM_V4, trader, other, (WRAPPED, 600_000_000), (PEAR, 4_444_445))
    with chain.case("C4", trader) as b:
        swap(b, RAYDIUM_V4, trader, pool, (DOLLAR, 50_000_000), (PEAR, 3_000_000))
        swap(b, RAYDIUM_V4, trader, other, (WRAPPED, 70_000_000), (PLUM, 8_000_000))
    with chain.case("C5", trader) as b, b.call(JUPITER, (trader,), b"\xe5" * 8):
        swap(b, RAYDIUM_V4, trader, pool, (WRAPPED, 900_000_000), (PEAR, 5_000_000))
        swap(b, RAYDIUM_CPMM, trader, other, (PEAR, 5_000_000), (WRAPPED, 900_700_000))
    with chain.case("C8", trader) as b, b.call(UNKNOWN_ROUTER, (trader, pool), b"\x01" * 8):
        move(b, WRAPPED, pool, other, 14_039_000_000)
        with b.call(RAYDIUM_V4, (trader, pool), b"\x09" * 8):
            move(b, WRAPPED, trader, pool, 450_000_000)
            move(b, PEAR, pool, trader, 32_090_000)


def whose(chain: Chain) -> None:
    """C13, C15: whose trade, and liquidity that looks like one."""
    pool = chain.pool("pool w", WRAPPED, PEAR, SHARE)
    sponsor, trader = chain.trader("c13 sponsor"), chain.trader("c13", WRAPPED, PEAR)
    with chain.case("C13", sponsor, trader) as b:
        swap(b, RAYDIUM_V4, trader, pool, (PEAR, 2_000_000), (WRAPPED, 33_000_000))
    with chain.case("C13 told twice", trader) as b:
        swap(b, RAYDIUM_V4, trader, pool, (PEAR, 1_000_000), (WRAPPED, 17_000_000))
    provider = chain.trader("c15", WRAPPED, PEAR, SHARE)
    add = "Instruction: Deposit"
    with (
        chain.case("C15", provider) as b,
        b.call(RAYDIUM_CPMM, (provider, pool), b"\x01" * 8, log=add),
    ):
        move(b, WRAPPED, provider, pool, 40_000_000)
        move(b, PEAR, provider, pool, 9_000_000)
        b.mint_tokens(SHARE, account(provider, SHARE), pool, 1_234)
    with (
        chain.case("C15 one-sided", provider) as b,
        b.call(RAYDIUM_CPMM, (provider, pool), b"\x01" * 8, log=add),
    ):
        move(b, WRAPPED, provider, pool, 40_000_000)
        b.mint_tokens(SHARE, account(provider, SHARE), pool, 617)


def costs(chain: Chain) -> None:
    """D1, D2, D3, D5, D7: rent, wrapping and tips."""
    pool = chain.pool("pool d", WRAPPED, PEAR, BIG)
    buyer = chain.trader("d1")
    with chain.case("D1", buyer) as b:
        wrap(b, buyer, 1_000_000)
        b.create_token_account(buyer, buyer, BIG)
        swap(b, RAYDIUM_V4, buyer, pool, (WRAPPED, 1_000_000), (BIG, 555_000))
        b.close_token_account(account(buyer, WRAPPED), buyer)
    saver = chain.trader("d2")
    with chain.case("D2 opened", saver) as b:
        wrap(b, saver, 10_000_000)
    with chain.case("D2 closed", saver) as b:
        b.close_token_account(account(saver, WRAPPED), saver)
    owner = chain.trader("d3")
    with chain.case("D3", owner) as b:
        b.create_token_account(owner, owner, replace(BIG, account_bytes=182))
    with chain.case("D7", owner) as b:
        wrap(b, owner, 1)
    tipper = chain.trader("d5", WRAPPED, PEAR)
    with chain.case("D5", tipper) as b:
        swap(b, RAYDIUM_V4, tipper, pool, (WRAPPED, 80_000_000), (PEAR, 6_000_000))
        b.transfer_lamports(tipper, TIP_ACCOUNT, 1_000_000)
        with b.call(UNKNOWN_ROUTER, (tipper,), b"\x02" * 8):
            b.transfer_lamports(tipper, TIP_ACCOUNT, 250_000)
    with chain.case("A6 unseen", tipper) as b:
        b.transfer_lamports(tipper, TIP_ACCOUNT, 123_456)
    with chain.case("D5 failed", tipper) as b:
        b.transfer_lamports(tipper, TIP_ACCOUNT, 1_000_000)
        with b.call(RAYDIUM_V4, (tipper, pool), b"\x09" * 8, fails=True):
            pass


def write(file: Path) -> dict[str, str]:
    """Write all cases as JSON lines; gives the signature of each."""
    chain = Chain()
    chain.ledger.fund(TIP_ACCOUNT, RICH)
    for build in (balance_metadata, routes, whose, costs):
        build(chain)
    # A8: one answer twice in the file; a second answer for a signature that says otherwise.
    again = chain.lines[list(chain.cases).index("C2")]
    otherwise = json.loads(chain.lines[list(chain.cases).index("C13 told twice")])
    otherwise["meta"]["fee"] += 1
    otherwise["meta"]["postBalances"][0] -= 1
    # A6: a page that lacks a transaction.
    del chain.lines[list(chain.cases).index("A6 unseen")]
    lines = [*chain.lines, again, json.dumps(otherwise)]
    file.write_text("\n".join(lines) + "\n")
    return chain.cases
