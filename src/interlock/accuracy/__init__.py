"""Labelled actions through the real engine: what was stopped, what was not, and which finding decided."""
