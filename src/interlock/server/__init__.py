"""The server: an HTTP API, web pages, live events and webhooks, on top of a gate."""
