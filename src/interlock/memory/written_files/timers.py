"""Timers of services that would run files of this run again and again after the run has ended."""

from __future__ import annotations

from interlock.effects import TOOL_KINDS
from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.calls.words import memory_words
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Finding
from interlock.payload import leaves
from interlock.sanitise import quotable

RULE = "written_code_scheduled"
MAX_VALUE = 4_000
#: Effects of calls that only look at timers, or end them.
_LOOKING = frozenset({"tool.read", "tool.destroy"})


def find_timer(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a call sets a timer that runs a file which this run has written."""
    if not analysis.effects or analysis.effects[0].kind not in TOOL_KINDS - _LOOKING:
        return None
    called = frozenset(split_words(action.tool_name))
    given = frozenset(word for key, _ in leaves(action.input_payload) for word in split_words(key))
    timers = memory_words().timers
    if called.isdisjoint(timers) and given.isdisjoint(timers):
        return None
    path = next((path for path in state.written if _is_named(path, action)), "")
    if not path:
        return None
    reason = f"Would run again and again what this run has written (`{quotable(path.rpartition('/')[2])}`)"
    return Finding(RULE, Level.HIGH, reason, analysis.effects[0].span)


def _is_named(path: str, action: Action) -> bool:
    """Whether a value of a call names a file, from the root of the file system or from the project."""
    project = f"{(action.workspace or action.cwd or '').rstrip('/')}/"
    names = {path, path.removeprefix(project), f"./{path.removeprefix(project)}"}
    return any(
        not names.isdisjoint(value[:MAX_VALUE].replace('"', " ").replace("'", " ").split())
        for _, value in leaves(action.input_payload)
        if isinstance(value, str)
    )
