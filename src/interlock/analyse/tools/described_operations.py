"""What a call does whose tool is described with several operations: `manage_backup {"action": "list"}`.

An operation is done instead of what the description says of the tool, so its argument has to be given as described:
`envelope.status` is the key `status` of the table `envelope`, or of each table in a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from interlock.analyse.tools.argument_schema import read_declared_names
from interlock.analyse.tools.arguments import VALUES, arguments_of
from interlock.knowledge.tool import ANY_VALUE, NOT_GIVEN, Tool, ToolOperation, read_operation
from interlock.model import Action
from interlock.payload import plain_key

Operations = Mapping[str, "str | ToolOperation"]
#: Words that stand for everything; `true` is the value of a switch.
_EVERYTHING = (VALUES["all"] | {""}) - {"true"}


def choose_operation(action: Action, tool: Tool) -> tuple[Action, Tool]:
    """Return a call without the argument that chooses its operation, and the tool as what that operation does.

    The argument counts only under the name that is described, and not beside another spelling of it. A word that is
    not described chooses nothing, nor does an argument that a known schema does not have. Flags of the tool stay only
    if the operation does the same.
    """
    if not tool.operations:
        return action, tool
    chosen = _find_given(action, tool) or _find_missing(action, tool)
    if chosen is None:
        return action, tool
    path, done = chosen
    kept = tool.flags if done.does == tool.does else ()
    others = _leave_out(action.input_payload, path)
    return replace(action, input_payload=others), replace(tool, does=done.does, flags=(*kept, *done.flags))


def _find_given(action: Action, tool: Tool) -> tuple[list[str], ToolOperation] | None:
    """Return the first argument that chooses an operation by its value, as its path, and that operation.

    Of `status` and `envelope.status`, the tool has one. Where both are given, neither chooses anything. All items of a
    list have to choose the same.
    """
    declared = read_declared_names(action.input_schema)
    paths = [name.split(".") for name in tool.operations]
    values = [list(_find_values(action.input_payload, path)) for path in paths]
    given = [plain_key(path[-1]) for path, found in zip(paths, values, strict=True) if any(map(_words_of, found))]
    for path, found, operations in zip(paths, values, tool.operations.values(), strict=True):
        if given.count(plain_key(path[-1])) != 1 or (declared is not None and plain_key(path[0]) not in declared):
            continue
        chosen = {_find_operation(value, operations) for value in found}
        if len(chosen) == 1 and (done := chosen.pop()) is not None:
            return path, done
    return None


def _find_missing(action: Action, tool: Tool) -> tuple[list[str], ToolOperation] | None:
    """Return the first argument that chooses an operation because no argument has its name, at any depth."""
    for name, operations in tool.operations.items():
        path = name.split(".")
        key = plain_key(path[-1])
        if NOT_GIVEN in operations and not any(key in one.keys for one in arguments_of(action.input_payload)):
            return path, read_operation(operations[NOT_GIVEN])
    return None


def _find_operation(value: Any, operations: Operations) -> ToolOperation | None:
    """Return the operation that the value of an argument chooses; `*` stands for values that are not everything.

    A list names no operation, but can name the things that are meant.
    """
    words = _words_of(value)
    if not words or any(ANY_VALUE in word or word.lower() in _EVERYTHING for word in words):
        return None
    done = operations.get(ANY_VALUE)
    if not isinstance(value, list):
        done = next((named for values, named in operations.items() if words[0] in values.split()), done)
    return None if done is None else read_operation(done)


def _words_of(value: Any) -> tuple[str, ...]:
    """Return the word or the words that are given for an argument; none if it has another type."""
    if isinstance(value, bool):
        return ("true" if value else "false",)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    if isinstance(value, (str, int)):
        return (str(value).strip(),) if str(value).strip() else ()
    return ()


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
    if not isinstance(given, Mapping):
        return given
    first, *rest = path
    if not rest:
        return {key: value for key, value in given.items() if key != first}
    return {key: _leave_out(value, rest) if key == first else value for key, value in given.items()}
