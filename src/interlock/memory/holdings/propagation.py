"""Holdings: files into which a run has put sensitive data, whichever program did it.

A program without a description may turn a key into a picture, a table into a map, or a folder into an archive. So every
file counts that a command fills beside reading a private one, and every document that takes one in.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

from interlock.memory.calls.words import file_words
from interlock.memory.model import Content, DataFlow, Holding

MAX_HOLDINGS = 32
#: Names for the commits that are not pushed yet, and for the content of the clipboard.
COMMITS, CLIPBOARD = "commits", "clipboard"
#: Names for a sensitive page, for what was copied from it, and for that copy once another site is open.
PAGE, COPIED, CARRIED = "browser page", "browser copy", "browser copy elsewhere"
#: The name for build output, and the folders that builds fill.
BUILT = "built"


def add_holdings(known: tuple[Holding, ...], found: Iterable[DataFlow], call: int) -> tuple[Holding, ...]:
    """Return holdings with those of one more call: a file that sensitive data was put into holds it as well."""
    kept = {one.path: one for one in known}
    for one in found:
        source = next((held for held in kept.values() if any(_overlap(path, held.path) for path in one.inputs)), None)
        if one.pushes:
            kept.pop(COMMITS, None)
        what = _content_of_outputs(one, source)
        if what is None:
            continue
        for path in (COMMITS, *one.outputs) if one.commits else one.outputs:
            kept.setdefault(path, Holding(path, what, call))
    return tuple(kept.values())[-MAX_HOLDINGS:]


def _content_of_outputs(flow: DataFlow, source: Holding | None) -> Content | None:
    """Return what the outputs of a command hold. A template holds nothing before it is filled in."""
    if flow.holds is not None and flow.holds is not Content.RENDERED:
        return flow.holds
    if source is None or source.what is not Content.TEMPLATE:
        return source.what if source else None
    if flow.holds is Content.RENDERED:
        return Content.SECRET
    return None if flow.commits else Content.TEMPLATE


def _overlap(path: str, held: str) -> bool:
    """Whether a path is a file that holds something, in it, around it, or made of it under another ending."""
    if held == BUILT:
        return any(f"/{folder}/" in path for folder in file_words().built_folders)
    if path == held or path.startswith(f"{held.rstrip('/*')}/") or held.startswith(f"{path.rstrip('/*')}/"):
        return True
    if "*" in path and fnmatch.fnmatchcase(held, path):
        return True
    folder, _, name = path.rpartition("/")
    held_folder, _, held_name = held.rpartition("/")
    stem = name.partition(".")[0]
    return folder == held_folder and bool(stem) and stem == held_name.partition(".")[0]


def find_holding(path: str, known: Iterable[Holding]) -> Holding | None:
    """Return the holding that a path is, is in, contains, or was made of."""
    return next((one for one in known if one.what is not Content.TEMPLATE and _overlap(path, one.path)), None)
