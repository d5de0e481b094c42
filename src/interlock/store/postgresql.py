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

#: States after which a transaction may be tried again: a lost connection, a restart, a lock, a deadlock.
_AGAIN = ("08", "57P", "40", "55P03", "53300", "25P03")
#: What a server is told of each connection: nobody holds the chain for ever, and what is committed stays.
_SETTINGS = (
    "lock_timeout = '30s'",
    "idle_in_transaction_session_timeout = '60s'",
    "synchronous_commit = on",
)
_OPTIONS = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
_NUMBERS = itertools.count()
_GIVEN = late(r"(?<![:\w]):([a-z_]\w*)")


class Postgresql:
    """How a shared store is spoken to."""

    is_sqlite = False
    mark = "%s"
    reading, writing = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "BEGIN"
    error: type[Exception] = psycopg.Error
    of_values: tuple[type[Exception], ...] = (psycopg.DataError, psycopg.IntegrityError)

    def __init__(self, server: Mapping[str, str]) -> None:
        self._server = server

    def connect(self) -> Any:
        """Return a new connection."""
        raw: Any = psycopg.connect(autocommit=True, **{**_OPTIONS, **self._server})  # type: ignore[arg-type]
        for setting in _SETTINGS:
            raw.execute(f"SET {setting}")
        return raw

    def begin(self, raw: Any, statement: str, *, patient: bool) -> None:
        """Begin a transaction. Whoever waits here does so by the limits of the server."""
        del patient
        raw.execute(statement)

    def written(self, statement: str) -> str:
        """Return a statement as the driver wants it."""
        return _written(statement)

    def stream(self, raw: Any, statement: str, given: Mapping[str, Any], size: int) -> Generator[tuple[Any, ...]]:
        """Yield many rows, of which the server sends so many at a time."""
        with raw.cursor(f"interlock_{next(_NUMBERS)}") as cursor:
            cursor.itersize = size
            cursor.execute(statement, given)
            yield from cursor

    def is_lost(self, raw: Any) -> bool:
        """Whether a connection can be used no more."""
        return bool(raw.closed)

    def may_pass(self, error: Exception) -> bool:
        """Whether a transaction failed for a reason that may pass."""
        state = getattr(error, "sqlstate", None)
        if state is None:  # no server has answered: the connection is gone, or there is none
            return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        return str(state).startswith(_AGAIN)


@cache
def _written(statement: str) -> str:
    return _GIVEN.sub(r"%(\1)s", statement.replace("%", "%%"))
