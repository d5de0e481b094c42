"""Other agents: what an action tells them, and the files that they obey."""
