"""A database: SQLite or PostgreSQL by its URL, opened so that what is committed stays."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from interlock.errors import StoreError, TamperedError
from interlock.store.connection import Connection
from interlock.store.driver import Driver
from interlock.store.pool import Pool
from interlock.store.sqlite import Sqlite
from interlock.store.url import Url, parse_url


class Database:
    """A database that is there, or is made. Threads share it, and a forked child gets connections of its own."""

    def __init__(self, url: str) -> None:
        self.url = parse_url(url)
        self.is_sqlite, self.shown = self.url.is_sqlite, self.url.shown
        self._driver = _driver(self.url)
        self._pool = Pool(self._driver.connect)
        _DATABASES.add(self)
        weakref.finalize(self, self._pool.close)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection that sees one state of everything, and writes nothing."""
        with self._connected(self._driver.reading) as one:
            yield one

    @contextmanager
    def write(self, *, patient: bool = True) -> Iterator[Connection]:
        """Give a connection in a transaction that holds the pen; it is committed at the end, or undone by an error.

        Whoever is not patient fails at once where another process writes to an embedded store.
        """
        with self._connected(self._driver.writing, patient=patient) as one:
            yield one

    @contextmanager
    def _connected(self, begin: str, *, patient: bool = True) -> Iterator[Connection]:
        try:
            raw = self._begun(begin, patient=patient)
            one = Connection(raw, self._driver)
            try:
                yield one
                one.close()
                if self._pool.is_ours(raw):  # else it is of a parent process, which ends its transaction itself
                    raw.execute("COMMIT")
            except BaseException:
                self._undo(one, raw)
                raise
            self._pool.give(raw, lost=False)
        except self._driver.error as error:
            raise self.error(error) from error
        except UnicodeDecodeError as error:
            raise TamperedError(f"the store `{self.shown}` holds bytes that are no text") from error

    def _begun(self, begin: str, *, patient: bool) -> Any:
        """Return a connection on which a transaction was begun: a new one where the server has dropped the old one."""
        for new in (False, True):
            raw = self._pool.take(new=new)
            try:
                self._driver.begin(raw, begin, patient=patient)
                return raw
            except BaseException as error:
                lost = self._driver.is_lost(raw)
                self._pool.give(raw, lost=lost)
                if new or not lost or not isinstance(error, self._driver.error):
                    raise
        raise AssertionError("it is begun, or it fails")

    def _undo(self, one: Connection, raw: Any) -> None:
        """Undo a transaction, as far as the connection is still there: what was not committed is gone in any case."""
        lost = True
        try:
            if not self._pool.is_ours(raw):
                return
            one.close()
            raw.rollback()
            lost = self._driver.is_lost(raw)
        except self._driver.error:
            pass
        finally:
            self._pool.give(raw, lost=lost)

    def error(self, error: Exception) -> StoreError:
        """Return an error of the driver as one of ours, in one line."""
        said, password = " ".join(str(error).split()), self.url.server.get("password")
        if password:
            said = said.replace(password, "***")
        return StoreError(f"the store `{self.shown}` failed: {said[:300]}", again=self._driver.may_pass(error))

    def is_own(self, error: Exception) -> bool:
        """Whether an error is the database's, and not the fault of whoever gave it a value."""
        return isinstance(error, self._driver.error) and not isinstance(error, self._driver.of_values)

    def close(self) -> None:
        """Let every connection go."""
        self._pool.close()

    def forget(self) -> None:
        """Leave the connections of a parent process to it."""
        self._pool.forget()


def _driver(url: Url) -> Driver:
    if url.is_sqlite:
        return Sqlite(url.path)
    from interlock.store.postgresql import Postgresql  # its library is loaded only by those who have such a store

    return Postgresql(url.server)


_DATABASES: weakref.WeakSet[Database] = weakref.WeakSet()


def _forget_all() -> None:
    for database in list(_DATABASES):
        database.forget()


os.register_at_fork(after_in_child=_forget_all)
