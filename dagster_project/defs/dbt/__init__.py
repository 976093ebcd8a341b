"""The SQL of the warehouse as assets: the ledger before the replay, the marts after it."""
