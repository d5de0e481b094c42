"""The location of the owner's files (`~/.interlock` or `INTERLOCK_HOME`) and the administrator's (`/etc`)."""

from __future__ import annotations

import os
from pathlib import Path

from interlock.errors import ConfigError

NAME = "interlock.toml"
#: The administrator's file. Every other file may only tighten it.
MACHINE_FILE = Path("/etc/interlock") / NAME


def own_folder() -> Path:
    """Return the folder that holds the user's own configuration, keys and default store."""
    named = os.environ.get("INTERLOCK_HOME")
    if named and not os.path.isabs(named):
        raise ConfigError(f"`INTERLOCK_HOME` must be an absolute path, found `{named}`")
    return Path(named) if named else Path.home() / ".interlock"


def owner_paths() -> list[Path]:
    """Return the files that exist, the administrator's first."""
    found = [path for path in (MACHINE_FILE, own_folder() / NAME) if _is_there(path)]
    if MACHINE_FILE in found:
        _check_owner(MACHINE_FILE.resolve())
    return found


def _is_there(path: Path) -> bool:
    try:
        return path.exists() or path.is_symlink()
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", file=str(path)) from None


def _check_owner(path: Path) -> None:
    """Raise if an account other than root can write a file that applies to every account."""
    for one in (path, path.parent):
        try:
            found = os.stat(one)
        except OSError as error:
            raise ConfigError(f"the file cannot be read: {error.strerror}", file=str(one)) from None
        if found.st_uid != 0 or found.st_mode & 0o022:
            raise ConfigError(f"`{one}` must belong to root, and only root may write it", file=str(path))
