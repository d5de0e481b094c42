"""Policies that are kept in a store: written in versions, restored, and tried on what has been."""
