"""The audit chain: signed and hash-linked records of every decision and approval."""
