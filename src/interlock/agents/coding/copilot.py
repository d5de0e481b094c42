"""GitHub Copilot: hooks in `.github/hooks/*.json`. Its calls do not say which event they are for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from interlock.agents.coding import dialect
from interlock.agents.coding.agent import (
    AFTER,
    ANY,
    AT_PROMPT,
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
from interlock.agents.permission import DEFAULT_REASON, Permission, PermissionText

BEFORE, PROMPT = "preToolUse", "permissionRequest"
_EVENTS = {
    BEFORE: Event(Stage.BEFORE, ANY),
    PROMPT: Event(Stage.PROMPT, AT_PROMPT),
    "postToolUse": AFTER,
    "userPromptSubmitted": REQUEST,
}


def _write(event: str, permission: Permission, words: PermissionText) -> bytes:
    """Return the JSON that Copilot reads; nothing where its own rules decide."""
    if event == PROMPT:
        return (
            b"" if permission is Permission.ASK else msgspec.json.encode(dialect.make_prompt_answer(permission, words))
        )
    if event != BEFORE or permission is Permission.NO_OBJECTION:
        return b""
    reason = words.reason or DEFAULT_REASON
    return msgspec.json.encode({"permissionDecision": permission.name.lower(), "permissionDecisionReason": reason})


def _entries(command: Callable[[str], str], timeout: int) -> SettingsEntries:
    def handler(event: str) -> dict[str, Any]:
        return {"type": "command", "bash": command(event), "timeoutSec": timeout}

    return SettingsEntries({"version": 1}, {event: handler(event) for event in _EVENTS})


def _sample_call(sample: SampleCall) -> dict[str, Any]:
    return {
        "sessionId": sample.session,
        "timestamp": 0,
        "cwd": sample.folder,
        "toolName": "bash",
        "toolArgs": {"command": sample.command},
    }


def _understand(output: HookOutput) -> HookReading:
    if output.status not in (0, 2):
        return HookReading(Permission.DENY)
    return dialect.understand(output)


AGENT = Agent(
    name="copilot",
    title="GitHub Copilot",
    events=_EVENTS,
    names_event=True,
    fields=FieldNames(
        event=("hookName",),
        session=("sessionId",),
        tool=("toolName",),
        tool_input=("toolInput", "toolArgs"),
        call_id=("toolUseId",),
    ),
    environment=Environment(project=("COPILOT_PROJECT_DIR",)),
    tools={"bash": "shell", "view": "read", "grep": "read", "glob": "read", "edit": "write", "web_fetch": "http"},
    write=_write,
    marks=("toolName",),
    runs_hooks_of=("claude-code",),
    settings=SettingsLocation(".copilot", "hooks/interlock.json", "COPILOT_HOME", ".github/hooks/interlock.json"),
    entries=_entries,
    resume=("copilot", "--resume={session}", "-p"),
    sample_call=_sample_call,
    understand=_understand,
    advice=Advice(
        "Copilot uses the hook after a restart.",
        (
            "Copilot runs the action if a hook times out. The installed command denies five seconds before the "
            "timeout.",
            "The cloud agent reads only `.github/hooks/`, and treats *ask* as *deny*. So does `copilot -p`, after "
            "a while.",
            "With `--allow-all-tools`, some releases approve actions that a hook wanted you to be asked about.",
        ),
        "copilot.md",
    ),
)
