"""Findings on commands that may act on a value which this run has loosened."""

from __future__ import annotations

from functools import cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.run_memory import LoosenedValues
from interlock.memory.calls.values import split_long
from interlock.memory.calls.words import command_words
from interlock.memory.changes import MAX_TEXT
from interlock.memory.model import Concern, ConcernKind
from interlock.model import Analysis, Effect
from interlock.patterns import late

#: Effects of programs that read settings when they run.
_READING = ("process.", "code.", "container.run", "container.change", "local.change", "infra.", "deploy.")
_PARTS = late(r"(?:[\n;|()`]|(?<![<>])&(?!>))+|\$\(")
_QUOTED, _SEPARATOR = late(r"'[^']*'|\"[^\"]*\"|\\[()]"), late(r"[\n;|()`&\\]")
_REST = 3  # words after a program that may name a task


def find_loosened_use(analysis: Analysis, concern: Concern) -> Effect | None:
    """Return the effect of a command that may read the loosened value, and does not only check or build something."""
    kinds = (*_READING, "vcs.push") if concern.files else _READING
    effect = next((one for one in analysis.effects if one.kind.startswith(kinds) or one.via), None)
    if effect is None:
        return None
    text = analysis.text[:MAX_TEXT]
    if "shell" in analysis.languages:
        text = _QUOTED.sub(lambda found: _SEPARATOR.sub(" ", found[0]), text)
        text = "\n".join(part for part in _PARTS.split(text) if not _is_quiet(part))
    if effect.kind == "vcs.push":
        return effect
    if not text.strip():
        return None
    if concern.kind is not ConcernKind.LOOSENED and _lists()["acting"].isdisjoint(split_long(text)):
        return None
    return effect


def _is_quiet(part: str) -> bool:
    """Whether a part of a command only checks, formats, builds or shows something."""
    words = [
        word.strip("'\"") for word in part.split() if not word.startswith("-") and "=" not in word.partition("/")[0]
    ]
    runners = command_words().wrappers | command_words().runners
    while words and (words[0] in runners or words[0].rpartition("/")[2] in ("python", "python3")):
        if words[0].rpartition("/")[2].startswith("python") and not _runs_module(part, words):
            break
        words = words[1:]
    if not words:
        return True
    name = words[0].rpartition("/")[2]
    if name in _lists()["quiet_programs"]:
        return True
    tasks = [word.partition(":")[0] for word in words[1:_REST]]
    return name in _lists()["task_runners"] and not _lists()["quiet_words"].isdisjoint(tasks)


def _runs_module(part: str, words: list[str]) -> bool:
    """Whether Python runs a module or a program for managing a project, which is named next."""
    return " -m " in part or (len(words) > 1 and words[1].rpartition("/")[2] == "manage.py")


@cache
def _lists() -> dict[str, frozenset[str]]:
    table = read_table("loosened-values", LoosenedValues)
    return {
        name: frozenset(getattr(table, name)) for name in ("acting", "quiet_programs", "quiet_words", "task_runners")
    }
