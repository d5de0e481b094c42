"""What is entered into each agent's settings, and where they are."""

from __future__ import annotations

import itertools
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import interlock
from interlock.agents import DEADLINE_SECONDS
from interlock.errors import ConfigError

#: By how much a hook's own deadline comes before the agent gives it up, which may let the action run.
SPARE_SECONDS = 5
#: What Cursor has no event of its own for. (It calls both for a shell command, and here it cannot be told to ask.)
_CURSOR_OTHERS = "^(?!(Shell|Read)$|MCP:)"
#: What a shell does where the hook did not end well: any other status, to an agent, is leave to go on.
_OR_NO = " || (test $? = 2 || echo 'Interlock could not run its hook, so nothing runs' >&2; exit 2)"


class Wish(NamedTuple):
    """How a hook is to be installed."""

    auto_approve: str | None = None
    wait: int = 0
    alone: bool = False

    @property
    def deadline(self) -> int:
        """After how many seconds the hook says no."""
        return max(DEADLINE_SECONDS, self.wait + 10)

    @property
    def patience(self) -> int:
        """After how many seconds the agent gives up."""
        return self.deadline + SPARE_SECONDS


class Home(NamedTuple):
    """Where an agent keeps its settings: for a person, with the variable that moves that folder; and in a project."""

    folder: str
    file: str
    variable: str | None
    project: str


class Entries(NamedTuple):
    """The entries of an agent: what the file has besides, and its hooks by event."""

    besides: Mapping[str, Any]
    hooks: Mapping[str, Mapping[str, Any]]


HOMES = {
    "claude-code": Home(".claude", "settings.json", "CLAUDE_CONFIG_DIR", ".claude/settings.json"),
    "codex": Home(".codex", "hooks.json", "CODEX_HOME", ".codex/hooks.json"),
    "gemini": Home(".gemini", "settings.json", None, ".gemini/settings.json"),
    "cursor": Home(".cursor", "hooks.json", None, ".cursor/hooks.json"),
    "copilot": Home(".copilot", "hooks/interlock.json", "COPILOT_HOME", ".github/hooks/interlock.json"),
}


def settings_file(agent: str, project: Path | None) -> Path:
    """Return the file that a hook of an agent is entered into."""
    home = HOMES[agent]
    if project is not None:
        return project / home.project
    moved = os.environ.get(home.variable or "")
    if moved and not os.path.isabs(moved):
        raise ConfigError(f"{home.variable} must be a full path, found `{moved}`")
    try:
        return (Path(moved) if moved else Path.home() / home.folder) / home.file
    except RuntimeError:
        raise ConfigError("nobody knows where your home folder is; set HOME, or use --project") from None


def command(agent: str, wish: Wish, *, shared: bool, event: str | None = None) -> str:
    """Return the command line of a hook; in a file that is shared, one that is right on every machine."""
    launcher = str(Path(interlock.__file__).with_name("launch.py"))
    program = ["interlock"] if shared else [sys.executable, "-I", "-S", launcher]
    options = []
    if event is not None:
        options += ["--event", event]
    if wish.auto_approve is not None:
        options += ["--auto-approve", wish.auto_approve]
    if wish.wait:
        options += ["--wait", str(wish.wait), "--deadline", str(wish.deadline)]
    if wish.alone:
        options.append("--alone")
    return line_of(agent, program, options)


def line_of(agent: str, program: list[str], options: list[str]) -> str:
    """Return a command line that a shell runs. A hook that cannot be started, or was killed, is a refusal, too."""
    line = shlex.join([*program, "hook", agent, *options]) + _OR_NO
    return shlex.join(["sh", "-c", line]) if agent == "codex" else line  # which Codex gives to any shell there is


def words_of(line: str) -> list[str]:
    """Return the words of a command line, also of one that is given to another shell."""
    try:
        words = shlex.split(line)
        return [*shlex.split(words[2]), *words[3:]] if words[:2] == ["sh", "-c"] and len(words) > 2 else words
    except ValueError:
        return []


def wish_of(line: str, agent: str) -> tuple[Wish, str | None] | None:
    """Return the wish that a command line of ours fulfils, and the event it names; None where we do not write it so."""
    words = words_of(line)
    if not is_ours(line, agent):
        return None
    at = words.index("hook", 1)
    rest = words[at + 2 : len(words) - len(shlex.split(_OR_NO))]
    if line_of(agent, words[:at], rest) != line:
        return None
    given = dict(itertools.pairwise(rest))
    known = {"--event", "--auto-approve", "--wait", "--deadline", "--alone"}
    if {word for word in rest if word.startswith("-")} - known or not given.get("--wait", "0").isdigit():
        return None
    wish = Wish(given.get("--auto-approve"), int(given.get("--wait", "0")), "--alone" in rest)
    return wish, given.get("--event")


def entries(agent: str, wish: Wish, *, shared: bool) -> Entries:
    """Return what is entered for an agent."""
    line = command(agent, wish, shared=shared)
    if agent == "cursor":
        one: dict[str, Any] = {"command": line, "timeout": wish.patience, "failClosed": True}
        before = dict.fromkeys(("beforeShellExecution", "beforeMCPExecution", "beforeReadFile"), one)
        after = {"command": line, "timeout": wish.patience}
        others = {"matcher": _CURSOR_OTHERS, **one}
        return Entries(
            {"version": 1}, {**before, "preToolUse": others, "postToolUse": after, "postToolUseFailure": after}
        )
    if agent == "copilot":
        named = ("preToolUse", "permissionRequest", "postToolUse")
        return Entries({"version": 1}, {event: _copilot(wish, event, shared=shared) for event in named})
    if agent == "gemini":
        handler = {"type": "command", "name": "interlock", "command": line, "timeout": wish.patience * 1_000}
        return Entries({}, {event: {"matcher": "*", "hooks": [handler]} for event in ("BeforeTool", "AfterTool")})
    plain = {"type": "command", "command": line, "timeout": wish.patience}
    sure = {**plain, "onFailure": "block"} if agent == "claude-code" else plain
    events = ["PreToolUse", "PermissionRequest", "PostToolUse"]
    events += ["PostToolUseFailure"] if agent == "claude-code" else []
    return Entries(
        {}, {event: {"matcher": "*", "hooks": [sure if event == "PreToolUse" else plain]} for event in events}
    )


def _copilot(wish: Wish, event: str, *, shared: bool) -> dict[str, Any]:
    line = command("copilot", wish, shared=shared, event=event)
    return {"type": "command", "bash": line, "timeoutSec": wish.patience}


def is_ours(line: str, agent: str) -> bool:
    """Whether a command line is a hook of ours for an agent, however it was once written.

    >>> is_ours("interlock hook codex --wait 5", "codex"), is_ours("my-guard hook codex", "codex")
    (True, False)
    """
    words = words_of(line)
    if "hook" not in words[1:]:
        return False
    at = words.index("hook", 1)
    program = words[at - 1].replace("\\", "/")
    ours = program.rpartition("/")[2] == "interlock" or program.endswith("interlock/launch.py")
    return ours and words[at + 1 : at + 2] == [agent]
