"""Calls that open something at a service to which this run has given a private file.

The file goes up hidden, under another name, and gets an id there. The call that shows it names nothing but the id.
"""

from __future__ import annotations

from interlock.effects import TOOL_KINDS
from interlock.levels import Level
from interlock.memory.calls.arguments import argument_values
from interlock.memory.calls.tool_services import tool_service_of
from interlock.memory.calls.words import memory_words
from interlock.memory.exposures.private_names import source_kind
from interlock.memory.model import LEAK_RULE, Definition
from interlock.memory.state import RunState
from interlock.memory.taint.command_paths import full_path, has_ending
from interlock.memory.taint.propagation import find_taint
from interlock.model import Action, Analysis, Finding
from interlock.payload import leaves, plain_key
from interlock.sanitise import quotable

MAX_PATH = 200


def find_opened_upload(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a call shows something at a service that this run has given a private file."""
    if not analysis.effects or analysis.effects[0].kind not in TOOL_KINDS or analysis.effects[0].kind == "tool.read":
        return None
    service = tool_service_of(action.tool_name)
    if not service or not _opens(action):
        return None
    for one in reversed(state.definitions):
        path = _find_private_file(one, action, state) if tool_service_of(one.tool) == service else ""
        if path:
            reason = f"May open `{quotable(path)}`, which call {one.call} has given to the service"
            return Finding(LEAK_RULE, Level.HIGH, reason, analysis.effects[0].span, reversible=False, calls=(one.call,))
    return None


def _opens(action: Action) -> bool:
    """Whether a call says that something is shown to others, or hidden no longer."""
    known = memory_words()
    for name, value in argument_values(action.input_payload):
        key = plain_key(name)
        if (value is True and key in known.visible | known.opening) or (value is False and key in known.hiding):
            return True
        if isinstance(value, str) and value.lower() in known.visible and key in known.states | {"visibility", "access"}:
            return True
    return False


def _find_private_file(definition: Definition, action: Action, state: RunState) -> str:
    """Return the private file that a call was given, or an empty text."""
    for _, value in leaves(definition.arguments):
        if isinstance(value, str) and len(value) <= MAX_PATH and has_ending(value) and "\n" not in value:
            path = full_path(value, action)
            if source_kind(path, action) or find_taint(path, state.taints):
                return value
    return ""
