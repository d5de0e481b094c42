"""Repetition: one deletion or message is nothing; the sixth of the same kind in a run adds up to something larger."""

from __future__ import annotations

from interlock.levels import Level
from interlock.memory.leak import is_read_by_everyone
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Finding

RULE = "repeated_call"
#: After so many calls of a tool, and after as many again, somebody is asked whether that was meant.
EVERY = 5
_ADDING_UP = frozenset("record.delete tool.destroy account.change access.grant order.place payment.send".split())
_OUTSIDE = frozenset({"outside", "unknown", "public"})


def find_repetition(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a tool that deletes, grants, pays or writes to strangers is called again and again."""
    before = state.calls.get(action.tool_name, state.calls.get("", 0))
    if not before or before % EVERY:
        return None
    for effect in analysis.effects:
        far = effect.kind == "message.send" and not effect.flags.isdisjoint(_OUTSIDE)
        posted = effect.kind == "record.change" and is_read_by_everyone(action)
        if (effect.kind in _ADDING_UP or far or posted) and "practice" not in effect.flags:
            reason = f"Call {before + 1} of `{action.tool_name}` in this run: together they may be more than was meant"
            return Finding(RULE, Level.HIGH, reason, effect.span)
    return None
