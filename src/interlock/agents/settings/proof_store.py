"""The store of a proof: a copy of the real one that is removed afterwards, so that a proof leaves nothing on record."""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from interlock.agents.settings.command import split_line
from interlock.audit.anchor import list_anchors
from interlock.audit.chain import read_head
from interlock.config.home import own_folder
from interlock.config.load import load
from interlock.errors import InterlockError
from interlock.gate.options import store_url
from interlock.store.backup import back_up
from interlock.store.database import Database
from interlock.store.migrate import prepare
from interlock.store.url import parse_url, sqlite_url

#: A store with more records is not copied; an empty one is used.
MAX_RECORDS = 100_000
_OPTION = "--store"


@contextlib.contextmanager
def copy_store_for_proof(line: str) -> Iterator[dict[str, str]]:
    """Give the environment in which the hook with a command line uses a copy of its store."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "proof.db"
        with contextlib.suppress(
            InterlockError
        ):  # what is wrong with the configuration or the store is shown elsewhere
            _copy(store_url(load(), _find_store(line)), file)
        try:
            yield {"INTERLOCK_STORE": sqlite_url(str(file))}
        finally:
            _forget(parse_url(sqlite_url(str(file))).shown)


def remove_store_option(line: str) -> str:
    """Return the command line of a hook without the store that it names.

    >>> remove_store_option("interlock hook codex --store sqlite:///a.db --wait 5")
    'interlock hook codex --wait 5'
    """
    if _OPTION not in line:
        return line
    words = iter(split_line(line))
    kept = []
    for word in words:
        if word == _OPTION:
            next(words, None)
        elif not word.startswith(f"{_OPTION}="):
            kept.append(word)
    return shlex.join(kept)


def _find_store(line: str) -> str | None:
    """Return the store that a command line names."""
    words = split_line(line) if _OPTION in line else []
    for word, following in itertools.pairwise([*words, ""]):
        if word == _OPTION:
            return following
        if word.startswith(f"{_OPTION}="):
            return word.partition("=")[2]
    return None


def _copy(url: str, file: Path) -> None:
    """Copy a SQLite store, with its policies and stops, unless it is large."""
    found = parse_url(url)
    if not found.is_sqlite or not os.path.exists(found.path):
        return
    database = Database(url)
    try:
        prepare(database)
        with database.read() as connection:
            end = read_head(connection)
        if end.seq - end.base_seq <= MAX_RECORDS:
            back_up(database, file)
    finally:
        database.close()


def _forget(shown: str) -> None:
    """Remove the anchor of a store that is gone."""
    for file, point in list_anchors(own_folder()):
        if point is not None and point.store == shown:
            file.unlink(missing_ok=True)
