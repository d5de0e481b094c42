"""Parse an agent's call. Unknown fields are ignored, because agents add some with every release."""

import itertools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from interlock.agents import MAX_CALL
from interlock.agents.coding import AGENTS, find_agent
from interlock.agents.coding.agent import Agent, Event, FieldNames, Fields, Stage
from interlock.errors import InvalidActionError, nearest
from interlock.model import Action

#: The field names of all agents. All are read in every agent's calls: one agent may run a hook that was installed
#: for another, and an action in an unread field would not be checked.
_NAMES = FieldNames(
    *(
        tuple(dict.fromkeys(itertools.chain(*names)))
        for names in zip(*(msgspec.structs.astuple(agent.fields) for agent in AGENTS), strict=True)
    )
)


class HookCall(msgspec.Struct, frozen=True):
    """A call of an agent. `agent` is the caller; its settings may not be those in which the hook was installed."""

    agent: Agent
    event: str
    session: str
    action: Action
    call_id: str = ""
    unattended: bool = False  # nobody would see the agent's own question
    fields: Fields = MappingProxyType({})

    @property
    def run_id(self) -> str:
        """The run that the call belongs to: the agent's session."""
        return self.session or f"{self.agent.name} without a session"

    @property
    def stage(self) -> Stage:
        """When this call comes."""
        return self.agent.event(self.event).stage


