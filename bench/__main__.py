"""Every measurement in one run and one table: `python -m bench` (or `make bench`).

Each `bench_*` module has a `run()` that returns rows of `what`, `size`, `measured`, `against`,
`ratio`, `must` and `ok`. Ratios within one run say more than seconds, which belong to a machine.
"""

import importlib
from pathlib import Path

from rich.console import Console
from rich.table import Table

COLUMNS = ("what", "size", "measured", "against", "ratio", "must", "ok")


def main() -> None:
    """Run every benchmark and print the table."""
    table = Table(*COLUMNS)
    for module in sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py")):
        for row in importlib.import_module(f"bench.{module}").run():
            cells = {**row, "ok": "yes" if row["ok"] else "NO"}
            table.add_row(*(str(cells[name]) for name in COLUMNS))
    Console().print(table)


if __name__ == "__main__":
    main()
