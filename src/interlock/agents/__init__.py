"""Integrations: hooks for coding agents, a gateway for MCP, guards for agent frameworks."""

#: How long a call of an agent may be, in bytes.
MAX_CALL = 16_000_000
#: After how many seconds a hook refuses, unless `--deadline` says otherwise. An agent lets an action run when its hook
#: is late, so this comes before any agent's own limit.
DEADLINE_SECONDS = 25
#: Suffixes of the environment variables by which agents tell a hook about themselves. A hook passes these on to
#: the daemon without importing the agents' modules, which would take longer than the answer.
VARIABLE_SUFFIXES = ("_PROJECT_DIR", "_ENTRYPOINT")
