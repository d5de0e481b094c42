"""URLs of stores: a SQLite file, or a database of a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from interlock.errors import StoreError, nearest
from interlock.patterns import late

_URL = late(r"(?P<name>[a-z]+)(?:\+[a-z0-9]+)?://(?P<rest>[^\0]*)")
#: User and password, one host or several with their ports, the database, and options.
_SERVER = late(
    r"(?:(?P<user>[^:@/?]*)(?::(?P<password>[^@]*))?@)?(?P<hosts>[^/?@]*)(?:/(?P<database>[^?]*))?(?:\?(?P<options>.*))?"
)
_HOST = late(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<name>[^:\[\]]*))(?::(?P<port>\d*))?")
#: What may be a password, in a text that is not a valid URL.
_SECRET = late(r"(?s)(?<=:).*(?=@)")
_SQLITE = "sqlite://"
_POSTGRESQL = ("postgresql", "postgres")
#: Characters that stay as they are in the URL of a file.
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~ +/")


class StoreUrl(msgspec.Struct, frozen=True):
    """The location of a store: a path, or the connection parameters of a server.

    `shown` is the URL without its password. Anchors are found by it, so its spelling must never change.
    """

    shown: str
    path: str = ""
    server: Mapping[str, str] = MappingProxyType({})

    @property
    def is_sqlite(self) -> bool:
        """Whether the store is a file."""
        return bool(self.path)

    def __repr__(self) -> str:
        return f"Url({self.shown!r})"


def parse_url(text: str) -> StoreUrl:
    """Return the location that a URL names, or raise.

    >>> parse_url("postgres://ann:secret@db/interlock")
    Url('postgresql://ann:***@db/interlock')
    """
    if text.startswith(_SQLITE) and "\0" not in text:
        path = _path(text.removeprefix(_SQLITE))
        return StoreUrl(sqlite_url(path), path)
    found = _URL.fullmatch(text)
    if found is None:
        raise _invalid(text)
    name, rest = found["name"], found["rest"]
    if name == "sqlite":  # `sqlite+driver://`
        return parse_url(_SQLITE + rest)
    if name not in _POSTGRESQL:
        raise StoreError(f"`{name}` stores are not supported{nearest(name, ['sqlite', 'postgresql'])}")
    server = _SERVER.fullmatch(rest)
    hosts = [_HOST.fullmatch(host) for host in server["hosts"].split(",")] if server else [None]
    if server is None or None in hosts:
        raise _invalid(text)
    addresses = [(host["six"] or host["name"], host["port"] or "") for host in hosts if host]
    return _server(server["user"], server["password"], addresses, server["database"], server["options"])


def sqlite_url(path: str) -> str:
    """Return the URL of a file.

    >>> sqlite_url("/home/josé/a b?.db")
    'sqlite:////home/jos%C3%A9/a b%3F.db'
    """
    if _PLAIN.issuperset(path):
        return f"sqlite:///{path}"
    from urllib.parse import quote  # slow to load, and few paths need it

    return f"sqlite:///{quote(path, safe=' +/', errors='surrogateescape')}"


def _invalid(text: str) -> StoreError:
    shown = _SECRET.sub("…", text)[:200]
    return StoreError(
        f"`{shown}` is not the URL of a store; write `sqlite:///path/to/file.db` or `postgresql://…` "
        "(in a password, write `%40` for `@`)"
    )


def _server(
    user: str | None, password: str | None, hosts: list[tuple[str, str]], database: str | None, options: str | None
) -> StoreUrl:
    """Return the location of a database on a server, from the parts of its URL."""
    from urllib.parse import parse_qsl, quote, quote_plus, unquote

    pairs = sorted(parse_qsl(options or "", keep_blank_values=True))
    given = dict(pairs)
    if len(given) < len(pairs):
        raise StoreError("an option of the store URL is given twice; write several hosts as `one:5432,other:5432`")
    who = "" if user is None else quote(unquote(user), safe=" +") + (":***" if password is not None else "") + "@"
    where = ",".join((f"[{host}]" if ":" in host else host) + (f":{port}" if port else "") for host, port in hosts)
    which = "" if database is None else "/" + quote(unquote(database), safe=" +/")
    how = "&".join(f"{quote_plus(key)}={'***' if _is_secret(key) else quote_plus(value)}" for key, value in pairs)
    parts = {
        "user": unquote(user or ""),
        "password": unquote(password or ""),
        "dbname": unquote(database or ""),
        "host": ",".join(host for host, _ in hosts),
        "port": ",".join(port for _, port in hosts) if any(port for _, port in hosts) else "",
        **given,
    }
    shown = f"postgresql://{who}{where}{which}{'?' if how else ''}{how}"
    return StoreUrl(shown, server={key: value for key, value in parts.items() if value})


def _is_secret(option: str) -> bool:
    """Whether the value of an option of PostgreSQL is not to be shown."""
    return option.endswith(("password", "secret")) or option.startswith("scram_")


def _path(rest: str) -> str:
    """Return the path of a SQLite file."""
    path, asks, options = rest.removeprefix("/").partition("?")
    if "%" in path:
        from urllib.parse import unquote

        path = unquote(path, errors="surrogateescape")
    if not path or path == ":memory:" or not rest.startswith("/"):
        raise StoreError("a store needs a file that outlives the process; write `sqlite:///path/to/file.db`")
    if asks:
        raise StoreError(
            f"a SQLite store takes no options, found `?{options[:40]}`; in a file name, write `%3F` for `?`"
        )
    if "\0" in path:
        raise StoreError("the path of the store contains a null byte")
    try:
        return str(Path(path).expanduser().absolute())
    except RuntimeError:
        raise StoreError(f"the home folder in `{path}` cannot be found; write the whole path") from None
