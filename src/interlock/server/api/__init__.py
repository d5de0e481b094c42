"""The HTTP API, one resource a file."""
