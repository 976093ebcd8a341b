"""The command as a user runs it: another process, judged by its output and exit code."""

import os
import subprocess
import sys
from pathlib import Path

START = "from dagster_project.cli import main; main()"
REPOSITORY = Path(__file__).resolve().parents[2]


def tradebasis(
    *arguments: str | Path, checkout: Path = REPOSITORY
) -> subprocess.CompletedProcess[str]:
    """Run `tradebasis` of a checkout and wait for it."""
    return subprocess.run(
        [sys.executable, "-c", START, *map(str, arguments)],
        env=environment(checkout),
        # Python looks for modules in its own folder first.
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )


def environment(checkout: Path = REPOSITORY) -> dict[str, str]:
    """This environment, with the checkout's own modules and none of a data folder's names."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TRADEBASIS_")}
    return {**kept, "PYTHONPATH": str(checkout)}


def succeeded(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a command printed, or fail with what it complained of."""
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
