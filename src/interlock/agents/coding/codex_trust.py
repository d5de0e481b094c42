"""Codex's trust: it runs a hook only after a person has reviewed it, and again after every change.

Reviews are kept in Codex's `config.toml`, by the file, the event and the place of a hook, with a digest.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from interlock.agents.coding.agent import Installation
from interlock.patterns import late

_USUAL_TIMEOUT = 600
_WORD = late(r"(?<=[a-z])(?=[A-Z])")


def find_trust_problems(installation: Installation) -> Iterator[str]:
    """Yield why Codex does not run hooks of ours: unreadable, switched off, not reviewed, or changed since."""
    state = _read_state(installation.user_file.with_name("config.toml"))
    reviewed = _find_reviewed_hooks(installation.file, state)
    new, changed, off = [], [], []
    for event, line in installation.commands.items():
        for place, matcher, handler in _handlers(installation.settings, event):
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
    yield from _find_format_problems(installation.file)
    yield from _find_disabling_switches(installation, state)
    if new:
        yield f"Codex does not run it until you trust it: {how} ({', '.join(new)})"
    if changed:
        yield f"it has changed since you trusted it, so Codex does not run it: {how} ({', '.join(changed)})"
    if off:
        yield f"it is switched off in Codex: {how} ({', '.join(off)})"


def _handlers(settings: Mapping[str, Any], event: str) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Yield the handlers of an event, each with its place and its matcher."""
    for at, group in enumerate(settings["hooks"][event]):
        handlers = group.get("hooks") if isinstance(group, dict) else None
        for index, handler in enumerate(handlers if isinstance(handlers, list) else ()):
            if isinstance(handler, dict):
                yield f"{at}:{index}", group.get("matcher"), handler


def digest(event: str, matcher: Any, handler: Mapping[str, Any]) -> str:
    """Return the digest that Codex stores for a trusted hook: of its command, event, matcher and timeout."""
    shape = {
        "type": "command",
        "command": handler.get("command"),
        "timeout": handler.get("timeout", _USUAL_TIMEOUT),
        "async": handler.get("async", False),
        "statusMessage": handler.get("statusMessage"),
    }
    hook = {name: value for name, value in shape.items() if value is not None}
    whole = {"event_name": _label(event), "hooks": [hook], **({"matcher": matcher} if matcher is not None else {})}
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _label(event: str) -> str:
    """Return an event as Codex spells it in its settings.

    >>> _label("PreToolUse")
    'pre_tool_use'
    """
    return _WORD.sub("_", event).lower()


def _find_format_problems(file: Path) -> Iterator[str]:
    """Yield why Codex rejects a hooks file that Interlock can read: it allows no comments and no invalid entries."""
    try:
        events = json.loads(file.read_bytes())["hooks"]
        handlers = [one for groups in events.values() for group in groups for one in group["hooks"]]
        right = all(isinstance(one.get("timeout", 0), int) and isinstance(one["type"], str) for one in handlers)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        right = False
    if not right:
        yield "Codex cannot read this file, so it runs none of its hooks: it must be plain JSON, without comments"


def _find_disabling_switches(installation: Installation, state: Mapping[str, Any]) -> Iterator[str]:
    """Yield the switches in Codex's `config.toml` that keep hooks from running."""
    file, home = installation.file, installation.user_file.parent
    features = state.get("features")
    if isinstance(features, dict) and any(features.get(name) is False for name in ("hooks", "codex_hooks")):
        yield f"hooks are switched off in `{home / 'config.toml'}`"
    if file.parent != home:
        projects = state.get("projects")
        project = projects.get(str(file.parent.parent)) if isinstance(projects, dict) else None
        if not isinstance(project, dict) or project.get("trust_level") != "trusted":
            yield "Codex does not trust this project yet, so it runs none of its hooks: start Codex here once"


def _find_reviewed_hooks(file: Path, state: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return Codex's reviews of the hooks in a file, by event and place. It compares the path as it is written."""
    hooks = state.get("hooks")
    entries = hooks.get("state") if isinstance(hooks, dict) else None
    paths = {str(file), os.path.realpath(file)}
    found: dict[str, Mapping[str, Any]] = {}
    for name, value in entries.items() if isinstance(entries, dict) else ():
        path, *place = name.rsplit(":", 3)  # the event, the group, the handler
        if path in paths and isinstance(value, dict):
            found[":".join(place)] = value
    return found


def _read_state(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}  # Codex does not read it either
