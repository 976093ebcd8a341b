"""What comes in: imported files, their decoded tables, the tape and the candles."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from dagster_project.defs.resources import Workspace
from dagster_project.lib.build import log
from dagster_project.lib.importing import decode_raw, need_raw
from dagster_project.lib.parquet_facts import facts
from ingest.prices.importing import ensure_prices
from ingest.solana.schema import TABLES as DECODED
from ingest.solana.schema import table_folder
from ingest.tape.read import ensure_tape, read_tape
from ingest.tape.schema import TABLES as TAPE

RAW_TRANSACTIONS = dg.AssetSpec(
    ["raw", "transactions"],
    group_name="raw",
    description="RPC responses as they were sent, appended by `tradebasis import`.",
)
RAW_CANDLES = dg.AssetSpec(
    ["raw", "candles"],
    group_name="raw",
    description="Candle files, appended by `tradebasis import`.",
)


PRICES = ("candles", "rejects")


@dg.multi_asset(
    name="decoded",
    specs=[
        dg.AssetSpec(["decoded", table], deps=[RAW_TRANSACTIONS], group_name="decoded")
        for table in DECODED
    ],
)
def decoded(workspace: Workspace) -> Iterator[dg.MaterializeResult]:
    """Flatten the raw files that this decoder has not read yet."""
    folder = workspace.folder
    decode_raw(folder)
    for table in DECODED:
        yield _result("decoded", table, table_folder(folder.root, table))


@dg.multi_asset(
    name="tape",
    specs=[dg.AssetSpec(["tape", table], group_name="raw") for table in TAPE],
)
def tape(workspace: Workspace) -> Iterator[dg.MaterializeResult]:
    """Read the tape into its normalised tables; without a tape they are empty."""
    folder = workspace.folder
    if workspace.tape:
        for warning in read_tape(Path(workspace.tape), folder.root, log.info).warnings:
            log.warning("%s", warning)
    else:
        need_raw(folder)
        ensure_tape(folder.root)
    for table in TAPE:
        yield _result("tape", table, folder.tape / f"{table}.parquet")


@dg.multi_asset(
    name="prices",
    specs=[
        dg.AssetSpec(["prices", table], deps=[RAW_CANDLES], group_name="raw") for table in PRICES
    ],
)
def prices(workspace: Workspace) -> Iterator[dg.MaterializeResult]:
    """Have the price tables stand, empty ones where nothing was imported."""
    folder = workspace.folder
    ensure_prices(folder.root)
    for table in PRICES:
        yield _result("prices", table, folder.raw_prices / table)


def _result(source: str, table: str, path: Path) -> dg.MaterializeResult:
    return dg.MaterializeResult(asset_key=[source, table], metadata=facts([path]))
