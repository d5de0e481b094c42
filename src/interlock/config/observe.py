"""The table `[observe]`: the agents that are only observed, and until when."""

from __future__ import annotations

import datetime
from typing import Any

from interlock.config.settings import ObserveSettings
from interlock.config.values import expect
from interlock.documents import Document
from interlock.errors import InterlockError, nearest

_EXAMPLE = "`until = 2026-07-01`, or with a time and its offset, `until = 2026-07-01T18:00:00+02:00`"


def read_observe(document: Document, key: str, value: Any) -> ObserveSettings:
    """Return the settings of `[observe]`."""
    table = expect(document, value, dict, f"written as `[{key}]`", key)
    known = ObserveSettings.__struct_fields__
    found: dict[str, Any] = {}
    for name, given in table.items():
        if name not in known:
            raise document.error(f"unknown key `{name}`{nearest(name, known)}", key, name)
        if name == "everything":
            found[name] = expect(document, given, bool, "true or false", key, name)
        elif name == "agents":
            found[name] = _agents(document, key, given)
        else:
            found[name] = _until(document, key, given)
    if not found.get("everything") and not found.get("agents") and "until" in found:
        raise document.error(f'`[{key}]` names no agents; write `everything = true` or `agents = ["NAME"]`', key)
    return ObserveSettings(**found)


def _agents(document: Document, key: str, given: Any) -> tuple[str, ...]:
    expect(document, given, list, "a list of agents", key, "agents")
    for item in given:
        if not isinstance(item, str) or not item.strip("/ "):
            raise document.error(f"`agents` must be names of agents, found `{item!r}`", key, "agents")
        if "*" in item:
            raise document.error(
                f"`agents` must be names, each of which covers the agents below it, found `{item}`; "
                "for all agents write `everything = true`",
                key,
                "agents",
            )
    return tuple(item.rstrip("/") for item in given)


def _until(document: Document, key: str, given: Any) -> int:
    try:
        return parse_until(given)
    except InterlockError as error:
        raise document.error(str(error), key, "until") from None


def parse_until(given: object) -> int:
    """Return the time at which observing ends, in microseconds. A day begins at midnight UTC.

    >>> parse_until("1970-01-02")
    86400000000
    """
    found = given
    if isinstance(given, str):
        try:
            found = datetime.datetime.fromisoformat(given.strip())
        except ValueError:
            found = None
        else:
            is_day = len(given.strip()) == len("2026-07-01")
            found = found.date() if is_day else found
    if isinstance(found, datetime.datetime):
        if found.tzinfo is None:
            raise InterlockError(f"`until` needs the offset of its time, found `{given}`; write {_EXAMPLE}")
    elif isinstance(found, datetime.date):
        found = datetime.datetime(found.year, found.month, found.day, tzinfo=datetime.UTC)
    else:
        raise InterlockError(f"`until` must be a date, found `{given}`; write {_EXAMPLE}")
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    return (found - epoch) // datetime.timedelta(microseconds=1)
