"""Codex's trust: it runs a hook once a person has reviewed it there, and again after every change of it.

What was reviewed stands in Codex's `config.toml`, by the file, the event and the place of a hook, with a digest.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from interlock.patterns import late

_USUAL_TIMEOUT = 600
_WORD = late(r"(?<=[a-z])(?=[A-Z])")


def distrusted(file: Path, settings: Mapping[str, Any], state: Path, events: Mapping[str, str]) -> Iterator[str]:
    """Yield which hooks of ours in a file Codex does not run. `state` is its `config.toml`, `events` are ours."""
    reviewed = _reviewed(file, state)
    new, changed, off = [], [], []
    for event, line in events.items():
        for place, matcher, handler in _handlers(settings, event):
            if handler.get("command") != line:
                continue
            found = reviewed.get(f"{_label(event)}:{place}")
            if found is None:
                new.append(event)
            elif found.get("enabled", True) is not True:
                off.append(event)
            elif found.get("trusted_hash") != digest(event, matcher, handler):
                changed.append(event)
    how = "type /hooks in Codex"
    yield from _unread(file)
    yield from _switched_off(file, state)
    if new:
        yield f"Codex does not run it before you have trusted it: {how} ({', '.join(new)})"
    if changed:
        yield f"it was changed since you trusted it, so Codex does not run it: {how} ({', '.join(changed)})"
    if off:
        yield f"it is switched off in Codex: {how} ({', '.join(off)})"


def _handlers(settings: Mapping[str, Any], event: str) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Yield the handlers of an event, with their places and what they are for."""
    for at, group in enumerate(settings["hooks"][event]):
        handlers = group.get("hooks") if isinstance(group, dict) else None
        for index, handler in enumerate(handlers if isinstance(handlers, list) else ()):
            if isinstance(handler, dict):
                yield f"{at}:{index}", group.get("matcher"), handler


def digest(event: str, matcher: Any, handler: Mapping[str, Any]) -> str:
    """Return what Codex notes of a hook that was trusted: a digest of what it runs, when and for how long."""
    shape = {
        "type": "command",
        "command": handler.get("command"),
        "timeout": handler.get("timeout", _USUAL_TIMEOUT),
        "async": handler.get("async", False),
        "statusMessage": handler.get("statusMessage"),
    }
    hook = {name: value for name, value in shape.items() if value is not None}
    told = {"event_name": _label(event), "hooks": [hook], **({"matcher": matcher} if matcher is not None else {})}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _label(event: str) -> str:
    """Return an event as Codex notes it.

    >>> _label("PreToolUse")
    'pre_tool_use'
    """
    return _WORD.sub("_", event).lower()


def _unread(file: Path) -> Iterator[str]:
    """Yield why Codex cannot read a file of hooks that we can: it takes no comments, and all of it or nothing."""
    try:
        events = json.loads(file.read_bytes())["hooks"]
        handlers = [one for groups in events.values() for group in groups for one in group["hooks"]]
        right = all(isinstance(one.get("timeout", 0), int) and isinstance(one["type"], str) for one in handlers)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        right = False
    if not right:
        yield "Codex cannot read this file, and so runs no hook of it: it must be plain JSON, without comments"


def _switched_off(file: Path, state: Path) -> Iterator[str]:
    settings = _settings(state)
    features = settings.get("features")
    if isinstance(features, dict) and any(features.get(name) is False for name in ("hooks", "codex_hooks")):
        yield f"hooks are switched off in `{state}`"
    if file.parent != state.parent:
        projects = settings.get("projects")
        project = projects.get(str(file.parent.parent)) if isinstance(projects, dict) else None
        if not isinstance(project, dict) or project.get("trust_level") != "trusted":
            yield "Codex does not trust this project yet, and so runs no hook of it: start it here once"


def _reviewed(file: Path, state: Path) -> dict[str, Mapping[str, Any]]:
    """Return what Codex notes of the hooks in a file, by their events and places. It compares the path as it stands."""
    hooks = _settings(state).get("hooks")
    noted = hooks.get("state") if isinstance(hooks, dict) else None
    paths = {str(file), os.path.realpath(file)}
    found: dict[str, Mapping[str, Any]] = {}
    for name, value in noted.items() if isinstance(noted, dict) else ():
        path, *place = name.rsplit(":", 3)  # its event, and where it stands there
        if path in paths and isinstance(value, dict):
            found[":".join(place)] = value
    return found


def _settings(state: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(state.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}  # Codex does not read it either
