"""Tool calls: payloads, and the readers that turn them into effects."""
