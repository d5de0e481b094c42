"""Access: people and API keys with roles, one-time sign-in links, and sessions."""
