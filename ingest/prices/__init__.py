"""Prices: candles of assets, imported from files into the raw lake."""
