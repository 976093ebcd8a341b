"""The ledger of the real transactions, built once."""

import pytest

from tests.support.solana_ledger import Ledger, build


@pytest.fixture(scope="session")
def real_ledger(shared, tmp_path_factory) -> Ledger:
    """Movements of every real transaction; dbt's tests have held on all of them."""
    file = shared / "data" / "solana" / "transactions.jsonl.gz"
    if not file.is_file():
        pytest.skip(f"no real transactions at {file}")
    return build([file], tmp_path_factory.mktemp("real"))
