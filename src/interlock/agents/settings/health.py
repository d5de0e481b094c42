"""The health of an installation: what is entered where, and what about it would keep it from working."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from interlock.agents.agent import Stage
from interlock.agents.heard import AGENTS
from interlock.agents.settings import files
from interlock.agents.settings.change import Found, found
from interlock.agents.settings.entries import DEADLINE_SECONDS, HOMES, Wish, entries, is_ours, settings_file
from interlock.agents.settings.jsonc import Document
from interlock.errors import ConfigError


class Health(NamedTuple):
    """What is entered for an agent in one file: its hooks by event, and what is wrong with them."""

    agent: str
    file: Path
    commands: dict[str, str]
    troubles: tuple[str, ...] = ()

    @property
    def is_installed(self) -> bool:
        """Whether there is a hook of ours."""
        return bool(self.commands)

    @property
    def deciding(self) -> tuple[str, str] | None:
        """The event that comes before a shell command, and the command of its hook."""
        events = AGENTS[self.agent].events
        before = (name for name, event in events.items() if event.stage is Stage.BEFORE and name in self.commands)
        name = next(before, None)
        return None if name is None else (name, self.commands[name])


def healths(project: Path) -> list[Health]:
    """Return how every agent stands, for the person and in a project."""
    found: dict[Path, Health] = {}
    for agent in HOMES:
        for where in (None, project):
            one = health(agent, where)
            found.setdefault(one.file, one)  # at home, both are the same file
    return list(found.values())


def health(agent: str, project: Path | None) -> Health:
    """Return how an agent stands in one of its files."""
    file = settings_file(agent, project)
    try:
        text = files.text_of(file, files.read(file))
        document = Document(text, str(file)) if text is not None and text.strip() else None
    except ConfigError as error:
        return Health(agent, file, {}, (str(error),))
    if document is None:
        return Health(agent, file, {})
    here = found(document, agent)
    commands = {one.event: line for one in here for line in _lines(one, agent)}
    if not commands:
        return Health(agent, file, {})
    return Health(agent, file, commands, tuple(_troubles(agent, document.root.value, here, commands, project)))


def _lines(one: Found, agent: str) -> Iterator[str]:
    for handler in _handlers(one):
        for line in (handler.get("command"), handler.get("bash")):
            if isinstance(line, str) and is_ours(line, agent):
                yield line


def _handlers(one: Found) -> list[dict[str, Any]]:
    nested = one.value.get("hooks")
    return [handler for handler in (nested if isinstance(nested, list) else [one.value]) if isinstance(handler, dict)]


def _troubles(
    agent: str, settings: dict[str, Any], here: list[Found], commands: dict[str, str], project: Path | None
) -> Iterator[str]:
    again = f"`interlock install {agent}{' --project' if project else ''}` mends it"
    for event in entries(agent, Wish(), shared=project is not None).hooks:
        if event not in commands:
            yield f"no hook at {event}; {again}"
    for line in sorted(set(commands.values())):
        words = shlex.split(line)
        gone = [word for word in words[:4] if word.startswith("/") and not os.path.exists(word)]
        if gone or (not words[0].startswith("/") and shutil.which(words[0]) is None):
            yield f"`{(gone or words)[0]}` is not there, so the hook cannot start; {again}"
    for one in here:
        yield from (f"{one.event}: {why}; {again}" for why in _impatience(agent, one))
    if settings.get("disableAllHooks"):
        yield "`disableAllHooks` is on: no hook runs"
    switched = settings.get("hooksConfig")
    if isinstance(switched, dict) and switched.get("enabled") is False:
        yield "`hooksConfig.enabled` is false: no hook runs"


def _impatience(agent: str, one: Found) -> Iterator[str]:
    """Give what is wrong with how long an agent waits: it must not give up before the hook says no."""
    for handler in _handlers(one):
        line = str(handler.get("command") or handler.get("bash") or "")
        if not is_ours(line, agent):
            continue
        words = shlex.split(line)
        deadline = float(words[words.index("--deadline") + 1]) if "--deadline" in words[:-1] else DEADLINE_SECONDS
        waits = handler.get("timeout", handler.get("timeoutSec"))
        if isinstance(waits, int | float) and waits / (1_000 if agent == "gemini" else 1) <= deadline:
            yield f"the agent gives up after {waits} {'ms' if agent == 'gemini' else 's'}, and the action runs"
