"""Aliases: links, mounts, parked work and views, through which important data can be deleted or overwritten.

`rm -rf tmp` is harmless, but not after `mv journals tmp`. `make clean` is harmless, but not after a drive was mounted
into `build/`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from interlock.memory.additions import limit_subjects
from interlock.memory.calls.command_lines import CommandLine, name_of, read_command_line
from interlock.memory.calls.switches import find_switches
from interlock.memory.calls.words import file_words
from interlock.memory.changes import MAX_TEXT
from interlock.memory.exposures.record_names import is_records_file
from interlock.memory.model import Concern, ConcernKind
from interlock.memory.taint.command_paths import full_path
from interlock.model import Action, Analysis
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

#: Flags of effects that make a link.
_LINKING = frozenset({"link", "hard_link"})
#: Kinds of effects on what a link leads to.
_SOURCES = frozenset({"fs.read", "secret.read", "disk.read"})
#: Commands of git after which the work in a patch is nowhere else.
_UNDOING = (("checkout",), ("restore",), ("reset",), ("clean",))
_RENAMING = (("rename",), ("volume", "rename"), ("container", "rename"))
_ENGINES = frozenset({"docker", "podman", "nerdctl"})
_VIEW = late(r"(?i)\bcreate\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?(?:view|synonym)\s+(?P<name>[\w.\"`]+)")
_SCRATCH = late(r"(?i)(?:^|/)(?:logs?|tmp|temp|cache|build|dist|out|target)/|\.(?:log|tmp|bak|cache)$")


def find_alias(action: Action, analysis: Analysis) -> Concern | None:
    """Return a concern about an alias that an action gives to something outside the project, or to stored data."""
    for source, target, is_symbolic, command in _find_links(analysis):
        is_store = source.endswith(file_words().store_endings) or is_records_file(source)
        is_store = is_store or source.lower().endswith(file_words().original_endings)
        if _leads_out(source, action) or (is_store and (not is_symbolic or _SCRATCH.search(target))):
            return _concern(ConcernKind.LINK, command[:80], target, action)
    mounted = next((one.line for one in find_switches(analysis) if one.sets == "mount"), None)
    if mounted is not None:
        certain = [one.text for one in mounted.operands if not one.doubtful] or mounted.plain_operands
        return _concern(ConcernKind.MOUNT, mounted.text[:80], _in_folder(certain[-1], mounted), action)
    for command, target in _find_parked_work(analysis):
        return _concern(ConcernKind.PARKED_WORK, command[:80], target, action)
    view = next((one for one in map(_VIEW.search, _statements(action, analysis)) if one), None)
    if view is None:
        return None
    return Concern(ConcernKind.VIEW, quotable(view[0]), aliases=limit_subjects([view["name"].strip('"`')]))


def _find_links(analysis: Analysis) -> Iterator[tuple[str, str, bool, str]]:
    """Yield the source and the name of each link that an action makes, whether it is symbolic, and the command."""
    made = [(one, one.resource.name) for one in analysis.effects if one.resource and not _LINKING.isdisjoint(one.flags)]
    commands = {one.call: " ".join(one.words) for one in analysis.commands}
    for target, name in made:
        for source, path in made if target.kind == "fs.write" else ():
            if source.kind in _SOURCES and source.call == target.call:
                yield path, name, "link" in target.flags, commands.get(target.call, f"a link from {name} to {path}")


def _find_parked_work(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Yield the commands that put work aside, with where it is afterwards."""
    lines = [read_command_line(call) for call in analysis.commands if name_of(call) in _PARKING]
    of_git = [line for line in lines if line.program == "git"]
    patch = next((line for line in of_git if line.begins_with("diff") or line.begins_with("stash", "show")), None)
    if patch is not None and any(_undoes(line) for line in of_git):
        written = (one.resource.name for one in analysis.effects if one.kind == "fs.write" and one.resource)
        yield from ((patch.text, path) for path in written)
    lists_others = any(line.begins_with("ls-files") and not _OTHERS.isdisjoint(line.options) for line in of_git)
    for line in lines:
        if line.program == "mv" and lists_others and (line.options.get("-t") or line.operands):
            yield line.text, _in_folder(line.options.get("-t") or line.operands[-1].text, line)
        elif line.program == "git" and "--separate-git-dir" in line.options:
            yield line.text, _in_folder(line.options["--separate-git-dir"], line)
        elif line.begins_with("stash", "pop") or line.begins_with("stash", "apply"):
            if line.call.folder.startswith("/tmp/"):
                yield line.text, line.call.folder
        elif line.program in _ENGINES and any(line.begins_with(*words) for words in _RENAMING):
            yield line.text, line.operands[-1].text


def _in_folder(path: str, line: CommandLine) -> str:
    """Return a path that a command names from the folder that it runs in."""
    return path if path[:1] == "~" else posixpath.join(line.call.folder, path)


_OTHERS = frozenset({"-o", "--others"})
_PARKING = _ENGINES | {"git", "mv"}


def _undoes(line: CommandLine) -> bool:
    """Whether a command of git takes changes back."""
    reverses = line.begins_with("apply") and not {"-R", "--reverse"}.isdisjoint(line.options)
    return reverses or any(line.begins_with(*words) for words in _UNDOING)


def _concern(kind: ConcernKind, command: str, target: str, action: Action) -> Concern:
    return Concern(kind, quotable(command), aliases=limit_subjects([_resolve(target, action)]))


def _resolve(path: str, action: Action) -> str:
    """Return the absolute path; the name of a container or a table stays as it is."""
    path = path.strip("'\"")
    return full_path(path, action)


def _leads_out(source: str, action: Action) -> bool:
    """Whether a link points to a file of the user outside the project that does not belong to a program."""
    project = (action.workspace or action.cwd or "").rstrip("/")
    if source.startswith("../.."):
        return not source.strip("./")
    full = source.replace("~", action.home or "~", 1).replace("$HOME", action.home or "~", 1)
    return (
        bool(project) and full[:1] == "/" and not full.startswith((f"{project}/", "/tmp/", "/usr/", "/opt/", "/nix/"))
    )


def _statements(action: Action, analysis: Analysis) -> Iterator[str]:
    yield analysis.text[:MAX_TEXT]
    yield from (value[:MAX_TEXT] for _, value in leaves(action.input_payload) if isinstance(value, str))
