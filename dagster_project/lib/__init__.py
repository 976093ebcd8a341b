"""Logic that assets and commands call; no Dagster definitions in here."""
