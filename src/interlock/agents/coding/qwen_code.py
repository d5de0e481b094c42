"""Qwen Code: hooks in `settings.json`, in the dialect of Claude Code, with the tool names of Gemini CLI.

Three properties of Qwen Code determine the answers:

- The action runs if a hook exits with a status other than 0 and 2, is killed, or prints invalid JSON.
- If several hooks give a `permissionDecision`, the last one wins, even an `allow` after a `deny`. Only
  `continue: false` overrides it, so every objection contains it. `allow` is never written, since it would override the
  objection of another hook.
- Qwen Code waits 60 seconds for its hooks, whatever their own timeout is, and then runs the action.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from interlock.agents.coding import dialect
from interlock.agents.coding.agent import (
    AFTER,
    AFTER_FAILURE,
    ASK_OR_DENY,
    AT_PROMPT,
    REQUEST,
    Advice,
    Agent,
    Environment,
    Event,
    Fields,
    Installation,
    SampleCall,
    SettingsEntries,
    SettingsLocation,
    Stage,
)
from interlock.agents.permission import DEFAULT_REASON, Permission, PermissionText

BEFORE, PROMPT = "PreToolUse", "PermissionRequest"
_EVENTS = {
    BEFORE: Event(Stage.BEFORE, ASK_OR_DENY),
    PROMPT: Event(Stage.PROMPT, AT_PROMPT),
    "PostToolUse": AFTER,
    "PostToolUseFailure": AFTER_FAILURE,
    "UserPromptSubmit": REQUEST,
}
#: Where our hook is entered. `PermissionRequest` comes before `PreToolUse` here, which decides anyway.
_INSTALLED = {name: event for name, event in _EVENTS.items() if name != PROMPT}


def _write(event: str, permission: Permission, words: PermissionText) -> bytes:
    """Return the JSON that Qwen Code reads; nothing where its own rules decide."""
    if event == PROMPT:
        return dialect.write_prompt(event, permission, words)
    if event != BEFORE or permission not in (Permission.ASK, Permission.DENY):
        return b""
    stop = {"continue": False, "stopReason": words.reason or DEFAULT_REASON}
    return dialect.write_permission(event, permission, words, **stop)


def _entries(command: Callable[[str], str], timeout: int) -> SettingsEntries:
    # Every release reads 1000 and more as milliseconds; smaller numbers are seconds to newer ones.
    def handler(event: str) -> dict[str, object]:
        return {"type": "command", "name": "interlock", "command": command(event), "timeout": timeout * 1_000}

    return SettingsEntries({}, dialect.make_hook_entries(_INSTALLED, handler))


def _problems(installation: Installation) -> Iterator[str]:
    file = installation.folder / ".qwen" / "settings.json"
    if file != installation.file and installation.read(file).get("disableAllHooks"):
        yield f"`disableAllHooks` is on in `{file}`, so no hook runs there"


def _can_ask(fields: Fields) -> bool:
    """Whether this release asks the person when a hook says `ask`: older ones deny, and send no `tool_call_id`."""
    return fields.get("hook_event_name") == PROMPT or "tool_call_id" in fields


def _sample_call(sample: SampleCall) -> dict[str, Any]:
    return {**dialect.sample_call(sample, "run_shell_command"), "tool_call_id": "canary"}


AGENT = Agent(
    name="qwen-code",
    title="Qwen Code",
    events=_EVENTS,
    environment=Environment(project=("QWEN_PROJECT_DIR",)),
    unattended_modes=frozenset({"yolo"}),  # `auto` asks the person as well, and is the default
    can_ask=_can_ask,
    tools={
        "run_shell_command": "shell",
        "read_file": "read",
        "list_directory": "read",
        "glob": "read",
        "grep_search": "read",
        "write_file": "write",
        "edit": "write",
        "web_fetch": "http",
    },
    write=_write,
    settings=SettingsLocation(".qwen", "settings.json", "QWEN_HOME", ".qwen/settings.json"),
    entries=_entries,
    resume=("qwen", "--resume", "{session}"),
    max_wait=40,
    problems=_problems,
    sample_call=_sample_call,
    start=lambda line: ["bash", "-c", line],
    understand=dialect.understand,
    advice=Advice(
        "Qwen Code uses the hook after a restart, or when you open /hooks.",
        (
            "Qwen Code runs the action if a hook fails, and after 60 seconds, whatever the hook's own timeout is. "
            "The installed command turns every failure into a denial, and denies in time. `--wait` accepts at "
            "most 40 seconds.",
            "`disableAllHooks`, `--safe-mode` and `--bare` disable hooks. `interlock doctor` reports the first.",
            "Hooks in a project's settings run only in folders that you trust.",
            "If Interlock's hook cannot start or is killed, and another hook answers *allow*, Qwen Code runs the "
            "action.",
            "Qwen Code asks you before it calls this hook, so `--auto-approve` has no effect.",
        ),
        "qwen-code.md",
    ),
)
