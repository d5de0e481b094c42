"""Code that was downloaded into the project, and now runs without being named."""

from __future__ import annotations

import re
from functools import lru_cache

from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.additions import limit_subjects
from interlock.memory.calls.programs import programs_of_command
from interlock.memory.calls.words import command_words, file_words, memory_words
from interlock.memory.model import Concern, ConcernKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

RULE = "downloaded_code_runs"
MAX_TEXT = 20_000
MAX_FILES, MIN_MENTION = 40, 4
#: Effects of programs that may load what a file names.
_LOADING = ("process.", "code.", "container.run", "local.change", "package.install")
_NAME = late(r"[\w./-]{2,200}")
_RUNNING = frozenset({"process.spawn", "process.run", "code.run", "package.install"})


def find_download(action: Action) -> Concern | None:
    """Return a concern about code or a template that a tool saves into the project."""
    if memory_words().saving.isdisjoint(split_words(action.tool_name)):
        return None
    project = f"{(action.workspace or action.cwd or '').rstrip('/')}/"
    values = [value for _, value in leaves(action.input_payload) if isinstance(value, str) and "\n" not in value]
    inside = any(value.startswith(project) or (value[:1] not in "/~" and "/" in value) for value in values)
    endings = (*file_words().loaded_endings, *file_words().followed_endings)
    found = next((value for value in values if value.endswith(endings)), "")
    return Concern(ConcernKind.DOWNLOAD, quotable(found)) if found and inside and "://" not in found else None


def find_unpacking(analysis: Analysis) -> Concern | None:
    """Return a concern about an archive that a command unpacks over a whole project, if it is not named as data."""
    if not any(program in command_words().unpacking for program, _ in programs_of_command(analysis)):
        return None
    if not any(one.kind == "fs.write" and "top" in one.flags for one in analysis.effects):
        return None
    read = (one.resource.name for one in analysis.effects if one.kind == "fs.read" and one.resource)
    archive = next(
        (name for name in read if file_words().data_words.isdisjoint(split_words(name.rpartition("/")[2]))), ""
    )
    return Concern(ConcernKind.UNPACKED, quotable(archive), files=limit_subjects([archive])) if archive else None


def _find_unpacking_use(effect: Effect, state: RunState) -> Finding | None:
    """Return a finding if a build or a test runs in a project over which this run has unpacked a download."""
    if effect.kind not in ("process.spawn", "package.install"):
        return None
    for concern in (one for one in state.concerns if one.kind is ConcernKind.UNPACKED):
        held = [state.written.get(path) for path in concern.files]
        if any(one is not None and "download" in one.marks for one in held):
            reason = f"Runs code of the project, over which call {concern.call} has unpacked a download"
            return Finding(RULE, Level.HIGH, reason, effect.span, calls=(concern.call,))
    return None


def _only_looks(analysis: Analysis) -> bool:
    """Whether an action runs nothing but programs that look at files."""
    programs = {program for program, _ in programs_of_command(analysis)}
    return bool(programs) and programs <= set(command_words().looking)


def find_downloaded_code(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action runs code of the project, and the run has downloaded some of it."""
    effect = next((one for one in analysis.effects if one.kind in _RUNNING), None)
    if _only_looks(analysis):
        return None
    named = _find_named_download(action, analysis, state)
    if named is not None or effect is None:
        return named
    unpacked = _find_unpacking_use(effect, state)
    if unpacked is not None:
        return unpacked
    project = f"{(action.workspace or action.cwd or '').rstrip('/')}/"
    for path, one in state.written.items():
        if "download" in one.marks and path.startswith(project) and _is_reached(path, project, analysis, effect):
            inner = quotable(path.removeprefix(project))
            reason = f"Runs code of the project, into which this run has downloaded `{inner}`"
            return Finding(RULE, Level.HIGH, reason, effect.span)
    return None


def _find_named_download(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action runs something, and a file of this run names a download that carries code."""
    effect = next((one for one in analysis.effects if one.kind.startswith(_LOADING) or one.via), None)
    marked = [path for path, one in state.written.items() if "download" in one.marks]
    saved = sorted(path for path in state.downloaded if path[:1] == "/" and "." in _name_of(path))
    downloads = dict.fromkeys((*marked, *saved)) if effect else {}
    for path in downloads:
        if effect is None or not (path.lower().endswith(file_words().carrying_endings) or "." not in _name_of(path)):
            continue
        user = _find_naming_file(path, action, state)
        if user:
            reason = (
                f"May load `{quotable(_name_of(path))}`, which this run has downloaded and named in `{quotable(user)}`"
            )
            return Finding(RULE, Level.HIGH, reason, effect.span)
    return None


def _find_naming_file(path: str, action: Action, state: RunState) -> str:
    """Return the name of the newest file in which this run has written a name of another one, or an empty text."""
    name, inner = _name_of(path), path.removeprefix(f"{(action.workspace or action.cwd or '').rstrip('/')}/")
    stem = inner.rpartition(".")[0] or inner
    names = {inner, stem, stem.replace("/", "."), name} if "." in name else {inner} if "/" in inner else set()
    names = {one for one in names if len(one) >= MIN_MENTION}
    for other in list(state.written)[: -MAX_FILES - 1 : -1]:
        text = state.written[other].text if state.written[other].state in ("whole", "part") else None
        if other != path and text and not names.isdisjoint(_names_in(text[:MAX_TEXT])):
            return _name_of(other)
    return ""


@lru_cache(maxsize=256)
def _names_in(text: str) -> frozenset[str]:
    """Return the words of a text that may be names of files, with and without what stands before them."""
    words = {word.strip(".-").removeprefix("./").lstrip("/") for word in _NAME.findall(text)}
    return frozenset((*words, *(word.rpartition("/")[2] for word in words)))


def _name_of(path: str) -> str:
    return path.rpartition("/")[2]


def _is_reached(path: str, project: str, analysis: Analysis, effect: Effect) -> bool:
    """Whether a downloaded file or folder is run by its path, or loaded by a build or a test."""
    inner = path.removeprefix(project)
    if effect.kind not in ("process.spawn", "package.install"):
        return (
            re.search(rf"(?:^|[\n;&|]\s{{0,9}}|\$\()(?:\./)?{re.escape(inner)}/", analysis.text[:MAX_TEXT]) is not None
        )
    *folders, name = inner.split("/")
    return path.endswith(file_words().loaded_endings) or (
        "." not in name[1:] and not file_words().loaded_folders.isdisjoint((*folders, name))
    )
