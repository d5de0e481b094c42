"""Reading and writing a settings file: atomically, through symlinks, with its permissions kept."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from interlock.errors import ConfigError

MAX_SIZE = 4_000_000


def read(path: Path) -> bytes | None:
    """Return the content of a file; None where there is no file."""
    try:
        if not path.exists() and not path.is_symlink():
            return None
        if not stat.S_ISREG(path.stat().st_mode):
            raise ConfigError("this is not a regular file", file=str(path))
        if path.stat().st_size > MAX_SIZE:
            raise ConfigError(
                f"the file is larger than {MAX_SIZE:,} bytes, which is too large for settings", file=str(path)
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise ConfigError("this symbolic link is broken; fix or remove it", file=str(path)) from None
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", file=str(path)) from None


def text_of(path: Path, data: bytes | None) -> str | None:
    """Return the text of a file, or raise."""
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"this is not UTF-8 text: {error.reason} at byte {error.start}", file=str(path)) from None


def write(path: Path, data: bytes) -> None:
    """Write a file atomically. A symlink stays one, and the file keeps its owner and permissions."""
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{target.name}.{os.getpid()}.interlock")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        before = os.stat(target) if target.exists() else None
        if before is not None and not before.st_mode & stat.S_IWUSR:
            raise ConfigError("the file is read-only; `chmod u+w` makes it writable", file=str(path))
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644 if before is None else 0o600)
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            if before is not None:
                os.fchmod(handle, stat.S_IMODE(before.st_mode))
            if before is not None and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
                os.fchown(handle, before.st_uid, before.st_gid)
            os.fsync(handle)
        os.replace(draft, target)
    except OSError as error:
        raise ConfigError(f"the file cannot be written: {error.strerror}", file=str(path)) from None
    finally:
        draft.unlink(missing_ok=True)


def remove(path: Path, made: list[str]) -> None:
    """Remove a file, and those of the folders made for it that are empty."""
    try:
        path.unlink(missing_ok=True)
        for folder in made:
            if not os.listdir(folder):
                os.rmdir(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise ConfigError(f"the file cannot be removed: {error.strerror}", file=str(path)) from None


def find_missing_folders(path: Path) -> list[str]:
    """Return the folders that do not exist yet for a file, the innermost first."""
    return [str(folder) for folder in path.parents if not folder.exists()]
