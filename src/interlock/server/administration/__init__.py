"""Administration: changes of people, keys, webhooks and settings, undoing them, and the health of a server."""
