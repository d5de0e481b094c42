"""Python, read through its own parser: imports, constants, calls."""
