"""Writes the sample market: transactions as a node would send them, candles, and the truth."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from random import Random

from solders.hash import Hash
from solders.signature import Signature

from ingest.lake import replacing
from ingest.sample.actions import Style, World
from ingest.sample.actors import Intent, Planner, Tokens, plan
from ingest.sample.chain import (
    Balance,
    BuiltTransaction,
    Ledger,
    Mint,
    program_address,
    wallet_address,
)
from ingest.sample.encode import Envelope, encode
from ingest.sample.evaluate import Prices, evaluate
from ingest.sample.names import (
    BOTS,
    PROGRAMS,
    PUMP_FUN,
    PUMP_SWAP,
    RAYDIUM_CLMM,
    RAYDIUM_CPMM,
    RAYDIUM_V4,
    SOL,
    TIP_ACCOUNTS,
    TOKEN,
    TOKEN_2022,
)
from ingest.sample.numbers import FIRST_SLOT, LAMPORTS, SLOTS_PER_2_S, MarketNumbers
from ingest.sample.prices import PricePaths, candles, utc
from ingest.sample.truth import Break, Entry, Movement
from ingest.sample.venues import USD_COIN, WRAPPED_SOL, Pool

_PROGRAM_LAMPORTS = 1_141_440
_PUMP_DEPTH = 900 * LAMPORTS
_POOL_DEPTH = 6_000 * LAMPORTS
_USDC_DEPTH = 5_000_000 * 10**6
_SOL_POOL_DEPTH = 50_000_000 * 10**6
_MAIN_PROGRAMS = (PUMP_FUN, PUMP_SWAP, PUMP_FUN, RAYDIUM_V4, PUMP_FUN, RAYDIUM_CPMM)
_FEES = {PUMP_FUN: 0, PUMP_SWAP: 25, RAYDIUM_V4: 25, RAYDIUM_CPMM: 20, RAYDIUM_CLMM: 2}
# Sizes of Token-2022 accounts: immutable owner alone, and with one more extension.
_TOKEN_2022_BYTES = (170, 175)


@dataclass(frozen=True)
class SampleSummary:
    """What was written: paths and counts."""

    transactions: Path
    candles: Path
    truth: Path
    as_of: str
    wallets: int
    transaction_count: int
    movements: int
    kinds: dict[str, int]
    breaks: int
    ranked: dict[str, int]

    @property
    def files(self) -> tuple[Path, Path]:
        """What `tradebasis import` takes."""
        return self.transactions, self.candles


@dataclass
class Chain:
    """The market after it ran.

    Attributes:
        lines: RPC results (or wrappers without a body) in the order of the chain.
        entries: expected movements.
        breaks: expected breaks of the chain of balances.
        built: every transaction as built, also those whose bodies are missing.
        planner: who took part.
        paths: the prices.
    """

    lines: list[dict]
    entries: list[Entry]
    breaks: list[Break]
    built: list[BuiltTransaction]
    planner: Planner
    paths: PricePaths


class _BreakFinder:
    """Follows the balances that a reader of the bodies can see, and notes where they jump."""

    def __init__(self, wallets: dict[str, str]) -> None:
        self._wallets = wallets
        self._seen: dict[tuple[str, str], tuple[int, str]] = {}
        self.breaks: list[Break] = []

    def see(self, built: BuiltTransaction, signature: str) -> None:
        for account in built.keys:
            before = self._amounts(account, built.before[account])
            after = self._amounts(account, built.after[account])
            for key in sorted(before.keys() | after.keys()):
                self._step(key, before.get(key, 0), after.get(key, 0), signature)

    def _amounts(self, account: str, balance: Balance) -> dict[tuple[str, str, str], int]:
        if account in self._wallets:
            return {(account, account, SOL): balance.lamports}
        token = balance.token
        if token is None or token.holder not in self._wallets:
            return {}
        return {(token.holder, account, token.mint.address): token.amount}

    def _step(self, key: tuple[str, str, str], before: int, after: int, signature: str) -> None:
        last = self._seen.get(key)
        if last is not None and last[0] != before:
            self.breaks.append(Break(*key, last[1], signature, before - last[0]))
        self._seen[key] = (after, signature)


def _mints(numbers: MarketNumbers, seed: int) -> list[Mint]:
    mints = []
    for i in range(numbers.tokens):
        address = wallet_address(f"tradebasis sample mint {seed} {i}")
        decimals = 9 if i % 7 == 5 else 6
        if i % 6 == 4:
            size = _TOKEN_2022_BYTES[i // 6 % 2]
            mints.append(Mint(address, decimals, TOKEN_2022, size))
        else:
            mints.append(Mint(address, decimals, TOKEN))
    return mints


def _tokens(numbers: MarketNumbers, seed: int, mints: list[Mint]) -> Tokens:
    busy = numbers.tokens - numbers.quiet_tokens

    def pool(index: int, program: str, quote: Mint, depth: int) -> Pool:
        fee = _FEES.get(program, 30)
        return Pool(program, mints[index], quote, index, fee, depth)

    main = []
    for i in range(busy):
        program = _MAIN_PROGRAMS[i % len(_MAIN_PROGRAMS)]
        depth = _PUMP_DEPTH if program == PUMP_FUN else _POOL_DEPTH
        main.append(pool(i, program, WRAPPED_SOL, depth))
    quiet = [pool(i, PUMP_SWAP, WRAPPED_SOL, _POOL_DEPTH) for i in range(busy, numbers.tokens)]
    usdc = [pool(i, RAYDIUM_CLMM, USD_COIN, _USDC_DEPTH) for i in range(numbers.usdc_tokens)]
    strange_program = wallet_address(f"tradebasis sample program {seed}")
    shares = Mint(program_address(f"shares {seed}", PUMP_SWAP), 9)
    return Tokens(
        main=tuple(main),
        quiet=tuple(quiet),
        usdc=tuple(usdc),
        strange=pool(1, strange_program, WRAPPED_SOL, _POOL_DEPTH),
        liquidity=main[1],
        shares=shares,
    )


def _openings(rng: Random, mints: list[Mint]) -> list[int]:
    """Opening prices, lamports per raw unit x 1e12: fractions of a cent to some cents a token."""
    return [rng.randrange(2, 400) * 10 ** (15 - m.decimals) for m in mints]


def _stock(ledger: Ledger, planner: Planner, sol_pool: Pool, relay: str) -> None:
    tokens = planner.tokens
    for pool in (*tokens.main, *tokens.quiet, *tokens.usdc, tokens.strange, sol_pool):
        pool.stock(ledger)
    for address in (*TIP_ACCOUNTS, *(fee for _, _, fee in BOTS), relay):
        ledger.fund(address, LAMPORTS)
    for _, _, fee in BOTS:
        ledger.endow(fee, WRAPPED_SOL, 0)
    for address in (*PROGRAMS, *(router for _, router, _ in BOTS), tokens.strange.program):
        ledger.fund(address, _PROGRAM_LAMPORTS)
    for address in sorted(planner.wallets):
        ledger.fund(address, planner.numbers.wallet_lamports)
        ledger.endow(address, USD_COIN, planner.numbers.wallet_usdc)
    for holder, mint, amount in planner.endowments:
        ledger.endow(holder, mint, amount)
    mints = {p.token.address for p in (*tokens.main, *tokens.quiet)}
    for mint in sorted(mints | {USD_COIN.address, SOL, tokens.shares.address}):
        ledger.fund(mint, 1_461_600)


def _signatures(seed: int, number: int, count: int) -> list[str]:
    return [
        str(Signature.from_bytes(hashlib.sha512(f"{seed}:{number}:{k}".encode()).digest()))
        for k in range(count)
    ]


def _pick(rng: Random, numbers: MarketNumbers) -> tuple[str | int, str]:
    draw, kind = rng.random(), rng.random()
    version: str | int = 0
    if draw < numbers.legacy_share:
        version = "legacy"
    elif draw < numbers.legacy_share + numbers.v1_share:
        version = 1
    encoding = "json"
    if kind < numbers.jsonparsed_share:
        encoding = "jsonParsed"
    elif kind < numbers.jsonparsed_share + numbers.base64_share:
        encoding = "base64"
    return version, encoding


class _Runner:
    """Runs intents on the world, slot by slot."""

    def __init__(self, rng: Random, seed: int, planner: Planner, lookup: frozenset[str]) -> None:
        self._rng = rng
        self._seed = seed
        self._planner = planner
        self._lookup = lookup
        self._table = program_address(f"lookup table {seed}", PUMP_SWAP)
        self._finder = _BreakFinder(planner.wallets)
        self._number = 0
        self.lines: list[dict] = []
        self.entries: list[Entry] = []
        self.built: list[BuiltTransaction] = []

    @property
    def breaks(self) -> list[Break]:
        return self._finder.breaks

    def run_slot(self, at: int, intents: list[Intent]) -> None:
        """All intents of one second share a slot; their order in it is the plan's."""
        first = self._rng.randrange(40, 900)
        known = self._rng.random() >= self._planner.numbers.no_index_share
        # Without a place in the block the signature decides, so names follow the order.
        names = sorted(_signatures(self._seed, self._number, len(intents)))
        self._number += 1
        for k, intent in enumerate(intents):
            self._run(at, intent, names[k], first + 3 * k if known else None)

    def _run(self, at: int, intent: Intent, signature: str, tx_index: int | None) -> None:
        version, encoding = _pick(self._rng, self._planner.numbers)
        style = Style()
        if version != 1:
            style = Style(self._rng.randrange(90, 300) * 1_000, self._rng.randrange(1, 500_000))
        outcome = intent.run(self._planner.world, at, style)
        if outcome is None:
            return
        built, movements = outcome
        envelope = self._envelope(at, built, signature, tx_index, version, encoding)
        self.lines.append(self._line(built, envelope, intent.missing))
        self.built.append(built)
        if intent.missing:
            payer = built.payer if intent.missing == "meta" else None
            movements = [Movement(payer, "unfetched")]
            # A place in the block is told by a body only.
            tx_index = None
        else:
            self._finder.see(built, signature)
        for movement in movements:
            self.entries.append(
                Entry(signature, envelope.slot, tx_index, envelope.block_time, movement)
            )

    def _envelope(
        self,
        at: int,
        built: BuiltTransaction,
        signature: str,
        tx_index: int | None,
        version: str | int,
        encoding: str,
    ) -> Envelope:
        others = [
            str(Signature.from_bytes(hashlib.sha512(f"{signature}:{s}".encode()).digest()))
            for s in built.signers[1:]
        ]
        return Envelope(
            signatures=(signature, *others),
            slot=FIRST_SLOT + at * SLOTS_PER_2_S // 2,
            tx_index=tx_index,
            block_time=self._planner.numbers.start_epoch + at,
            version=version,
            encoding=encoding,
            blockhash=str(Hash(hashlib.sha256(signature.encode()).digest())),
            table=self._table,
            lookup=self._lookup,
        )

    def _line(self, built: BuiltTransaction, envelope: Envelope, missing: str) -> dict:
        if missing == "wrapper":
            return {
                "signature": envelope.signatures[0],
                "slot": envelope.slot,
                "blockTime": envelope.block_time,
                "tx": None,
            }
        body = encode(built, envelope)
        if missing == "meta":
            body["meta"] = None
        return body


