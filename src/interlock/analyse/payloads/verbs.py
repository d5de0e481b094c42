"""Verbs: what the words of a tool's name say it does. The worst word counts."""

from __future__ import annotations

from functools import lru_cache

from interlock.patterns import late

DESTRUCTIVE = frozenset(
    "delete remove drop destroy purge truncate kill wipe erase terminate revoke shutdown format".split()
)
MUTATING = frozenset(
    (
        "write update modify set create send deploy push execute run insert edit move rename publish install "
        "grant merge transfer"
    ).split()
)
READING = frozenset("read get list fetch search find check show view describe count query inspect".split())

_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


MAX_NAME = 200


def words_of(name: str) -> frozenset[str]:
    """Return the words of a snake, camel, kebab or dotted name.

    >>> sorted(words_of("userService.deleteAll_items"))
    ['all', 'delete', 'items', 'service', 'user']
    """
    return _words(name[:MAX_NAME])


@lru_cache(maxsize=1024)
def _words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORDS.findall(name))


def verb_kind(name: str) -> str:
    """Return what a tool does by its name alone."""
    words = words_of(name)
    if words & DESTRUCTIVE:
        return "tool.destroy"
    if words & MUTATING:
        return "tool.change"
    return "tool.read" if words & READING else "tool.unknown"
