"""Metrics: decisions and their risk over time, and the outcomes of approval requests."""
