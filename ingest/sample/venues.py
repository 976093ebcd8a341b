"""The venues of the sample market: what each one's call looks like inside a transaction."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

from ingest.sample.chain import (
    Ledger,
    Mint,
    TransactionBuilder,
    program_address,
    token_account_address,
)
from ingest.sample.names import (
    PUMP_FUN,
    PUMP_SWAP,
    RAYDIUM_CLMM,
    RAYDIUM_CPMM,
    RAYDIUM_V4,
    SOL,
    SYSTEM,
    TOKEN,
    USDC,
    VENUE_NAMES,
)
from ingest.sample.prices import PricePaths, quote_out

WRAPPED_SOL = Mint(SOL, 9)
USD_COIN = Mint(USDC, 6)
_VAULT_TOKENS = 10**17
_VAULT_QUOTE = 10**16
_CURVE_FEE_DIVISOR = 100
_PROTOCOL_FEE_DIVISOR = 2_000

# Log line of a buy and of a sell, by program; Raydium v4 logs no instruction name.
_LOGS = {
    PUMP_FUN: ("Instruction: Buy", "Instruction: Sell"),
    PUMP_SWAP: ("Instruction: Buy", "Instruction: Sell"),
    RAYDIUM_CPMM: ("Instruction: SwapBaseInput", "Instruction: SwapBaseInput"),
    RAYDIUM_CLMM: ("Instruction: SwapV2", "Instruction: SwapV2"),
    RAYDIUM_V4: ("ray_log: A4CWmAAAAAAAAAAAAAAAAAA=", "ray_log: A4CWmAAAAAAAAAAAAAAAAAA="),
}
_METHODS = {
    PUMP_FUN: ("buy", "sell"),
    PUMP_SWAP: ("buy", "sell"),
    RAYDIUM_CPMM: ("swap_base_input", "swap_base_input"),
    RAYDIUM_CLMM: ("swap_v2", "swap_v2"),
}


def discriminator(method: str) -> bytes:
    """First eight bytes of an Anchor instruction."""
    return hashlib.sha256(f"global:{method}".encode()).digest()[:8]


@dataclass(frozen=True)
class Pool:
    """One market of a token (or of SOL) against a quote.

    Attributes:
        program: program that runs it; one in no reference table gives a swap without venue.
        token: what it trades.
        quote: wrapped SOL or USDC; a pump.fun curve takes native SOL.
        token_index: place of the token in the price paths; -1 is SOL itself.
        fee_points: fee in 1/10,000.
        depth: virtual quote reserve, raw units.
    """

    program: str
    token: Mint
    quote: Mint
    token_index: int
    fee_points: int
    depth: int

    @property
    def venue(self) -> str | None:
        """Name in the venue reference, None for a program in no table."""
        return VENUE_NAMES.get(self.program)

    @property
    def is_curve(self) -> bool:
        """Whether SOL is paid as lamports instead of wrapped SOL."""
        return self.program == PUMP_FUN

    @property
    def address(self) -> str:
        """State account; it owns the vaults."""
        return program_address(f"pool:{self.token.address}:{self.quote.address}", self.program)

    @property
    def token_vault(self) -> str:
        """Token account that holds the token side."""
        return token_account_address(self.address, self.token.address, self.token.token_program)

    @property
    def quote_vault(self) -> str:
        """Token account that holds the quote side (unused by a curve)."""
        return token_account_address(self.address, self.quote.address)

    @property
    def fee_receiver(self) -> str:
        """Protocol fee account: lamports for a curve, a token account elsewhere."""
        owner = program_address("protocol fees", self.program)
        return owner if self.is_curve else token_account_address(owner, self.quote.address)

    @property
    def accounts(self) -> frozenset[str]:
        """Accounts that a lookup table would hold."""
        return frozenset(
            (
                self.address,
                self.token_vault,
                self.quote_vault,
                self.fee_receiver,
                self.token.address,
                self.quote.address,
            )
        )

    def stock(self, ledger: Ledger) -> None:
        """Fill the vaults before the market starts."""
        ledger.fund(self.address, _VAULT_QUOTE if self.is_curve else 2_978_880)
        ledger.endow(self.address, self.token, _VAULT_TOKENS)
        if self.is_curve:
            if self.fee_receiver not in ledger.balances:
                ledger.fund(self.fee_receiver, 10**9)
            return
        ledger.endow(self.address, self.quote, _VAULT_QUOTE)
        if self.fee_receiver not in ledger.balances:
            owner = program_address("protocol fees", self.program)
            ledger.endow(owner, self.quote, 0)

    def price_at(self, paths: PricePaths, at: int) -> int:
        """Raw quote per raw token x 1e12."""
        if self.token_index < 0:
            return paths.sol_at(at) * 10**7
        if self.quote.address == SOL:
            return paths.token_at(self.token_index, at)
        return paths.token_in_usdc_at(self.token_index, at)

    def swap(
        self, tx: TransactionBuilder, paths: PricePaths, at: int, user: str, amount: int,
        *, buying: bool,
    ) -> int:  # fmt: skip
        """Emit the venue's call; returns the raw units that the user received.

        `amount` is everything the user pays: of the quote when buying, else of the token.
        """
        if self.is_curve:
            return self._curve_swap(tx, paths, at, user, amount, buying=buying)
        out = quote_out(
            amount, self.price_at(paths, at), self.depth, self.fee_points, buying=buying
        )
        token = token_account_address(user, self.token.address, self.token.token_program)
        quote = token_account_address(user, self.quote.address)
        with self._call(tx, user, token, quote, amount, out, buying=buying):
            if buying:
                fee = amount // _PROTOCOL_FEE_DIVISOR
                tx.transfer_tokens(self.token_vault, token, self.address, out)
                tx.transfer_tokens(quote, self.quote_vault, user, amount - fee)
                tx.transfer_tokens(quote, self.fee_receiver, user, fee)
            else:
                tx.transfer_tokens(token, self.token_vault, user, amount)
                tx.transfer_tokens(self.quote_vault, quote, self.address, out)
        return out

    def _curve_swap(
        self, tx: TransactionBuilder, paths: PricePaths, at: int, user: str, amount: int,
        *, buying: bool,
    ) -> int:  # fmt: skip
        price = self.price_at(paths, at)
        token = token_account_address(user, self.token.address, self.token.token_program)
        if buying:
            fee = amount // _CURVE_FEE_DIVISOR
            out = quote_out(amount - fee, price, self.depth, 0, buying=True)
            with self._call(tx, user, token, self.fee_receiver, amount, out, buying=True):
                tx.transfer_tokens(self.token_vault, token, self.address, out)
                tx.transfer_lamports(user, self.address, amount - fee)
                tx.transfer_lamports(user, self.fee_receiver, fee)
            return out
        gross = quote_out(amount, price, self.depth, 0, buying=False)
        fee = gross // _CURVE_FEE_DIVISOR
        with self._call(tx, user, token, self.fee_receiver, amount, gross - fee, buying=False):
            tx.transfer_tokens(token, self.token_vault, user, amount)
            tx.move_owned_lamports(self.address, user, gross - fee)
            tx.move_owned_lamports(self.address, self.fee_receiver, fee)
        return gross - fee

    def _call(
        self, tx: TransactionBuilder, user: str, token: str, other: str, amount: int, out: int,
        *, buying: bool, fails: bool = False,
    ):  # fmt: skip
        side = 0 if buying else 1
        if self.program == RAYDIUM_V4:
            data = struct.pack("<BQQ", 9, amount, out * 9 // 10)
        else:
            method = _METHODS.get(self.program, ("swap", "swap"))[side]
            data = discriminator(method) + struct.pack("<QQ", amount, out * 9 // 10)
        log = _LOGS.get(self.program, ("Instruction: Swap", "Instruction: Swap"))[side]
        vaults = (self.token_vault,) if self.is_curve else (self.token_vault, self.quote_vault)
        accounts = (self.address, user, self.token.address, token, other, *vaults, SYSTEM, TOKEN)
        return tx.call(self.program, accounts, data, log=log, fails=fails)

    def fail(self, tx: TransactionBuilder, user: str, amount: int) -> None:
        """A buy whose price moved too far: the call fails and moves nothing."""
        token = token_account_address(user, self.token.address, self.token.token_program)
        with self._call(tx, user, token, self.fee_receiver, amount, 0, buying=True, fails=True):
            pass

    def add_liquidity(
        self, tx: TransactionBuilder, user: str, tokens: int, quote: int, shares: Mint, minted: int
    ) -> None:
        """Both assets into the vaults, pool shares minted to the user (open account)."""
        token = token_account_address(user, self.token.address, self.token.token_program)
        cash = token_account_address(user, self.quote.address)
        held = token_account_address(user, shares.address, shares.token_program)
        accounts = (self.address, user, token, cash, held, self.token_vault, self.quote_vault)
        data = discriminator("deposit") + struct.pack("<QQQ", minted, tokens, quote)
        with tx.call(self.program, accounts, data, log="Instruction: Deposit"):
            tx.transfer_tokens(token, self.token_vault, user, tokens)
            tx.transfer_tokens(cash, self.quote_vault, user, quote)
            tx.mint_tokens(shares, held, self.address, minted)
