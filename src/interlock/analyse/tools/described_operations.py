"""What a call does whose tool is described with several operations: `manage_backup {"action": "list"}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from interlock.analyse.tools.argument_schema import read_declared_names
from interlock.knowledge.tool import Tool
from interlock.model import Action
from interlock.payload import plain_key


def choose_operation(action: Action, tool: Tool) -> tuple[Action, Tool]:
    """Return a call and the description of what it does, by the argument that chooses the operation of its tool.

    The argument is left out of the call, so that its words do not tell something else.
    An operation that is not described does what the description says of the tool. So does one that is given under two
    spellings of the argument, or under one that the tool does not have.
    """
    if not tool.operations:
        return action, tool
    declared = read_declared_names(action.input_schema)
    for name, kinds in tool.operations.items():
        path = name.split(".")
        if declared is not None and plain_key(path[0]) not in declared:
            continue
        chosen = {_find_kind(value, kinds) for value in _find_values(action.input_payload, path)}
        if len(chosen) == 1 and (kind := chosen.pop()):
            flags = tool.flags if kind == tool.does else ()
            others = _leave_out(action.input_payload, path)
            return replace(action, input_payload=others), replace(tool, does=kind, flags=flags)
    return action, tool


def _find_kind(value: Any, kinds: Mapping[str, str]) -> str:
    """Return what a call does by the word that chooses it, or nothing if the word is not described."""
    word = str(value).lower() if isinstance(value, bool) else value
    if not isinstance(word, str):
        return ""
    return next((kind for values, kind in kinds.items() if word in values.split()), "")


def _find_values(given: Any, path: Sequence[str]) -> Iterator[Any]:
    """Yield the values at a path of keys, in each item of lists; `None` where a key is missing or has two spellings."""
    if not path:
        yield given
    elif isinstance(given, Mapping):
        twice = sum(plain_key(key) == plain_key(path[0]) for key in given) > 1
        yield from _find_values(None if twice else given.get(path[0]), path[1:] if not twice else ())
    elif isinstance(given, (list, tuple)) and given:
        for one in given:
            yield from _find_values(one, path)
    else:
        yield None


def _leave_out(given: Any, path: Sequence[str]) -> Any:
    """Return arguments without those at a path of keys."""
    if isinstance(given, (list, tuple)):
        return [_leave_out(one, path) for one in given]
    first, *rest = path
    if not rest:
        return {key: value for key, value in given.items() if key != first}
    return {**given, first: _leave_out(given[first], rest)}
