"""PostgreSQL stores that tests have finished with, and that are emptied for others.

To create a database takes a quarter of a second of processor time, since it consists of hundreds of files. To empty
one takes a twentieth of that.
"""

from __future__ import annotations

import uuid
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

#: A table that has grown larger than this, in bytes, is not worth emptying.
MAX_TABLE = 1024 * 1024
_CATALOGS = ("class", "attribute", "constraint", "index", "namespace", "proc", "rewrite", "trigger", "type")
#: Differs between two databases if somebody has changed the schema of one.
_SCHEMA = " UNION ALL ".join(f"SELECT count(*), max(xmin::text::bigint) FROM pg_{name}" for name in _CATALOGS)
_FILLED = """SELECT relname, pg_relation_size(oid) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0"""


class UsedStores:
    """The databases of a server that nobody needs any more, and the empty store that they are to become again."""

    def __init__(self, url: str, template: str) -> None:
        self._url, self._template = url, template
        self._names: list[str] = []

    def add(self, url: str) -> None:
        """Take a database that its test has finished with."""
        self._names.append(urlsplit(url).path.removeprefix("/"))

    def take(self) -> str | None:
        """Return the URL of an empty store, or None if there is none that can be emptied."""
        while (name := self._rename()) is not None:
            if self._empty(name):
                return self.url_of(name)
        return None

    def url_of(self, name: str) -> str:
        """Return the URL of a database."""
        return urlsplit(self._url)._replace(path=f"/{name}").geturl()

    def _rename(self) -> str | None:
        """Give a database that nobody is connected to a new name, so that nothing known of the old one is found."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            rows = connection.execute("SELECT DISTINCT datname FROM pg_stat_activity WHERE datname IS NOT NULL")
            connected = {str(row[0]) for row in rows}
            for old in self._names:
                if old not in connected:
                    self._names.remove(old)
                    new = f"interlock_{uuid.uuid4().hex[:12]}"
                    connection.execute(f'ALTER DATABASE "{old}" RENAME TO "{new}"')
                    return new
        return None

    def _empty(self, name: str) -> bool:
        """Return a database to the state of the template; return False if its test has changed more than rows."""
        schema, rows = self._state
        with psycopg.connect(self.url_of(name)) as connection:
            if connection.execute(_SCHEMA).fetchall() != schema:
                return False
            filled = connection.execute(_FILLED).fetchall()
            if any(size > MAX_TABLE for _, size in filled):
                return False
            connection.execute("SET LOCAL session_replication_role = replica")  # whatever refers to what
            for table, _ in filled:
                connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
            for table, content in rows.items():
                with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))) as copy:
                    copy.write(content)
        return True

    @cached_property
    def _state(self) -> tuple[list[Any], dict[str, bytes]]:
        """The schema of the template, and the rows of each of its tables that has any."""
        rows = {}
        with psycopg.connect(self.url_of(self._template)) as connection:
            assert connection.execute("SELECT count(*) FROM pg_sequences").fetchone() == (0,), "rows alone are restored"
            for table, _ in connection.execute(_FILLED).fetchall():
                with connection.cursor().copy(sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(table))) as copy:
                    rows[table] = b"".join(bytes(part) for part in copy)
            return connection.execute(_SCHEMA).fetchall(), rows
