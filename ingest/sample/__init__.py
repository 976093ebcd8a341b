"""A seeded synthetic market that emits RPC-shaped responses with known truth."""

from ingest.sample.market import SampleSummary, write_sample

__all__ = ["SampleSummary", "write_sample"]
