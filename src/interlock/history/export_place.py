"""The place of an export: a folder, or an object store through fsspec. Files are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import fsspec
from fsspec.implementations.local import LocalFileSystem

from interlock.errors import InterlockError, MissingError
from interlock.store.files import lock_file, make_folder, write_draft

#: The file that is locked in a folder, or that is the lock in an object store.
LOCK = "_export.lock"
#: Protocols whose uploads appear whole. Elsewhere a file is uploaded under another name, and renamed.
_WHOLE_UPLOADS = frozenset("memory s3 s3a gs gcs abfs abfss az adl oci oss".split())
_PASSWORD = re.compile(r"(?<=://)[^/@]*@")


class ExportPlace:
    """A folder or an object store, by its path or URL. Names of files are relative to it, with `/` between parts."""

    def __init__(self, url: str) -> None:
        if not url.strip():
            raise InterlockError("a place is a folder or a URL; found an empty text")
        self.shown = _PASSWORD.sub("", url)
        self.fs, self.root = _find(url, self.shown)
        self.is_local = isinstance(self.fs, LocalFileSystem)
        self._is_web = "http" in self.fs.protocol  # lists files by their URLs
        if self.is_local:
            self.shown = str(Path(self.root))

    def names(self) -> list[str]:
        """Return the names of all files, without drafts and the lock."""
        with self.errors("read"):
            self.fs.invalidate_cache()
            found = self.fs.find(self.root) if self.fs.isdir(self.root) else []
        start = len(self.root.rstrip("/")) + 1
        names = (unquote(str(path)[start:]) if self._is_web else str(path)[start:] for path in found)
        return sorted(name for name in names if name != LOCK and not any(p.startswith(".") for p in name.split("/")))

    def read(self, name: str) -> bytes | None:
        """Return the content of a small file, or None if there is none."""
        with self.errors("read", name):
            self.fs.invalidate_cache()
            try:
                content: bytes = self.fs.cat_file(self.path(name))
            except FileNotFoundError:
                return None
        return content

    @contextlib.contextmanager
    def fetch(self, name: str) -> Iterator[Path]:
        """Give a local copy of a file; a file in a folder is given itself."""
        if self.is_local:
            yield Path(self.path(name))
            return
        with tempfile.TemporaryDirectory(prefix="interlock-") as folder:
            copy = Path(folder) / "file"
            with self.errors("read", name):
                self.fs.get_file(self.path(name), str(copy))
            yield copy

    @contextlib.contextmanager
    def draft(self) -> Iterator[Path]:
        """Give the path of a local file to write, which `put` then moves or uploads."""
        if not self.is_local:
            with tempfile.TemporaryDirectory(prefix="interlock-") as folder:
                yield Path(folder) / "draft"
            return
        with self.errors("written"):
            make_folder(Path(self.root))
            file = write_draft(Path(self.root) / "draft", b"", durable=False)
        try:
            yield file
        finally:
            file.unlink(missing_ok=True)

    def put(self, draft: Path, name: str) -> None:
        """Store a draft under a name; readers never see a part of it."""
        with self.errors("written", name):
            if self.is_local:
                _move(draft, Path(self.path(name)))
            elif self._uploads_whole():
                self.fs.put_file(str(draft), self.path(name))
            else:
                self._upload_and_rename(draft, name)

    def _uploads_whole(self) -> bool:
        protocol: str | tuple[str, ...] = self.fs.protocol
        return not _WHOLE_UPLOADS.isdisjoint([protocol] if isinstance(protocol, str) else protocol)

    def _upload_and_rename(self, draft: Path, name: str) -> None:
        target = self.path(name)
        folder, _, last = target.rpartition("/")
        self.fs.makedirs(folder, exist_ok=True)
        hidden = f"{folder}/.{last}.{os.urandom(4).hex()}"
        self.fs.put_file(str(draft), hidden)
        self.fs.mv(hidden, target)

    def write(self, name: str, data: bytes) -> None:
        """Store a small file."""
        with self.draft() as file:
            file.write_bytes(data)
            self.put(file, name)

    def remove(self, name: str) -> None:
        """Remove a file."""
        with self.errors("removed", name):
            self.fs.rm_file(self.path(name))

    def path(self, name: str) -> str:
        """Return the path of a file as the file system takes it."""
        return f"{self.root.rstrip('/')}/{name}"

    def create(self, name: str, data: bytes) -> None:
        """Store a small file unless there is one already, where the file system can tell."""
        with self.errors("written", name), contextlib.suppress(FileExistsError):
            self.fs.pipe_file(self.path(name), data, mode="create")

    @contextlib.contextmanager
    def folder_lock(self) -> Iterator[None]:
        """Wait for the lock of a folder and hold it. Drafts that are there then were left by killed exports."""
        with self.errors("used"):
            make_folder(Path(self.root))
        with lock_file(Path(self.root) / f".{LOCK}"):
            for file in Path(self.root).glob(".draft.*"):
                file.unlink(missing_ok=True)
            yield

    @contextlib.contextmanager
    def errors(self, what: str, name: str = "") -> Iterator[None]:
        """Turn errors of file systems into one line."""
        try:
            yield
        except InterlockError:
            raise
        except FileNotFoundError:
            raise MissingError(f"`{self._display_name(name)}` does not exist") from None
        except Exception as error:  # each driver has its own errors, without a common base
            text = getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__
            raise InterlockError(f"`{self._display_name(name)}` cannot be {what}: {str(text)[:300]}") from None

    def _display_name(self, name: str) -> str:
        return f"{self.shown.rstrip('/')}/{name}" if name else self.shown


def _find(url: str, shown: str) -> tuple[Any, str]:
    """Return the file system and the path that a URL names."""
    protocol = url.partition("://")[0] if "://" in url else ""
    try:
        fs, root = fsspec.core.url_to_fs(url if protocol else os.path.abspath(os.path.expanduser(url)))
    except ImportError as error:
        raise InterlockError(f"`{protocol}://` needs a driver: {' '.join(str(error).split())[:200]}") from None
    except Exception as error:  # drivers check their options here, each with its own errors
        raise InterlockError(f"`{shown}` cannot be opened: {' '.join(str(error).split())[:200]}") from None
    return fs, str(root)


def _move(draft: Path, target: Path) -> None:
    """Move a draft to its name, durably."""
    make_folder(target.parent)
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
