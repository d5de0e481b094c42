"""Installing and uninstalling a hook. What a file was before is kept, so that it can be again, to the byte."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from interlock.agents.settings import files
from interlock.agents.settings.change import difference, found, installed, is_empty, removed
from interlock.agents.settings.entries import Wish, entries, settings_file
from interlock.agents.settings.jsonc import Document
from interlock.config.home import own_folder
from interlock.errors import ConfigError


class Kept(msgspec.Struct, frozen=True):
    """What a file was before we changed it (None: it was not there), what we made of it, and the folders we made."""

    before: str | None
    after: str
    made: list[str] = []


class Change(NamedTuple):
    """What becomes of a file: None stands for one that is not there."""

    file: Path
    before: bytes | None
    after: bytes | None
    clean: bytes | None = None  # what was there, without an older entry of ours

    @property
    def changes(self) -> bool:
        """Whether anything does."""
        return self.before != self.after

    @property
    def shown(self) -> str:
        """The change, line by line."""
        return difference(_shown(self.before), _shown(self.after), str(self.file))


def _shown(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")


def installing(agent: str, wish: Wish, project: Path | None = None) -> Change:
    """Return the change that installs a hook; one that changes nothing where it is installed."""
    file = settings_file(agent, project)
    before = files.read(file)
    text = files.text_of(file, before)
    after = installed(text, str(file), agent, entries(agent, wish, shared=project is not None))
    clean = before if text is None or is_empty(text) else removed(text, str(file), agent).encode()
    return Change(file, before, after.encode(), clean)


def install(change: Change) -> None:
    """Carry a change out, having noted what was there."""
    if not change.changes or change.after is None:
        return
    with _alone():
        _install(change, change.after)


def _install(change: Change, after: bytes) -> None:
    kept, key = _book(), _key(change.file)
    first = kept.get(key)
    untouched = first is not None and _digest(change.before) == first.after
    before = first.before if untouched and first is not None else _text(change.clean)
    made = first.made if untouched and first is not None else files.missing_folders(change.file)
    kept[key] = Kept(before, _digest(after), made)
    _write_book(kept)  # first: what was there is never lost
    files.write(change.file, after)


def uninstalling(agent: str, project: Path | None = None) -> Change:
    """Return the change that takes a hook out: back to what was there, or only our entries where more has changed."""
    file = settings_file(agent, project)
    before = files.read(file)
    kept = _book().get(_key(file))
    if kept is not None and before is not None and _digest(before) == kept.after:
        return Change(file, before, None if kept.before is None else base64.b64decode(kept.before))
    text = files.text_of(file, before)
    if text is None or is_empty(text) or not found(Document(text, str(file)), agent):
        return Change(file, before, before)
    return Change(file, before, removed(text, str(file), agent).encode())


def uninstall(change: Change) -> None:
    """Carry a change out, and forget what was there."""
    with _alone():
        _uninstall(change)


def _uninstall(change: Change) -> None:
    kept = _book()
    noted = kept.pop(_key(change.file), None)
    if change.changes and change.after is None:
        files.remove(change.file, noted.made if noted else [])
    elif change.changes and change.after is not None:
        files.write(change.file, change.after)
    if noted is not None:
        _write_book(kept)


@contextmanager
def _alone() -> Iterator[None]:
    """Let one process at a time write into the book."""
    own_folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(own_folder() / "installed.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _key(file: Path) -> str:
    return str(file.absolute())


def _digest(data: bytes | None) -> str:
    return hashlib.sha256(data or b"").hexdigest()


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _book_file() -> Path:
    return own_folder() / "installed.json"


def _book() -> dict[str, Kept]:
    """Return what is noted of the files that were changed."""
    data = files.read(_book_file())
    if data is None:
        return {}
    try:
        return msgspec.json.decode(data, type=dict[str, Kept])
    except msgspec.DecodeError as error:
        how = "move it away; `uninstall` then takes out only the entries of ours"
        told = f"what was noted at the installation cannot be read ({error}); {how}"
        raise ConfigError(told, file=str(_book_file())) from None


def _write_book(kept: dict[str, Kept]) -> None:
    own_folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    files.write(_book_file(), msgspec.json.format(msgspec.json.encode(kept)) + b"\n")
    _book_file().chmod(0o600)
