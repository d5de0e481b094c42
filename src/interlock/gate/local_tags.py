"""Tags of a local repository, read from its files, since a tag can have the same name as a branch."""

from __future__ import annotations

import os
import stat
from pathlib import Path

#: How much of a file is read. A longer one may contain the tag.
MAX_PACKED, MAX_POINTER = 4_000_000, 4_000


def has_tag(folder: str, name: str) -> bool:
    """Whether the repository around a folder has a tag of this name; False if no repository is there."""
    try:
        repository = _find_repository(folder)
        return repository is not None and _has_tag_in(repository, name)
    except (OSError, ValueError):
        return True  # unreadable, so there may be one


def _find_repository(folder: str) -> Path | None:
    """Return the folder with the references of the repository around a folder."""
    if not os.path.isabs(folder):
        return None
    for place in (Path(folder), *Path(folder).parents):
        found = place / ".git"
        if found.is_dir():
            return found
        if found.is_file():  # a worktree or a submodule
            pointed = place / _read(found, MAX_POINTER).removeprefix("gitdir:").strip()
            common = pointed / "commondir"
            return pointed / _read(common, MAX_POINTER).strip() if common.is_file() else pointed
    return None


def _has_tag_in(repository: Path, name: str) -> bool:
    if (repository / "reftable").exists() or os.path.lexists(repository / "refs" / "tags" / name):
        return True
    packed = repository / "packed-refs"
    lines = _read(packed, MAX_PACKED).splitlines() if packed.exists() else []
    return f"refs/tags/{name}" in (line.partition(" ")[2] for line in lines)


def _read(path: Path, most: int) -> str:
    """Return the text of an ordinary file, or raise if it is something else or too long."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode) or found.st_size > most:
        raise ValueError(path)
    return path.read_text("utf-8", "replace")
