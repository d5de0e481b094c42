"""Propagation of taint: which files hold sensitive data after an action, whichever program wrote them.

A program without a description may turn a key into a picture, a table into a map, or a folder into an archive. So if a
command reads a private file, every file that it writes is tainted, and so is every document that includes one.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

from interlock.memory.calls.words import file_words
from interlock.memory.model import Content, DataFlow, Taint

MAX_TAINTS = 32
#: The names under which unpushed commits and the content of the clipboard are remembered.
COMMITS, CLIPBOARD = "commits", "clipboard"
#: The names under which a sensitive page, a copy of its content, and that copy at another site are remembered.
PAGE, COPIED, COPIED_ELSEWHERE = "browser page", "browser copy", "browser copy elsewhere"
#: The name under which all build output is remembered.
BUILD_OUTPUT = "built"


def add_taints(known: tuple[Taint, ...], found: Iterable[DataFlow], call: int) -> tuple[Taint, ...]:
    """Return the taints after one more call: what is written from a tainted file is tainted too."""
    kept = {one.path: one for one in known}
    for one in found:
        source = next((held for held in kept.values() if any(_overlap(path, held.path) for path in one.inputs)), None)
        if one.pushes:
            kept.pop(COMMITS, None)
        what = _content_of_outputs(one, source)
        if what is None:
            continue
        for path in (COMMITS, *one.outputs) if one.commits else one.outputs:
            kept.setdefault(path, Taint(path, what, call))
    return tuple(kept.values())[-MAX_TAINTS:]


def _content_of_outputs(flow: DataFlow, source: Taint | None) -> Content | None:
    """Return the kind of sensitive data in the outputs of a command. A template has none before it is filled in."""
    if flow.holds is not None and flow.holds is not Content.RENDERED:
        return flow.holds
    if source is None or source.what is not Content.TEMPLATE:
        return source.what if source else None
    if flow.holds is Content.RENDERED:
        return Content.SECRET
    return None if flow.commits else Content.TEMPLATE


def _overlap(path: str, held: str) -> bool:
    """Whether a path is a tainted path, inside it, contains it, or is the same file with another ending."""
    if held == BUILD_OUTPUT:
        return any(f"/{folder}/" in path for folder in file_words().built_folders)
    if path == held or path.startswith(f"{held.rstrip('/*')}/") or held.startswith(f"{path.rstrip('/*')}/"):
        return True
    if "*" in path and fnmatch.fnmatchcase(held, path):
        return True
    folder, _, name = path.rpartition("/")
    held_folder, _, held_name = held.rpartition("/")
    stem = name.partition(".")[0]
    return folder == held_folder and bool(stem) and stem == held_name.partition(".")[0]


def find_taint(path: str, known: Iterable[Taint]) -> Taint | None:
    """Return the taint of a path, of its folder, of something in it, or of the file that it was made from."""
    return next((one for one in known if one.what is not Content.TEMPLATE and _overlap(path, one.path)), None)