def generate(seed: int, numbers: MarketNumbers) -> Chain:
    """Draw the plan, run it, and give back the chain with its truth. Same seed, same chain."""
    rng = Random(seed)  # noqa: S311 -- a reproducible market, not a secret
    mints = _mints(numbers, seed)
    paths = PricePaths.generate(rng, numbers, _openings(rng, mints))
    sol = Pool(RAYDIUM_CLMM, WRAPPED_SOL, USD_COIN, -1, 2, _SOL_POOL_DEPTH)
    relay = wallet_address(f"tradebasis sample relay {seed}")
    world = World(Ledger(), paths, sol, relay)
    tokens = _tokens(numbers, seed, mints)
    planner = plan(rng, numbers, world, tokens)
    _stock(world.ledger, planner, sol, relay)
    pools = (*tokens.main, *tokens.quiet, *tokens.usdc, tokens.strange, sol)
    lookup = frozenset().union(*(p.accounts for p in pools))
    runner = _Runner(rng, seed, planner, lookup)
    for at, intents in groupby(sorted(planner.intents), key=lambda i: i.at):
        runner.run_slot(at, list(intents))
    return Chain(runner.lines, runner.entries, runner.breaks, runner.built, planner, paths)


def _truth(chain: Chain, numbers: MarketNumbers, seed: int, prices: Prices) -> dict:
    figures = evaluate(chain.entries, prices, numbers.end_epoch)
    return {
        "seed": seed,
        "as_of": utc(numbers.end_epoch),
        "chain": "solana",
        "wallets": dict(sorted(chain.planner.wallets.items())),
        "movements": [
            {
                "tx_id": e.tx_id,
                "block": e.block,
                "tx_index": e.tx_index,
                "block_time": utc(e.block_time),
                **vars(e.movement),
            }
            for e in chain.entries
        ],
        "breaks": [vars(b) for b in chain.breaks],
        "moving_average": figures["wallets"],
        "positions": figures["positions"],
    }


