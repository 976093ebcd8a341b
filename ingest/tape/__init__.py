"""The tape door: movements, assets and prices that people bring as files (CONTRACTS 1)."""
