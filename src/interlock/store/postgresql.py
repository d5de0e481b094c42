"""PostgreSQL: a store that several machines share."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from interlock.errors import StoreError
from interlock.patterns import late

try:
    import psycopg
except ModuleNotFoundError:
    raise StoreError("PostgreSQL needs its driver; run `pip install 'interlock[postgres]'`") from None

#: SQLSTATE prefixes after which a retry may succeed: connection lost, server restarting, lock timeout, deadlock; and no
#: partition for a row, where others have replaced the store since its partitions were read.
_TRANSIENT = ("08", "57P", "40", "55P03", "53300", "25P03", "23514")
#: Limits how long a transaction holds or waits for the chain's lock, and makes commits durable. Writers look up few
#: rows by indexes, so each statement is planned once, however many partitions there are.
_SETTINGS = (
    "lock_timeout = '30s'",
    "idle_in_transaction_session_timeout = '60s'",
    "synchronous_commit = on",
    "plan_cache_mode = force_generic_plan",
)
_OPTIONS = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
#: Writes to the log, so that its commit waits for the disk; and whether this user may do so.
_FLUSH = "SELECT pg_logical_emit_message(true, 'interlock', '')"
_CAN_FLUSH = """
    SELECT coalesce(bool_and(has_function_privilege(oid, 'execute')), false) FROM pg_proc
    WHERE proname = 'pg_logical_emit_message' AND pronamespace = 'pg_catalog'::regnamespace
"""
_CURSOR_NUMBERS = itertools.count()
_PARAMETER = late(r"(?<![:\w]):([a-z_]\w*)")


class Postgresql:
    """The driver for PostgreSQL."""

    is_sqlite = False
    placeholder = "%s"
    begin_read: tuple[str, ...] = (
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        "SET LOCAL plan_cache_mode = auto",
    )
    begin_write: tuple[str, ...] = ("BEGIN",)
    error: type[Exception] = psycopg.Error
    value_errors: tuple[type[Exception], ...] = (psycopg.DataError, psycopg.IntegrityError)
    lock_timeout: type[Exception] = psycopg.errors.LockNotAvailable

    def __init__(self, server: Mapping[str, str]) -> None:
        self._server = server

    def connect(self) -> Any:
        """Return a new connection."""
        raw: Any = psycopg.connect(autocommit=True, **{**_OPTIONS, **self._server})  # type: ignore[arg-type]
        for setting in _SETTINGS:
            raw.execute(f"SET {setting}")
        raw.interlock_flushes = raw.execute(_CAN_FLUSH).fetchone()[0]
        return raw

    def begin(self, raw: Any, statements: Sequence[str], *, wait: bool) -> bool:
        """Leave the beginning to the first statement. Nothing is locked yet, so there is nothing to wait for."""
        del raw, statements, wait
        return False

    def translate(self, statement: str) -> str:
        """Return a statement with psycopg's placeholders."""
        return _translate(statement)

    def commit_early(self, raw: Any) -> None:
        """Commit inside a pipeline, whose end waits for the disk.

        The commit itself does not wait for the disk, so that its locks are released before. A second, empty
        transaction in the same round trip waits until everything that was written before is on the disk. If the
        server crashes in between, it loses what came last, and nothing of that was answered.
        """
        if raw.interlock_flushes:
            raw.execute("SET LOCAL synchronous_commit = off")
            raw.execute("COMMIT")
            raw.execute(_FLUSH)
        else:
            raw.execute("COMMIT")

    def pipeline(self, raw: Any) -> AbstractContextManager[object]:
        """Return a block whose statements take one round trip. The first that fails is raised; none after it is run."""
        found: AbstractContextManager[object] = raw.pipeline()
        return found

    def stream(self, raw: Any, statement: str, given: Mapping[str, Any], size: int) -> Generator[tuple[Any, ...]]:
        """Yield rows from a server-side cursor."""
        with raw.cursor(f"interlock_{next(_CURSOR_NUMBERS)}") as cursor:
            cursor.itersize = size
            cursor.execute(statement, given)
            yield from cursor

    def is_closed(self, raw: Any) -> bool:
        """Whether a connection can no longer be used."""
        return bool(raw.closed)

    def is_transient(self, error: Exception) -> bool:
        """Whether the same transaction may succeed when it is retried."""
        state = getattr(error, "sqlstate", None)
        if state is None:  # without an answer of a server, the connection is broken or there is none
            return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        return str(state).startswith(_TRANSIENT)

    def advise(self, _error: Exception) -> str:
        """Return an empty text: the server's messages say it."""
        return ""


@lru_cache(maxsize=2_000)
def _translate(statement: str) -> str:
    return _PARAMETER.sub(r"%(\1)s", statement.replace("%", "%%"))
