"""Policies in the store: written in versions, restored, and simulated on past actions."""
