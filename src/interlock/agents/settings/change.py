"""A change of an agent's settings: our entries put in, or taken out, and nothing else touched."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from interlock.agents.settings.entries import Entries, is_ours
from interlock.agents.settings.jsonc import Document, Node

#: Under which names agents keep a command line.
LINES = ("command", "bash")


class Found(NamedTuple):
    """An entry of ours: at which event, which of that event's entries, and what it says."""

    event: str
    place: int
    value: dict[str, Any]
    alone: bool  # whether the entry is ours as a whole, and not one of several handlers in it


def found(document: Document, agent: str) -> list[Found]:
    """Return the entries of ours in a file."""
    hooks = document.root.get("hooks")
    return [one for item in (hooks.items if hooks else ()) for one in _at(item.key or "", item.node, agent)]


def _at(event: str, node: Node, agent: str) -> Iterator[Found]:
    for index, item in enumerate(node.items):
        value = item.node.value
        handlers = handlers_of(value)
        ours = [handler for handler in handlers if line_of_ours(handler, agent)]
        if ours:
            yield Found(event, index, value, len(ours) == len(handlers))


def handlers_of(value: Any) -> list[Any]:
    """Return the handlers of an entry: those in it, or the entry itself where an agent does not group them."""
    nested = value.get("hooks") if isinstance(value, dict) else None
    return nested if isinstance(nested, list) else [value]


def line_of_ours(handler: Any, agent: str) -> str | None:
    """Return the command line of a handler, if it is ours."""
    lines = [handler.get(name) for name in LINES] if isinstance(handler, dict) else []
    return next((line for line in lines if isinstance(line, str) and is_ours(line, agent)), None)


def is_empty(text: str) -> bool:
    """Whether there is nothing in a file, but for blanks and a mark of the byte order."""
    return not text.strip("\ufeff \t\r\n")


def installed(text: str | None, file: str, agent: str, wanted: Entries) -> str:
    """Return the text of a file with exactly the wanted entries of ours in it; the same one where it has them."""
    given = "{}\n" if text is None or is_empty(text) else text
    document = Document(given, file)
    here = found(document, agent)
    right = [(one.event, one.value) for one in here]
    if sorted(right, key=str) == sorted(wanted.hooks.items(), key=str) and text is not None:
        return text
    changed = removed(given, file, agent) if here else given
    for key, value in wanted.besides.items():
        document = Document(changed, file)
        changed = document.with_member(key, value) if document.root.get(key) is None else changed
    for event, entry in wanted.hooks.items():
        changed = Document(changed, file).appended(("hooks", event), dict(entry))
    json.dumps(Document(changed, file).root.value)  # what is written can be read
    return changed


def removed(text: str, file: str, agent: str) -> str:
    """Return the text of a file without our entries, and without the lists that held nothing else."""
    while True:
        document = Document(text, file)
        here = found(document, agent)
        if not here:
            return text
        text = _without(document, here[-1], agent)


def _without(document: Document, one: Found, agent: str) -> str:
    hooks = document.root.get("hooks")
    events = hooks.get(one.event) if hooks else None
    if hooks is None or events is None:
        return document.text
    if not one.alone:
        handlers = events.items[one.place].node.get("hooks")
        if handlers is not None:
            index = next(at for at, item in enumerate(handlers.items) if line_of_ours(item.node.value, agent))
            return document.without(handlers, index)
    if len(events.items) > 1:
        return document.without(events, one.place)
    if len(hooks.items) > 1:
        return document.without(hooks, next(at for at, item in enumerate(hooks.items) if item.key == one.event))
    return document.without(
        document.root, next(at for at, item in enumerate(document.root.items) if item.key == "hooks")
    )


def difference(before: str | None, after: str | None, file: str) -> str:
    """Return a change as it would be shown by `diff -u`; nothing where there is none."""
    old, new = (before or "").splitlines(keepends=True), (after or "").splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, file if before is not None else "/dev/null", file if after else "/dev/null")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ no newline at the end\n" for line in lines)
