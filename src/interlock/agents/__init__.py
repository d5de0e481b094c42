"""Agents where they run: hooks of coding agents, and what each of them can be told."""

#: How long a call of an agent may be, in bytes.
MAX_CALL = 16_000_000
