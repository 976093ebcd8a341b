"""The replay kernel: pure, Arrow in and Arrow out."""
