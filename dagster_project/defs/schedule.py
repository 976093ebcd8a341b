"""The nightly job and when it runs."""

import dagster as dg

nightly = dg.define_asset_job(
    "nightly",
    selection=dg.AssetSelection.all(),
    description="Decode what is new, build and test the warehouse, publish it.",
)

# Stopped until the operator starts it: a checkout must not begin to work by itself.
every_night = dg.ScheduleDefinition(
    name="every_night",
    job=nightly,
    cron_schedule="30 2 * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
)
