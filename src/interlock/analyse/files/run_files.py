"""The files of a run: their content after earlier actions, and the changes of one action."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from interlock.analyse.files.paths import HOLE, Places
from interlock.analyse.flow import NONE, VOUCHING, Flow
from interlock.analyse.record import FrozenRecord
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import FileOrigins
from interlock.model import Effect, WrittenFile

#: How the names begin under which routines and triggers of a database are kept among the files of a run.
STORED = "sql:"
NOTHING_WRITTEN: Mapping[str, WrittenFile] = {}
_HIDING = ("decoded", "disguised")
_STATES = {
    "whole": NONE,
    "part": frozenset({"part"}),
    "changed": frozenset({"changed"}),
    "gone": NONE,
    "kept": NONE,
}
#: Marks of content that stay with a file for the rest of a run.
KEPT_MARKS = frozenset(
    "secret variable environment printed personal records dump mail browser browser_secrets clipboard screen keys "
    "recording diagnostics process_memory password_hash decrypted request_headers workspace".split()
)
_LEADING = frozenset({"link", "moved"})
_DOWNLOADED = frozenset({"download"})
#: Endings of scripts: that one was generated, and its text is unknown, matters when it is run.
_SCRIPTS = read_table("file-origins", FileOrigins).generated_scripts
_UNREAD = frozenset({"unread"})
_SHARED_FOLDERS = frozenset({"/tmp", "/var/tmp", "/dev/shm", "/private/tmp"})
#: What the last analysis began with. Threads may overwrite each other's entry: it is compared before it is used.
_LAST_SEEDS: dict[str, tuple[Mapping[str, WrittenFile], Seeds]] = {}


class Seeds(FrozenRecord, frozen=True):
    """The files and the state that earlier actions of a run left behind, with which an analysis begins."""

    files: dict[str, Flow]
    kept: list[str]
    made: frozenset[str]
    links: dict[str, WrittenFile]


NO_SEEDS = Seeds({}, [], NONE, {})


def make_seeds(written: Mapping[str, WrittenFile]) -> Seeds:
    """Return the initial files and state of an analysis. Actions share them until the run writes something."""
    known = _LAST_SEEDS.get("last")
    if known is not None and known[0] is written:
        return known[1]
    files = {
        path: Flow(one.text, _STATES[one.state] | one.marks) for path, one in written.items() if one.state in _STATES
    }
    files |= {path: Flow(None, one.marks) for path, one in written.items() if one.state in _LEADING and one.marks}
    seeds = Seeds(
        files,
        keep_lasting_files(files),
        frozenset(path for path, one in written.items() if one.state == "made"),
        {path: one for path, one in written.items() if one.state in _LEADING},
    )
    _LAST_SEEDS["last"] = (written, seeds)
    return seeds


def keep_lasting_files(files: Mapping[str, Flow]) -> list[str]:
    """Return the files with marks that last."""
    return [path for path, flow in files.items() if not flow.marks.isdisjoint(KEPT_MARKS)]


def find_content_marks(name: str, files: Mapping[str, Flow], kept: Iterable[str], *, below: bool) -> frozenset[str]:
    """Return the marks of what a file or folder holds, by what this run has put there.

    `kept` are the files with marks that last. A file in a folder may be what was copied into the folder. A path that
    ends with `*` stands for the parts of a file that was split. A folder holds what is in its files; `below` says
    whether that counts.
    """
    held = files.get(name)
    found = held.marks if held is not None else NONE
    inside = name.rstrip("/") + "/"
    for path in kept:
        if (below and path.startswith(inside)) or name.startswith((path.rstrip("/") + "/", *_parts_of(path))):
            found |= files[path].marks & KEPT_MARKS if path in files else NONE
    return found


def _parts_of(path: str) -> tuple[str, ...]:
    """Return the common prefix of several files, if a path stands for them: `part-*`."""
    return (path[:-1],) if path.endswith("*") else ()


def find_changed_files(
    files: Mapping[str, Flow], seeds: Mapping[str, Flow], effects: Iterable[Effect], places: Places
) -> dict[str, WrittenFile]:
    """Return the files whose recorded content has changed during this action."""
    found = {}
    for path, flow in files.items():
        if flow is seeds.get(path) or not path.startswith(("/", STORED)) or path.startswith("/dev/"):
            continue
        marks = flow.marks & KEPT_MARKS
        if flow.text is None and _is_wide(path, places):  # not all that is in such a folder is of this run
            continue
        if flow.text is not None and HOLE not in flow.text:
            found[path] = WrittenFile(flow.text, "changed" if "changed" in flow.marks else _kind(flow.marks), marks)
        elif marks or "download" in flow.marks:
            marks |= flow.marks & _DOWNLOADED
            found[path] = WrittenFile(None, "changed" if "changed" in flow.marks else "kept", marks)
        elif flow.text is None and path.endswith(_SCRIPTS) and flow.marks.isdisjoint(VOUCHING):
            found[path] = WrittenFile(None, "kept", _UNREAD)
        elif path in seeds or not flow.marks.isdisjoint(_HIDING):  # or its content was hidden on purpose
            found[path] = WrittenFile(state="changed")
    for path in seeds.keys() - files.keys():
        last = [one.kind for one in effects if one.resource and one.resource.name == path]
        gone = bool(last) and last[-1] in ("fs.delete", "fs.move")
        found[path] = WrittenFile(state="gone" if gone else "changed")
    return found


def _kind(marks: frozenset[str]) -> Literal["whole", "part"]:
    return "part" if "part" in marks else "whole"


def _is_wide(path: str, places: Places) -> bool:
    """Whether a path is a folder that holds much else: the project, a folder around it, or one that all share."""
    project = places.workspace or places.cwd or ""
    return path in _SHARED_FOLDERS or f"{project}/".startswith(f"{path.rstrip('/')}/")


def keep_marks(link: WrittenFile, file: WrittenFile) -> WrittenFile:
    """Return the target of a path with the marks of the file there; a download stays marked when it is moved."""
    return WrittenFile(link.text, link.state, file.marks) if link.state == "moved" else link


def is_content(file: WrittenFile | None) -> bool:
    """Whether the content of a file is known, or known to have changed."""
    return file is not None and file.state != "kept"
