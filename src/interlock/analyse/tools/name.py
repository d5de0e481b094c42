"""What a tool does, by the verb and the object in its name or its description."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tables import ToolObject, ToolObjects, ToolVerbs
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_VERBS = read_table("tool-verbs", ToolVerbs)
#: Word → group of verbs. Where a word stands in several groups, the last one counts.
GROUPS = {word: group for group, words in _VERBS.groups.items() for word in words}
_NOUNS = frozenset(_VERBS.nouns)
_OUTCOMES = frozenset(_VERBS.outcomes)
_CONNECTING = frozenset(_VERBS.connecting)
_PREPOSITIONS = frozenset(_VERBS.prepositions)
_OBJECTS = read_table("tool-objects", ToolObjects).objects
_BY_WORD = {word: thing for thing in reversed(_OBJECTS) for word in thing.words}

MAX_DESCRIPTION = 400
_SENTENCE = late(r"[.;!?\n]")
LONGEST = 3  # words of an object


class Meaning(NamedTuple):
    """What a tool does: the group of its verb, the objects that it names, and all words of its name."""

    verb: str
    things: tuple[ToolObject, ...]
    words: tuple[str, ...]


@lru_cache(maxsize=1024)
def meaning_of(name: str, description: str) -> Meaning:
    """Return what a tool does by its name and, where that does not tell, by the first sentence of its description."""
    words = split_words(name)
    verb, at = _find_verb(words)
    things = _find_things(words, at)
    if description and (not verb or not things or verb == "run"):
        told = split_words(_SENTENCE.split(description[:MAX_DESCRIPTION], 1)[0])
        told = tuple(word for word in (_stem(word) for word in told))
        if not verb or (verb == "run" and not things):
            verb = _find_verb(told)[0] or verb
        things = things or _find_things(told, -1)
    return Meaning(verb, things, words)


def _stem(word: str) -> str:
    """Return the verb that a description begins with: `deletes` is `delete`."""
    for plain in (
        word.removesuffix("s"),
        word.removesuffix("es"),
        word.removesuffix("ing"),
        word.removesuffix("ing") + "e",
    ):
        if plain in GROUPS and word not in GROUPS:
            return plain
    return word


def _find_verb(words: tuple[str, ...]) -> tuple[str, int]:
    """Return the group of the verb that decides, and where it stands; verbs that are also nouns count last."""
    found = [(GROUPS[word], at) for at, word in enumerate(words) if word in GROUPS]
    before = [one for one in found if _PREPOSITIONS.isdisjoint(words[: one[1]])]
    found = before or found  # `note_on_order` orders nothing
    sure = [(group, at) for group, at in found if words[at] not in _NOUNS]
    if sure:
        first = sure[0]
        if first[0] in ("read", "draft"):
            later = [one for one in found if one[0] not in ("read", "draft") and _is_connected(words, first[1], one[1])]
            return later[0] if later else first
        return first
    if found and words[-1] in _OUTCOMES and len(words) > 1:
        return "read", len(words) - 1
    if found:
        return found[0]
    return ("read", len(words) - 1) if words and words[-1] in _OUTCOMES else ("", -1)


def _is_connected(words: tuple[str, ...], first: int, second: int) -> bool:
    return first < second and not _CONNECTING.isdisjoint(words[first:second])


def _find_things(words: tuple[str, ...], verb: int) -> tuple[ToolObject, ...]:
    """Return the objects that words name, the head of the phrase first: `user_role` is a role."""
    found: list[tuple[int, int, ToolObject]] = []
    taken: set[int] = set()
    for size in range(LONGEST, 0, -1):
        for at in range(len(words) - size + 1):
            thing = _BY_WORD.get("_".join(words[at : at + size]))
            if thing and taken.isdisjoint(range(at, at + size)) and not (size == 1 and at == verb and len(words) > 1):
                taken.update(range(at, at + size))
                found.append((at, size, thing))
    end = next((at for at, word in enumerate(words) if at > max(verb, 0) and word in _PREPOSITIONS), len(words))
    before = sorted((one for one in found if one[0] < end), key=lambda one: -one[0])
    after = sorted((one for one in found if one[0] >= end), key=lambda one: one[0])
    return tuple(thing for _, _, thing in (*before, *after))