def decode_call(raw: bytes) -> dict[str, Any]:
    """Return a call as an object, or raise. Some agents begin with a byte order mark."""
    if len(raw) > MAX_CALL:
        raise InvalidActionError(f"the call is longer than {MAX_CALL:,} bytes")
    try:
        found = msgspec.json.decode(raw.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidActionError(f"the call is not valid JSON: {str(error)[:200]}") from None
    if not isinstance(found, dict):
        raise InvalidActionError(f"the call must be a JSON object, found {type(found).__name__}")
    return found


def parse_call(
    name: str, raw: bytes, event: str | None = None, environment: Mapping[str, str] | None = None
) -> HookCall:
    """Return an agent's call, or raise. `event` is the hook's event, for calls that do not name it themselves."""
    named = find_agent(name)
    if event is not None and named.find_event(event) is None:
        raise InvalidActionError(f"{named.title} has no event `{event[:40]}`{nearest(event, list(named.events))}")
    fields = decode_call(raw)
    sent = _text(fields, _NAMES.event) or event or ""
    agent = _caller(named, fields, sent)
    known = agent.find_event(sent)
    if known is None and (not sent or _has_tool(fields)):
        known = agent.before  # whatever the event is called, a tool is about to run
    session = _text(fields, _NAMES.session)
    if known is None:
        return HookCall(agent, sent, session, Action(tool_name="none"), fields=fields)
    action = _action(agent, known, fields, environment or {})
    unattended = _is_unattended(agent, fields, environment or {})
    return HookCall(agent, known, session, action, _text(fields, _NAMES.call_id), unattended, fields)


def _caller(named: Agent, fields: Fields, event: str) -> Agent:
    """Return the agent that calls: some agents also run the hooks that they find in another's settings."""
    others = (one for one in AGENTS if named.name in one.runs_hooks_of and any(mark in fields for mark in one.marks))
    return next((one for one in others if not event or one.find_event(event) is not None), named)


def _has_tool(fields: Fields) -> bool:
    """Whether a call is about an action: it names a tool, a command or a file."""
    return any(fields.get(name) is not None for name in (*_NAMES.tool, *_NAMES.tool_input, "command", "file_path"))


def _action(agent: Agent, event: str, fields: Fields, environment: Mapping[str, str]) -> Action:
    asked = agent.event(event).stage is Stage.REQUEST
    tool, payload = ("none", {}) if asked else _tool(agent, event, fields)
    cwd = _text(fields, ("cwd",)) or _workspace(fields)
    return Action(
        tool_name=tool,
        input_payload=payload,
        agent_id="/".join(part for part in (agent.name, _text(fields, ("agent_type",))) if part),
        cwd=cwd or None,
        workspace=_project(agent, environment) or _workspace(fields) or cwd or None,
    )


def _is_unattended(agent: Agent, fields: Fields, environment: Mapping[str, str]) -> bool:
    """Whether no person would answer the agent's own prompt. A subagent of an unattended agent is unattended too."""
    markers = (marker for one in AGENTS for marker in one.environment.unattended.items())
    by_script = any(environment.get(variable) == value for variable, value in markers)
    mode = _text(fields, ("permission_mode",))
    return by_script or mode in agent.unattended_modes or not agent.can_ask(fields)


def _tool(agent: Agent, event: str, fields: Fields) -> tuple[str, dict[str, Any]]:
    """Return the tool that is called, and its input."""
    name, about = _text(fields, _NAMES.tool), agent.event(event)
    if about.tool:
        return about.tool, {about.tool_field: _require_text(fields, about.tool_field)}
    if not name and "command" in fields:
        return "Shell", {"command": _require_text(fields, "command")}
    if not name and "file_path" in fields:
        return "Read", {"file_path": _require_text(fields, "file_path")}
    if not name:
        raise InvalidActionError(f"{agent.title} did not say which tool it calls; `{_NAMES.tool[0]}` is missing")
    return _qualify_name(about, name, fields), _tool_input(agent, fields)


def _tool_input(agent: Agent, fields: Fields) -> dict[str, Any]:
    given = [fields[name] for name in _NAMES.tool_input if fields.get(name) is not None]
    if len(given) > 1:
        raise InvalidActionError(f"{agent.title} sent the tool's input under several names; send it under one")
    payload: Any = given[0] if given else {}
    if isinstance(payload, str):
        payload = _decode_input(payload)
    return payload if isinstance(payload, dict) else {"input": payload}


def _decode_input(text: str) -> Any:
    """Return a tool's input that was sent as a string: decoded if it is JSON, else the text itself.

    Text that begins like JSON and does not parse is refused: the agent may still parse it, and run unchecked text.
    """
    start = text.lstrip(" \t\r\n\ufeff")
    if not start.startswith(("{", "[", '"')):
        return text if start else {}
    try:
        found = msgspec.json.decode(start)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise InvalidActionError(f"the tool's input is not valid JSON: {str(error)[:100]}") from None
    if isinstance(found, str):
        raise InvalidActionError("the tool's input is a JSON string inside a JSON string; send it as an object")
    return found


def _qualify_name(event: Event, name: str, fields: Fields) -> str:
    """Return the name of a tool, with its MCP server if the call or the event names one."""
    for field in _NAMES.mcp_tool:
        context = fields.get(field)
        if isinstance(context, dict) and context.get("server_name") and context.get("tool_name"):
            return f"mcp__{context['server_name']}__{context['tool_name']}"
    return name if name.startswith(event.tool_prefix) else f"{event.tool_prefix}{name}"


def _require_text(fields: Fields, name: str) -> str:
    found = fields.get(name)
    if not isinstance(found, str):
        raise InvalidActionError(f"`{name}` must be a string, found {type(found).__name__}")
    return found


def _text(fields: Fields, names: tuple[str, ...]) -> str:
    """Return the first of several fields that holds a text."""
    return next((fields[name] for name in names if isinstance(fields.get(name), str) and fields[name]), "")


def _workspace(fields: Fields) -> str:
    lists = (fields.get(name) for name in _NAMES.workspace)
    return next((str(folders[0]) for folders in lists if isinstance(folders, list) and folders), "")


def _project(agent: Agent, environment: Mapping[str, str]) -> str:
    """Return the project's folder as a variable names it: the agent's own first, since some set others' as well."""
    variables = (name for one in (agent, *AGENTS) for name in one.environment.project)
    return next((environment[name] for name in variables if environment.get(name)), "")
