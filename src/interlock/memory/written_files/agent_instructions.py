"""Instructions of an agent that include another file, whose content then counts as the user's own words."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import Files
from interlock.levels import Level
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

RULE = "instructions_from_file"
_INCLUDED = late(r"(?:^|[\s(])@(?P<path>[\w./-]{3,160}\.\w{1,8})")
_INSTRUCTIONS = [one for one in read_table("settings-files", Files).files if "agent_rules" in one.flags]
_NAMES = frozenset(name for one in _INSTRUCTIONS for name in one.names)
_FOLDERS = tuple(f"/{path}/" for one in _INSTRUCTIONS for path in one.paths)
MAX_TEXT = 60_000
# A setting of an agent that names the file with its prompt, and effects by which an agent may run.
_PROMPT = late(
    r"(?im)(?:prompt|instruction|persona|system[_-]?message|guideline|playbook|skill|rules|memory)"
    r"[\w.-]{0,40}[\"']?[ \t]*[:=][ \t]*[\[\"']{0,2}(?:file:(?://)?)?(?P<path>[\w./~-]{3,160}\.\w{1,8})"
)
_RUNNING = ("process.", "code.run", "container.run", "service.")


def find_instruction_file(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a file of this run becomes part of an agent's instructions."""
    for effect in analysis.effects:
        if effect.kind != "fs.write" or effect.resource is None:
            continue
        if "agent_rules" in effect.flags:
            found = next((path for path in _instruction_paths(action) if path in state.written), None)
        else:
            found = (
                effect.resource.name if "download" in effect.flags and _is_instruction(action, effect, state) else None
            )
        if found is not None:
            reason = (
                f"Makes `{quotable(found.rpartition('/')[2])}`, which this run wrote, part of an agent's instructions"
            )
            return Finding(RULE, Level.HIGH, reason, effect.span)
    return None


def _instruction_paths(action: Action) -> Iterator[str]:
    """Yield the files that a text includes by `@path`."""
    folder = (action.cwd or "").rstrip("/")
    for _, value in leaves(action.input_payload):
        if isinstance(value, str) and "@" in value:
            yield from (f"{folder}/{one['path'].removeprefix('./')}" for one in _INCLUDED.finditer(value[:MAX_TEXT]))


def _is_instruction(action: Action, effect: Effect, state: RunState) -> bool:
    """Whether instructions that this run wrote include a file."""
    inner = effect.resource.name.removeprefix(f"{(action.cwd or '').rstrip('/')}/") if effect.resource else ""
    return any(f"@{inner}" in (one.text or "") for path, one in state.written.items() if _is_instruction_file(path))


def _is_instruction_file(path: str) -> bool:
    """Whether agents read a file as instructions, by its name or folder."""
    lowered = f"/{path.lower()}"
    return lowered.rpartition("/")[2] in _NAMES or any(folder in f"{lowered}/" for folder in _FOLDERS)


def find_downloaded_prompt(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a program runs whose settings, which this run wrote, name a downloaded file as its prompt."""
    effect = next((one for one in analysis.effects if one.kind.startswith(_RUNNING)), None)
    downloaded = {path for path, one in state.written.items() if "download" in one.marks} | state.downloaded
    if effect is None or not downloaded:
        return None
    for settings, one in state.written.items():
        folders = (settings.rpartition("/")[0], (action.cwd or "").rstrip("/"))
        for found in _PROMPT.finditer((one.text or "")[:MAX_TEXT]):
            named = found["path"].removeprefix("./")
            if any(path in downloaded for path in (named, *(f"{folder}/{named}" for folder in folders))):
                reason = f"May follow `{quotable(named)}`, which this run has downloaded, as instructions of an agent"
                return Finding(RULE, Level.HIGH, reason, effect.span)
    return None
