"""Arrows of the design run one way; this walks every import and fails on any other edge."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

# (files, what of ours they may import, what of others they may not). The first match holds.
RULES = [
    ("ingest/", ("ingest",), ("dagster", "dagster_dbt", "dbt")),
    (
        "dagster_project/settings.py",
        ("ingest.errors",),
        ("dagster", "dagster_dbt", "dbt", "duckdb"),
    ),
    (
        "dagster_project/lib/replay/",
        ("dagster_project.lib.replay", "dagster_project.lib.exact"),
        ("dagster", "dagster_dbt", "dbt", "duckdb"),
    ),
    ("dagster_project/lib/exact.py", (), ("dagster", "dagster_dbt", "dbt", "duckdb")),
    (
        "dagster_project/lib/",
        ("dagster_project.lib", "dagster_project.settings", "ingest"),
        ("dagster_dbt",),
    ),
    (
        "dagster_project/defs/",
        ("dagster_project.defs", "dagster_project.lib", "dagster_project.settings", "ingest"),
        (),
    ),
    ("dagster_project/definitions.py", (), ()),
    # The command starts the job, so it alone may know the definitions.
    (
        "dagster_project/cli.py",
        (
            "dagster_project.definitions",
            "dagster_project.lib",
            "dagster_project.settings",
            "ingest",
        ),
        ("dagster_dbt", "dbt", "duckdb"),
    ),
    ("dagster_project/__init__.py", (), ()),
]
OURS = ("ingest", "dagster_project", "bench", "tests")


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where they lead"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def wrong_edges(file: str, source: str) -> list[str]:
    allowed, forbidden = next(rule[1:] for rule in RULES if file.startswith(rule[0]))
    return [
        f"{file} imports {module}"
        for module in imports(ast.parse(source))
        if within(module, forbidden) or (within(module, OURS) and not within(module, allowed))
    ]


def sources(repository: Path) -> list[Path]:
    return sorted(
        path
        for package in ("ingest", "dagster_project")
        for path in (repository / package).rglob("*.py")
    )


def test_every_import_goes_the_way_of_the_design(repository):
    found = [
        edge
        for path in sources(repository)
        for edge in wrong_edges(path.relative_to(repository).as_posix(), path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("ingest/lake.py", "import dagster"),
        ("ingest/solana/decode.py", "from dagster_project.settings import DataFolder"),
        ("dagster_project/lib/replay/run.py", "import duckdb"),
        ("dagster_project/lib/replay/run.py", "from dagster_project.lib import warehouse"),
        ("dagster_project/lib/build.py", "from dagster_project.definitions import defs"),
        ("dagster_project/lib/build.py", "from dagster_project.defs import raw"),
        ("dagster_project/defs/raw.py", "def f():\n    from tests import conftest"),
    ],
)
def test_the_walk_sees_a_wrong_edge(file, source):
    assert len(wrong_edges(file, source)) == 1


def attributes(tree: ast.AST, owner: str, name: str) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.value, ast.Name)
        and node.value.id == owner
        for node in ast.walk(tree)
    )


def test_one_reader_of_the_environment(repository):
    readers = [
        path.relative_to(repository).as_posix()
        for path in sources(repository)
        if attributes(tree := ast.parse(path.read_text()), "os", "environ")
        or attributes(tree, "os", "getenv")
    ]
    assert readers == ["dagster_project/settings.py"]


def test_one_opener_of_the_warehouse(repository):
    openers = [
        path.relative_to(repository).as_posix()
        for path in sources(repository)
        if path.is_relative_to(repository / "dagster_project")
        and attributes(ast.parse(path.read_text()), "duckdb", "connect")
    ]
    assert openers == ["dagster_project/lib/warehouse.py"]


def test_definitions_stay_short(repository):
    lines = (repository / "dagster_project" / "definitions.py").read_text().splitlines()
    assert len(lines) < 40
