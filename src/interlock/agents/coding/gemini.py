"""Gemini CLI: hooks in `settings.json`. Its `allow` means nothing: its own rules decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from interlock.agents.coding import dialect
from interlock.agents.coding.agent import (
    AFTER,
    DENY_ONLY,
    REQUEST,
    Advice,
    Agent,
    Environment,
    Event,
    FieldNames,
    Installation,
    SampleCall,
    SettingsEntries,
    SettingsLocation,
    Stage,
)
from interlock.agents.permission import DEFAULT_REASON, Permission, PermissionText

BEFORE = "BeforeTool"
_EVENTS = {BEFORE: Event(Stage.BEFORE, DENY_ONLY), "AfterTool": AFTER, "BeforeAgent": REQUEST}


def _write(event: str, permission: Permission, words: PermissionText) -> bytes:
    """Return the JSON that Gemini CLI reads."""
    if event != BEFORE or permission is not Permission.DENY:
        return b""
    answer = {"decision": "deny", "reason": words.reason or DEFAULT_REASON}
    if words.notice:
        answer["systemMessage"] = words.notice
    return msgspec.json.encode(answer)


def _entries(command: Callable[[str], str], timeout: int) -> SettingsEntries:
    def handler(event: str) -> dict[str, object]:
        return {"type": "command", "name": "interlock", "command": command(event), "timeout": timeout * 1_000}

    return SettingsEntries({}, dialect.make_hook_entries(_EVENTS, handler))


def _problems(installation: Installation) -> Iterator[str]:
    switches, hooks = installation.settings.get("hooksConfig"), installation.settings.get("hooks")
    disabled = [table.get("disabled") for table in (switches, hooks) if isinstance(table, dict)]
    if isinstance(switches, dict) and switches.get("enabled") is False:
        yield "`hooksConfig.enabled` is false, so no hook runs"
    if any(isinstance(names, list) and "interlock" in names for names in disabled):
        yield "`interlock` is listed in `hooksConfig.disabled`"


def _sample_call(sample: SampleCall) -> dict[str, Any]:
    call = dialect.sample_call(sample, "run_shell_command")
    del call["permission_mode"]
    return call


AGENT = Agent(
    name="gemini",
    title="Gemini CLI",
    events=_EVENTS,
    fields=FieldNames(mcp_tool=("mcp_context",)),
    environment=Environment(project=("GEMINI_PROJECT_DIR",)),
    tools={
        "run_shell_command": "shell",
        "read_file": "read",
        "read_many_files": "read",
        "list_directory": "read",
        "glob": "read",
        "search_file_content": "read",
        "write_file": "write",
        "replace": "write",
        "web_fetch": "http",
    },
    write=_write,
    settings=SettingsLocation(".gemini", "settings.json", None, ".gemini/settings.json"),
    entries=_entries,
    resume=("gemini", "--resume", "{session}", "-p"),
    problems=_problems,
    sample_call=_sample_call,
    understand=dialect.understand,
    advice=Advice(
        "Gemini CLI uses the hook after a restart.",
        (
            "Gemini CLI runs the action if a hook fails or times out. The installed command denies on every "
            "failure, and five seconds before the timeout.",
            "`hooksConfig.enabled: false` and entries in `hooksConfig.disabled` disable hooks. `interlock doctor` "
            "reports both.",
            "Hooks in a project's settings run only in folders that you trust.",
            "Gemini CLI ignores *allow*, so `--auto-approve` has no effect. Its own policy decides when to ask you.",
        ),
        "gemini.md",
    ),
)
