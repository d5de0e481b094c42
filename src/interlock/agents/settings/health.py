"""The health check: which hooks are installed where, and what would keep them from working."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from interlock.agents.coding import AGENTS
from interlock.agents.coding.agent import Agent, Installation, Stage
from interlock.agents.settings import files
from interlock.agents.settings.command import InstallOptions, entries, parse_command_line, settings_file, split_line
from interlock.agents.settings.edit import LINES, InstalledEntry, find_entries, find_handlers, find_our_line
from interlock.agents.settings.jsonc import JsonDocument
from interlock.errors import ConfigError


class Health(NamedTuple):
    """The hooks installed for an agent in one file: the command line at each event, and the problems."""

    agent: Agent
    file: Path
    commands: dict[str, str]
    problems: tuple[str, ...] = ()

    @property
    def is_installed(self) -> bool:
        """Whether there is a hook of ours."""
        return bool(self.commands)

    @property
    def shell_hook(self) -> tuple[str, str] | None:
        """The event that comes before a shell command, and the command line of its hook."""
        events = self.agent.events.items()
        before = (name for name, event in events if event.stage is Stage.BEFORE and name in self.commands)
        name = next(before, None)
        return None if name is None else (name, self.commands[name])


def check_all(project: Path) -> list[Health]:
    """Return the health of every agent, for the person and in a project."""
    found: dict[Path, Health] = {}
    for agent in AGENTS:
        for where in (None, project):
            health = check_agent(agent, where)
            found.setdefault(health.file, health)  # in the home folder, both are the same file
    return list(found.values())


def check_agent(agent: Agent, project: Path | None) -> Health:
    """Return the health of an agent in the person's own settings, or in a project's."""
    file = settings_file(agent, project)
    try:
        document = _read(file)
    except ConfigError as error:
        return Health(agent, file, {}, (str(error),))
    if document is None:
        return Health(agent, file, {})
    present = find_entries(document, agent)
    lines = (
        (entry.event, find_our_line(handler, agent)) for entry in present for handler in find_handlers(entry.value)
    )
    commands = {event: line for event, line in lines if line is not None}
    if not commands:
        return Health(agent, file, {})
    installation = Installation(
        file, document.root.value, commands, project or Path.cwd(), settings_file(agent, None), _read_object
    )
    shared = list(_problems(agent, installation, present, project))
    return Health(agent, file, commands, (*shared, *agent.problems(installation)))


def _read(file: Path) -> JsonDocument | None:
    """Return a settings file, or None where there is nothing in it; raise where it cannot be read."""
    text = files.text_of(file, files.read(file))
    return JsonDocument(text, str(file)) if text is not None and text.strip() else None


def _read_object(file: Path) -> Mapping[str, Any]:
    """Return the content of a settings file; an empty object if it is missing or cannot be read."""
    try:
        document = _read(file)
    except ConfigError:
        return {}
    return document.root.value if document is not None and isinstance(document.root.value, dict) else {}


def _problems(
    agent: Agent, installation: Installation, present: list[InstalledEntry], project: Path | None
) -> Iterator[str]:
    """Yield the problems that any agent's hook can have."""
    again = f"`interlock install {agent.name}{' --project' if project else ''}` repairs it"
    wanted = entries(agent, InstallOptions(), shared=project is not None)
    for event in wanted.hooks:
        if event not in installation.commands:
            yield f"there is no hook for {event}; {again}"
    for line in sorted(set(installation.commands.values())):
        words = split_line(line)
        gone = [word for word in words[:4] if word.startswith("/") and not os.path.exists(word)]
        if gone:
            yield f"`{gone[0]}` does not exist, so the hook cannot start; {again}"
        elif not words[0].startswith("/") and shutil.which(words[0]) is None:
            yield f"`{words[0]}` is not on your PATH, so the hook cannot start"
    for entry in present:
        if not _is_as_installed(agent, entry):
            yield f"{entry.event}: this entry was changed after installation and may let actions run; {again}"
    for name in wanted.top_level:
        if name not in installation.settings:
            yield f"`{name}` is missing, so the agent may not read the file; {again}"
    if installation.settings.get("disableAllHooks"):
        yield "`disableAllHooks` is on, so no hook runs"


def _is_as_installed(agent: Agent, entry: InstalledEntry) -> bool:
    """Whether an entry is as Interlock writes it: for every tool, with our timeout, and an unchanged command line."""
    handlers = [(handler, find_our_line(handler, agent)) for handler in find_handlers(entry.value)]
    return all(line is None or _is_our_handler(agent, entry, handler, line) for handler, line in handlers)


def _is_our_handler(agent: Agent, entry: InstalledEntry, handler: dict[str, Any], line: str) -> bool:
    options, event = parse_command_line(agent, line, entry.event) or (None, None)
    if options is None or options.wait > agent.max_wait:
        return False
    right = entries(agent, options, shared=False).hooks.get(entry.event)
    if right is None or ({**right, "hooks": None} != {**entry.value, "hooks": None} and "hooks" in right):
        return False
    [ours] = right.get("hooks", [right])
    same = {**ours, **dict.fromkeys(LINES)} == {**handler, **dict.fromkeys(LINES)}
    return same and event in (None, entry.event)
