"""Installing and uninstalling a hook. The file as it was is backed up, and restored to the byte."""

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

from interlock.agents.coding.agent import Agent
from interlock.agents.settings import files
from interlock.agents.settings.command import InstallOptions, entries, settings_file
from interlock.agents.settings.edit import add_entries, find_entries, is_empty, remove_entries, unified_diff
from interlock.agents.settings.jsonc import JsonDocument
from interlock.config.home import own_folder
from interlock.errors import ConfigError


class Backup(msgspec.Struct, frozen=True):
    """A file as it was before our change (None if it did not exist), a digest of our version, and our new folders."""

    before: str | None
    after: str
    made: list[str] = []


class FileChange(NamedTuple):
    """A change of a file: its content before and after, None where there is no file."""

    file: Path
    before: bytes | None
    after: bytes | None
    clean: bytes | None = None  # the content before, without an older entry of ours

    @property
    def changes(self) -> bool:
        """Whether the file would change."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change, line by line."""
        return unified_diff(_decode(self.before), _decode(self.after), str(self.file))


def _decode(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")


def plan_install(agent: Agent, options: InstallOptions, project: Path | None = None) -> FileChange:
    """Return the change that installs a hook; one that changes nothing where it is installed."""
    if options.wait > agent.max_wait:
        why = f"{agent.title} runs the action if its hook takes longer"
        raise ConfigError(f"`--wait` can be at most {agent.max_wait} seconds: {why}")
    file = settings_file(agent, project)
    before = files.read(file)
    text = files.text_of(file, before)
    after = add_entries(text, str(file), agent, entries(agent, options, shared=project is not None))
    clean = before if text is None or is_empty(text) else remove_entries(text, str(file), agent).encode()
    return FileChange(file, before, after.encode(), clean)


def install(change: FileChange) -> None:
    """Back up the file, then make the change."""
    if not change.changes or change.after is None:
        return
    with _lock():
        _install(change, change.after)


def _install(change: FileChange, after: bytes) -> None:
    backups, key = _read_backups(), _key(change.file)
    first = backups.get(key)
    untouched = first is not None and _digest(change.before) == first.after
    before = first.before if untouched and first is not None else _encode(change.clean)
    made = first.made if untouched and first is not None else files.find_missing_folders(change.file)
    backups[key] = Backup(before, _digest(after), made)
    _write_backups(backups)  # first: what was there is never lost
    files.write(change.file, after)


def plan_uninstall(agent: Agent, project: Path | None = None) -> FileChange:
    """Return the change that removes a hook: restore the backup, or remove only our entries if more has changed."""
    file = settings_file(agent, project)
    before = files.read(file)
    backup = _read_backups().get(_key(file))
    if backup is not None and before is not None and _digest(before) == backup.after:
        return FileChange(file, before, None if backup.before is None else base64.b64decode(backup.before))
    text = files.text_of(file, before)
    if text is None or is_empty(text) or not find_entries(JsonDocument(text, str(file)), agent):
        return FileChange(file, before, before)
    return FileChange(file, before, remove_entries(text, str(file), agent).encode())


def uninstall(change: FileChange) -> None:
    """Make a change, and drop the backup."""
    with _lock():
        _uninstall(change)


def _uninstall(change: FileChange) -> None:
    backups = _read_backups()
    backup = backups.pop(_key(change.file), None)
    if change.changes and change.after is None:
        files.remove(change.file, backup.made if backup else [])
    elif change.changes and change.after is not None:
        files.write(change.file, change.after)
    if backup is not None:
        _write_backups(backups)


@contextmanager
def _lock() -> Iterator[None]:
    """Let one process at a time change the backups."""
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


def _encode(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _backups_file() -> Path:
    return own_folder() / "installed.json"


def _read_backups() -> dict[str, Backup]:
    """Return the backups of the files that were changed, by path."""
    data = files.read(_backups_file())
    if data is None:
        return {}
    try:
        return msgspec.json.decode(data, type=dict[str, Backup])
    except msgspec.DecodeError as error:
        how = "move the backups away; `uninstall` then removes only Interlock's entries"
        why = f"the backups made at installation cannot be read ({error}); {how}"
        raise ConfigError(why, file=str(_backups_file())) from None


def _write_backups(backups: dict[str, Backup]) -> None:
    own_folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    files.write(_backups_file(), msgspec.json.format(msgspec.json.encode(backups)) + b"\n")
    _backups_file().chmod(0o600)
