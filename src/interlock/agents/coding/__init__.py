"""The coding agents. To add one: a module here that declares an `Agent`, and a line in `AGENTS`."""

from __future__ import annotations

from interlock.agents.coding import claude_code, codex, copilot, cursor, gemini, qwen_code
from interlock.agents.coding.agent import Agent
from interlock.errors import InvalidActionError, nearest

AGENTS: tuple[Agent, ...] = (
    claude_code.AGENT,
    codex.AGENT,
    gemini.AGENT,
    cursor.AGENT,
    copilot.AGENT,
    qwen_code.AGENT,
)
NAMES = tuple(agent.name for agent in AGENTS)
_BY_NAME = {agent.name: agent for agent in AGENTS}


def find_agent(name: str) -> Agent:
    """Return an agent by its name, or raise."""
    if name not in _BY_NAME:
        raise InvalidActionError(f"there is no agent `{name[:40]}`{nearest(name, list(NAMES))}")
    return _BY_NAME[name]
