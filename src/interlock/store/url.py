"""URLs of stores: a SQLite file, or a database of a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, quote_plus, unquote

from interlock.errors import StoreError, nearest
from interlock.patterns import late

_URL = late(r"(?P<name>[a-z]+)(?:\+[a-z0-9]+)?://(?P<rest>[^\0]*)")
#: Who asks and with which password, one host or several with their ports, the database, and options.
_SERVER = late(
    r"(?:(?P<user>[^:@/?]*)(?::(?P<password>[^@]*))?@)?(?P<hosts>[^/?@]*)(?:/(?P<database>[^?]*))?(?:\?(?P<options>.*))?"
)
_HOST = late(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<name>[^:\[\]]*))(?::(?P<port>\d*))?")
#: What may be a password, in a text of which nobody knows what it is.
_SECRET = late(r"(?s)(?<=:).*(?=@)")
_POSTGRESQL = ("postgresql", "postgres")


class Url(NamedTuple):
    """Where a store is: a path, or what a server is asked with; and what people are shown.

    What is shown is also how a place is known again, so its spelling does not change.
    """

    shown: str
    path: str = ""
    server: Mapping[str, str] = MappingProxyType({})

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file."""
        return bool(self.path)

    def __repr__(self) -> str:
        return f"Url({self.shown!r})"


def parse_url(text: str) -> Url:
    """Return the URL of a store, or raise with what is wrong with it.

    >>> parse_url("postgres://ann:secret@db/interlock")
    Url('postgresql://ann:***@db/interlock')
    """
    found = _URL.fullmatch(text)
    if found is None:
        raise _no_store(text)
    name, rest = found["name"], found["rest"]
    if name == "sqlite":
        path = _path(rest)
        return Url(sqlite_url(path), path)
    if name not in _POSTGRESQL:
        raise StoreError(f"there is no store on `{name}`{nearest(name, ['sqlite', 'postgresql'])}")
    server = _SERVER.fullmatch(rest)
    hosts = [_HOST.fullmatch(host) for host in server["hosts"].split(",")] if server else [None]
    if server is None or None in hosts:
        raise _no_store(text)
    named = [(host["six"] or host["name"], host["port"] or "") for host in hosts if host]
    return _server(server["user"], server["password"], named, server["database"], server["options"])


def sqlite_url(path: str) -> str:
    """Return the URL of a file.

    >>> sqlite_url("/home/josé/a b?.db")
    'sqlite:////home/jos%C3%A9/a b%3F.db'
    """
    return f"sqlite:///{quote(path, safe=' +/', errors='surrogateescape')}"


def _no_store(text: str) -> StoreError:
    shown = _SECRET.sub("…", text)[:200]
    return StoreError(
        f"`{shown}` is no store; write `sqlite:///path/to/file.db` or `postgresql://…` "
        "(in a password, `%40` stands for `@`)"
    )


def _server(
    user: str | None, password: str | None, hosts: list[tuple[str, str]], database: str | None, options: str | None
) -> Url:
    """Return the URL of a database on a server, of the parts of its text."""
    told = sorted(parse_qsl(options or "", keep_blank_values=True))
    given = dict(told)
    if len(given) < len(told):
        raise StoreError("an option of the store is given twice; several hosts are written `one:5432,other:5432`")
    who = "" if user is None else quote(unquote(user), safe=" +") + (":***" if password is not None else "") + "@"
    where = ",".join((f"[{host}]" if ":" in host else host) + (f":{port}" if port else "") for host, port in hosts)
    which = "" if database is None else "/" + quote(unquote(database), safe=" +/")
    how = "&".join(f"{quote_plus(key)}={'***' if key == 'password' else quote_plus(value)}" for key, value in told)
    parts = {
        "user": unquote(user or ""),
        "password": unquote(password or ""),
        "dbname": unquote(database or ""),
        "host": ",".join(host for host, _ in hosts),
        "port": ",".join(port for _, port in hosts) if any(port for _, port in hosts) else "",
        **given,
    }
    shown = f"postgresql://{who}{where}{which}{'?' if how else ''}{how}"
    return Url(shown, server={key: value for key, value in parts.items() if value})


def _path(rest: str) -> str:
    """Return the file of an embedded store."""
    named, asks, options = rest.removeprefix("/").partition("?")
    named = unquote(named, errors="surrogateescape")
    if not named or named == ":memory:" or not rest.startswith("/"):
        raise StoreError("a store must outlive the process; write `sqlite:///path/to/file.db`")
    if asks:
        raise StoreError(f"a SQLite store takes no options, found `?{options[:40]}`; in a name, `%3F` stands for `?`")
    if "\0" in named:
        raise StoreError("the path of a store has a null byte in it")
    try:
        return str(Path(named).expanduser().absolute())
    except RuntimeError:
        raise StoreError(f"nobody knows whose home `{named}` is in") from None
