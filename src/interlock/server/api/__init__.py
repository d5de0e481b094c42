"""The HTTP API, one noun a file."""
