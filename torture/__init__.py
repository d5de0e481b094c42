"""Torture of the store: run it with `make torture`."""
