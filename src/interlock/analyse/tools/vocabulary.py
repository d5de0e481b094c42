"""The vocabulary of tool names: verbs by group, objects by name, with their inflections and prefixes."""

from __future__ import annotations

from functools import lru_cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ToolObject, ToolObjects, ToolVerbs

_VERBS = read_table("tool-verbs", ToolVerbs)
#: Word → group of verbs. Where a word stands in several groups, the last one counts.
GROUPS = {word: group for group, words in _VERBS.groups.items() for word in words}
NOUNS = frozenset(_VERBS.nouns)
OUTCOMES = frozenset(_VERBS.outcomes)
QUESTIONS = frozenset(_VERBS.questions)
CONNECTING = frozenset(_VERBS.connecting)
PREPOSITIONS = frozenset(_VERBS.prepositions)
BRANDS = frozenset(_VERBS.brands)
CARRIERS = frozenset(_VERBS.carriers)
HAZARDOUS = frozenset(_VERBS.hazardous)
EFFACING = frozenset(_VERBS.effacing)
REVEALING = frozenset(_VERBS.revealing)
DRAFTS = frozenset(_VERBS.drafts)
GLANCING = frozenset(_VERBS.glancing)
NAMING = frozenset(_VERBS.naming)
BRINGING = frozenset(_VERBS.bringing)
FIGURES = frozenset(_VERBS.figures)
AMBIGUOUS = frozenset(_VERBS.ambiguous)
LAUNCHING = frozenset(_VERBS.launching)
CONTROLLING = frozenset(_VERBS.controlling)
WRAPPERS = frozenset(_VERBS.wrappers)
NOMINALS = _VERBS.nominals
_OBJECTS = read_table("tool-objects", ToolObjects).objects
#: Word or words of a name → what they name. Where a word stands in several objects, the first one counts.
BY_WORD = {word: thing for thing in reversed(_OBJECTS) for word in thing.words}
#: What is noted about something, or how it is called.
DETAIL = next(thing for thing in _OBJECTS if thing.name == "detail")
#: Key of an argument → what a call changes that has it.
BY_KEY = {key: thing for thing in reversed(_OBJECTS) for key in thing.keys}


def object_of(word: str) -> ToolObject | None:
    """Return what a word names, in the singular or the plural."""
    thing = BY_WORD.get(word)
    if thing is None and word[-1:] == "s":
        thing = BY_WORD.get(word[:-1]) or (BY_WORD.get(word[:-2]) if word.endswith("es") else None)
    return thing


@lru_cache(maxsize=4096)
def group_of(word: str) -> str:
    """Return the group of a verb, also of one with a beginning, or nothing.

    >>> group_of("delete"), group_of("resend"), group_of("unprotect"), group_of("deauthorize"), group_of("table")
    ('remove', 'send', 'remove', 'change', '')
    """
    group = GROUPS.get(word)
    if group is not None:
        return group
    if word in BY_WORD or len(word) < 6:
        return ""
    for beginning in _VERBS.keeping:
        rest = word.removeprefix(beginning)
        if len(rest) > 2 and rest != word and rest in GROUPS and object_of(word) is None:
            return GROUPS[rest]
    for beginning in _VERBS.reversing:
        rest = word.removeprefix(beginning)
        if len(rest) > 3 and rest != word and rest in GROUPS:
            return "change"
    return ""


def is_verb_only(word: str) -> bool:
    """Whether a word is a verb and cannot be a noun.

    >>> is_verb_only("delete"), is_verb_only("order"), is_verb_only("policy")
    (True, False, False)
    """
    return word not in NOUNS and bool(group_of(word))


def is_known(word: str) -> bool:
    """Whether a word is a verb, an object, or a word that names are built with."""
    return bool(group_of(word)) or object_of(word) is not None or word in OUTCOMES


def stem(word: str) -> str:
    """Return the plain verb of a form in which descriptions have it: `deletes` is `delete`.

    >>> stem("deletes"), stem("applies"), stem("removing"), stem("status")
    ('delete', 'apply', 'remove', 'status')
    """
    if word in GROUPS or len(word) < 4:
        return word
    for ending, others in _ENDINGS:
        if word.endswith(ending):
            for other in others:
                plain = word[: -len(ending)] + other
                if plain in GROUPS:
                    return plain
    return word


_ENDINGS = (("ies", ("y",)), ("es", ("e", "")), ("s", ("",)), ("ing", ("", "e")))


def find_verb_of_state(word: str) -> str:
    """Return the verb of a state: `disarmed` is what `disarm` leads to."""
    for plain in (word[:-2], word[:-1], word[:-3]):
        if word.endswith("ed") and word not in GROUPS and plain in GROUPS:
            return plain
    return word
