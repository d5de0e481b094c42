"""Cursor: hooks in `hooks.json`, one for each kind of action.

Cursor treats an empty answer as a broken hook, so "no objection" is sent as `allow`, which does not override Cursor's
own rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from interlock.agents.coding import dialect
from interlock.agents.coding.agent import (
    AFTER,
    AFTER_FAILURE,
    ASK_OR_DENY,
    DENY_ONLY,
    REQUEST,
    Advice,
    Agent,
    Environment,
    Event,
    FieldNames,
    HookOutput,
    HookReading,
    SampleCall,
    SettingsEntries,
    SettingsLocation,
    Stage,
)
from interlock.agents.permission import Permission, PermissionText

SHELL, MCP, READ, TOOL = "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"
REQUESTED = "beforeSubmitPrompt"
_EVENTS = {
    SHELL: Event(Stage.BEFORE, ASK_OR_DENY, tool="Shell", tool_field="command"),
    MCP: Event(Stage.BEFORE, ASK_OR_DENY, tool_prefix="MCP:"),
    READ: Event(Stage.BEFORE, DENY_ONLY, tool="Read", tool_field="file_path"),
    TOOL: Event(Stage.BEFORE, DENY_ONLY),  # Cursor accepts an `ask` here, and does not ask
    "afterShellExecution": Event(Stage.AFTER, tool="Shell", tool_field="command"),
    "afterMCPExecution": Event(Stage.AFTER, tool_prefix="MCP:"),
    "afterFileEdit": Event(Stage.AFTER, tool="Edit", tool_field="file_path"),
    "postToolUse": AFTER,
    "postToolUseFailure": AFTER_FAILURE,
    REQUESTED: REQUEST,
}
#: The tools without a separate event. Cursor calls `preToolUse` for a shell command as well, and cannot be told
#: to ask there.
_OTHER_TOOLS = "^(?!(Shell|Read)$|MCP:)"
_PERMISSION = {
    Permission.ALLOW: "allow",
    Permission.NO_OBJECTION: "allow",
    Permission.ASK: "ask",
    Permission.DENY: "deny",
}


def _write(event: str, permission: Permission, words: PermissionText) -> bytes:
    """Return the JSON that Cursor reads."""
    if _EVENTS.get(event, AFTER).stage is not Stage.BEFORE:
        return b"{}"
    answer = {"permission": _PERMISSION[permission]}
    if permission >= Permission.ASK:
        answer |= {"user_message": words.notice or words.reason, "agent_message": words.reason}
    return msgspec.json.encode(answer)


def _entries(command: Callable[[str], str], timeout: int) -> SettingsEntries:
    after: dict[str, Any] = {"command": command(SHELL), "timeout": timeout}
    before = {**after, "failClosed": True}
    hooks = {**dict.fromkeys((SHELL, MCP, READ), before), TOOL: {"matcher": _OTHER_TOOLS, **before}}
    request = {**after, "command": command(REQUESTED)}
    return SettingsEntries(
        {"version": 1}, {**hooks, "postToolUse": after, "postToolUseFailure": after, REQUESTED: request}
    )


def _sample_call(sample: SampleCall) -> dict[str, Any]:
    call: dict[str, Any] = {
        "conversation_id": sample.session,
        "hook_event_name": sample.event,
        "cursor_version": "0",
        "workspace_roots": [sample.folder],
        "cwd": sample.folder,
    }
    if sample.event == SHELL:
        return {**call, "command": sample.command}
    return {**call, "tool_name": "Shell", "tool_input": {"command": sample.command}}


def _understand(output: HookOutput) -> HookReading:
    if output.status == 2 or not (output.status or output.stdout.strip()):
        return HookReading(Permission.DENY)
    reading = dialect.understand(output)
    return HookReading(Permission.NO_OBJECTION) if reading.permission is Permission.ALLOW else reading


AGENT = Agent(
    name="cursor",
    title="Cursor",
    events=_EVENTS,
    fields=FieldNames(session=("conversation_id",), call_id=("generation_id",), workspace=("workspace_roots",)),
    environment=Environment(project=("CURSOR_PROJECT_DIR",)),
    tools={"Shell": "shell", "Read": "read", "Grep": "read", "Write": "write", "StrReplace": "write"},
    write=_write,
    marks=("cursor_version", "workspace_roots"),
    runs_hooks_of=("claude-code",),
    settings=SettingsLocation(".cursor", "hooks.json", None, ".cursor/hooks.json"),
    entries=_entries,
    resume=("cursor-agent", "--resume", "{session}", "-p"),
    sample_call=_sample_call,
    understand=_understand,
    advice=Advice(
        "Cursor uses the hook at once.",
        (
            "Cursor can ask about shell commands and MCP tools only. For files and other tools, an action that "
            "needs approval is denied and waits in `interlock approvals`.",
            "Cursor may run commands on its own allow list without asking, even if the hook told it to ask.",
            "*allow* does not override Cursor's own rules, so `--auto-approve` has no effect.",
            "Cloud agents read only a project's hooks. If the file has an event that Cursor does not know, it "
            "ignores the whole file.",
        ),
        "cursor.md",
    ),
)
