"""Files that several threads and processes write: created atomically, and locked while they change."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

OWNER_ONLY = 0o600


def make_folder(folder: Path) -> None:
    """Create a folder and its parents, accessible to their owner only; existing ones stay as they are."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def create_file(file: Path, data: bytes = b"") -> bool:
    """Create a file with its content, or return False if it already exists.

    It is written under another name and linked, so that no other process ever reads a part of it, and so that an
    existing file is not even opened: closing a second descriptor of a SQLite file would release the locks that this
    process holds on it.
    """
    draft = write_draft(file, data)
    try:
        os.link(draft, file)
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    return True


def write_draft(file: Path, data: bytes, *, durable: bool = True) -> Path:
    """Write a new file beside another one, under a name that no other thread or process uses; return its path."""
    draft = file.with_name(f".{file.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY), "wb") as out:
            out.write(data)
            out.flush()
            if durable:
                os.fsync(out.fileno())
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return draft


@contextlib.contextmanager
def lock_file(file: Path) -> Iterator[int]:
    """Open a file for reading and writing, created if it is missing, and hold an exclusive lock on it.

    The lock is released explicitly: a process that was forked meanwhile has a copy of the descriptor, which would
    hold the lock for as long as that process lives.
    """
    handle = os.open(file, os.O_CREAT | os.O_RDWR, OWNER_ONLY)
    try:
        with _lock(handle, fcntl.LOCK_EX):
            yield handle
    finally:
        os.close(handle)


def read_locked(file: Path) -> bytes:
    """Return the content of a file that others write under `lock_file`, never half of a write."""
    with file.open("rb") as source, _lock(source.fileno(), fcntl.LOCK_SH):
        return source.read()


@contextlib.contextmanager
def _lock(handle: int, kind: int) -> Iterator[None]:
    fcntl.flock(handle, kind)
    try:
        yield
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)
