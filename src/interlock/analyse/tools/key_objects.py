"""The objects that keys of arguments name: `payRate` is money, `require_3ds` a protection."""

from __future__ import annotations

from functools import lru_cache

from interlock.analyse.tools.vocabulary import BY_KEY, object_of
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ToolObject
from interlock.knowledge.table_types.tool_name_words import ArgumentWords

_WORDS = read_table("tool-arguments", ArgumentWords)


@lru_cache(maxsize=1024)
def object_of_key(key: str) -> ToolObject | None:
    """Return the object that a key names, by the words of the key."""
    words = split_key(key)
    if not words or words[-1] in _WORDS.referring_last_words:
        return None
    for size in range(min(3, len(words)), 0, -1):
        for at in range(len(words) - size + 1):
            thing = BY_KEY.get("_".join(words[at : at + size]))
            if thing and (size > 1 or at == len(words) - 1):
                return thing
    return None


@lru_cache(maxsize=1024)
def protection(key: str) -> tuple[ToolObject, ...]:
    """Return the protection that a key names."""
    words = split_key(key)
    parts = (object_of("_".join(words[at:end])) for at in range(len(words)) for end in range(len(words), at, -1))
    return next(((thing,) for thing in parts if thing and thing.name == "security"), ())


def split_key(key: str) -> tuple[str, ...]:
    return tuple(key.split("_"))
