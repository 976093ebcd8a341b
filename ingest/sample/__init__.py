"""A seeded synthetic market that emits RPC-shaped responses with known truth."""
