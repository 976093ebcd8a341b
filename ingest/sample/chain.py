"""A small Solana: accounts that keep their balances, and a builder of transactions on them.

The builder moves lamports and token units between accounts exactly as the instructions it
writes say, so that lamports are conserved in every transaction (sum before - sum after = fee)
and every account's balance after one transaction is its balance before the next.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from ingest.sample.names import ATA_PROGRAM, COMPUTE_BUDGET, SOL, SYSTEM, TOKEN
from ingest.sample.numbers import BASE_FEE, TOKEN_ACCOUNT_BYTES, rent

_ERROR_CODE = 6001


def _seed(label: str) -> bytes:
    return hashlib.sha256(label.encode()).digest()


@cache
def wallet_address(label: str) -> str:
    """A wallet: a point on the ed25519 curve, the same for the same label."""
    return str(Keypair.from_seed(_seed(label)).pubkey())


@cache
def program_address(label: str, program: str) -> str:
    """An address off the curve, owned by `program`: pools, curves, vault authorities."""
    return str(Pubkey.find_program_address([_seed(label)], Pubkey.from_string(program))[0])


@cache
def token_account_address(holder: str, mint: str, token_program: str = TOKEN) -> str:
    """The associated token account of a holder and a mint."""
    seeds = [bytes(Pubkey.from_string(key)) for key in (holder, token_program, mint)]
    return str(Pubkey.find_program_address(seeds, Pubkey.from_string(ATA_PROGRAM))[0])


@dataclass(frozen=True)
class Mint:
    """A token's mint: address, decimals, token program and the size of its accounts."""

    address: str
    decimals: int
    token_program: str = TOKEN
    account_bytes: int = TOKEN_ACCOUNT_BYTES


@dataclass(frozen=True)
class TokenState:
    """What a token account holds: raw amount of a mint for a holder."""

    mint: Mint
    holder: str
    amount: int


@dataclass(frozen=True)
class Balance:
    """Lamports and, for a token account, its token state."""

    lamports: int = 0
    token: TokenState | None = None


@dataclass
class Instruction:
    """One call: program, accounts, data, what jsonParsed shows of it, and its depth."""

    program: str
    accounts: tuple[str, ...]
    data: bytes
    depth: int
    parsed: tuple[str, str, dict] | None = None


@dataclass
class BuiltTransaction:
    """A finished transaction: keys in message order with their balances, calls and logs."""

    payer: str
    signers: tuple[str, ...]
    writable: frozenset[str]
    keys: tuple[str, ...]
    before: dict[str, Balance]
    after: dict[str, Balance]
    calls: list[tuple[Instruction, list[Instruction]]]
    logs: list[str]
    fee: int
    error: dict | None


@dataclass
class Ledger:
    """Balances of every account."""

    balances: dict[str, Balance] = field(default_factory=dict)

    def get(self, address: str) -> Balance:
        """Balance of an account; one never written is empty."""
        return self.balances.get(address, Balance())

    def fund(self, address: str, lamports: int) -> None:
        """Give an account lamports before the market starts."""
        held = self.get(address)
        self.balances[address] = replace(held, lamports=held.lamports + lamports)

    def endow(self, holder: str, mint: Mint, amount: int) -> str:
        """Give a holder units of a mint before the market starts; returns the token account."""
        account = token_account_address(holder, mint.address, mint.token_program)
        wrapped = amount if mint.address == SOL else 0
        lamports = rent(mint.account_bytes) + wrapped
        self.balances[account] = Balance(lamports, TokenState(mint, holder, amount))
        return account

    def token_amount(self, holder: str, mint: Mint) -> int:
        """Raw units of a mint in the holder's associated account."""
        account = token_account_address(holder, mint.address, mint.token_program)
        token = self.get(account).token
        return token.amount if token else 0

    def has_account(self, holder: str, mint: Mint) -> bool:
        """Whether the holder's associated account of the mint is open."""
        account = token_account_address(holder, mint.address, mint.token_program)
        return self.get(account).token is not None


