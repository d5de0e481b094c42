"""Open the store that a command works on: named by an option, configured, or the default."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from interlock.approval.grants import Grants
from interlock.approval.repository import ApprovalRepository
from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing, SigningKey, parse_key
from interlock.audit.runs import Runs
from interlock.config.home import own_folder
from interlock.config.load import load
from interlock.config.schema import Config
from interlock.errors import StoreError
from interlock.gate.options import approval_rules, store_url
from interlock.store.database import Database
from interlock.store.migrate import prepare
from interlock.store.url import parse_url


class OpenStore:
    """An open store, with everything that commands do with it."""

    def __init__(self, config: Config, database: Database) -> None:
        self.config, self.database = config, database
        self.folder = own_folder()
        self.key = SigningKey.at(self.folder)
        self.journal = Journal(database, self.key, self.folder, map(parse_key, config.audit.keys))
        self.runs, self.grants = Runs(self.journal), Grants(self.journal)

    @cached_property
    def register(self) -> ApprovalRepository:
        """The approval requests."""
        return ApprovalRepository(self.journal, approval_rules(self.config, counts_people=self.database.is_sqlite))

    def key_ring(self, more: tuple[str, ...] = ()) -> KeyRing:
        """Return the keys whose signatures count: this machine's, the configured ones, and those given as options."""
        return KeyRing([self.key.public, *(parse_key(key) for key in (*self.config.audit.keys, *more))])


@contextmanager
def open_store(store: str | None, config: Path | None, *, make: bool = False) -> Iterator[OpenStore]:
    """Give the store that a command works on. It must exist, unless `make` is set."""
    url = parse_url(store_url(load(config), store))
    if not make and url.is_sqlite and not _is_there(url.path):
        how = "`interlock store init` creates one, and so does a gate's first decision"
        raise StoreError(f"there is no store at `{url.path}`; {how}")
    database = find_database(store, config)
    try:
        prepare(database)
        yield OpenStore(load(config), database)
    finally:
        database.close()


def _is_there(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError as error:
        raise StoreError(f"the store `{path[:100]}` cannot be read: {error.strerror}") from None


def find_database(store: str | None, config: Path | None) -> Database:
    """Return the database that an option names, that is configured, or the default."""
    return Database(store_url(load(config), store))
