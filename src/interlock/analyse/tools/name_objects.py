"""The objects that the words of a name or a description refer to, the most significant first."""

from __future__ import annotations

from interlock.analyse.tools.vocabulary import (
    BY_WORD,
    PREPOSITIONS,
    object_of,
)
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ToolObject
from interlock.knowledge.table_types.tool_name_words import ToolNameWords

_WORDS = read_table("tool-names", ToolNameWords)

LONGEST = 3  # words of an object
_LOCKS = frozenset({"lock", "locks"})
_PROTECTION = BY_WORD["domain_lock"]


def find_objects(words: tuple[str, ...], verb: int) -> tuple[ToolObject, ...]:
    """Return the objects that words name, the head of the phrase first: `user_role` is a role. Services come last."""
    found: list[tuple[int, ToolObject]] = []
    free = [True] * len(words)
    for size in range(min(LONGEST, len(words)), 1, -1):
        for at in range(len(words) - size + 1):
            thing = _find_compound(words[at : at + size])
            if thing is not None and all(free[at : at + size]):
                free[at : at + size] = [False] * size
                found.append((at, thing))
    for at, word in enumerate(words):
        thing = object_of(word) if free[at] and (at != verb or len(words) == 1) else None
        if thing is not None:
            found.append((at, thing))
    if not found:
        return ()
    end = len(words) if PREPOSITIONS.isdisjoint(words) else _end_of_phrase(words, verb)
    if 0 <= verb < end and words[verb] in _WORDS.remarks:
        found = [one for one in found if one[0] < end]  # `comment_on_contract` signs nothing
    if len(found) > 1:
        found.sort(key=lambda one: (_order(one[1]), one[0] >= end, -one[0] if one[0] < end else one[0]))
    return _lock_software(words, tuple([thing for _, thing in found]))


def _lock_software(words: tuple[str, ...], things: tuple[ToolObject, ...]) -> tuple[ToolObject, ...]:
    """Return the objects; the lock of a domain or a branch is a protection and no door."""
    if len(things) > 1 and things[0].name == "entry" and not _LOCKS.isdisjoint(words):
        return (_PROTECTION, *things[1:]) if any(one.name in _WORDS.locked_software for one in things) else things
    return things


def _find_compound(part: tuple[str, ...]) -> ToolObject | None:
    """Return the object that words name together: `gate_way` is one too. An article does not count as a word."""
    thing = object_of("_".join(part))
    return thing if thing is not None or part[0] in _WORDS.articles else BY_WORD.get("".join(part))


def _end_of_phrase(words: tuple[str, ...], verb: int) -> int:
    """Return where the first preposition after the verb stands, or the number of words."""
    return next((at for at, word in enumerate(words) if at > max(verb, 0) and word in PREPOSITIONS), len(words))


def _order(thing: ToolObject) -> int:
    """Return the place of an object among others: lists decide about what is put into them, services count last."""
    return 2 if thing.service else 0 if thing.name == "collection" else 1
