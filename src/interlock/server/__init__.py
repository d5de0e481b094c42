"""The server: an HTTP API, pages and live events, on top of a gate."""