def _write_text(path: Path, chunks: Iterator[str]) -> None:
    with (
        replacing(path) as temporary,
        temporary.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", compresslevel=5, fileobj=file, mtime=0) as packed,
    ):
        for chunk in chunks:
            packed.write(chunk.encode())


def _json_lines(lines: list[dict]) -> Iterator[str]:
    for line in lines:
        yield json.dumps(line, separators=(",", ":")) + "\n"


def _write_candles(path: Path, chain: Chain, numbers: MarketNumbers) -> None:
    with replacing(path) as temporary:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("open_time", "close", "interval"))
        for candle in candles(chain.paths, numbers, chain.planner.holes):
            whole, cents = divmod(candle.close_cents, 100)
            writer.writerow((utc(candle.open_time), f"{whole}.{cents:02d}", candle.interval))
        temporary.write_text(text.getvalue(), encoding="utf-8")


def _ranked(figures: list[dict]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for row in figures:
        counts[row["window"]] += row["rank"] is not None
    return dict(counts)


def write_sample(
    out_dir: Path | str, seed: int = 7, numbers: MarketNumbers | None = None
) -> SampleSummary:
    """Write a seeded market to a folder.

    Args:
        out_dir: folder to write to; made if missing. Files appear by rename.
        seed: the same seed and numbers give byte-identical files.
        numbers: sizes and chances; by default those of the demo.

    Returns:
        Paths and counts. `transactions.jsonl.gz` holds one getTransaction result a line,
        `candles.csv` SOL candles (open_time, close, interval), `truth.json.gz` what the
        warehouse must find: movements, breaks, and figures of METHODS 3.1 by wallet and window.
    """
    numbers = numbers or MarketNumbers()
    folder = Path(out_dir)
    chain = generate(seed, numbers)
    series = candles(chain.paths, numbers, chain.planner.holes)
    prices = Prices.from_candles((c.open_time, c.close_cents, c.interval) for c in series)
    truth = _truth(chain, numbers, seed, prices)
    paths = {
        "transactions": folder / "transactions.jsonl.gz",
        "candles": folder / "candles.csv",
        "truth": folder / "truth.json.gz",
    }
    _write_text(paths["transactions"], _json_lines(chain.lines))
    _write_candles(paths["candles"], chain, numbers)
    _write_text(paths["truth"], iter((json.dumps(truth, separators=(",", ":")),)))
    return SampleSummary(
        **paths,
        as_of=truth["as_of"],
        wallets=len(chain.planner.wallets),
        transaction_count=len(chain.lines),
        movements=len(chain.entries),
        kinds=dict(sorted(Counter(e.movement.kind for e in chain.entries).items())),
        breaks=len(chain.breaks),
        ranked=_ranked(truth["moving_average"]),
    )
