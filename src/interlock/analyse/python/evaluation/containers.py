"""Methods of lists and dictionaries of the text, applied in place."""

from __future__ import annotations

from typing import Any

from interlock.analyse.python.evaluation.marks import mixture
from interlock.analyse.python.evaluation.values import MAX_CONSTANT, is_list
from interlock.analyse.reading import Reading

_ADDING = frozenset("append add insert appendleft put push".split())
_EXTENDING = frozenset("extend update".split())
CHANGING = _ADDING | _EXTENDING | frozenset({"reverse"})
METHODS = CHANGING | frozenset("get pop popleft items values keys copy setdefault sort".split())


def call_method(reading: Reading, owner: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Apply a method to a container; return its result."""
    if len(owner) >= 64:
        reading.spend(len(owner) // 64)
    if isinstance(owner, dict):
        return _call_dict_method(reading, owner, name, arguments, keywords)
    if isinstance(owner, list) and len(owner) < MAX_CONSTANT:
        if name in _ADDING and arguments and arguments[-1] is not owner:
            owner.append(arguments[-1])
            return None
        if name in _EXTENDING and arguments and is_list(arguments[0]) and arguments[0] is not owner:
            reading.spend(len(arguments[0]) // 64)
            owner.extend(arguments[0][:MAX_CONSTANT])
            return None
        if name == "reverse":
            owner.reverse()
            return None
        if name == "popleft" and owner:
            return owner[0]
        if name == "pop" and owner:
            return owner[-1]
        if name == "copy":
            return list(owner)
    return mixture(reading, name, (owner, *arguments))


def _call_dict_method(
    reading: Reading, owner: dict[Any, Any], name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    if name in ("get", "pop", "setdefault") and arguments and isinstance(arguments[0], (str, int)):
        rest = arguments[1] if len(arguments) > 1 else None
        return (
            owner.get(arguments[0], rest)
            if arguments[0] in owner or has_known_keys(owner)
            else mixture(reading, name, ())
        )
    if name == "update" and len(owner) < MAX_CONSTANT:
        given = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
        reading.spend(len(given) // 64)
        owner |= given | keywords
        return None
    if name == "items":
        return [[key, value] for key, value in owner.items()]
    if name in ("values", "keys"):
        return list(owner.values() if name == "values" else owner)
    if name == "copy":
        return dict(owner)
    return mixture(reading, name, (owner, *arguments))


def has_known_keys(owner: dict[Any, Any]) -> bool:
    """Whether every key of a dictionary is known."""
    return not any(isinstance(key, str) and "\0" in key for key in owner)
