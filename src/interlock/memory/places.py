"""Places in tool calls: channels, folders, documents and boards, and which of them people outside can see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interlock.knowledge.tool_names import split_words
from interlock.memory.exposure import memory_words
from interlock.model import Action

MAX_VALUES, MAX_DEPTH, MAX_PLACE = 200, 6, 100
#: How many places outside are remembered.
MAX_OUTSIDE = 24
#: Arguments with text for people, which names nothing by itself.
_TEXTS = frozenset(
    (
        "text body content message title subject description comment summary prompt query note html markdown caption "
        "reason new_string old_string command code sql name label status"
    ).split()
)


def leaves(value: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the values of a payload with their keys, up to a limit."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, dict):
        for name, one in list(value.items())[:MAX_VALUES]:
            yield from leaves(one, str(name), depth + 1)
    elif isinstance(value, list):
        for one in value[:MAX_VALUES]:
            yield from leaves(one, key, depth + 1)
    else:
        yield key, value


def is_place(key: str, value: Any) -> bool:
    """Whether an argument names a place: a short text that is not for people to read."""
    return isinstance(value, str) and key not in _TEXTS and 0 < len(value) <= MAX_PLACE and "\n" not in value


def find_outside(action: Action) -> list[str]:
    """Return the places that a call names, if it says of one of them that people outside see it."""
    found = [(key, value) for key, value in leaves(action.input_payload) if is_place(key.lower(), value)]
    words = memory_words().outside
    if not any(not words.isdisjoint(split_words(value)) for _, value in found):
        return []
    return [value for key, value in found if key.lower().endswith(_IDS)]


#: Endings of arguments that hold the id or the name of a place.
_IDS = ("id", "key", "channel", "channel_name", "chat", "room", "board", "base", "document", "page", "folder", "thread")


def add_outside(known: tuple[str, ...], found: list[str]) -> tuple[str, ...]:
    """Return places outside with some more, the newest last."""
    return tuple(dict.fromkeys((*known, *found)))[-MAX_OUTSIDE:]
