"""Files that change the meaning of a later command: ids of processes, and names that are parsed as options."""

from __future__ import annotations

import fnmatch
import re
from functools import cache

from interlock.levels import Level
from interlock.memory.additions import limit_subjects
from interlock.memory.calls.command_lines import name_of
from interlock.memory.calls.programs import programs_of_command
from interlock.memory.calls.words import command_words
from interlock.memory.changes import MAX_TEXT
from interlock.memory.concerns.descriptions import describe_concern
from interlock.memory.model import PREPARED_RULE, Concern, ConcernKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.sanitise import quotable

#: File names that programs parse as options if a pattern such as `*` expands to them.
_OPTION = late(r"/-{1,2}[A-Za-z][\w-]*(?:[= ]|$)")
_SEARCHING = frozenset({"pgrep", "pidof", "ps", "awk", "gawk", "grep", "egrep", "rg", "procs"})
_REACHING = frozenset({"process.signal", "process.adjust", "process.read", "process.run"})


@cache
def _guard_pattern() -> re.Pattern[str]:
    """Return the pattern of the names of guard processes and key agents."""
    guards = "|".join(map(re.escape, command_words().guards))
    return re.compile(rf"(?i)[\w.-]*(?:{guards})[\w.-]*")


def _find_guard(analysis: Analysis) -> str:
    """Return the name of a guard among whose processes a command searches, or an empty text."""
    searches = (call for call in analysis.commands if name_of(call) in _SEARCHING)
    found = (_guard_pattern().search(word) for call in searches for word in call.words[1:])
    return next((one[0] for one in found if one), "")


def find_steering_file(analysis: Analysis) -> Concern | None:
    """Return a concern about a file that an action writes and that changes the meaning of a later command."""
    written = [one.resource.name for one in analysis.effects if one.kind in ("fs.write", "fs.move") and one.resource]
    guard = _find_guard(analysis) if written else ""
    if guard:
        return Concern(ConcernKind.PROCESS_IDS, quotable(guard), files=limit_subjects(written))
    named = [path for path in written if _OPTION.search(path)]
    if not named:
        return None
    return Concern(ConcernKind.OPTION_NAME, quotable(named[0].rpartition("/")[2]), files=limit_subjects(named))


def find_steering_file_use(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a prepared file selects the target of a signal, or is parsed as an option."""
    for concern in state.concerns:
        effect = None
        if concern.kind is ConcernKind.PROCESS_IDS:
            effect = _find_signal(action, analysis, concern)
        elif concern.kind is ConcernKind.OPTION_NAME:
            effect = _find_pattern(analysis, concern)
        if effect is not None:
            reason = f"Uses what call {concern.call} has prepared: {describe_concern(concern)}"
            return Finding(PREPARED_RULE, Level.HIGH, reason, effect.span, calls=(concern.call,))
    return None


def _find_signal(action: Action, analysis: Analysis, concern: Concern) -> Effect | None:
    """Return the effect that ends or inspects processes whose ids are in a file."""
    text, folder = analysis.text[:MAX_TEXT], f"{(action.cwd or '').rstrip('/')}/"
    if not any(path.removeprefix(folder) in text for path in concern.files):
        return None
    return next((one for one in analysis.effects if one.kind in _REACHING), None)


def _find_pattern(analysis: Analysis, concern: Concern) -> Effect | None:
    """Return the effect on the files of a pattern, if one of them is named like an option."""
    if {program for program, _ in programs_of_command(analysis)} <= command_words().plain_options:
        return None
    for one in analysis.effects:
        name = one.resource.name if one.resource else ""
        if "*" in name and any(fnmatch.fnmatchcase(path, name) for path in concern.files):
            return one
    return None
