"""What a call does whose tool is described with several operations: `manage_backup {"action": "list"}`.

An operation is done instead of what the description says of the tool, so its argument has to be given as described:
`envelope.status` is the key `status` of the table `envelope`. What an argument adds can only make a call stricter, so
it counts at any depth, in any case, in lists, and as a key: `{"requests": [{"deleteSheet": {…}}]}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from interlock.analyse.tools.argument_schema import read_declared_names
from interlock.analyse.tools.arguments import VALUES, Argument, arguments_of
from interlock.knowledge.tool import ANY_VALUE, NOT_GIVEN, Tool
from interlock.model import Action
from interlock.patterns import late
from interlock.payload import plain_key


def choose_operation(action: Action, tool: Tool) -> tuple[Action, Tool]:
    """Return a call and the description of what it does, by the argument that chooses the operation of its tool.

    The argument is left out of the call, so that its words do not tell something else.
    An operation that is not described does what the description says of the tool. So does one that is given under two
    spellings of the argument, or under one that the tool does not have.
    """
    if not tool.operations:
        return action, tool
    chosen = _find_given(action, tool) or _find_missing(action, tool)
    if chosen is None:
        return action, tool
    path, told = chosen
    kind, *flags = told.split()
    others = _without(action.input_payload, path)
    kept = tool.flags if kind == tool.does else ()
    return replace(action, input_payload=others), replace(tool, does=kind, flags=(*kept, *flags))


def _find_given(action: Action, tool: Tool) -> tuple[list[str], str] | None:
    """Return the first argument that chooses an operation by its value, as its path, and what the call does.

    Of `status` and `envelope.status`, the tool has one. Where both are given, neither chooses anything.
    """
    declared = read_declared_names(action.input_schema)
    paths = [name.split(".") for name in tool.operations]
    values = [_find_value(action.input_payload, path) for path in paths]
    last = [plain_key(path[-1]) for path, value in zip(paths, values, strict=True) if value]
    for path, value, kinds in zip(paths, values, tool.operations.values(), strict=True):
        known = last.count(plain_key(path[-1])) == 1 and (declared is None or plain_key(path[0]) in declared)
        kind = _kind_of(value, kinds) if value and known else None
        if kind is not None:
            return path, kind
    return None


def _find_missing(action: Action, tool: Tool) -> tuple[list[str], str] | None:
    """Return the first argument that chooses an operation because it is not given, and what the call does then."""
    for name, kinds in tool.operations.items():
        path = name.split(".")
        if NOT_GIVEN in kinds and _is_missing(action.input_payload, path[-1]):
            return path, kinds[NOT_GIVEN]
    return None


def find_additions(tool: Tool, arguments: Sequence[Argument]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what the arguments of a call add to what its tool does: kinds of effects, with their flags."""
    for name, kinds in tool.adds.items():
        key = plain_key(name)
        given = {text for one in arguments if key in one.keys for text in _texts_of(one, key)}
        for values, told in kinds.items():
            listed = set(map(_joined, values.split()))
            if not listed.isdisjoint(given) or (ANY_VALUE in listed and given - _NOTHING):
                kind, *flags = told.split()
                yield kind, frozenset(flags)


_NOTHING = frozenset({"", "false", "none", "null"})
#: Words that stand for everything; `true` is the value of a switch.
_EVERYTHING = (VALUES["all"] | {""}) - {"true"}
_BETWEEN = late(r"[\s,;]+")
MAX_VALUE = 400


def _texts_of(one: Argument, key: str) -> Iterator[str]:
    """Yield what is given under a key: the value and its words, and the keys of the tables around it."""
    yield from map(_joined, (one.low[:MAX_VALUE], *_BETWEEN.split(one.low[:MAX_VALUE])))
    if one.low not in _NOTHING:  # `{"permissions": {"manage_webhooks": false}}`
        yield from map(_joined, one.keys[one.keys.index(key) + 1 :])


def _joined(word: str) -> str:
    """Return a word in the spelling that is compared: `deleteSheet` and `delete_sheet` are `deletesheet`."""
    return word.replace("_", "").lower()


def _find_value(payload: Mapping[str, Any], path: Sequence[str]) -> str | tuple[str, ...]:
    """Return the word or the words that are given for an argument; an empty text if it is not given once."""
    value: Any = payload
    for name in path:
        if not isinstance(value, Mapping) or list(map(plain_key, value)).count(plain_key(name)) > 1:
            return ""
        value = value.get(name)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def _kind_of(value: str | tuple[str, ...], kinds: Mapping[str, str]) -> str | None:
    """Return what a call does by the value of its argument; `*` stands for values that are not everything.

    A list names no operation, but can name the things that are meant.
    """
    words = (value,) if isinstance(value, str) else value
    if any(ANY_VALUE in word or word.strip().lower() in _EVERYTHING for word in words):
        return None
    kind = next((kind for values, kind in kinds.items() if value in values.split()), None)
    return kinds.get(ANY_VALUE) if kind is None else kind


def _is_missing(payload: Mapping[str, Any], name: str) -> bool:
    """Whether no argument of a call has a key of this name, at any depth."""
    key = plain_key(name)
    return not any(key in one.keys for one in arguments_of(payload))


def _without(payload: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return a payload without the argument at a path."""
    first, *rest = path
    if not rest:
        return {name: value for name, value in payload.items() if name != first}
    return {
        name: _without(value, rest) if name == first and isinstance(value, Mapping) else value
        for name, value in payload.items()
    }
