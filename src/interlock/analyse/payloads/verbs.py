"""Verbs in the names of tools. If there are several, the most destructive one counts."""

from __future__ import annotations

from functools import lru_cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.commands import Tools
from interlock.patterns import late

_TABLE = read_table("tools", Tools)
DESTRUCTIVE = frozenset(_TABLE.destructive_verbs)
MUTATING = frozenset(_TABLE.mutating_verbs)
READING = frozenset(_TABLE.reading_verbs)

_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


MAX_NAME = 200


def words_of(name: str) -> frozenset[str]:
    """Return the words of a snake, camel, kebab or dotted name.

    >>> sorted(words_of("userService.deleteAll_items"))
    ['all', 'delete', 'items', 'service', 'user']
    """
    return _words(name[:MAX_NAME])


@lru_cache(maxsize=4096)
def _words(name: str) -> frozenset[str]:
    return frozenset(map(str.lower, _WORDS.findall(name)))


def verb_kind(name: str) -> str:
    """Return the kind of effect that the verbs in a tool's name imply."""
    words = words_of(name)
    if words & DESTRUCTIVE:
        return "tool.destroy"
    if words & MUTATING:
        return "tool.change"
    return "tool.read" if words & READING else "tool.unknown"
