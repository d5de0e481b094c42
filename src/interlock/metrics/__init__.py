"""Metrics: decisions and their risk over time, and what became of approval requests."""
