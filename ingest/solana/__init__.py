"""Solana: raw RPC responses into the lake, and their structural decoding."""
