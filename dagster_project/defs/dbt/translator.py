"""How a dbt node looks in Dagster."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
from dagster_dbt import DagsterDbtTranslator, DbtProject


def group_of(fqn: list[str], resource_type: str) -> str:
    """The group of a node, from the folder it lies in.

    Seeds are `reference`; an intermediate model belongs to its sub-folder's subject (`ledger`,
    `values`, `replay`, `figures`); everything else to its layer (`staging`, `marts`).

    Args:
        fqn: The node's path: project, folders, name.
        resource_type: dbt's word for what the node is.
    """
    if resource_type == "seed":
        return "reference"
    folders = fqn[1:-1]
    return folders[1] if folders[0] == "intermediate" else folders[0]


class FolderTranslator(DagsterDbtTranslator):
    """Groups by folder; whatever else differs stands in the model's `config.meta.dagster`."""

    def get_asset_spec(
        self, manifest: Mapping[str, Any], unique_id: str, project: DbtProject | None
    ) -> dg.AssetSpec:
        """Add the folder's group to dagster-dbt's own specification."""
        spec = super().get_asset_spec(manifest, unique_id, project)
        node = self.get_resource_props(manifest, unique_id)
        if node["resource_type"] == "source":
            return spec
        return spec.replace_attributes(group_name=group_of(node["fqn"], node["resource_type"]))
