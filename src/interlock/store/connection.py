"""A connection inside a transaction: statements in, rows out.

Statements are written the same way for both databases, with `:name` for each value.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from interlock.store.tables import DatabaseTable
from interlock.store.where import Where

if TYPE_CHECKING:
    from interlock.store.driver import Driver

Row = dict[str, Any]
Query = tuple[str, Mapping[str, Any]]
Sent = TypeVar("Sent")
_QueryKey = tuple[str, tuple[tuple[str, str], ...]]
_FetchedRows = tuple[list[str], list[tuple[Any, ...]]]
_TIME = "SELECT extract(epoch FROM clock_timestamp())"
#: How many rows one statement inserts: other threads can run between two statements.
MAX_AT_ONCE = 100


class Connection:
    """A database connection in a transaction. It belongs to one thread at a time.

    With `begin`, the transaction has not begun: these statements are sent together with the first one. If the server
    has dropped the connection by then, `renew` gives another one.
    """

    def __init__(
        self, raw: Any, driver: Driver, begin: Sequence[str] = (), renew: Callable[[Any], Any] | None = None
    ) -> None:
        self.raw, self._driver = raw, driver
        self.is_sqlite, self.lock_timeout = driver.is_sqlite, driver.lock_timeout
        self._begin, self._renew = begin, renew
        self._streams: list[Generator[tuple[Any, ...]]] = []
        self._next_writes: list[Callable[[], object]] = []
        self._last_writes: list[Callable[[], object]] = []
        self._expected: dict[_QueryKey, _FetchedRows] = {}
        self._clock: tuple[float, float] | None = None  # the server's time, and the time of this process then
        self._is_sending = False  # statements that are sent now take one round trip together

    # reading

    def rows(self, statement: str, **given: Any) -> list[Row]:
        """Return the rows of a query as dictionaries."""
        names, found = self._read(statement, given)
        return [dict(zip(names, row, strict=True)) for row in found]

    def row(self, statement: str, **given: Any) -> Row | None:
        """Return the first row of a query, or None."""
        names, found = self._read(statement, given, most=1)
        return dict(zip(names, found[0], strict=True)) if found else None

    def tuples(self, statement: str, **given: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query as tuples."""
        return self._read(statement, given)[1]

    def values(self, statement: str, **given: Any) -> list[Any]:
        """Return the first column of each row."""
        return [row[0] for row in self._read(statement, given)[1]]

    def value(self, statement: str, **given: Any) -> Any:
        """Return the first column of the first row, or None."""
        found = self._read(statement, given, most=1)[1]
        return found[0][0] if found else None

    def several(self, *queries: tuple[str, Mapping[str, Any]]) -> list[list[tuple[Any, ...]]]:
        """Return the rows of several queries, which take one round trip."""
        cursors = self._send(lambda: [self._start(*query) for query in queries], together=True)
        return [cursor.fetchall() for cursor in cursors]

    def expect(self, first: Sequence[Query], expected: Iterable[Query]) -> list[list[tuple[Any, ...]]]:
        """Like `several`, and prefetch the rows of `expected` queries in the same round trip for the next read.

        They compare columns with the given values for equality, and nothing else, so `forget` knows which of them
        a written row concerns.
        """
        queries = {_key_of(*query): query for query in expected}
        if not self.is_sqlite:
            queries[_key_of(_TIME, {})] = _TIME, {}
        everything = [*first, *queries.values()]
        cursors = self._send(lambda: [self._start(*query) for query in everything], together=True)
        self._expected |= dict(zip(queries, map(_fetch, cursors[len(first) :]), strict=True))
        clock = self._expected.pop(_key_of(_TIME, {}), None)
        self._clock = None if clock is None else (float(clock[1][0][0]), time.monotonic())
        return [cursor.fetchall() for cursor in cursors[: len(first)]]

    def forget(self, table: DatabaseTable, row: Mapping[str, Any]) -> None:
        """Drop the prefetched rows of a table that a written row may affect."""
        if self._expected:
            values = set(map(str, row.values()))
            concerned = [
                key for key in self._expected if table.name in key[0] and not values.isdisjoint(v for _, v in key[1])
            ]
            for key in concerned:
                del self._expected[key]

    def server_time(self) -> float:
        """Return the time of the server, in seconds since 1970; once it was read, by the time that passed since."""
        if self._clock is None:
            return float(self.value(_TIME))
        return self._clock[0] + time.monotonic() - self._clock[1]

    def stream(self, statement: str, size: int, **given: Any) -> Generator[tuple[Any, ...]]:
        """Yield the rows of a query that may not fit into memory, fetching `size` of them at a time."""
        self._send(lambda: None)
        found = self._driver.stream(self.raw, self._driver.translate(statement), given, size)
        self._streams.append(found)
        return found

    def close(self) -> None:
        """Close streams that are still open: they would block the next user of the connection."""
        for stream in self._streams:
            stream.close()

    def where_in(self, column: str, numbers: Iterable[int]) -> Where:
        """Return the condition that a column has one of some numbers, which are passed as a single parameter."""
        if self.is_sqlite:
            return Where(f"{column} IN (SELECT value FROM json_each(:listed))", listed=str(list(numbers)))
        return Where(f"{column} = ANY(:listed)", listed=list(numbers))

    def text_of(self, column: str, text: str) -> str:
        """Return a column, for `Where.contains` with a text: where both can be compared by ASCII's letters, they are.

        That is how SQLite compares every text; in PostgreSQL it is several times as fast.
        """
        return column if self.is_sqlite or not text.isascii() else f'{column} COLLATE "C"'

    # writing

    def run(self, statement: str, **given: Any) -> int:
        """Execute a statement; return the number of rows that it changed."""
        self._expected.clear()
        return int(self._execute(statement, given).rowcount)

    def insert(self, table: DatabaseTable, *rows: Mapping[str, Any], otherwise: str = "") -> None:
        """Insert rows; missing columns are NULL. `otherwise` is a clause such as `ON CONFLICT DO NOTHING`."""
        unknown = {name for row in rows for name in row}.difference(table.columns)
        if unknown:
            raise ValueError(f"`{table.name}` has no column {', '.join(sorted(unknown))}")
        for row in rows:
            self.forget(table, row)
        self.append(table, [tuple(map(row.get, table.columns)) for row in rows], otherwise)

    def append(self, table: DatabaseTable, rows: Sequence[tuple[Any, ...]], otherwise: str = "") -> None:
        """Insert rows whose values are in the order of the table's columns."""
        for at in range(0, len(rows), MAX_AT_ONCE):
            part = rows[at : at + MAX_AT_ONCE]
            statement = _insert_statement(table, len(part), self._driver.placeholder, otherwise)
            self._send(partial(self._insert, statement, tuple(chain.from_iterable(part))))

    def update(self, table: DatabaseTable, which: Mapping[str, Any], **values: Any) -> int:
        """Update the rows whose columns equal `which`; return how many there were."""
        changes = ", ".join(f"{name} = :{name}" for name in values)
        condition = " AND ".join(f"{name} = :the_{name}" for name in which)
        keys = {f"the_{name}": value for name, value in which.items()}
        statement = f"UPDATE {table.name} SET {changes} WHERE {condition}"
        for key in [key for key in self._expected if table.name in key[0]]:
            del self._expected[key]
        return int(self._execute(statement, {**values, **keys}).rowcount)

    def write_soon(self, write: Callable[[], object]) -> None:
        """Queue a write for the round trip of the next statement."""
        self._next_writes.append(write)

    def write_at_commit(self, write: Callable[[], object]) -> None:
        """Queue a write for the round trip of the commit."""
        self._last_writes.append(write)

    def commit(self) -> None:
        """Commit the transaction, after the queued writes."""
        if self._begin:
            return  # nothing was read or written
        writes, self._next_writes = [*self._next_writes, *self._last_writes], []
        if not writes:
            self.raw.execute("COMMIT")
            return
        with self._driver.pipeline(self.raw):
            self._is_sending = True
            for write in writes:
                write()
            self._driver.commit_early(self.raw)

    # sending

    def _read(self, statement: str, given: Mapping[str, Any], most: int | None = None) -> _FetchedRows:
        if self._expected and (known := self._expected.get(_key_of(statement, given))) is not None:
            return known
        return _fetch(self._execute(statement, given), most)

    def _execute(self, statement: str, given: Mapping[str, Any]) -> Any:
        return self._send(lambda: self._start(statement, given))

    def _start(self, statement: str, given: Mapping[str, Any]) -> Any:
        return self.raw.execute(self._driver.translate(statement), given)

    def _insert(self, statement: str, values: tuple[Any, ...]) -> None:
        self.raw.execute(statement, values)

    def _send(self, work: Callable[[], Sent], *, together: bool = False) -> Sent:
        """Send statements, in one round trip with what has to go before them, or if they belong `together`."""
        if self._is_sending or not (self._begin or self._next_writes or together):
            return work()
        begin, writes, self._begin, self._next_writes = self._begin, self._next_writes, (), []
        try:
            return self._send_together(begin, writes, work)
        except self._driver.error:
            if not begin or self._renew is None or not self._driver.is_closed(self.raw):
                raise
        broken, self.raw = self.raw, None
        self.raw = self._renew(broken)  # nothing was done yet
        return self._send_together(begin, writes, work)

    def _send_together(
        self, begin: Sequence[str], writes: Iterable[Callable[[], object]], work: Callable[[], Sent]
    ) -> Sent:
        self._is_sending = True
        try:
            with self._driver.pipeline(self.raw):
                for statement in begin:
                    self.raw.execute(statement)
                for write in writes:
                    write()
                return work()
        finally:
            self._is_sending = False


def _key_of(statement: str, given: Mapping[str, Any]) -> _QueryKey:
    return statement, tuple(sorted((name, str(value)) for name, value in given.items()))


def _fetch(cursor: Any, most: int | None = None) -> _FetchedRows:
    with closing(cursor):
        found = cursor.fetchall() if most is None else cursor.fetchmany(most)
        return [column[0] for column in cursor.description], found


@cache
def _insert_statement(table: DatabaseTable, count: int, placeholder: str, otherwise: str) -> str:
    """Return the statement that inserts `count` rows."""
    row = f"({', '.join([placeholder] * len(table.columns))})"
    values = ", ".join([row] * count)
    return f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES {values} {otherwise}"


def sql_list(words: Iterable[str]) -> str:
    """Return constants of this code as a list in a statement; raise for anything that would need escaping.

    >>> sql_list(["run.started", "run.ended"])
    "('run.started', 'run.ended')"
    """
    found = list(words)
    if not all(word.replace(".", "").replace("_", "").isalnum() for word in found):
        raise ValueError(f"{found} are not plain words; pass values as parameters")
    return "(" + (", ".join(f"'{word}'" for word in found) or "NULL") + ")"  # `IN (NULL)` matches nothing
