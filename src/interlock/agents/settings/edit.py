"""Editing the text of a settings file: our entries go in or out, and nothing else changes."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from interlock.agents.coding.agent import Agent, SettingsEntries
from interlock.agents.settings.command import is_ours
from interlock.agents.settings.jsonc import JsonDocument, Node

#: The names under which agents keep a command line.
LINES = ("command", "bash")


class InstalledEntry(NamedTuple):
    """An entry of ours: its event, its place among the event's entries, and what it holds."""

    event: str
    place: int
    value: dict[str, Any]
    is_whole: bool  # every handler in the entry is ours


def find_entries(document: JsonDocument, agent: Agent) -> list[InstalledEntry]:
    """Return our entries in a file."""
    hooks = document.root.get("hooks")
    return [one for item in (hooks.items if hooks else ()) for one in _entries_at(item.key or "", item.node, agent)]


def _entries_at(event: str, node: Node, agent: Agent) -> Iterator[InstalledEntry]:
    for index, item in enumerate(node.items):
        value = item.node.value
        handlers = find_handlers(value)
        ours = [handler for handler in handlers if find_our_line(handler, agent)]
        if ours:
            yield InstalledEntry(event, index, value, len(ours) == len(handlers))


def find_handlers(value: Any) -> list[Any]:
    """Return the handlers of an entry: those in it, or the entry itself where an agent does not group them."""
    nested = value.get("hooks") if isinstance(value, dict) else None
    return nested if isinstance(nested, list) else [value]


def find_our_line(handler: Any, agent: Agent) -> str | None:
    """Return the command line of a handler, if it is ours."""
    lines = [handler.get(name) for name in LINES] if isinstance(handler, dict) else []
    return next((line for line in lines if isinstance(line, str) and is_ours(agent, line)), None)


def is_empty(text: str) -> bool:
    """Whether a file holds nothing but blanks and a byte order mark."""
    return not text.strip("\ufeff \t\r\n")


def add_entries(text: str | None, file: str, agent: Agent, wanted: SettingsEntries) -> str:
    """Return the text of a file with exactly the wanted entries of ours; the same text where it has them already."""
    given = "{}\n" if text is None or is_empty(text) else text
    document = JsonDocument(given, file)
    present = find_entries(document, agent)
    right = [(one.event, one.value) for one in present]
    if sorted(right, key=str) == sorted(wanted.hooks.items(), key=str) and text is not None:
        return text
    changed = remove_entries(given, file, agent) if present else given
    for key, value in wanted.top_level.items():
        document = JsonDocument(changed, file)
        changed = document.add_member(key, value) if document.root.get(key) is None else changed
    for event, entry in wanted.hooks.items():
        changed = JsonDocument(changed, file).append_to(("hooks", event), dict(entry))
    json.dumps(JsonDocument(changed, file).root.value)  # raises if the result cannot be read back
    return changed


def remove_entries(text: str, file: str, agent: Agent) -> str:
    """Return the text of a file without our entries, and without the lists that held nothing else."""
    while True:
        document = JsonDocument(text, file)
        present = find_entries(document, agent)
        if not present:
            return text
        text = _without_entry(document, present[-1], agent)


def _without_entry(document: JsonDocument, entry: InstalledEntry, agent: Agent) -> str:
    hooks = document.root.get("hooks")
    events = hooks.get(entry.event) if hooks else None
    if hooks is None or events is None:
        return document.text
    if not entry.is_whole:
        handlers = events.items[entry.place].node.get("hooks")
        if handlers is not None:
            index = next(at for at, item in enumerate(handlers.items) if find_our_line(item.node.value, agent))
            return document.remove_member(handlers, index)
    if len(events.items) > 1:
        return document.remove_member(events, entry.place)
    if len(hooks.items) > 1:
        return document.remove_member(hooks, next(at for at, item in enumerate(hooks.items) if item.key == entry.event))
    return document.remove_member(
        document.root, next(at for at, item in enumerate(document.root.items) if item.key == "hooks")
    )


def unified_diff(before: str | None, after: str | None, file: str) -> str:
    """Return a change as `diff -u` shows it; nothing where there is none."""
    old, new = (before or "").splitlines(keepends=True), (after or "").splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, file if before is not None else "/dev/null", file if after else "/dev/null")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ no newline at the end\n" for line in lines)
