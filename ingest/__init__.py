"""Extraction and decoding: a pure library that knows nothing of dbt or Dagster."""
