"""PostgreSQL: a store that several machines share."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Mapping
from functools import cache
from typing import Any

from interlock.errors import StoreError
from interlock.patterns import late

try:
    import psycopg
except ModuleNotFoundError:
    raise StoreError("PostgreSQL needs its driver; run `pip install 'interlock[postgres]'`") from None

#: SQLSTATE prefixes after which a retry may succeed: connection lost, server restarting, lock timeout, deadlock.
_TRANSIENT = ("08", "57P", "40", "55P03", "53300", "25P03")
#: Limits how long a transaction holds or waits for the chain's lock, and makes commits durable.
_SETTINGS = (
    "lock_timeout = '30s'",
    "idle_in_transaction_session_timeout = '60s'",
    "synchronous_commit = on",
)
_OPTIONS = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
_CURSOR_NUMBERS = itertools.count()
_PARAMETER = late(r"(?<![:\w]):([a-z_]\w*)")


class Postgresql:
    """The driver for PostgreSQL."""

    is_sqlite = False
    placeholder = "%s"
    begin_read, begin_write = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "BEGIN"
    error: type[Exception] = psycopg.Error
    value_errors: tuple[type[Exception], ...] = (psycopg.DataError, psycopg.IntegrityError)

    def __init__(self, server: Mapping[str, str]) -> None:
        self._server = server

    def connect(self) -> Any:
        """Return a new connection."""
        raw: Any = psycopg.connect(autocommit=True, **{**_OPTIONS, **self._server})  # type: ignore[arg-type]
        for setting in _SETTINGS:
            raw.execute(f"SET {setting}")
        return raw

    def begin(self, raw: Any, statement: str, *, wait: bool) -> None:
        """Begin a transaction. Nothing is locked yet, so there is nothing to wait for."""
        del wait
        raw.execute(statement)

    def translate(self, statement: str) -> str:
        """Return a statement with psycopg's placeholders."""
        return _translate(statement)

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


@cache
def _translate(statement: str) -> str:
    return _PARAMETER.sub(r"%(\1)s", statement.replace("%", "%%"))
