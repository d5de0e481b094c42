"""Calls of libraries: their effects."""
