"""What a call does whose tool is described with several operations: `manage_backup {"action": "list"}`."""

from __future__ import annotations

from collections.abc import Mapping
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
        value = _find_value(action.input_payload, path)
        if value is None or (declared is not None and plain_key(path[0]) not in declared):
            continue
        kind = next((kind for values, kind in kinds.items() if value in values.split()), None)
        if kind is not None:
            flags = tool.flags if kind == tool.does else ()
            return replace(action, input_payload=_leave_out(action.input_payload, path)), replace(
                tool, does=kind, flags=flags
            )
    return action, tool


def _find_value(given: Any, path: list[str]) -> str | None:
    """Return the word at a path of keys, or nothing where a key is missing or has two spellings."""
    for name in path:
        if not isinstance(given, Mapping) or sum(plain_key(key) == plain_key(name) for key in given) > 1:
            return None
        given = given.get(name)
    if isinstance(given, bool):
        return str(given).lower()
    return given if isinstance(given, str) else None


def _leave_out(given: Mapping[str, Any], path: list[str]) -> dict[str, Any]:
    """Return arguments without the one at a path of keys."""
    first, *rest = path
    if not rest:
        return {key: value for key, value in given.items() if key != first}
    return {**given, first: _leave_out(given[first], rest)}
