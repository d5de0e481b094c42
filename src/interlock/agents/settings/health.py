"""The health of an installation: what is entered where, and what about it would keep it from working."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from interlock.agents.agent import Stage
from interlock.agents.heard import AGENTS
from interlock.agents.settings import files
from interlock.agents.settings.change import LINES, Found, found, handlers_of, line_of_ours
from interlock.agents.settings.entries import HOMES, Wish, entries, settings_file, wish_of, words_of
from interlock.agents.settings.jsonc import Document
from interlock.agents.settings.trust import distrusted
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
    lines = ((one.event, line_of_ours(handler, agent)) for one in here for handler in handlers_of(one.value))
    commands = {event: line for event, line in lines if line is not None}
    if not commands:
        return Health(agent, file, {})
    troubles = list(_troubles(agent, document.root.value, here, commands, project))
    if agent == "codex":
        state = settings_file(agent, None).with_name("config.toml")
        troubles += distrusted(file, document.root.value, state, commands)
    return Health(agent, file, commands, tuple(troubles))


def _troubles(
    agent: str, settings: dict[str, Any], here: list[Found], commands: dict[str, str], project: Path | None
) -> Iterator[str]:
    again = f"`interlock install {agent}{' --project' if project else ''}` mends it"
    wanted = entries(agent, Wish(), shared=project is not None)
    for event in wanted.hooks:
        if event not in commands:
            yield f"no hook at {event}; {again}"
    for line in sorted(set(commands.values())):
        words = words_of(line)
        gone = [word for word in words[:4] if word.startswith("/") and not os.path.exists(word)]
        if gone:
            yield f"`{gone[0]}` is not there, so the hook cannot start; {again}"
        elif not words[0].startswith("/") and shutil.which(words[0]) is None:
            yield f"`{words[0]}` is not on your PATH, so the hook cannot start"
    for one in here:
        if not _is_as_written(agent, one):
            yield f"{one.event}: this entry is not as it was installed, and may let actions run; {again}"
    for name in wanted.besides:
        if name not in settings:
            yield f"`{name}` is missing, so the agent may not read the file; {again}"
    yield from _switched_off(agent, settings, project)


def _is_as_written(agent: str, one: Found) -> bool:
    """Whether an entry is one that we write: at every tool, in time, with a command that nothing was added to."""
    for handler in handlers_of(one.value):
        line = line_of_ours(handler, agent)
        if line is None:
            continue  # somebody else's, beside ours
        found = wish_of(line, agent)
        right = entries(agent, found[0], shared=False).hooks.get(one.event) if found is not None else None
        if right is None or ({**right, "hooks": None} != {**one.value, "hooks": None} and "hooks" in right):
            return False
        [mine] = right.get("hooks", [right])
        named = found[1] if found is not None else None
        if {**mine, **dict.fromkeys(LINES)} != {**handler, **dict.fromkeys(LINES)} or named not in (None, one.event):
            return False
    return True


def _switched_off(agent: str, settings: dict[str, Any], project: Path | None) -> Iterator[str]:
    """Give the switches by which an agent runs no hooks, wherever it looks for them."""
    if settings.get("disableAllHooks"):
        yield "`disableAllHooks` is on: no hook runs"
    if agent == "claude-code":
        folder = project or Path.cwd()
        for name in (".claude/settings.json", ".claude/settings.local.json"):
            with contextlib.suppress(ConfigError):
                text = files.text_of(folder / name, files.read(folder / name))
                found = Document(text, name).root.value if text and text.strip() else {}
                if isinstance(found, dict) and found.get("disableAllHooks"):
                    yield f"`disableAllHooks` is on in `{folder / name}`: no hook runs there"
    if agent == "gemini":
        switched, hooks = settings.get("hooksConfig"), settings.get("hooks")
        named = [table.get("disabled") for table in (switched, hooks) if isinstance(table, dict)]
        if isinstance(switched, dict) and switched.get("enabled") is False:
            yield "`hooksConfig.enabled` is false: no hook runs"
        if any(isinstance(names, list) and "interlock" in names for names in named):
            yield "`interlock` is among the hooks that are disabled"
