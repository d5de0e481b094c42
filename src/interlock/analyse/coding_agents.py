"""Coding agents that an action starts: their package, and settings that leave out the checks of this session."""

from __future__ import annotations

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tables import Agents

AGENTS = read_table("agents", Agents)
_OPTIONS = frozenset(AGENTS.settings_options)
_VALUES = {option: frozenset(values) for option, values in AGENTS.unguarded_values.items()}
_WORDS = tuple(word.lower() for word in AGENTS.settings_words)


def is_unguarded(program: str, words: list[str]) -> bool:
    """Whether arguments turn off the checks of a coding agent, or give it other settings.

    >>> is_unguarded("claude", ["--settings", '{"disableAllHooks": true}'])
    True
    >>> is_unguarded("claude", ["--model", "opus", "-p", "hello"])
    False
    """
    forcing = AGENTS.forcing_options.get(program, ())
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if not equals:
            value = words[at + 1] if at + 1 < len(words) else ""
        if word in forcing or value in _VALUES.get(option, ()):
            return True
        if option in _OPTIONS and _loosens(option, value):
            return True
    return False


def _loosens(option: str, value: str) -> bool:
    """Whether settings on the command line may loosen what an agent may do. The content of a file is not known."""
    if option == "--setting-sources":
        return "user" not in value
    if option == "--profile":
        return False
    lowered = value.lower()
    is_file = "=" not in value and "{" not in value
    return bool(value) and (is_file or any(word in lowered for word in _WORDS))