class TransactionBuilder:
    """Builds one transaction on a ledger; `finish` gives it back and keeps the new balances."""

    def __init__(self, ledger: Ledger, payer: str, *, signers: tuple[str, ...] = ()) -> None:
        self.ledger = ledger
        self.payer = payer
        self.signers = (payer, *(s for s in signers if s != payer))
        self.before: dict[str, Balance] = {}
        self.writable: set[str] = set()
        self.calls: list[tuple[Instruction, list[Instruction]]] = []
        self.logs: list[str] = []
        self.priority_fee = 0
        self.error: dict | None = None
        self._depth = 0
        for signer in self.signers:
            self._touch(signer, writable=True)

    # -- bookkeeping ---------------------------------------------------------------------

    def _touch(self, address: str, *, writable: bool = False) -> None:
        if address not in self.before:
            self.before[address] = self.ledger.get(address)
        if writable:
            self.writable.add(address)

    def _add_lamports(self, address: str, lamports: int) -> None:
        self._touch(address, writable=True)
        held = self.ledger.get(address)
        if held.lamports + lamports < 0:
            raise ValueError(f"account {address} lacks {-held.lamports - lamports} lamports")
        self.ledger.balances[address] = replace(held, lamports=held.lamports + lamports)

    def _add_tokens(self, account: str, amount: int) -> None:
        self._touch(account, writable=True)
        held = self.ledger.get(account)
        if held.token is None or held.token.amount + amount < 0:
            raise ValueError(f"token account {account} lacks {-amount} units")
        token = replace(held.token, amount=held.token.amount + amount)
        lamports = held.lamports + (amount if token.mint.address == SOL else 0)
        self.ledger.balances[account] = Balance(lamports, token)

    @contextmanager
    def call(
        self,
        program: str,
        accounts: tuple[str, ...],
        data: bytes,
        *,
        log: str | None = None,
        parsed: tuple[str, str, dict] | None = None,
        fails: bool = False,
    ) -> Iterator[None]:
        """One call of a program; calls made inside the block are its inner instructions."""
        self._depth += 1
        self._touch(program)
        for account in accounts:
            self._touch(account)
        instruction = Instruction(program, accounts, data, self._depth, parsed)
        if self._depth == 1:
            self.calls.append((instruction, []))
        else:
            self.calls[-1][1].append(instruction)
        self.logs.append(f"Program {program} invoke [{self._depth}]")
        if log:
            self.logs.append(f"Program log: {log}")
        yield
        if program not in (SYSTEM, COMPUTE_BUDGET):
            units = 2_000 + 37 * len(data) + 411 * len(accounts)
            self.logs.append(f"Program {program} consumed {units} of 200000 compute units")
        if fails:
            self.logs.append(f"Program {program} failed: custom program error: {_ERROR_CODE:#x}")
            place = len(self.calls) - 1
            self.error = {"InstructionError": [place, {"Custom": _ERROR_CODE}]}
        else:
            self.logs.append(f"Program {program} success")
        self._depth -= 1

    # -- native instructions -------------------------------------------------------------

    def compute_budget(self, units: int, micro_lamports: int) -> None:
        """Compute limit and price; the priority fee is their product, rounded up."""
        with self.call(COMPUTE_BUDGET, (), struct.pack("<BI", 2, units)):
            pass
        with self.call(COMPUTE_BUDGET, (), struct.pack("<BQ", 3, micro_lamports)):
            pass
        self.priority_fee = -(-units * micro_lamports // 1_000_000)

    def transfer_lamports(self, source: str, destination: str, lamports: int) -> None:
        """A System transfer."""
        info = {"source": source, "destination": destination, "lamports": lamports}
        data = struct.pack("<IQ", 2, lamports)
        with self.call(SYSTEM, (source, destination), data, parsed=("system", "transfer", info)):
            self._add_lamports(source, -lamports)
            self._add_lamports(destination, lamports)

    def move_owned_lamports(self, source: str, destination: str, lamports: int) -> None:
        """A program moving lamports of an account it owns: no instruction shows it."""
        self._add_lamports(source, -lamports)
        self._add_lamports(destination, lamports)

    # -- token instructions --------------------------------------------------------------

    def create_token_account(self, funder: str, holder: str, mint: Mint) -> int:
        """Open the associated account of a holder; returns the rent that the funder paid."""
        account = token_account_address(holder, mint.address, mint.token_program)
        names = ("source", "account", "wallet", "mint", "systemProgram", "tokenProgram")
        values = (funder, account, holder, mint.address, SYSTEM, mint.token_program)
        info = dict(zip(names, values, strict=True))
        with self.call(
            ATA_PROGRAM,
            values,
            b"\x01",
            log="CreateIdempotent",
            parsed=("spl-associated-token-account", "createIdempotent", info),
        ):
            self._size_account(mint)
            lamports = self._allocate(funder, account, mint)
            self._initialize(account, holder, mint)
        return lamports

    def _size_account(self, mint: Mint) -> None:
        with self._token_call(
            mint, (mint.address,), b"\x15", "GetAccountDataSize", "getAccountDataSize",
            {"mint": mint.address, "extensionTypes": ["immutableOwner"]},
        ):  # fmt: skip
            pass

    def _allocate(self, funder: str, account: str, mint: Mint) -> int:
        lamports = rent(mint.account_bytes)
        program = bytes(Pubkey.from_string(mint.token_program))
        data = struct.pack("<IQQ", 0, lamports, mint.account_bytes) + program
        info = {
            "source": funder,
            "newAccount": account,
            "lamports": lamports,
            "space": mint.account_bytes,
            "owner": mint.token_program,
        }
        with self.call(SYSTEM, (funder, account), data, parsed=("system", "createAccount", info)):
            self._add_lamports(funder, -lamports)
            self._add_lamports(account, lamports)
        return lamports

    def _initialize(self, account: str, holder: str, mint: Mint) -> None:
        with self._token_call(
            mint, (account,), b"\x16", "InitializeImmutableOwner", "initializeImmutableOwner",
            {"account": account},
        ):  # fmt: skip
            pass
        data = b"\x12" + bytes(Pubkey.from_string(holder))
        with self._token_call(
            mint, (account, mint.address), data, "InitializeAccount3", "initializeAccount3",
            {"account": account, "mint": mint.address, "owner": holder},
        ):  # fmt: skip
            held = self.ledger.get(account)
            self.ledger.balances[account] = replace(held, token=TokenState(mint, holder, 0))

    def _token_call(
        self, mint: Mint, accounts: tuple[str, ...], data: bytes, log: str, kind: str, info: dict
    ):
        return self.call(
            mint.token_program,
            accounts,
            data,
            log=f"Instruction: {log}",
            parsed=("spl-token", kind, info),
        )

    def transfer_tokens(self, source: str, destination: str, authority: str, amount: int) -> None:
        """A TransferChecked between two open token accounts of one mint."""
        held = self.ledger.get(source).token
        if held is None:
            raise ValueError(f"{source} is no token account")
        mint = held.mint
        info = {
            "source": source,
            "mint": mint.address,
            "destination": destination,
            "authority": authority,
            "tokenAmount": ui_amount(amount, mint.decimals),
        }
        data = struct.pack("<BQB", 12, amount, mint.decimals)
        accounts = (source, mint.address, destination, authority)
        with self._token_call(mint, accounts, data, "TransferChecked", "transferChecked", info):
            self._add_tokens(source, -amount)
            self._add_tokens(destination, amount)

    def mint_tokens(self, mint: Mint, account: str, authority: str, amount: int) -> None:
        """A MintTo into an open token account."""
        info = {
            "mint": mint.address,
            "account": account,
            "mintAuthority": authority,
            "amount": str(amount),
        }
        data = struct.pack("<BQ", 7, amount)
        accounts = (mint.address, account, authority)
        with self._token_call(mint, accounts, data, "MintTo", "mintTo", info):
            self._add_tokens(account, amount)

    def sync_native(self, account: str) -> None:
        """Make a wrapped-SOL account's token amount follow its lamports."""
        held = self.ledger.get(account)
        if held.token is None:
            raise ValueError(f"{account} is no token account")
        info = {"account": account}
        with self._token_call(
            held.token.mint, (account,), b"\x11", "SyncNative", "syncNative", info
        ):
            self._touch(account, writable=True)
            amount = held.lamports - rent(held.token.mint.account_bytes)
            self.ledger.balances[account] = replace(held, token=replace(held.token, amount=amount))

    def close_token_account(self, account: str, holder: str) -> int:
        """Close a token account; all its lamports go to the holder and are returned."""
        held = self.ledger.get(account)
        if held.token is None:
            raise ValueError(f"{account} is no token account")
        info = {"account": account, "destination": holder, "owner": holder}
        with self._token_call(
            held.token.mint,
            (account, holder, holder),
            b"\x09",
            "CloseAccount",
            "closeAccount",
            info,
        ):
            self._touch(account, writable=True)
            self._add_lamports(holder, held.lamports)
            self.ledger.balances[account] = Balance()
        return held.lamports

    # -- the end -------------------------------------------------------------------------

    def finish(self) -> BuiltTransaction:
        """Charge the fee (and undo everything else of a failed transaction) and give it back."""
        if self.error is not None:
            self.ledger.balances.update(self.before)
        fee = BASE_FEE * len(self.signers) + self.priority_fee
        self._add_lamports(self.payer, -fee)
        after = {address: self.ledger.get(address) for address in self.before}
        return BuiltTransaction(
            payer=self.payer,
            signers=self.signers,
            writable=frozenset(self.writable),
            keys=tuple(self.before),
            before=dict(self.before),
            after=after,
            calls=self.calls,
            logs=self.logs,
            fee=fee,
            error=self.error,
        )


def ui_amount(amount: int, decimals: int) -> dict:
    """A token amount as RPC answers show it; the float is what nodes send, never to be used."""
    whole, part = divmod(amount, 10**decimals)
    digits = f"{part:0{decimals}d}".rstrip("0") if decimals else ""
    text = f"{whole}.{digits}" if digits else str(whole)
    return {
        "amount": str(amount),
        "decimals": decimals,
        "uiAmount": float(text) if amount else None,
        "uiAmountString": text,
    }
