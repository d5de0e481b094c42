"""URLs of stores: a SQLite file, or a database of a PostgreSQL server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from interlock.errors import StoreError, nearest
from interlock.patterns import late

_URL = late(r"(?P<name>[a-z]+)(?:\+[a-z0-9]+)?://(?P<rest>.*)", re.DOTALL)
_POSTGRESQL = ("postgresql", "postgres")
#: Who asks, one host or several with their ports, and the rest.
_HOSTS = late(r"(?:[^@/?]*@)?(?:\[[0-9a-fA-F:.]+\]|[^/?:@,\[\]])*(?::\d*)?(?:,[^/?:@,]*(?::\d*)?)*(?:[/?][^\0]*)?")
#: What nobody else reads: the password before the host, and one among the options.
_SECRET = late(r"(?<=://)([^:/?@]*):.*@|(?<=[?&]password=)[^&]+", re.DOTALL)


class Url(NamedTuple):
    """Where a store is: what its driver is given, and what people are shown."""

    is_sqlite: bool
    target: str
    shown: str


def parse_url(text: str) -> Url:
    """Return the URL of a store, or raise with what is wrong with it.

    >>> parse_url("postgres://ann:secret@db/interlock").shown
    'postgresql://ann:***@db/interlock'
    """
    found = _URL.fullmatch(text)
    if found is None or "\0" in text or (found["name"] in _POSTGRESQL and not _HOSTS.fullmatch(found["rest"])):
        shown = _SECRET.sub(_masked, text)[:200]
        raise StoreError(f"`{shown}` is no store; write `sqlite:///path/to/file.db` or `postgresql://…`")
    name, rest = found["name"], found["rest"]
    if name == "sqlite":
        path = _path(rest)
        return Url(True, path, f"sqlite:///{path}")
    if name not in _POSTGRESQL:
        raise StoreError(f"there is no store on `{name}`{nearest(name, ['sqlite', 'postgresql'])}")
    target = f"postgresql://{rest}"
    return Url(False, target, _SECRET.sub(_masked, target))


def _masked(found: re.Match[str]) -> str:
    return "***" if found[1] is None else f"{found[1]}:***@"


def _path(rest: str) -> str:
    """Return the file of an embedded store."""
    named = rest.removeprefix("/")
    if not named or named == ":memory:" or not rest.startswith("/"):
        raise StoreError("a store must outlive the process; write `sqlite:///path/to/file.db`")
    try:
        path = str(Path(named).expanduser().absolute())
    except RuntimeError:
        raise StoreError(f"nobody knows whose home `{named}` is in") from None
    if "\0" in path:
        raise StoreError("the path of a store has a null byte in it")
    return path
