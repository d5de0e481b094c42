"""What a call does whose tool is described with several operations: `manage_backup {"action": "list"}`."""

from __future__ import annotations

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
    keys = list(map(plain_key, action.input_payload))
    for name, kinds in tool.operations.items():
        key, value = plain_key(name), action.input_payload.get(name)
        if not isinstance(value, str) or keys.count(key) > 1 or (declared is not None and key not in declared):
            continue
        kind = next((kind for values, kind in kinds.items() if value in values.split()), None)
        if kind is not None:
            flags = tool.flags if kind == tool.does else ()
            others = {other: given for other, given in action.input_payload.items() if other != name}
            return replace(action, input_payload=others), replace(tool, does=kind, flags=flags)
    return action, tool
