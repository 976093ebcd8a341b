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
SESSION = 7

# A wallet has 500 movements in sessions of seven of one token, a few minutes apart: buy, buy, sell,
# sell, buy, sell, sell. Popular tokens are met again, so a position has some seven events. Keys are
# as long and as hard to compress as the chain's. Of a hundred movements some 3 fail, 3 are token
# for token, 1 each arrives, leaves or is ambiguous; three wallets in four pay in SOL.
ADDRESS = "left(md5({number}::varchar) || md5({number}::varchar || 'b'), 43)"
MOVEMENTS = f"""
    with numbered as (
        select i, i % {{wallets}} as wallet_no, i // {{wallets}} as turn
        from range({{rows}}) as r(i)
    ),
    sessions as (
        select
            *,
            turn // {SESSION} as session,
            turn % {SESSION} as step,
            {DAYS * 86400} // ({{rows}} // {{wallets}} // {SESSION} + 1) as session_s,
            hash(i, 5) % 100 as dice
        from numbered
    ),
    dealt as (
        select
            *,
            least(
                hash(wallet_no, session) % {{tokens}}, hash(wallet_no, session, 1) % {{tokens}}
            )::bigint as token_no,
            if(wallet_no % 4 < 3, '{SOL}', '{USDC}') as cash,
            step in (0, 1, 4) as is_buy,
            session * session_s
            + (hash(wallet_no) % session_s)::bigint * 9 // 10
            + step * (5 + (hash(wallet_no, session, 3) % 900)::bigint) as second,
            (1000 + hash(i, 1) % 1000000)::bigint as units,
            case
                when dice < 3 then 'failed'
                when dice < 4 then 'transfer_in'
                when dice < 5 then 'transfer_out'
                when dice < 6 then 'ambiguous'
                when dice < 9 then 'token_for_token'
                else 'swap'
            end as what
        from sessions
    ),
    priced as (
        select
            *,
            'T' || {ADDRESS.format(number="token_no")} as token,
            'T' || {ADDRESS.format(number="((token_no + 1) % {tokens})")} as other_token,
            units * (1 + hash(token_no, 7) % 1000)::bigint
            * (95 + hash(token_no, second // 3600, 8) % 10)::bigint
            // if(cash = '{SOL}', 10, 100) as cash_raw
        from dealt
    )
    select
        'solana' as chain,
        md5(i::varchar) || md5(i::varchar || 'b') || left(md5(i::varchar || 'c'), 24) as tx_id,
        300000000 + second * 5 // 2 as block,
        (hash(i, 9) % 1500)::bigint as tx_index,
        epoch(timestamp '2025-03-01')::bigint + second as block_time,
        'W' || {ADDRESS.format(number="wallet_no")} as wallet,
        0 as leg,
        if(what = 'token_for_token', 'swap', what) as kind,
        case
            when what = 'swap' then if(is_buy, cash, token)
            when what in ('token_for_token', 'transfer_out') then token
        end as sent_asset,
        case
            when what = 'swap' and is_buy then {{paid}}
            when what in ('swap', 'token_for_token', 'transfer_out') then units::varchar
        end as sent_amount,
        case
            when what = 'swap' then if(is_buy, token, cash)
            when what = 'token_for_token' then other_token
            when what in ('transfer_in', 'ambiguous') then token
        end as received_asset,
        case
            when what = 'swap' and not is_buy then {{paid}}
            when what in ('swap', 'transfer_in', 'ambiguous') then units::varchar
            when what = 'token_for_token' then (units * 2)::varchar
        end as received_amount,
        '0.000005' as network_fee,
        if(dice % 2 = 0 and what <> 'failed', '0.0001', '0') as tip,
        if(what in ('swap', 'token_for_token') and dice % 10 > 0, 'Jupiter', null) as venue,
        if(what = 'ambiguous', 'liquidity', null) as reason
    from priced
"""
PAID = f"""if(
                cash = '{SOL}',
                (cash_raw::decimal(18, 0) * 0.000000001)::decimal(20, 9)::varchar,
                (cash_raw::decimal(18, 0) * 0.000001)::decimal(20, 6)::varchar
            )"""
ASSETS = f"""
    select 'solana' as chain, '{SOL}' as address, 'SOL' as symbol, 9 as decimals, 'native' as role
    union all
    select 'solana', '{USDC}', 'USDC', 6, 'stable'
    union all
    select 'solana', 'T' || {ADDRESS.format(number="i")}, 'T' || i, 6, 'token'
    from range({{tokens}}) as r(i)
"""
PRICES = f"""
    select
        'solana' as chain,
        '{SOL}' as address,
        epoch(timestamp '2025-03-01')::bigint + i * 60 as time,
        (140 + i % 20)::varchar as price_usd,
        'minute' as resolution,
        'bench' as source
    from range({(DAYS + 1) * 1440}) as r(i)
"""


def write_tape(folder: Path, rows: int) -> Path:
    """Write a tape of so many movements."""
    folder.mkdir()
    with duckdb.connect() as connection:
        sizes = {"rows": rows, "wallets": max(20, rows // 500), "tokens": max(50, rows // 2000)}
        queries = {
            "movements": MOVEMENTS.format(**sizes, paid=PAID),
            "assets": ASSETS.format(**sizes),
            "prices": PRICES,
        }
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
        tape = write_tape(Path(folder) / "tape", rows)
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
            "what": "build of an empty tape",
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
