"""The conventions of the SQL, read from dbt's manifest and the empty warehouse."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

EXCEPTIONS = Path(__file__).with_name("exceptions.csv")
KEY_TESTS = ("unique", "unique_key", "unique_combination")
STAGING_NAME = re.compile(r"stg_(?P<source>[a-z]+)__[a-z][a-z_]*")
INTERMEDIATE_NAME = re.compile(r"int_[a-z][a-z_]*")
MART_NAME = re.compile(r"(?!stg_|int_|fct_|dim_)[a-z][a-z_]*")
# Any comparison of a column called `method` with a literal.
METHOD_ASKED = re.compile(r"\bmethod\b\s*(=|<>|!=|in\b|like\b)\s*\(?\s*'", re.IGNORECASE)


def models(manifest: dict, folder: str | None = None) -> Iterator[dict]:
    for node in manifest["nodes"].values():
        if node["resource_type"] == "model" and folder in (None, node["fqn"][1]):
            yield node


def parents(manifest: dict, node: dict) -> Iterator[dict]:
    for unique_id in node["depends_on"]["nodes"]:
        yield manifest["nodes"].get(unique_id) or manifest["sources"][unique_id]


def excepted(rule: str) -> set[tuple[str, str]]:
    with EXCEPTIONS.open(newline="") as file:
        return {(row["node"], row["other"]) for row in csv.DictReader(file) if row["rule"] == rule}


def test_every_exception_has_a_reason():
    with EXCEPTIONS.open(newline="") as file:
        assert [row for row in csv.DictReader(file) if not row["reason"].strip()] == []


def test_everything_is_described(manifest):
    nodes = [
        *models(manifest),
        *manifest["sources"].values(),
        *(node for node in manifest["nodes"].values() if node["resource_type"] == "seed"),
    ]
    missing = [node["name"] for node in nodes if not node["description"].strip()]
    missing += [
        f"{node['name']}.{column['name']}"
        for node in nodes
        for column in node["columns"].values()
        if not column["description"].strip()
    ]
    assert missing == []


def test_documented_columns_are_the_columns(manifest, dbt):
    real = dbt.columns()
    documented = {
        node["name"]: [column["name"].strip('"') for column in node["columns"].values()]
        for node in manifest["nodes"].values()
        if node["resource_type"] in ("model", "seed")
    }
    different = {
        name: sorted(set(columns) ^ set(real[name]))
        for name, columns in documented.items()
        if set(columns) != set(real[name])
    }
    assert different == {}


def test_every_mart_has_a_contract_with_a_type_for_each_column(manifest):
    loose = [node["name"] for node in models(manifest, "marts") if not node["contract"]["enforced"]]
    loose += [
        f"{node['name']}.{column['name']}"
        for node in models(manifest, "marts")
        for column in node["columns"].values()
        if not column["data_type"]
    ]
    assert loose == []


@pytest.mark.parametrize("folder", ["staging", "intermediate", "marts"])
def test_every_model_has_a_key_test(manifest, folder):
    keyed = {
        test["attached_node"]
        for test in manifest["nodes"].values()
        if test["resource_type"] == "test"
        and test.get("test_metadata")
        and test["test_metadata"]["name"] in KEY_TESTS
    }
    unkeyed = {node["name"] for node in models(manifest, folder) if node["unique_id"] not in keyed}
    assert unkeyed == {node for node, _ in excepted("key test")} & {
        node["name"] for node in models(manifest, folder)
    }


def test_names_tell_the_layer(manifest):
    wrong = []
    for node in models(manifest):
        layer, name = node["fqn"][1], node["name"]
        if layer == "staging":
            match = STAGING_NAME.fullmatch(name)
            fits = bool(match) and match["source"] == node["fqn"][2]
        else:
            pattern = {"intermediate": INTERMEDIATE_NAME, "marts": MART_NAME}[layer]
            fits = bool(pattern.fullmatch(name))
        if not fits:
            wrong.append(name)
    assert wrong == []


def test_only_staging_reads_sources(manifest):
    wrong = [
        (node["name"], parent["name"])
        for node in models(manifest)
        for parent in parents(manifest, node)
        if parent["resource_type"] == "source" and node["fqn"][1] != "staging"
    ]
    assert wrong == []


def test_arrows_run_from_staging_to_marts(manifest):
    """Staging reads sources, marts read intermediates and marts; exceptions say why."""
    allowed = {
        "staging": ("source",),
        "intermediate": ("seed", "staging", "intermediate"),
        "marts": ("seed", "intermediate", "marts"),
    }
    wrong = {
        (node["name"], parent["name"])
        for node in models(manifest)
        for parent in parents(manifest, node)
        if (parent["fqn"][1] if parent["resource_type"] == "model" else parent["resource_type"])
        not in allowed[node["fqn"][1]]
    }
    assert wrong == excepted("layers")


def sql_files(repository: Path) -> list[Path]:
    folders = ("models", "macros", "tests")
    return [
        path for folder in folders for path in (repository / "dbt_project" / folder).rglob("*.sql")
    ]


def test_no_sql_asks_for_a_method_by_name(repository):
    with (repository / "dbt_project" / "seeds" / "methods.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    # A basis may be called like the method that is known for it.
    names = {row["method"] for row in rows} - {row["basis"] for row in rows}
    found = [
        path.name
        for path in sql_files(repository)
        if METHOD_ASKED.search(text := path.read_text())
        or any(f"'{name}'" in text for name in names)
    ]
    assert found == []


def test_every_model_ends_with_its_final_cte(repository):
    lasts = {
        path.name: path.read_text().rstrip().splitlines()[-1]
        for path in (repository / "dbt_project" / "models").rglob("*.sql")
    }
    assert {name: last for name, last in lasts.items() if last != "select * from final"} == {}


def test_test_arguments_stand_where_both_dbts_read_them(repository):
    texts = [
        path.read_text()
        for path in (repository / "dbt_project").rglob("*.yml")
        if "target" not in path.parts
    ]
    assert not any(re.search(r"^\s*(tests|version):", text, re.MULTILINE) for text in texts)
