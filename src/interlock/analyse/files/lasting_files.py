"""The files that an action changes, makes or leads elsewhere, as they are once it has run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from interlock.analyse.files.created_files import (
    backup_name,
    find_made_outside,
    find_spoiled,
    is_rewritten,
    stale_backups,
)
from interlock.analyse.files.run_files import NOTHING_WRITTEN, find_changed_files, is_content, keep_marks
from interlock.model import WrittenFile

if TYPE_CHECKING:
    from interlock.analyse.files.links import Links
    from interlock.analyse.reading import Reading


def find_lasting_files(reading: Reading, links: Links | None) -> Mapping[str, WrittenFile]:
    """Return the files that later actions of the run are judged with, by their paths."""
    files = NOTHING_WRITTEN
    if reading.has_changed_files:
        files = find_changed_files(reading.files, reading.seeds, reading.effects, reading.places)
    if links is not None:
        files = _add_links(files, links.changes(reading.effects))
    made = find_made_outside(reading.effects) | _find_backups(reading)
    if not made and not reading.made:
        return files
    gone = find_spoiled(reading.made | made, reading.effects) | (stale_backups(reading.made, reading.effects) - made)
    new = dict.fromkeys(made - reading.made - gone, WrittenFile(state="made"))
    return {**new, **dict.fromkeys(gone & reading.made, WrittenFile(state="gone")), **files}


def _add_links(files: Mapping[str, WrittenFile], links: Mapping[str, WrittenFile]) -> Mapping[str, WrittenFile]:
    """Return files with links; a link keeps the marks of a file whose text is not known."""
    held = {path: one for path, one in files.items() if not is_content(one)}
    found = {**files, **{path: one for path, one in links.items() if not is_content(files.get(path))}}
    return found | {path: keep_marks(one, held[path]) for path, one in links.items() if path in held}


def _find_backups(reading: Reading) -> frozenset[str]:
    """Return the copies of databases that this action makes and does not change afterwards."""
    copies = reading.backups.items()
    return frozenset(backup_name(copy, source) for copy, source in copies if not is_rewritten(copy, reading.effects, 1))
