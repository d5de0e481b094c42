"""Repetition: one deletion or message is harmless; the sixth of the same kind in a run adds up to something larger."""

from __future__ import annotations

from functools import cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ToolVerbs
from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.calls.words import memory_words
from interlock.memory.exposures.destinations import EXTERNAL_FLAGS, is_read_by_everyone
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Finding
from interlock.payload import leaves

RULE = "repeated_call"
#: Every so many calls of a tool, a person is asked whether that is intended.
EVERY = 5
_ADDING_UP = frozenset("record.delete tool.destroy account.change access.grant order.place payment.send".split())


@cache
def _removal_verbs() -> frozenset[str]:
    return frozenset(read_table("tool-verbs", ToolVerbs).groups["remove"])


def is_removal(action: Action) -> bool:
    """Whether a tool removes something, by its name."""
    return not _removal_verbs().isdisjoint(split_words(action.tool_name))


def _names_amount(action: Action) -> bool:
    """Whether a call is about money: payments in parts can get around a limit for one payment."""
    if memory_words().payments.isdisjoint(split_words(action.tool_name)):
        return False
    return any(
        isinstance(value, (int, float)) and not isinstance(value, bool) and key.lower() in memory_words().amounts
        for key, value in leaves(action.input_payload)
    )


def find_repetition(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a tool that deletes, grants, pays or writes to strangers is called again and again."""
    before = state.calls.get(action.tool_name, state.calls.get("", 0))
    if not before or before % EVERY:
        return None
    for effect in analysis.effects:
        far = effect.kind == "message.send" and not effect.flags.isdisjoint(EXTERNAL_FLAGS)
        counted = effect.kind in _ADDING_UP or far
        if effect.kind == "record.change":
            counted = is_read_by_everyone(action) or is_removal(action) or _names_amount(action)
        if counted and "practice" not in effect.flags:
            reason = f"Call {before + 1} of `{action.tool_name}` in this run: together they may be more than was meant"
            return Finding(RULE, Level.HIGH, reason, effect.span)
    return None
