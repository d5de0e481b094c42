"""Who may come in: people and keys with roles, one-time links, and sessions."""
