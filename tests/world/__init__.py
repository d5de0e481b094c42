"""Tests of what touches the world: the store, the chain, approvals and the gate, on both databases."""
