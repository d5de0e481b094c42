"""Cursor: hooks in `hooks.json`, one for each kind of action.

Cursor takes an empty answer for a broken hook, so that no objection is said, too. That does not lift its own rules.
"""

from __future__ import annotations

import msgspec

from interlock.agents.agent import AFTER, ASK_TOO, DENY_ONLY, Agent, Event, Reply, Stage, Words

SHELL, MCP, READ, TOOL = "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"
_PERMISSION = {Reply.ALLOW: "allow", Reply.SILENT: "allow", Reply.ASK: "ask", Reply.DENY: "deny"}


def write(event: str, reply: Reply, words: Words) -> bytes:
    """Return the JSON that Cursor reads."""
    if EVENTS.get(event, AFTER).stage is not Stage.BEFORE:
        return b"{}"
    told = {"permission": _PERMISSION[reply]}
    if reply >= Reply.ASK:
        told |= {"user_message": words.tell or words.why, "agent_message": words.why}
    return msgspec.json.encode(told)


EVENTS = {
    SHELL: Event(Stage.BEFORE, ASK_TOO),
    MCP: Event(Stage.BEFORE, ASK_TOO),
    READ: Event(Stage.BEFORE, DENY_ONLY),
    TOOL: Event(Stage.BEFORE, DENY_ONLY),  # it takes an `ask` here, and does not ask
    "afterShellExecution": AFTER,
    "afterMCPExecution": AFTER,
    "afterFileEdit": AFTER,
    "postToolUse": AFTER,
    "postToolUseFailure": AFTER,
}
AGENT = Agent("cursor", "Cursor", EVENTS, write, marks=("cursor_version", "workspace_roots"))
