"""Raw Solana transactions to movements: import, decode and the SQL of that half, nothing else."""

import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from dagster_project.lib.warehouse import opened
from ingest.solana.decode import decode_new
from ingest.solana.importing import import_transactions
from tests.support.command import REPOSITORY, environment

SEEDS = ("venues", "fee_accounts", "cash_assets", "ledger_rules", "instruction_meanings")
SELECTED = (*SEEDS, "staging.solana", "int_solana__*")
AMOUNTS = (
    "sent_raw",
    "received_raw",
    "network_fee",
    "tip",
    "bot_fee",
    "other_fee",
    "deposit",
)

Movement = dict[str, object]


@dataclass(frozen=True)
class Ledger:
    """What came of the transactions: movements by (signature, wallet), legs in order; the rest."""

    movements: dict[tuple[str, str | None], list[Movement]]
    rejects: list[Movement]
    breaks: list[Movement]

    def one(self, signature: str, wallet: str | None) -> Movement:
        """The only movement of a wallet in a transaction."""
        rows = self.movements[signature, wallet]
        assert len(rows) == 1, rows
        return rows[0]

    def wallets(self, signature: str) -> set[str | None]:
        """Who has a row in a transaction."""
        return {wallet for tx_id, wallet in self.movements if tx_id == signature}


def build(files: list[Path], folder: Path) -> Ledger:
    """Import, decode and build, dbt's tests included; fails with what dbt complained of."""
    for file in files:
        import_transactions(file, folder)
    decode_new(folder)
    database = folder / "build" / "tradebasis.duckdb"
    database.parent.mkdir(parents=True, exist_ok=True)
    project = str(REPOSITORY / "dbt_project")
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("dbt")),
            "build",
            *("--project-dir", project, "--profiles-dir", project),
            *("--target-path", str(folder / "target"), "--log-path", str(folder / "logs")),
            *("--exclude-resource-type", "unit_test"),
            "--select",
            *SELECTED,
        ],
        env={
            **environment(),
            "TRADEBASIS_DATA": str(folder),
            "TRADEBASIS_BUILD_DB": str(database),
            "PATH": os.environ["PATH"],
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return _read(database)


def _read(database: Path) -> Ledger:
    with opened(database) as connection:

        def rows(table: str, order: str) -> list[Movement]:
            result = connection.execute(f"select * from intermediate.{table} order by {order}")
            names = [column[0] for column in result.description]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

        movements = defaultdict(list)
        for row in rows("int_solana__movements", "tx_id, wallet, leg"):
            for name in AMOUNTS:
                row[name] = None if row[name] is None else int(row[name])
            movements[row["tx_id"], row["wallet"]].append(row)
        return Ledger(
            movements=dict(movements),
            rejects=rows("int_solana__rejects", 'file, "row"'),
            breaks=rows("int_solana__accounts_chain", "account, before_tx_id"),
        )
