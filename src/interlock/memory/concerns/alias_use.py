"""Actions that delete or overwrite something under a name that this run gave it, or trigger a job that uses it."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator

from interlock.effects import TOOL_KINDS
from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.calls.command_lines import read_command_line
from interlock.memory.calls.programs import commands_or_tool
from interlock.memory.calls.tasks import ProgramsByCommand, may_do_more, only_looks, programs_by_command
from interlock.memory.calls.words import file_words, memory_words
from interlock.memory.concerns.descriptions import describe_concern
from interlock.memory.exposures.private_names import source_kind
from interlock.memory.model import PREPARED_RULE, Concern, ConcernKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

RULE = "second_name_deleted"
#: Links and mounts refer to a path outside the project. Parked work and views are inside it.
_PATHS = frozenset({ConcernKind.LINK, ConcernKind.MOUNT})
ALIASES = _PATHS | {ConcernKind.PARKED_WORK, ConcernKind.VIEW}
MAX_NAME, MAX_COMMAND = 100, 2_000
_SCRIPTS = frozenset({"code.run", "process.run", "process.spawn"})
_DELETING = frozenset({"fs.delete", "db.delete", "db.drop", "db.write", "container.delete"})
_CHANGING = ("fs.delete", "fs.write", "fs.move", "net.send", "db.delete", "db.drop", "db.write")
#: Effects that may empty or overwrite a folder without naming it.
_RUNNING = ("process.", "code.run", "container.run", "container.change", "system.tune", "deploy.")
_REMADE = late(
    r"(?i)(?:^|[/_.-])(?:cache|cached|tmp|temp|build|out|output|processed|interim|derived|preview|thumbs?|generated)"
)


def find_alias_use(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action deletes or overwrites something under a second name that this run gave it."""
    moved = _find_moved(action, analysis, state)
    if moved is not None:
        return moved
    users, programs = frozenset(commands_or_tool(action, analysis)), programs_by_command(analysis)
    for concern in (one for one in state.concerns if one.kind in ALIASES and not _is_gone(one, state)):
        job = _find_job(action, analysis, concern)
        if job is not None:
            reason = f"Sets off a job that may use what call {concern.call} has changed: {describe_concern(concern)}"
            return Finding(PREPARED_RULE, Level.HIGH, reason, job.span, calls=(concern.call,))
        effect = next(_destructive_effects(analysis, concern), None)
        if effect is None and concern.kind in _PATHS and not users <= frozenset(concern.used_by):
            effect = next((one for one in analysis.effects if _may_write_anywhere(one, programs)), None)
            if effect is not None:
                reason = (
                    f"May write to or empty something outside the project: call {concern.call} ran `{concern.subject}`"
                )
                return Finding(PREPARED_RULE, Level.HIGH, reason, effect.span, calls=(concern.call,))
        if effect is not None:
            how = f" ran `{concern.subject}`" if concern.kind in _PATHS else f": {describe_concern(concern)}"
            reason = f"Deletes or overwrites under a second name (call {concern.call}{how})"
            return Finding(RULE, Level.HIGH, reason, effect.span, reversible=False, calls=(concern.call,))
    return None


def _may_write_anywhere(effect: Effect, programs: ProgramsByCommand) -> bool:
    """Whether the command of an effect may empty or overwrite a folder without naming it."""
    calls = programs.get(effect.call, ())
    if effect.kind.startswith(_RUNNING):
        return not calls or not all(only_looks(read_command_line(call)) for call in calls)
    return bool(effect.via) and may_do_more(effect, programs)


def _is_gone(concern: Concern, state: RunState) -> bool:
    """Whether the link that a call has made was deleted since."""
    return concern.kind is ConcernKind.LINK and not any(held in state.written for held in concern.aliases)


