"""The command `tradebasis`: reads arguments, calls the libraries, prints.

Heavy libraries are imported inside the commands, so that `--help` answers at once.
"""

import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.exceptions import TyperException

from ingest.errors import InputError

if TYPE_CHECKING:
    from dagster_project.settings import DataFolder

app = typer.Typer(
    name="tradebasis",
    help="Turn blockchain transactions into trader figures people can trust.",
    pretty_exceptions_enable=False,
    add_completion=False,
)

METHOD = "moving_average"
WINDOW = "30d"

Data = Annotated[
    Path | None,
    typer.Option("--data", help="The data folder.  [default: TRADEBASIS_DATA, else data/]"),
]


def main() -> None:
    """Run the command; errors are one line, unless `--debug` asks for the traceback."""
    # Read before the arguments are parsed, so that it holds wherever it stands.
    debug = "--debug" in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        # Without arguments the help is the answer, not an error.
        sys.exit(app(arguments or ["--help"], standalone_mode=False))
    except InputError as error:
        _fail(str(error), debug=debug)
    except TyperException as error:
        _fail(f"{str(error).rstrip('.')}; see tradebasis --help", debug=debug)
    except (typer.Abort, KeyboardInterrupt):
        _fail("interrupted; what was published before still stands", debug=debug)
    except Exception as error:
        reason = " ".join(str(error).split()) or "no reason given"
        hint = "" if debug else "; --debug shows where"
        _fail(f"{type(error).__name__}: {reason}{hint}", debug=debug)


def _fail(message: str, *, debug: bool) -> None:
    if debug:
        raise
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in message)
    sys.stderr.write(f"error: {line}\n")
    sys.exit(1)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"tradebasis {version('tradebasis')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Options of every command."""


@app.command("import")
def import_(
    files: Annotated[list[Path], typer.Argument(help="Transactions (JSON lines) or candles.")],
    data: Data = None,
) -> None:
    """Put raw transactions or candles from files into the raw lake.

    Transactions are JSON lines of RPC results, plain, .gz or .zst; candles are CSV or Parquet
    with open_time, close and interval. A file imported before changes nothing.
    """
    with _progress():
        from dagster_project.lib.importing import import_files
        from dagster_project.settings import data_folder

        import_files(files, data_folder(data))


@app.command()
def decode(data: Data = None) -> None:
    """Flatten raw files that this version of the decoder has not read yet."""
    with _progress():
        from dagster_project.lib.importing import decode_raw
        from dagster_project.settings import data_folder

        decode_raw(data_folder(data))


@app.command()
def build(
    tape: Annotated[
        Path | None, typer.Option("--tape", help="A folder that is to be the whole ledger.")
    ] = None,
    as_of: Annotated[
        str,
        typer.Option("--as-of", help="ISO 8601 or epoch seconds.  [default: newest block time]"),
    ] = "",
    data: Data = None,
) -> None:
    """Decode what is new, build, test, publish and export the warehouse."""
    from dagster_project.lib.moments import parse_moment
    from dagster_project.settings import data_folder

    moment = parse_moment(as_of) if as_of else None
    if tape is not None and not tape.is_dir():
        raise InputError(f"--tape {tape} is no folder; name the folder that holds movements.csv")
    folder = data_folder(data)
    _build(folder, as_of=moment, tape=tape)
    _places(folder)


@app.command()
def top(
    method: Annotated[str, typer.Option(help="A method's id.")] = METHOD,
    window: Annotated[str, typer.Option(help="One of the method's windows.")] = WINDOW,
    limit: Annotated[int, typer.Option(min=1, help="Rows of each table.")] = 20,
    data: Data = None,
) -> None:
    """Show the published leaderboard, and who is not ranked and why."""
    from rich.console import Console

    from dagster_project.lib.show import leaderboard
    from dagster_project.settings import data_folder

    leaderboard(Console(), data_folder(data).database, method=method, window=window, limit=limit)


@app.command()
def demo(data: Data = None) -> None:
    """Generate the sample market, build its warehouse and show the leaderboard.

    Everything goes to the folder `demo` below the data folder, apart from real data.
    """
    from rich.console import Console

    from dagster_project.lib.moments import parse_moment
    from dagster_project.lib.show import leaderboard
    from dagster_project.settings import data_folder

    folder = data_folder(data_folder(data).root / "demo")
    with _progress():
        from dagster_project.lib.importing import import_files
        from ingest.sample.market import write_sample

        sample = write_sample(folder.root / "sample")
        import_files([sample.transactions, sample.candles], folder)
    _build(folder, as_of=parse_moment(sample.as_of))
    leaderboard(Console(), folder.database, method=METHOD, window=WINDOW, limit=20)
    _places(folder)


def _places(folder: "DataFolder") -> None:
    from rich.console import Console

    from dagster_project.lib.show import places

    places(Console(), folder)


def _progress() -> AbstractContextManager[None]:
    """Show what the libraries log, on standard error."""
    from rich.console import Console

    from dagster_project.lib.show import progress

    return progress(Console(stderr=True))


def _build(folder: "DataFolder", **asked: object) -> None:
    """Run the nightly job and print how it went."""
    from rich.console import Console

    from dagster_project.lib import show

    started = time.monotonic()
    with _progress():
        from dagster_project.definitions import defs
        from dagster_project.lib.build import build as run
        from dagster_project.lib.outcome import BuildError

        try:
            built = run(defs().resolve_job_def("nightly"), folder, **asked)
        except BuildError as error:
            show.failures(Console(stderr=True), error)
            raise
    show.summary(Console(), built, time.monotonic() - started)


if __name__ == "__main__":
    main()
