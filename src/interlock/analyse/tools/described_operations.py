"""What a call does whose tool is described with several operations: `manage_backup {"action": "list"}`."""

from __future__ import annotations

from msgspec.structs import replace

from interlock.analyse.tools.argument_schema import read_declared_names
from interlock.knowledge.tool import Tool
from interlock.model import Action
from interlock.payload import plain_key


def choose_operation(action: Action, tool: Tool) -> Tool:
    """Return the description of what a call does, by the argument that chooses the operation of its tool.

    An operation that is not described does what the description says of the tool. So does one that is given under two
    spellings of the argument, or under one that the tool does not have.
    """
    if not tool.operations:
        return tool
    declared = read_declared_names(action.input_schema)
    keys = list(map(plain_key, action.input_payload))
    for name, kinds in tool.operations.items():
        key, value = plain_key(name), action.input_payload.get(name)
        if not isinstance(value, str) or keys.count(key) > 1 or (declared is not None and key not in declared):
            continue
        kind = next((kind for values, kind in kinds.items() if value in values.split()), None)
        if kind is not None:
            flags = tool.flags if kind == tool.does else ()
            return replace(tool, does=kind, flags=flags, arguments={name: "data", **tool.arguments})
    return tool
