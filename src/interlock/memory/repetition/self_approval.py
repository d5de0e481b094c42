"""Approval of one's own work: a run may not release what it has created or submitted itself."""

from __future__ import annotations

from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.calls.tool_services import tool_service_of
from interlock.memory.calls.words import memory_words
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Finding
from interlock.payload import leaves

RULE = "own_work_approved"
MAX_VALUE = 60


def find_own_approval(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a call approves something at a service where this run has created or submitted something."""
    server = tool_service_of(action.tool_name)
    if not server or not analysis.effects or analysis.effects[0].kind == "tool.read" or not _approves(action):
        return None
    created = next(
        (
            tool
            for tool in state.calls
            if tool_service_of(tool) == server and not memory_words().creating.isdisjoint(split_words(tool))
        ),
        None,
    )
    if created is None or created == action.tool_name:
        return None
    reason = f"Approves at a service where this run has called `{created}`: nobody else may have looked at it"
    return Finding(RULE, Level.HIGH, reason, analysis.effects[0].span)


def _approves(action: Action) -> bool:
    """Whether a call approves or releases something, by its name or by the state that it sets."""
    if not memory_words().approving.isdisjoint(split_words(action.tool_name)):
        return True
    return any(
        key.lower() in memory_words().verdicts
        and isinstance(value, str)
        and len(value) <= MAX_VALUE
        and not memory_words().approving.isdisjoint(split_words(value.lower()))
        for key, value in leaves(action.input_payload)
    )
