"""Tools that a user described: the effect of the call, and its arguments by role."""

from __future__ import annotations

from interlock.analyse.code import read_code
from interlock.analyse.payloads.code import Read
from interlock.analyse.payloads.files import whole_span
from interlock.analyse.payloads.unknown_tools import scan_payload
from interlock.analyse.reading import Reading, Site
from interlock.analyse.tools.arguments import arguments_of
from interlock.analyse.tools.judge import JUDGED, read_described_call
from interlock.analyse.tools.operations import NONE as NO_OPERATIONS
from interlock.knowledge.roles import ARGUMENT_ROLES
from interlock.knowledge.tool import Tool
from interlock.model import Action
from interlock.payload import leaves, plain_key, text_of
from interlock.sanitise import clean


def read_described_tool(reading: Reading, action: Action, tool: Tool) -> Read:
    """Analyse a call by the description of its tool; arguments that it does not name are read by their shape."""
    flags = frozenset(tool.flags)
    if tool.does in JUDGED:
        arguments = arguments_of(action.input_payload, tool.arguments)
        read_described_call(reading, action, tool, arguments, NO_OPERATIONS, told=False)
    else:
        reading.emit(tool.does, Site((0, 0)), clean(action.tool_name), flags)
    roles = {plain_key(name): role for name, role in tool.arguments.items()}
    read: list[str] = []
    for name, value in leaves(action.input_payload):
        role, text = roles.get(plain_key(name)), text_of(value)
        if role is None or role == "data" or role in ARGUMENT_ROLES or not text:
            continue
        if role.startswith("code:"):
            read_code(reading, text, role[5:])
            read.append(text)
        else:
            reading.on(role, Site(whole_span(text)), text, flags)
    rest = {name: value for name, value in action.input_payload.items() if plain_key(name) not in roles}
    text, languages = scan_payload(reading, rest, tool.does)
    return "\n".join([*read, text] if text else read), languages
