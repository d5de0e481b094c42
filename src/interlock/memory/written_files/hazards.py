"""Hazards in files that a run has written: what would happen if a program read code or settings from them.

Analysis follows values through code that it can read. Where a format has no reader, or a value is lost on the way, the
texts still tell, all files of the run together: one names the host, one the private file, and one sends.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.knowledge.table_types.texts import Hazard
from interlock.levels import Level
from interlock.memory.additions import MAX_SUBJECT
from interlock.memory.calls.programs import commands_or_tool, programs_of_command
from interlock.memory.calls.words import command_words
from interlock.memory.exposures.private_names import source_kind
from interlock.memory.model import HAZARD_RULE, ConcernKind, Content
from interlock.memory.state import RunState
from interlock.memory.taint.command_paths import paths_of
from interlock.memory.written_files.signals import (
    MAX_TEXT,
    find_file_signals,
    find_signals,
    hazard_reader,
    is_read_by_task,
)
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.sanitise import quotable

MAX_FILES = 40
_COMMAND = "the command"
_CODE, _PATHS = frozenset({"python", "javascript", "ruby"}), frozenset({"file_path", "path", "notebook_path"})
#: Hidden files whose names are not known.
_HIDDEN = late(r"(?:^|/)\.[*?\[$]")
_IMPORT = late(r"\b(?:import|require|from|load|require_relative)\b")


def find_hazard(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action may run files of this run that would do something dangerous."""
    if not _may_run(action, analysis):
        return None
    users = frozenset(commands_or_tool(action, analysis))
    agreed = {one.subject for one in state.concerns if one.kind is ConcernKind.HAZARD and users <= set(one.used_by)}
    for hazard, name in _hazards(action, analysis, state):
        subject = f"{hazard.name} {quotable(name)}"[:MAX_SUBJECT]
        if subject in agreed:
            continue
        span = analysis.effects[0].span if analysis.effects else (0, 0)
        reason = f"May run what this run has written: {hazard.what} (`{quotable(name)}`)"
        return Finding(HAZARD_RULE, Level.HIGH, reason, span, subject=subject)
    return None


def _may_run(action: Action, analysis: Analysis) -> bool:
    """Whether a command may read code or settings from files: every program may, unless it is known as inert."""
    if _runs_code(action, analysis) or any(map(_writes_hidden, analysis.effects)):
        return True
    return bool(analysis.effects) and any(
        program not in command_words().inert or f"{program} {word}" in command_words().hooked or "./" in word
        for program, word in programs_of_command(analysis)
    )


def _writes_hidden(effect: Effect) -> bool:
    """Whether an effect writes hidden files whose names are not known: programs read their settings from such files."""
    return effect.kind == "fs.write" and effect.resource is not None and bool(_HIDDEN.search(effect.resource.name))


def _runs_code(action: Action, analysis: Analysis) -> bool:
    """Whether an action is code that imports something, perhaps a module that this run wrote."""
    written = not _PATHS.isdisjoint(action.input_payload)
    return not written and not _CODE.isdisjoint(analysis.languages) and _IMPORT.search(analysis.text) is not None


def _hazards(action: Action, analysis: Analysis, state: RunState) -> Iterator[tuple[Hazard, str]]:
    """Yield the hazards in the files of a run, each with its file: of each file alone, then of all together."""
    found: dict[str, frozenset[str]] = {}
    for path in list(state.written)[: -MAX_FILES - 1 : -1]:
        signals = find_file_signals(path, state.written[path])
        if signals:
            found[path] = signals
    if found and _runs_code(action, analysis):
        found[_COMMAND] = find_signals(analysis.text[:MAX_TEXT], "")
    elif any(source_kind(path, action) is Content.PRIVATE for path in paths_of(action, analysis)):
        found[_COMMAND] = frozenset({"records"})
    together = frozenset().union(*found.values()) if found else frozenset()
    for hazard in hazard_reader().hazards:
        for path, signals in found.items():
            occurs = signals.issuperset(hazard.all) and signals.isdisjoint(hazard.unless)
            if occurs and not (hazard.unread and is_read_by_task(path)):
                yield hazard, path.rpartition("/")[2]
        if hazard.together and len(found) > 1 and together.issuperset(hazard.all):
            last = next(path for path, signals in found.items() if not signals.isdisjoint(hazard.all))
            yield hazard, last.rpartition("/")[2]
