"""A connection inside a transaction: statements in, rows out.

Statements are written the same way for both databases, with `:name` for each value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from interlock.store.tables import Table
from interlock.store.where import Where

if TYPE_CHECKING:
    from interlock.store.driver import Driver

Row = dict[str, Any]
#: How many rows one statement inserts: other threads can run between two statements.
MAX_AT_ONCE = 100


class Connection:
    """A database connection in a transaction. It belongs to one thread at a time."""

    def __init__(self, raw: Any, driver: Driver) -> None:
        self._raw, self._driver = raw, driver
        self.is_sqlite, self.lock_timeout = driver.is_sqlite, driver.lock_timeout
        self._streams: list[Generator[tuple[Any, ...]]] = []
        self._last_writes: list[Callable[[], None]] = []

    # reading

    def rows(self, statement: str, **given: Any) -> list[Row]:
        """Return the rows of a query as dictionaries."""
        with closing(self._execute(statement, given)) as cursor:
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def row(self, statement: str, **given: Any) -> Row | None:
        """Return the first row of a query, or None."""
        with closing(self._execute(statement, given)) as cursor:
            found = cursor.fetchone()
            names = [column[0] for column in cursor.description]
        return None if found is None else dict(zip(names, found, strict=True))

    def tuples(self, statement: str, **given: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query as tuples."""
        with closing(self._execute(statement, given)) as cursor:
            found: list[tuple[Any, ...]] = cursor.fetchall()
        return found

    def values(self, statement: str, **given: Any) -> list[Any]:
        """Return the first column of each row."""
        with closing(self._execute(statement, given)) as cursor:
            return [row[0] for row in cursor]

    def value(self, statement: str, **given: Any) -> Any:
        """Return the first column of the first row, or None."""
        with closing(self._execute(statement, given)) as cursor:
            found = cursor.fetchone()
        return None if found is None else found[0]

    def several(self, *queries: tuple[str, Mapping[str, Any]]) -> list[list[tuple[Any, ...]]]:
        """Return the rows of several queries, which take one round trip."""
        with self._driver.pipeline(self._raw):
            cursors = [self._execute(statement, given) for statement, given in queries]
        return [cursor.fetchall() for cursor in cursors]

    def stream(self, statement: str, size: int, **given: Any) -> Generator[tuple[Any, ...]]:
        """Yield the rows of a query that may not fit into memory, fetching `size` of them at a time."""
        found = self._driver.stream(self._raw, self._driver.translate(statement), given, size)
        self._streams.append(found)
        return found

    def close(self) -> None:
        """Close streams that are still open: they would block the next user of the connection."""
        for stream in self._streams:
            stream.close()

    def listed(self, column: str, numbers: Iterable[int]) -> Where:
        """Return the condition that a column has one of some numbers. They are one value, however many they are."""
        if self.is_sqlite:
            return Where(f"{column} IN (SELECT value FROM json_each(:listed))", listed=json.dumps(list(numbers)))
        return Where(f"{column} = ANY(:listed)", listed=list(numbers))

    def text_of(self, column: str, text: str) -> str:
        """Return a column, for `Where.contains` with a text: where both can be compared by ASCII's letters, they are.

        That is how SQLite compares every text; in PostgreSQL it is several times as fast.
        """
        return column if self.is_sqlite or not text.isascii() else f'{column} COLLATE "C"'

    # writing

    def run(self, statement: str, **given: Any) -> int:
        """Execute a statement; return the number of rows that it changed."""
        return int(self._execute(statement, given).rowcount)

    def insert(self, table: Table, *rows: Mapping[str, Any], otherwise: str = "") -> None:
        """Insert rows; missing columns are NULL. `otherwise` is a clause such as `ON CONFLICT DO NOTHING`."""
        unknown = {name for row in rows for name in row}.difference(table.columns)
        if unknown:
            raise ValueError(f"`{table.name}` has no column {', '.join(sorted(unknown))}")
        self.append(table, [tuple(map(row.get, table.columns)) for row in rows], otherwise)

    def append(self, table: Table, rows: Sequence[tuple[Any, ...]], otherwise: str = "") -> None:
        """Insert rows whose values are in the order of the table's columns."""
        for at in range(0, len(rows), MAX_AT_ONCE):
            part = rows[at : at + MAX_AT_ONCE]
            statement = _insert_statement(table, len(part), self._driver.placeholder, otherwise)
            self._raw.execute(statement, tuple(chain.from_iterable(part)))

    def update(self, table: Table, which: Mapping[str, Any], **values: Any) -> int:
        """Update the rows whose columns equal `which`; return how many there were."""
        changes = ", ".join(f"{name} = :{name}" for name in values)
        condition = " AND ".join(f"{name} = :the_{name}" for name in which)
        keys = {f"the_{name}": value for name, value in which.items()}
        return self.run(f"UPDATE {table.name} SET {changes} WHERE {condition}", **values, **keys)

    def write_at_commit(self, write: Callable[[], None]) -> None:
        """Have something written in the same round trip as the commit."""
        self._last_writes.append(write)

    def commit(self) -> None:
        """Commit the transaction, after everything that was to be written with it."""
        if not self._last_writes:
            self._raw.execute("COMMIT")
            return
        with self._driver.pipeline(self._raw):
            for write in self._last_writes:
                write()
            self._driver.commit_early(self._raw)

    def _execute(self, statement: str, given: Mapping[str, Any]) -> Any:
        return self._raw.execute(self._driver.translate(statement), given)


@cache
def _insert_statement(table: Table, count: int, placeholder: str, otherwise: str) -> str:
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
