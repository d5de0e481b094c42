"""Repositories: which folder a command works on, and which commands take uncommitted work away."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from interlock.analyse.flow import Flow
from interlock.analyse.reading import SCRATCH_POINTS
from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.arguments import ArgumentValue
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import FileOrigins
from interlock.model import Place, Resource
from interlock.patterns import late

_CHANGES = frozenset({"vcs.discard", "vcs.rewrite", "vcs.change", "vcs.commit"})
#: Files that a program writes, so that taking them from another commit loses nothing.
_REGENERABLE = late(
    r"(^|/)([^/]*\.min\.(js|css)|[^/]*\.snap|[^/]*_pb2\.py|[^/]*\.pb\.go"
    r"|db/schema\.rb|(dist|build|node_modules|target|coverage|__snapshots__|out)/.*|(dist|build|node_modules|target|coverage|out))/?$"
)
_LOCK_FILES = frozenset(read_table("file-origins", FileOrigins).lock_files)


def is_regenerable(path: str) -> bool:
    """Whether a program writes the file, so that its uncommitted state is worth nothing: a lock file, build output."""
    return path.rstrip("/\n").rpartition("/")[2] in _LOCK_FILES or _REGENERABLE.search(path) is not None


def mark_repository(call: ShellCall, first: int, options: Iterable[ArgumentValue]) -> None:
    """Say of the effects since `first` that they are on a scratch repository, if its folder is a temporary one."""
    reading = call.scope.reading
    effects = reading.effects
    if not any(effects[at].kind in _CHANGES for at in range(first, len(effects))):
        return
    folder = call.scope.cwd
    for value in options:
        if value.role == "directory":
            folder = reading.places.resolve(value.text, folder)
    for index, word in enumerate(call.words[:-1]):
        if word in ("--work-tree", "--git-dir"):
            folder = reading.places.resolve(call.words[index + 1], folder)
        elif word.startswith(("--work-tree=", "--git-dir=")):
            folder = reading.places.resolve(word.partition("=")[2], folder)
    if not folder or reading.places.locate(folder)[0] is not Place.SCRATCH:
        return
    for at in range(first, len(effects)):
        effect = effects[at]
        if effect.kind in _CHANGES:
            resource = Resource("repository", folder, Place.SCRATCH, SCRATCH_POINTS)
            effects[at] = msgspec.structs.replace(effect, resource=resource)


_FORCED = frozenset({"-f", "--force"})
_REVERSED = frozenset({"-R", "--reverse"})


def discards_work(name: str, rest: list[str], stdin: Flow) -> bool:
    """Whether a subcommand of git takes uncommitted work away in a way that its description cannot tell."""
    words = set(rest)
    if name == "rm":
        short = any(word[:1] == "-" and word[:2] != "--" and "f" in word for word in rest)
        return (short or "--force" in words) and words.isdisjoint({"--cached", "-n", "--dry-run"})
    if name == "apply" and not _REVERSED.isdisjoint(words):
        files = [word for word in rest if word[:1] != "-"]
        return words.isdisjoint({"--check", "--stat", "--numstat", "--summary"}) and (
            (not files and "history" in stdin.marks) or any(word.startswith(("/dev/fd/", "\0")) for word in files)
        )
    if name == "mv":
        return not _FORCED.isdisjoint(words) and "-n" not in words
    return False


#: Beginning of the source of a flow that holds committed files: `git:/home/u/project/src/app.py`, or a folder.
COMMITTED = "git:"


def find_committed_source(call: ShellCall, name: str, rest: list[str]) -> str:
    """Return where in the project the files lie that a subcommand prints as they were committed, or an empty text."""
    places, cwd = call.scope.reading.places, call.scope.cwd
    if name in ("show", "cat-file"):
        path = next((word.partition(":")[2] for word in rest if ":" in word and word[:1] not in ("-", ":")), "")
        return f"{COMMITTED}{places.resolve(path, cwd)}" if path and not is_regenerable(path) else ""
    if name == "archive" and not any(word.startswith(("-o", "--output", "--remote", "--prefix")) for word in rest):
        return f"{COMMITTED}{places.resolve('.', cwd)}"
    return ""


def replaces_work(flow: Flow, target: str | None) -> bool:
    """Whether committed files are written over the files of the working tree that they came from."""
    return bool(target) and flow.url == f"{COMMITTED}{target}"