def _find_moved(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action deletes something at the path that this run has moved it to."""
    moved = [one for one in state.written.values() if one.state == "moved" and "download" not in one.marks]
    origins = {one.text for one in moved if one.text}
    project = f"{(action.workspace or action.cwd or '').rstrip('/')}/"
    taken = {
        held.text for path, held in state.written.items() if held.state == "moved" and not path.startswith(project)
    }
    for one in analysis.effects:
        if one.kind != "fs.delete" or not one.resource or one.resource.name not in origins:
            continue
        name = one.resource.name
        if _is_data(name, action) or (name in taken and name.startswith(project) and not _is_output(one)):
            reason = f"Deletes what this run has moved from `{quotable(name)}`"
            return Finding(RULE, Level.HIGH, reason, one.span, reversible=False)
    return None


def _is_output(effect: Effect) -> bool:
    """Whether what is deleted can be made again."""
    name = effect.resource.name if effect.resource else ""
    built = frozenset(name.split("/")).isdisjoint(file_words().built_folders)
    return not built or "rebuilt" in effect.flags or _REMADE.search(name) is not None


def _is_data(path: str, action: Action) -> bool:
    """Whether something is neither code, which git keeps, nor output that can be rebuilt."""
    if source_kind(path, action) or path.lower().rstrip("*").endswith(file_words().original_endings):
        return True
    project = f"{(action.workspace or action.cwd or '').rstrip('/')}/"
    folders = path.removeprefix(project).lower().split("/")
    return path.startswith(project) and folders[0] in file_words().collected_folders and not _REMADE.search(path)


def _find_job(action: Action, analysis: Analysis, concern: Concern) -> Effect | None:
    """Return the effect of a call that triggers a job named after a view that this run has changed."""
    if concern.kind in _PATHS or not analysis.effects:
        return None
    if analysis.effects[0].kind not in TOOL_KINDS:
        return _find_script(analysis, concern)
    if memory_words().triggering.isdisjoint(split_words(action.tool_name)):
        return None
    values = [value for _, value in leaves(action.input_payload) if isinstance(value, str) and len(value) <= MAX_NAME]
    named = any(_is_named_after(value, view) for value in values for view in concern.aliases)
    return analysis.effects[0] if named else None


def _find_script(analysis: Analysis, concern: Concern) -> Effect | None:
    """Return the effect of a script that is given the name of a view which this run has changed."""
    words = frozenset(analysis.text[:MAX_COMMAND].split()[1:]) if concern.kind is ConcernKind.VIEW else frozenset()
    if words.isdisjoint(view.rpartition(".")[2] for view in concern.aliases):
        return None
    return next((one for one in analysis.effects if one.kind in _SCRIPTS), None)


def _is_named_after(value: str, view: str) -> bool:
    """Whether a name contains all words of a view's name, which must have several.

    >>> _is_named_after("nightly-stale-account-cleanup", "stale_accounts"), _is_named_after("feed", "marts.feed")
    (True, False)
    """
    words = {word.removesuffix("s") for word in split_words(view.rpartition(".")[2])}
    return len(words) > 1 and words <= {word.removesuffix("s") for word in split_words(value)}


def _destructive_effects(analysis: Analysis, concern: Concern) -> Iterator[Effect]:
    """Yield the effects that delete or overwrite something through its second name."""
    for one in analysis.effects:
        name = one.resource.name if one.resource else ""
        if one.kind not in _CHANGING and one.kind not in _DELETING:
            continue
        if concern.kind not in _PATHS and one.kind not in _DELETING:
            continue
        is_link = concern.kind is ConcernKind.LINK and name in concern.aliases
        if is_link and one.kind == "fs.delete" and "recursive" not in one.flags:
            continue  # the link itself
        if any(_is_same(name, held) for held in concern.aliases) or (
            one.kind.startswith("db.") and any(held.rpartition("/")[2] in analysis.text for held in concern.aliases)
        ):
            yield one


def _is_same(name: str, held: str) -> bool:
    if not name:
        return False
    bare, plain = held.rstrip("/"), name.rstrip("/*")
    if "*" in name and "/" in name and fnmatch.fnmatchcase(held, name):
        return True
    return (
        name == held
        or plain == bare
        or name.startswith(f"{bare}/")
        or bare.startswith(f"{plain}/")
        or ("/" not in name and held.rpartition("/")[2] == name)
    )
