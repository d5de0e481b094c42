"""The command line of a hook, and how it is recognised in a settings file."""

from __future__ import annotations

import itertools
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import interlock
from interlock.agents import DEADLINE_SECONDS
from interlock.agents.coding.agent import Agent, SettingsEntries, Stage
from interlock.errors import ConfigError

#: By how many seconds a hook's own deadline comes before the agent's timeout, after which the action may run.
SPARE_SECONDS = 5
#: What the shell does when the hook did not end well: to an agent, any status but 2 means that the action may run.
_OR_REFUSE = " || (test $? = 2 || echo 'Interlock could not run its hook, so nothing runs' >&2; exit 2)"
#: What it does where the person's request is recorded: the request goes on, and the agent shows what the hook said.
_OR_REPORT = " || exit 1"


class InstallOptions(NamedTuple):
    """Options for the installation of a hook."""

    auto_approve: str | None = None
    wait: int = 0
    alone: bool = False

    @property
    def deadline(self) -> int:
        """After how many seconds the hook refuses."""
        return max(DEADLINE_SECONDS, self.wait + 10)

    @property
    def timeout(self) -> int:
        """After how many seconds the agent gives up on the hook."""
        return self.deadline + SPARE_SECONDS


def settings_file(agent: Agent, project: Path | None) -> Path:
    """Return the file that a hook of an agent is entered into."""
    location = agent.settings
    if project is not None:
        return project / location.project
    moved = os.environ.get(location.variable or "")
    if moved and not os.path.isabs(moved):
        raise ConfigError(f"{location.variable} must be an absolute path, found `{moved}`")
    try:
        return (Path(moved) if moved else Path.home() / location.folder) / location.file
    except RuntimeError:
        raise ConfigError("your home folder is unknown; set HOME, or use --project") from None


def entries(agent: Agent, options: InstallOptions, *, shared: bool) -> SettingsEntries:
    """Return the settings entries of an agent; `shared` if several machines read the file."""
    return agent.entries(_command(agent, options, shared=shared), options.timeout)


def _command(agent: Agent, options: InstallOptions, *, shared: bool) -> Callable[[str], str]:
    """Return a function that gives the command line of the hook at an event."""
    launcher = str(Path(interlock.__file__).with_name("launch.py"))
    program = ["interlock"] if shared else [sys.executable, "-I", "-S", launcher]

    def line(event: str) -> str:
        words = ["--event", event] if agent.names_event else []
        if options.auto_approve is not None:
            words += ["--auto-approve", options.auto_approve]
        if options.wait:
            words += ["--wait", str(options.wait), "--deadline", str(options.deadline)]
        if options.alone:
            words.append("--alone")
        return command_line(agent, program, words, _endings(agent, event)[0])

    return line


def command_line(agent: Agent, program: list[str], options: list[str], ending: str = _OR_REFUSE) -> str:
    """Return a command line for the agent's shell. A hook that does not start, or is killed, refuses as well."""
    return agent.wrap(shlex.join([*program, "hook", agent.name, *options]) + ending)


def _endings(agent: Agent, event: str) -> tuple[str, ...]:
    """Return the possible endings of command lines at an event, those of earlier versions included."""
    known = agent.events.get(event)
    return (_OR_REPORT, _OR_REFUSE) if known is not None and known.stage is Stage.REQUEST else (_OR_REFUSE,)


def split_line(line: str) -> list[str]:
    """Return the words of a command line, unwrapped if it is passed to another shell."""
    try:
        words = shlex.split(line)
        return [*shlex.split(words[2]), *words[3:]] if words[:2] == ["sh", "-c"] and len(words) > 2 else words
    except ValueError:
        return []


def parse_command_line(agent: Agent, line: str, event: str) -> tuple[InstallOptions, str | None] | None:
    """Return the options of a command line as we write it at an event, and the event that it names, or None."""
    words = split_line(line)
    if not is_ours(agent, line):
        return None
    at = words.index("hook", 1)
    for ending in _endings(agent, event):
        rest = words[at + 2 : len(words) - len(shlex.split(ending))]
        if command_line(agent, words[:at], rest, ending) == line:
            return _parse_options(rest)
    return None


def _parse_options(words: list[str]) -> tuple[InstallOptions, str | None] | None:
    given = dict(itertools.pairwise(words))
    known = {"--event", "--auto-approve", "--wait", "--deadline", "--alone"}
    if {word for word in words if word.startswith("-")} - known or not given.get("--wait", "0").isdigit():
        return None
    options = InstallOptions(given.get("--auto-approve"), int(given.get("--wait", "0")), "--alone" in words)
    return options, given.get("--event")


def is_ours(agent: Agent, line: str) -> bool:
    """Whether a command line runs our hook for an agent, in the form of this version or an earlier one."""
    words = split_line(line)
    if "hook" not in words[1:]:
        return False
    at = words.index("hook", 1)
    program = words[at - 1].replace("\\", "/")
    ours = program.rpartition("/")[2] == "interlock" or program.endswith("interlock/launch.py")
    return ours and words[at + 1 : at + 2] == [agent.name]
