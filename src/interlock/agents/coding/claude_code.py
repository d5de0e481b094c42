"""Claude Code: hooks in `settings.json`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from interlock.agents.coding import dialect
from interlock.agents.coding.agent import (
    AFTER,
    AFTER_FAILURE,
    ANY,
    AT_PROMPT,
    REQUEST,
    Advice,
    Agent,
    Environment,
    Event,
    Installation,
    SettingsEntries,
    SettingsLocation,
    Stage,
)
from interlock.agents.permission import Permission, PermissionText

BEFORE, PROMPT = "PreToolUse", "PermissionRequest"
_EVENTS = {
    BEFORE: Event(Stage.BEFORE, ANY),
    PROMPT: Event(Stage.PROMPT, AT_PROMPT),
    "PostToolUse": AFTER,
    "PostToolUseFailure": AFTER_FAILURE,
    "UserPromptSubmit": REQUEST,
}


def _write(event: str, permission: Permission, words: PermissionText) -> bytes:
    """Return the JSON that Claude Code reads; nothing where its own rules decide."""
    if event == PROMPT:
        return dialect.write_prompt(event, permission, words)
    if event != BEFORE or permission is Permission.NO_OBJECTION:
        return b""
    return dialect.write_permission(event, permission, words)


def _entries(command: Callable[[str], str], timeout: int) -> SettingsEntries:
    def handler(event: str) -> dict[str, object]:
        plain = {"type": "command", "command": command(event), "timeout": timeout}
        return {**plain, "onFailure": "block"} if event == BEFORE else plain

    return SettingsEntries({}, dialect.make_hook_entries(_EVENTS, handler))


def _problems(installation: Installation) -> Iterator[str]:
    """Yield the switches in the project's files that turn hooks off there."""
    for name in (".claude/settings.json", ".claude/settings.local.json"):
        file = installation.folder / name
        if file != installation.file and installation.read(file).get("disableAllHooks"):
            yield f"`disableAllHooks` is on in `{file}`, so no hook runs there"


AGENT = Agent(
    name="claude-code",
    title="Claude Code",
    events=_EVENTS,
    environment=Environment(project=("CLAUDE_PROJECT_DIR",), unattended={"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}),
    tools={
        "Bash": "shell",
        "Read": "read",
        "Glob": "read",
        "Grep": "read",
        "Write": "write",
        "Edit": "write",
        "MultiEdit": "write",
        "NotebookEdit": "write",
        "WebFetch": "http",
    },
    write=_write,
    settings=SettingsLocation(".claude", "settings.json", "CLAUDE_CONFIG_DIR", ".claude/settings.json"),
    entries=_entries,
    resume=("claude", "--resume", "{session}", "-p"),
    problems=_problems,
    sample_call=dialect.sample_call,
    understand=dialect.understand,
    advice=Advice(
        "Claude Code uses the hook at once, in open sessions too.",
        (
            "Claude Code calls no hook for files that you mention with `@`, commands that you type after `!`, and "
            "skills that you invoke yourself.",
            "Cloud sessions read a project's settings, but not your own.",
            "`disableAllHooks` and managed-hooks-only settings disable the hook. `interlock doctor` reports the first.",
            '`onFailure: "block"` needs Claude Code 2.1.295. In earlier releases, the action runs if a hook '
            "reaches Claude Code's own timeout. Interlock's hook denies five seconds before that.",
        ),
        "claude-code.md",
    ),
)
