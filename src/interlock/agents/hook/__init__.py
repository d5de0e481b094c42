"""The hook: a coding agent's call is parsed, decided, and answered in the agent's own dialect."""
