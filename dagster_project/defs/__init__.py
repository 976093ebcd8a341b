"""Definitions only: each module wires functions of `lib` and `ingest` to Dagster."""
