"""A database, SQLite or PostgreSQL by its URL: read transactions and durable write transactions."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from interlock.errors import StoreError, TamperedError
from interlock.store.connection import Connection
from interlock.store.pool import Pool
from interlock.store.sqlite import Sqlite
from interlock.store.url import StoreUrl, parse_url

if TYPE_CHECKING:
    from interlock.store.driver import Driver
    from interlock.store.outage import Outage

MAX_ERROR = 300
Result = TypeVar("Result")
_INCREMENTAL = 2  # of `PRAGMA auto_vacuum`


class Database:
    """A database, created if it is a file that does not exist. Threads share it; a forked child reconnects."""

    def __init__(self, url: str) -> None:
        self.url = parse_url(url)
        self.is_sqlite, self.shown = self.url.is_sqlite, self.url.shown
        self._driver = _driver(self.url)
        self._pool = Pool(self._driver.connect)
        self._outage = None if self.is_sqlite else _new_outage()
        _DATABASES.add(self)
        weakref.finalize(self, self._pool.close)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection in a read-only transaction, which sees one snapshot of the data.

        If a server that has answered before does not answer now, it is waited for before the first query.
        """
        with self._transaction(self._driver.begin_read, renew=self._reconnect_with_retries) as connection:
            yield connection

    def read_with_retry(self, work: Callable[[Connection], Result]) -> Result:
        """Return the result of a function in a read-only transaction. Retry if the server restarts meanwhile."""
        while True:
            try:
                with self.read() as connection:
                    return work(connection)
            except StoreError as error:
                if not error.again or not self.wait_for_server():
                    raise

    @contextmanager
    def write(self, *, wait: bool = True) -> Iterator[Connection]:
        """Give a connection in a write transaction: committed at the end of the block, rolled back by an error.

        On SQLite it holds the write lock. With `wait=False`, raises `StoreError` at once if another process has it.
        """
        with self._transaction(self._driver.begin_write, wait=wait) as connection:
            yield connection

    def shrink(self, pages: int | None) -> None:
        """Return free pages of a SQLite file to the disk: `pages` of them, or all, which may take a while."""
        raw = self._driver.connect()
        try:
            if pages is None and raw.execute("PRAGMA auto_vacuum").fetchone() != (_INCREMENTAL,):
                raw.execute("VACUUM")  # an older file, which cannot be shrunk in steps until this was done
            raw.executescript(f"PRAGMA incremental_vacuum({pages or 0})")  # `execute` would stop after one page
            raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except self._driver.error as error:
            raise self.error(error) from error
        finally:
            raw.close()

    @contextmanager
    def _transaction(
        self, begin: Sequence[str], *, wait: bool = True, renew: Callable[[Any], Any] | None = None
    ) -> Iterator[Connection]:
        try:
            connection = self._begin(begin, renew or self._reconnect, wait=wait)
            try:
                yield connection
                connection.close()
                if self._pool.owns(connection.raw):  # else it was inherited by a fork: the parent ends the transaction
                    connection.commit()
            except BaseException:
                self._roll_back(connection)
                raise
            self._pool.release(connection.raw, closed=False)
            if self._outage is not None:
                self._outage.end()
        except self._driver.error as error:
            raise self.error(error) from error
        except UnicodeDecodeError as error:
            raise TamperedError(f"the store `{self.shown}` contains text that is not valid UTF-8") from error

    def _begin(self, begin: Sequence[str], renew: Callable[[Any], Any], *, wait: bool) -> Connection:
        """Return a connection with a new transaction. If the server has dropped the connection, `renew` replaces it."""
        raw = self._pool.acquire() if renew == self._reconnect else self._acquire_with_retries()
        try:
            begun = self._driver.begin(raw, begin, wait=wait)
        except BaseException:
            self._pool.release(raw, closed=self._driver.is_closed(raw))
            raise
        return Connection(raw, self._driver, () if begun else begin, renew)

    def _reconnect(self, raw: Any) -> Any:
        """Return a new connection to replace one that the server has dropped, probably together with all others."""
        self._pool.release(raw, closed=True)
        return self._pool.acquire(reconnect=True)

    def _reconnect_with_retries(self, raw: Any) -> Any:
        """Like `_reconnect`, but wait for a server that restarts."""
        self._pool.release(raw, closed=True)
        return self._acquire_with_retries(reconnect=True)

    def _acquire_with_retries(self, *, reconnect: bool = False) -> Any:
        while True:
            try:
                return self._pool.acquire(reconnect=reconnect)
            except self._driver.error as error:
                if not self._driver.is_transient(error) or not self.wait_for_server():
                    raise

    def _roll_back(self, connection: Connection) -> None:
        """Roll a transaction back. If the connection is broken, the database has done that already."""
        raw, closed = connection.raw, True
        if raw is None:
            return  # it was dropped, and there was no other one
        try:
            if not self._pool.owns(raw):
                return
            connection.close()
            raw.rollback()
            closed = self._driver.is_closed(raw)
        except self._driver.error:
            pass
        finally:
            self._pool.release(raw, closed=closed)

    def error(self, error: Exception) -> StoreError:
        """Return an error of the driver as a `StoreError` of one line, without the password."""
        message, password = " ".join(str(error).split()), self.url.server.get("password")
        if password:
            message = message.replace(password, "***")
        again = self._driver.is_transient(error)
        advice = self._driver.advise(error)
        return StoreError(f"the store `{self.shown}` failed: {message[:MAX_ERROR]}{advice}", again=again)

    def is_database_error(self, error: Exception) -> bool:
        """Whether an error comes from the database itself, and not from a value in a statement."""
        return isinstance(error, self._driver.error) and not isinstance(error, self._driver.value_errors)

    def is_value_error(self, error: BaseException | None) -> bool:
        """Whether an error is caused by a value in a statement, so that other statements would succeed."""
        return isinstance(error, self._driver.value_errors)

    def wait_for_server(self) -> bool:
        """Wait a moment for a server that went away; return False if it is not worth waiting any longer."""
        return self._outage is not None and self._outage.wait()

    def limit_waiting(self, seconds: float) -> None:
        """Set how long to wait for a server that went away."""
        if self._outage is not None:
            self._outage.wait_seconds = seconds

    def close(self) -> None:
        """Close every connection: the idle ones now, and those in use at the end of their transactions."""
        self._pool.close()

    def abandon_connections(self) -> None:
        """Leave the connections to the parent process, after a fork."""
        self._pool.abandon()


def _driver(url: StoreUrl) -> Driver:
    if url.is_sqlite:
        return Sqlite(url.path)
    from interlock.store.postgresql import Postgresql  # optional dependency

    return Postgresql(url.server)


def _new_outage() -> Outage:
    from interlock.store.outage import Outage  # a file does not go away

    return Outage()


_DATABASES: weakref.WeakSet[Database] = weakref.WeakSet()


def _abandon_connections() -> None:
    for database in list(_DATABASES):
        database.abandon_connections()


os.register_at_fork(after_in_child=_abandon_connections)
