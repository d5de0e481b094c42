"""Tools that a user described: the effect of the call, and the roles of its arguments."""

from __future__ import annotations

from typing import Any

from interlock.analyse.code import read_code
from interlock.analyse.payloads.code import Read
from interlock.analyse.payloads.files import whole_span
from interlock.analyse.payloads.unknown_tools import QUIET, read_texts, scan_payload
from interlock.analyse.reading import Reading, Site
from interlock.analyse.tools.argument_schema import ignore_undeclared
from interlock.analyse.tools.arguments import arguments_of
from interlock.analyse.tools.described_operations import choose_operation, find_additions
from interlock.analyse.tools.operations import NONE as NO_OPERATIONS
from interlock.analyse.tools.reported_effects import JUDGED
from interlock.analyse.tools.tool_calls import read_described_call
from interlock.knowledge.roles import ARGUMENT_ROLES
from interlock.knowledge.tool import Tool
from interlock.model import Action
from interlock.payload import leaves, plain_key, text_of
from interlock.sanitise import clean


def read_described_tool(reading: Reading, action: Action, tool: Tool) -> Read:
    """Analyse a call by the description of its tool; arguments that it does not name are read by their shape."""
    action, tool = choose_operation(action, tool)
    flags, name = frozenset(tool.flags), clean(action.tool_name)
    arguments = ignore_undeclared(arguments_of(action.input_payload, tool.arguments), action.input_schema)
    if tool.does not in JUDGED:
        reading.emit(tool.does, Site((0, 0)), name, flags)
    if tool.does in JUDGED or tool.does in QUIET:
        read_described_call(reading, action, tool, arguments, NO_OPERATIONS, told=False)
    else:
        for kind, why in find_additions(tool, arguments):
            reading.emit(kind, Site((0, 0)), name, why)
    read_texts(reading, name, tool.does, list(leaves(action.input_payload)))
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
    known = {key for key, role in roles.items() if role not in ARGUMENT_ROLES}  # a recipient or a filter may hold code
    rest = {
        name: value
        for name, value in action.input_payload.items()
        if plain_key(name) not in known or not _is_plain(value)
    }
    text, languages = scan_payload(reading, rest, tool.does)
    return "\n".join([*read, text] if text else read), languages


def _is_plain(value: Any) -> bool:
    """Whether a value is a text, a number or a list of those: a role says nothing about the parts of a table."""
    nested = (dict, list, tuple)
    return not isinstance(value, dict) and not (
        isinstance(value, (list, tuple)) and any(isinstance(one, nested) for one in value)
    )
