"""Refusals for hooks of coding agents. An agent takes an error response as permission, so it gets a refusal instead."""

from __future__ import annotations

from interlock.agents.coding import AGENTS, NAMES
from interlock.agents.hook.answer import refuse

#: The path of all hooks.
HOOKS = "/v1/hooks/"
#: The header with the status of the error, for people and monitoring.
STATUS_HEADER = "interlock-status"


def hook_refusal(path: str, why: str) -> bytes | None:
    """Return the refusal of a request that cannot be answered, in its agent's own format; None if it is no hook."""
    if not path.startswith(HOOKS):
        return None
    agent = path.removeprefix(HOOKS).strip("/")
    known = agent if agent in NAMES else AGENTS[0].name  # any format will do: it is a refusal in all
    return refuse(known, None, f"the decision failed: {why}").stdout
