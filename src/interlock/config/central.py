"""The table `[central]`: the server that this machine pulls policies and settings from, and its API key."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.config.addresses import describe_kind, find_address_problem
from interlock.config.public_keys import parse_key
from interlock.config.values import expect, read_at, texts
from interlock.documents import Document
from interlock.errors import nearest
from interlock.patterns import late

_VARIABLE = late(r"[A-Z_][A-Z0-9_]{0,63}")
_KEYS_THEMSELVES = frozenset("key api_key token secret password bearer".split())
MAX_MINUTES = 24 * 60


class CentralSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of `[central]`.

    `public_key` are the keys that may sign a bundle; without any, the keys of the first bundle are trusted from then
    on. With `require`, every action needs an approval until there is a bundle; with `max_age_hours`, also when the
    server has not been reached for that long. 0 means no limit.
    """

    url: str
    key_variable: str | None = None
    key_file: str | None = None
    public_key: tuple[str, ...] = ()
    require: bool = True
    max_age_hours: int = 0
    every_minutes: int = 5


def read_central(document: Document, key: str, value: Any) -> CentralSettings:
    """Return the settings of `[central]`, or raise with the line and a correction."""
    table = dict(expect(document, value, dict, "a table", key))
    for name in table:
        _check_name(document, key, name)
    problem = find_address_problem("url", table["url"]) if "url" in table else "`central` needs the `url` of the server"
    if problem:
        raise document.error(problem, key, "url")
    expect(document, table.get("require", True), bool, "true or false", key, "require")
    for name, least in (("max_age_hours", 0), ("every_minutes", 1)):
        if name in table and expect(document, table[name], int, "a whole number", key, name) < least:
            raise document.error(f"`{name}` must be at least {least}, found `{table[name]}`", key, name)
    if table.get("every_minutes", 1) > MAX_MINUTES:
        raise document.error(f"`every_minutes` must be at most {MAX_MINUTES}", key, "every_minutes")
    _check_key(document, key, table)
    if "public_key" in table:
        table["public_key"] = _public_keys(document, key, table["public_key"])
    return CentralSettings(**{**table, "url": table["url"].rstrip("/")})


def _check_name(document: Document, key: str, name: str) -> None:
    if name in _KEYS_THEMSELVES:
        raise document.error(
            f"`{name}` must not be in this file; put the key in a file of its own and name it as `key_file`, or "
            "put it into an environment variable and write the variable's name as `key_variable`",
            key,
            name,
        )
    known = CentralSettings.__struct_fields__
    if name not in known:
        raise document.error(f"unknown key `{name}`{nearest(name, known)}", key, name)


def _check_key(document: Document, key: str, table: dict[str, Any]) -> None:
    """Raise unless a table names exactly one place for the API key."""
    given = [name for name in ("key_variable", "key_file") if name in table]
    if len(given) != 1:
        found = "both" if given else "neither"
        raise document.error(f"`central` needs either `key_variable` or `key_file`, found {found}", key)
    value = table[given[0]]
    if not isinstance(value, str):
        raise document.error(f"`{given[0]}` must be a string, found {describe_kind(value)}", key, given[0])
    if given == ["key_variable"] and not _VARIABLE.fullmatch(value):
        message = "`key_variable` must be the name of a variable in capital letters, as `INTERLOCK_CENTRAL_KEY`"
        raise document.error(f"{message}; never the key itself", key, "key_variable")
    if given == ["key_file"] and not value.startswith(("/", "~/")):
        raise document.error(f"`key_file` must be an absolute path, found `{value}`", key, "key_file")


def _public_keys(document: Document, key: str, value: Any) -> tuple[str, ...]:
    written = (value,) if isinstance(value, str) else texts(document, "public_key", value, key)
    return tuple(read_at(document, (key, "public_key"), parse_key, text) for text in written)
