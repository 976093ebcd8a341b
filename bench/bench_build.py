"""A full build of synthetic tapes: seconds per phase, growth from one size to ten times it.

Run `python -m bench.bench_build [MOVEMENTS]` in the checkout. The smallest build, of an empty
folder, is what orchestration alone costs: parse, plan, start, every data test, publish.
"""

import logging
import resource
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import duckdb

from dagster_project.definitions import defs
from dagster_project.lib.build import build
from dagster_project.settings import DataFolder

SMALL = 100_000
EMPTY_BUILD_S = 25
GROWTH = 11

SOL = "So11111111111111111111111111111111111111112"
USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
DAYS = 40

# Ten trades in a row of one wallet are of one token, bought and sold in turn: some 50 movements a
# wallet, half of them paid in SOL, one in a hundred a transfer.
MOVEMENTS = f"""
    with numbered as (
        select i, i % ({{rows}} // 50) as wallet_no, i // ({{rows}} // 50) as turn
        from range({{rows}}) as r(i)
    ),
    dealt as (
        select
            i,
            wallet_no,
            'T' || lpad(((wallet_no * 7 + turn // 10) % 2000)::varchar, 42, 'x') as token,
            case when hash(i) % 100 = 0 then 'transfer_in' else 'swap' end as kind,
            turn % 2 = 0 as is_buy,
            if(wallet_no % 2 = 0, '{SOL}', '{USDC}') as cash,
            (1000 + hash(i, 1) % 1000000)::varchar as qty,
            if(wallet_no % 2 = 0, '0.', '') || (100 + hash(i, 2) % 900)::varchar as paid
        from numbered
    )
    select
        'solana' as chain,
        'tx' || lpad(i::varchar, 12, '0') as tx_id,
        1000 + i // 4 as block,
        i % 4 as tx_index,
        epoch(timestamp '2025-03-01') + (i // 4) * {DAYS * 86400} // ({{rows}} // 4) as block_time,
        'W' || lpad(wallet_no::varchar, 42, 'x') as wallet,
        0 as leg,
        kind,
        if(kind = 'swap', if(is_buy, cash, token), null) as sent_asset,
        if(kind = 'swap', if(is_buy, paid, qty), null) as sent_amount,
        if(kind = 'swap' and not is_buy, cash, token) as received_asset,
        if(kind = 'swap' and not is_buy, paid, qty) as received_amount,
        '0.000005' as network_fee,
        'Jupiter' as venue
    from dealt
"""
ASSETS = f"""
    select 'solana' as chain, '{SOL}' as address, 'SOL' as symbol, 9 as decimals, 'native' as role
    union all
    select 'solana', '{USDC}', 'USDC', 6, 'stable'
    union all
    select 'solana', 'T' || lpad(i::varchar, 42, 'x'), 'T' || i, 6, 'token' from range(2000) as r(i)
"""
PRICES = f"""
    select
        'solana' as chain,
        '{SOL}' as address,
        epoch(timestamp '2025-03-01')::bigint + i * 60 as time,
        (140 + i % 20)::varchar as price_usd,
        'minute' as resolution,
        'bench' as source
    from range({DAYS * 1440}) as r(i)
"""


def write_tape(folder: Path, rows: int) -> Path:
    """Write a tape of so many movements."""
    folder.mkdir()
    with duckdb.connect() as connection:
        queries = {"movements": MOVEMENTS.format(rows=rows), "assets": ASSETS, "prices": PRICES}
        for table, query in queries.items():
            connection.execute(f"copy ({query}) to '{folder}/{table}.parquet'")
    return folder


class _Phases(logging.Handler):
    """Takes the time at which the build says that something begins."""

    NAMES = {  # noqa: RUF012
        "Building the ledger": "ledger",
        "Replaying": "replay",
        "Building the marts": "marts",
        "Writing the exports": "exports",
        "Publishing": "publish",
    }

    def __init__(self) -> None:
        super().__init__()
        self.marks = [("start", time.perf_counter())]

    def emit(self, record: logging.LogRecord) -> None:
        for beginning, name in self.NAMES.items():
            if record.getMessage().startswith(beginning):
                self.marks.append((name, time.perf_counter()))

    def seconds(self) -> dict[str, float]:
        ends = [*self.marks[1:], ("end", time.perf_counter())]
        return {name: end - begin for (name, begin), (_, end) in zip(self.marks, ends, strict=True)}


@contextmanager
def phases():
    """Time the phases of the builds within."""
    logger, handler = logging.getLogger("tradebasis"), _Phases()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield handler
    finally:
        logger.removeHandler(handler)


def measure(rows: int) -> tuple[float, str]:
    """Build a tape of so many movements; total seconds, and seconds per phase in words."""
    with tempfile.TemporaryDirectory() as folder:
        tape = write_tape(Path(folder) / "tape", rows) if rows else None
        job = defs().resolve_job_def("nightly")
        with phases() as timed:
            summary = build(job, DataFolder(Path(folder) / "data"), tape=tape)
            seconds = timed.seconds()
        assert summary.tables["movements"] == rows
    return sum(seconds.values()), ", ".join(f"{name} {s:.1f}" for name, s in seconds.items())


def run(small: int = SMALL) -> list[dict]:
    """Measure; a row for the empty build and one for each size."""
    empty, empty_phases = measure(0)
    first, first_phases = measure(small)
    second, second_phases = measure(small * 10)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024**2
    return [
        {
            "what": "build of an empty folder",
            "size": "0 movements",
            "measured": f"{empty:.1f} s",
            "against": empty_phases,
            "ratio": round(empty / EMPTY_BUILD_S, 2),
            "must": "<= 1 (25 s)",
            "ok": empty <= EMPTY_BUILD_S,
        },
        {
            "what": "full build",
            "size": f"{small:,} movements",
            "measured": f"{first:.1f} s",
            "against": first_phases,
            "ratio": round(first / empty, 2),
            "must": "",
            "ok": True,
        },
        {
            "what": "full build",
            "size": f"{small * 10:,} movements, dbt's peak {peak:.1f} GiB",
            "measured": f"{second:.1f} s",
            "against": second_phases,
            "ratio": round(second / first, 2),
            "must": f"<= {GROWTH} x the smaller",
            "ok": second / first <= GROWTH,
        },
    ]


def main() -> None:
    """Print the measurements."""
    for row in run(*(int(argument) for argument in sys.argv[1:2])):
        for name, value in row.items():
            print(f"{name:10} {value}")


if __name__ == "__main__":
    main()
