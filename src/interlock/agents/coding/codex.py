"""Codex: hooks in `hooks.json`, which it runs once a person has trusted them.

A bare `allow`, an `ask`, a `deny` without a reason and an unknown field make Codex treat the hook as failed, and the
command runs. None of them is ever written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from interlock.agents.coding import dialect
from interlock.agents.coding.agent import (
    AFTER,
    AT_PROMPT,
    DENY_ONLY,
    REQUEST,
    Advice,
    Agent,
    Event,
    HookOutput,
    HookReading,
    Installation,
    SettingsEntries,
    SettingsLocation,
    Stage,
)
from interlock.agents.permission import Permission, PermissionText

BEFORE, PROMPT = "PreToolUse", "PermissionRequest"
_EVENTS = {
    BEFORE: Event(Stage.BEFORE, DENY_ONLY),
    PROMPT: Event(Stage.PROMPT, AT_PROMPT),
    "PostToolUse": AFTER,
    "UserPromptSubmit": REQUEST,
}


def _write(event: str, permission: Permission, words: PermissionText) -> bytes:
    """Return the JSON that Codex reads."""
    if event == BEFORE and permission is Permission.DENY:
        return dialect.write_permission(event, permission, words)
    return dialect.write_prompt(event, permission, words) if event == PROMPT else b""


def _entries(command: Callable[[str], str], timeout: int) -> SettingsEntries:
    def handler(event: str) -> dict[str, object]:
        return {"type": "command", "command": command(event), "timeout": timeout}

    return SettingsEntries({}, dialect.make_hook_entries(_EVENTS, handler))


def _problems(installation: Installation) -> Iterator[str]:
    from interlock.agents.coding.codex_trust import find_trust_problems  # needed by the health check alone

    return find_trust_problems(installation)


def _understand(output: HookOutput) -> HookReading:
    reading = dialect.understand(output)
    if reading.permission in (Permission.ALLOW, Permission.ASK) or (output.stdout.strip() and not reading.reason):
        return HookReading(None, "Codex does not support this answer")
    return reading


def _wrap(line: str) -> str:
    """Return a command line for any shell: Codex runs it in the shell that the person uses."""
    import shlex

    return shlex.join(["sh", "-c", line])


AGENT = Agent(
    name="codex",
    title="Codex",
    events=_EVENTS,
    tools={"Bash": "shell", "apply_patch": "patch"},
    write=_write,
    settings=SettingsLocation(".codex", "hooks.json", "CODEX_HOME", ".codex/hooks.json"),
    entries=_entries,
    resume=("codex", "exec", "resume", "{session}"),
    wrap=_wrap,
    problems=_problems,
    sample_call=dialect.sample_call,
    start=lambda line: [os.environ.get("SHELL") or "sh", "-lc", line],
    understand=_understand,
    advice=Advice(
        "Codex runs the hook only after you trust it: type /hooks in Codex now, and again after every change.",
        (
            "Codex runs the action if a hook fails, and has no setting to change that. The installed command "
            "turns every failure into a denial, except when Codex itself gives up on the hook.",
            "Codex calls no hook for input to a program that is already running, or for tools that run on the "
            "vendor's servers, such as web search.",
            "Codex does not send the working folder of a single command, so relative paths are resolved in the "
            "session's folder.",
        ),
        "codex.md",
    ),
)
