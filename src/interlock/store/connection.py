"""A connection inside a transaction: statements in, rows out.

Statements are written the same way for both databases, with `:name` where a value goes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cache
from itertools import chain
from typing import Any

from interlock.store.driver import Driver
from interlock.store.tables import Table

Row = dict[str, Any]
#: So many rows are written by one statement: each statement gives way to other threads once.
MAX_AT_ONCE = 100


class Connection:
    """A connection of a database. It belongs to one thread at a time."""

    def __init__(self, raw: Any, driver: Driver) -> None:
        self._raw, self._driver = raw, driver
        self.is_sqlite = driver.is_sqlite
        self._streams: list[Generator[tuple[Any, ...]]] = []

    # reading

    def rows(self, statement: str, **given: Any) -> list[Row]:
        """Return the rows that are found, each by the names of its columns."""
        with closing(self._execute(statement, given)) as cursor:
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def row(self, statement: str, **given: Any) -> Row | None:
        """Return the first row, if there is one."""
        with closing(self._execute(statement, given)) as cursor:
            found = cursor.fetchone()
            names = [column[0] for column in cursor.description]
        return None if found is None else dict(zip(names, found, strict=True))

    def tuples(self, statement: str, **given: Any) -> list[tuple[Any, ...]]:
        """Return the rows that are found, without names."""
        with closing(self._execute(statement, given)) as cursor:
            found: list[tuple[Any, ...]] = cursor.fetchall()
        return found

    def values(self, statement: str, **given: Any) -> list[Any]:
        """Return the first column of the rows that are found."""
        with closing(self._execute(statement, given)) as cursor:
            return [row[0] for row in cursor]

    def value(self, statement: str, **given: Any) -> Any:
        """Return the first column of the first row, or None."""
        with closing(self._execute(statement, given)) as cursor:
            found = cursor.fetchone()
        return None if found is None else found[0]

    def stream(self, statement: str, size: int, **given: Any) -> Generator[tuple[Any, ...]]:
        """Yield rows that may be too many to hold, so many at a time."""
        found = self._driver.stream(self._raw, self._driver.written(statement), given, size)
        self._streams.append(found)
        return found

    def close(self) -> None:
        """End what is still being read: it would hold up whoever has the connection next."""
        for stream in self._streams:
            stream.close()

    # writing

    def run(self, statement: str, **given: Any) -> int:
        """Carry a statement out; return how many rows it has changed."""
        return int(self._execute(statement, given).rowcount)

    def insert(self, table: Table, *rows: Mapping[str, Any], otherwise: str = "") -> None:
        """Write new rows; what one does not name is empty there. `otherwise` says what to do where one is there."""
        unknown = {name for row in rows for name in row}.difference(table.columns)
        if unknown:
            raise ValueError(f"`{table.name}` has no {', '.join(sorted(unknown))}")
        self.append(table, [tuple(map(row.get, table.columns)) for row in rows], otherwise)

    def append(self, table: Table, rows: Sequence[tuple[Any, ...]], otherwise: str = "") -> None:
        """Write new rows, each in the order of the table's columns."""
        for at in range(0, len(rows), MAX_AT_ONCE):
            part = rows[at : at + MAX_AT_ONCE]
            statement = _inserting(table, len(part), self._driver.mark, otherwise)
            self._raw.execute(statement, tuple(chain.from_iterable(part)))

    def update(self, table: Table, which: Mapping[str, Any], **values: Any) -> int:
        """Change the rows whose columns are what `which` says; return how many those were."""
        changes = ", ".join(f"{name} = :{name}" for name in values)
        same = " AND ".join(f"{name} = :the_{name}" for name in which)
        named = {f"the_{name}": value for name, value in which.items()}
        return self.run(f"UPDATE {table.name} SET {changes} WHERE {same}", **values, **named)

    def _execute(self, statement: str, given: Mapping[str, Any]) -> Any:
        return self._raw.execute(self._driver.written(statement), given)


@cache
def _inserting(table: Table, count: int, mark: str, otherwise: str) -> str:
    """Return the statement that writes so many rows."""
    row = f"({', '.join([mark] * len(table.columns))})"
    values = ", ".join([row] * count)
    return f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES {values} {otherwise}"


def listed(words: Iterable[str]) -> str:
    """Return words of our own as a list in a statement; nobody else's ever get here.

    >>> listed(["run.started", "run.ended"])
    "('run.started', 'run.ended')"
    """
    found = list(words)
    if not all(word.replace(".", "").replace("_", "").isalnum() for word in found):
        raise ValueError(f"{found} are no words of ours")
    return "(" + (", ".join(f"'{word}'" for word in found) or "NULL") + ")"  # nothing is in a list of nothing
