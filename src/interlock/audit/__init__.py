"""The audit chain: every step is a record, bound to the one before, and provable."""
