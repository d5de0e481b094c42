"""The store: one schema, on SQLite or PostgreSQL."""
