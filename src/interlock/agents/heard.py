"""What an agent's call says, whichever agent it is. Fields that we do not know are let be: versions come and go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from interlock.agents import BY_A_SCRIPT, MAX_CALL, PROJECTS, STARTED, claude_code, codex, copilot, cursor, gemini
from interlock.agents.agent import Agent, Stage
from interlock.errors import InvalidActionError, nearest
from interlock.model import Action

AGENTS: dict[str, Agent] = {module.AGENT.name: module.AGENT for module in (claude_code, codex, gemini, cursor, copilot)}
#: By which names agents say the same thing.
_SESSION = ("session_id", "sessionId", "conversation_id")
_TOOL = ("tool_name", "toolName")
_INPUT = ("tool_input", "toolInput", "toolArgs")
_EVENT = ("hook_event_name", "hookName")
_CALL = ("tool_use_id", "toolUseId", "generation_id")
#: Modes in which an agent's own question is not sure to reach anybody.
_UNATTENDED = frozenset({"bypassPermissions", "dontAsk", "auto"})


class Heard(NamedTuple):
    """A call of an agent. `agent` is whose language is answered in: an agent may read another's settings."""

    agent: Agent
    event: str
    session: str
    action: Action
    call_id: str = ""
    unattended: bool = False
    told: Mapping[str, Any] = {}

    @property
    def run_id(self) -> str:
        """The run that it belongs to: the agent's session."""
        return self.session or f"{self.agent.name} without a session"

    @property
    def stage(self) -> Stage:
        """When this call comes."""
        return self.agent.event(self.event).stage


def agent_of(name: str) -> Agent:
    """Return an agent by its name, or raise."""
    if name not in AGENTS:
        raise InvalidActionError(f"there is no agent `{name[:40]}`{nearest(name, list(AGENTS))}")
    return AGENTS[name]


def parse(raw: bytes) -> dict[str, Any]:
    """Return a call as an object, or raise. Some agents begin with a mark of the byte order."""
    if len(raw) > MAX_CALL:
        raise InvalidActionError(f"the call is longer than {MAX_CALL:,} bytes")
    try:
        found = msgspec.json.decode(raw.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidActionError(f"the call is no JSON: {str(error)[:200]}") from None
    if not isinstance(found, dict):
        raise InvalidActionError(f"the call must be a JSON object, found {type(found).__name__}")
    return found


def hear(name: str, raw: bytes, event: str | None = None, environment: Mapping[str, str] | None = None) -> Heard:
    """Return what an agent's call says, or raise. `event` is which hook it is, where the call itself does not say."""
    named = agent_of(name)
    if event is not None and named.known(event) is None:
        raise InvalidActionError(f"{named.title} has no event `{event[:40]}`{nearest(event, list(named.events))}")
    told = parse(raw)
    asked = _text(told, _EVENT) or event or ""
    agent = _speaker(named, told, asked)
    said = agent.known(asked)
    if said is None and (not asked or _acts(told)):
        said = agent.before  # whatever it is called, something is about to be done
    if said is None:
        return Heard(agent, asked, _text(told, _SESSION), Action(tool_name="none"), told=told)
    tool, payload = _tool(agent, said, told)
    cwd = _text(told, ("cwd",)) or _root(told)
    action = Action(
        tool_name=tool,
        input_payload=payload,
        agent_id="/".join(part for part in (agent.name, _text(told, ("agent_type",))) if part),
        cwd=cwd or None,
        workspace=_project(environment or {}) or _root(told) or cwd or None,
    )
    unattended = _text(told, ("permission_mode",)) in _UNATTENDED or (environment or {}).get(STARTED) == BY_A_SCRIPT
    return Heard(agent, said, _text(told, _SESSION), action, _text(told, _CALL), unattended, told)


def _speaker(agent: Agent, told: Mapping[str, Any], asked: str) -> Agent:
    """Return who calls: Cursor and Copilot also run the hooks that they find in Claude Code's settings."""
    if agent is not claude_code.AGENT:
        return agent
    others = (one for one in (cursor.AGENT, copilot.AGENT) if any(mark in told for mark in one.marks))
    return next((one for one in others if not asked or one.known(asked) is not None), agent)


def _acts(told: Mapping[str, Any]) -> bool:
    """Whether a call tells of something that is done: a tool, a command, a file."""
    return any(told.get(field) is not None for field in (*_TOOL, *_INPUT, "command", "file_path"))


def _tool(agent: Agent, event: str, told: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the tool that is called, and with what."""
    name = _text(told, _TOOL)
    if event in (cursor.SHELL, "afterShellExecution") or (not name and "command" in told):
        return "Shell", {"command": _needed(told, "command")}
    if event in (cursor.READ, "afterFileEdit") or (not name and "file_path" in told):
        return ("Edit" if event == "afterFileEdit" else "Read"), {"file_path": _needed(told, "file_path")}
    if not name:
        raise InvalidActionError(f"{agent.title} did not say which tool it calls; `{_TOOL[0]}` is missing")
    given = [told[field] for field in _INPUT if told.get(field) is not None]
    if len(given) > 1:
        raise InvalidActionError(
            f"{agent.title} said in several ways what the tool is given; nobody knows which counts"
        )
    payload: Any = given[0] if given else {}
    if isinstance(payload, str):
        payload = _parsed(payload)
    if not isinstance(payload, dict):
        payload = {"input": payload}
    return _server_tool(event, name, told), payload


def _parsed(text: str) -> Any:
    """Return what a tool is called with, where that is JSON in a text; any other text is what it is.

    What begins like JSON and cannot be read is refused: the agent may read it, and run what nobody has looked at.
    """
    plainly = text.lstrip(" \t\r\n\ufeff")
    if not plainly.startswith(("{", "[", '"')):
        return text if plainly else {}
    try:
        found = msgspec.json.decode(plainly)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise InvalidActionError(f"what the tool is given is no JSON that can be read: {str(error)[:100]}") from None
    if isinstance(found, str):
        raise InvalidActionError("what the tool is given is a text in a text; nobody knows how often it is read")
    return found


def _server_tool(event: str, name: str, told: Mapping[str, Any]) -> str:
    """Return the name of a tool, with the server that it belongs to where the call says so beside it."""
    context = told.get("mcp_context")
    if isinstance(context, dict) and context.get("server_name") and context.get("tool_name"):
        return f"mcp__{context['server_name']}__{context['tool_name']}"
    return f"MCP:{name}" if event in (cursor.MCP, "afterMCPExecution") and not name.startswith("MCP:") else name


def _needed(told: Mapping[str, Any], field: str) -> str:
    found = told.get(field)
    if not isinstance(found, str):
        raise InvalidActionError(f"`{field}` must be a text, found {type(found).__name__}")
    return found


def _text(told: Mapping[str, Any], fields: tuple[str, ...]) -> str:
    """Return the first of several fields that holds a text."""
    return next((told[field] for field in fields if isinstance(told.get(field), str) and told[field]), "")


def _root(told: Mapping[str, Any]) -> str:
    roots = told.get("workspace_roots")
    return str(roots[0]) if isinstance(roots, list) and roots else ""


def _project(environment: Mapping[str, str]) -> str:
    return next((environment[name] for name in PROJECTS if environment.get(name)), "")
