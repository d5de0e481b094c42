"""A database: SQLite or PostgreSQL by its URL, opened so that what is committed stays."""

from __future__ import annotations

import os
import re
import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from interlock.errors import StoreError, TamperedError, nearest

BUSY_SECONDS = 30
_ENGINES = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_BEGIN = "interlock_begin"
_AT_ONCE = "BEGIN IMMEDIATE, at once"
#: States of PostgreSQL after which a transaction may be tried again: a lost connection, a restart, a lock, a deadlock.
_AGAIN = ("08", "57P", "40", "55P03", "53300", "25P03")
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
#: What a shared server is told of each connection: nobody holds the chain for ever, and what is committed stays.
_SETTINGS = (
    "lock_timeout = '30s'",
    "idle_in_transaction_session_timeout = '60s'",
    "synchronous_commit = on",
)


class Database:
    """A database that is there, or is made. Threads share it, and a forked child gets connections of its own."""

    def __init__(self, url: str) -> None:
        self.url = parse_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._engine = _open_sqlite(self.url) if self.is_sqlite else _open_postgresql(self.url)
        self.shown = self.url.set(drivername=self.url.get_backend_name()).render_as_string(hide_password=True)
        _DATABASES.add(self)
        weakref.finalize(self, self._engine.dispose)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection that sees one state of everything, and writes nothing."""
        with self._connected("BEGIN" if self.is_sqlite else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as one:
            yield one

    @contextmanager
    def write(self, *, patient: bool = True) -> Iterator[Connection]:
        """Give a connection in a transaction that holds the pen; it is committed at the end, or undone by an error.

        Whoever is not patient fails at once where another process writes to an embedded store.
        """
        begin = ("BEGIN IMMEDIATE" if patient else _AT_ONCE) if self.is_sqlite else "BEGIN"
        with self._connected(begin) as one:
            yield one

    @contextmanager
    def _connected(self, begin: str) -> Iterator[Connection]:
        try:
            with self._engine.connect().execution_options(**{_BEGIN: begin}) as connection, connection.begin():
                yield connection
        except SQLAlchemyError as error:
            raise self.error(error) from error
        except UnicodeDecodeError as error:
            raise TamperedError(f"the store `{self.shown}` holds bytes that are no text") from error

    def error(self, error: SQLAlchemyError) -> StoreError:
        """Return an error of the driver as one of ours, in one line."""
        said = " ".join(str(getattr(error, "orig", None) or error).split())[:300]
        return StoreError(f"the store `{self.shown}` failed: {said}", again=_may_pass(error))

    def close(self) -> None:
        """Let every connection go."""
        self._engine.dispose()

    def forget(self) -> None:
        """Leave the connections of a parent process to it."""
        self._engine.dispose(close=False)


_DATABASES: weakref.WeakSet[Database] = weakref.WeakSet()


def _forget_all() -> None:
    for database in list(_DATABASES):
        database.forget()


os.register_at_fork(after_in_child=_forget_all)


def _may_pass(error: SQLAlchemyError) -> bool:
    """Whether a transaction failed for a reason that may pass."""
    cause = getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _BUSY
    state = getattr(cause, "sqlstate", None)
    if state is None:  # no server has answered: the connection is gone, or there is none
        return isinstance(error, OperationalError | InterfaceError)
    return str(state).startswith(_AGAIN)


def parse_url(text: str) -> URL:
    """Return the URL of a store, or raise with what is wrong with it.

    >>> parse_url("postgres://ann@db/interlock").drivername
    'postgresql+psycopg'
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        shown = re.sub(r"(?<=:)[^:@/]+(?=@)", "…", text[:200])
        raise StoreError(f"`{shown}` is no store; write `sqlite:///path/to/file.db` or `postgresql://…`") from None
    name = url.drivername.partition("+")[0]
    if name not in _ENGINES:
        raise StoreError(f"there is no store on `{name}`{nearest(name, ['sqlite', 'postgresql'])}")
    if name == "sqlite":
        if not url.database or url.database == ":memory:":
            raise StoreError("a store must outlive the process; write `sqlite:///path/to/file.db`")
        try:
            path = Path(url.database).expanduser().absolute()
        except RuntimeError:
            raise StoreError(f"nobody knows whose home `{url.database}` is in") from None
        if "\0" in str(path):
            raise StoreError("the path of a store has a null byte in it")
        return URL.create("sqlite", database=str(path))
    return url.set(drivername=_ENGINES[name])


def _open_sqlite(url: URL) -> Engine:
    path = Path(str(url.database))
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # nobody else reads what agents do
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise StoreError(f"the store `{path}` cannot be made: {why}") from None
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False}, pool_size=8)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare_sqlite(connection: Any, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # we begin ourselves, to say how
    cursor = connection.cursor()
    for setting in ("journal_mode = WAL", "synchronous = FULL"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _begin(connection: Connection) -> None:
    how = connection.get_execution_options().get(_BEGIN, "BEGIN")
    if how is not _AT_ONCE:
        connection.exec_driver_sql(how)
        return
    driver: Any = connection.connection.driver_connection
    driver.execute("PRAGMA busy_timeout = 0")
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        driver.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1_000}")


_OPTIONS = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}


def _open_postgresql(url: URL) -> Engine:
    try:
        engine = create_engine(url, pool_size=8, pool_pre_ping=True, connect_args=_OPTIONS)
    except ModuleNotFoundError:
        raise StoreError("PostgreSQL needs its driver; run `pip install 'interlock[postgres]'`") from None
    event.listen(engine, "connect", _prepare_postgresql)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare_postgresql(connection: Any, _entry: ConnectionPoolEntry) -> None:
    connection.autocommit = True  # as for SQLite
    for setting in _SETTINGS:
        connection.execute(f"SET {setting}")
