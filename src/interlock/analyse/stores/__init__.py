"""Data stores: their query languages, their HTTP interfaces, and scratch data."""
