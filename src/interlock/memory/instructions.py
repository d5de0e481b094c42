"""An agent's own instructions that include another file: what is in that file counts as if its owner had said it."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.levels import Level
from interlock.memory.exposure import quotable
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.payload import leaves

RULE = "instructions_from_file"
_INCLUDED = late(r"(?:^|[\s(])@(?P<path>[\w./-]{3,160}\.\w{1,8})")
_RULES = late(r"(?:^|/)(?:CLAUDE(?:\.local)?|AGENTS|GEMINI|QWEN)\.md$|\.cursorrules$|copilot-instructions\.md$")
MAX_TEXT = 60_000


def find_included(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a file of this run becomes part of an agent's instructions."""
    for effect in analysis.effects:
        if effect.kind != "fs.write" or effect.resource is None:
            continue
        if "agent_rules" in effect.flags:
            found = next((path for path in _included_paths(action) if path in state.written), None)
        else:
            found = effect.resource.name if "download" in effect.flags and _is_included(action, effect, state) else None
        if found is not None:
            reason = (
                f"Makes `{quotable(found.rpartition('/')[2])}`, which this run wrote, part of an agent's instructions"
            )
            return Finding(RULE, Level.HIGH, reason, effect.span)
    return None


def _included_paths(action: Action) -> Iterator[str]:
    """Yield the files that a text includes by `@path`."""
    folder = (action.cwd or "").rstrip("/")
    for _, value in leaves(action.input_payload):
        if isinstance(value, str) and "@" in value:
            yield from (f"{folder}/{one['path'].removeprefix('./')}" for one in _INCLUDED.finditer(value[:MAX_TEXT]))


def _is_included(action: Action, effect: Effect, state: RunState) -> bool:
    """Whether instructions that this run wrote include a file."""
    inner = effect.resource.name.removeprefix(f"{(action.cwd or '').rstrip('/')}/") if effect.resource else ""
    return any(f"@{inner}" in (one.text or "") for path, one in state.written.items() if _RULES.search(path))
