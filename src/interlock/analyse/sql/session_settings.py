"""Settings that a statement changes: logs, audits and protections that it switches off for its session.

A change for the whole server asks whatever it sets. In a session, most settings only say how results are shown; a few
take what is done there out of the logs, or bypass the policies and triggers of tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.lexer import SqlToken
from interlock.analyse.sql.vocabulary import GUARDED_SETTINGS

_SERVER = frozenset({"server"})
#: Words before a name: where the setting holds.
_SESSION_SCOPES = frozenset({"session", "local"})
_SERVER_SCOPES = frozenset({"global", "persist", "persist_only"})
_ASSIGNED = frozenset({"=", "to"})


class Setting(NamedTuple):
    """A setting that a statement changes, and its new value in lower case."""

    name: str
    value: str
    scope: str


def read_settings(reading: Reading, text: str, statement: Sequence[SqlToken], site: Site) -> bool:
    """Report the protections that a statement switches off; return whether it does nothing but set such settings."""
    words = [token.word for token in statement]
    if words[0] == "set":
        end = words.index("for") if words[1:2] == ["statement"] and "for" in words else len(words)
        found = list(_settings(text, statement[1 + (end < len(words)) : end]))
        if end < len(words) - 1:  # MariaDB sets something for one statement
            reading.nest("sql", text[statement[end + 1].start : statement[-1].end], site.behind("set statement"))
        harmful = _report(reading, found, site)
        if end < len(words):
            return True
        if not harmful and found and all(one.name in GUARDED_SETTINGS for one in found):
            reading.emit("db.read", site, found[0].name)
            return True
        return harmful
    for at, word in enumerate(words):  # ClickHouse sets something for one query
        if word == "settings" and words[at + 2 : at + 3] == ["="]:
            _report(reading, _settings(text, statement[at + 1 :]), site)
    return False


def _report(reading: Reading, settings: Iterator[Setting] | list[Setting], site: Site) -> bool:
    harmful = next(filter(_is_harmful, settings), None)
    if harmful is not None:
        reading.emit("db.alter", site, harmful.name, _SERVER)
    return harmful is not None


def _is_harmful(setting: Setting) -> bool:
    """Whether a setting holds for the whole server, or has a value that keeps no protection."""
    if setting.scope in _SERVER_SCOPES:
        return True
    family = setting.name.partition(".")[0]
    keeping = GUARDED_SETTINGS.get(setting.name) or GUARDED_SETTINGS.get(family)
    return keeping is not None and setting.value not in keeping


def _settings(text: str, tokens: Sequence[SqlToken]) -> Iterator[Setting]:
    """Yield the settings in a list of assignments; variables of the session itself (`@total`) are none."""
    for part in _split(tokens):
        words = [token.word for token in part]
        at = 0
        scope = words[0] if words[0] in _SERVER_SCOPES | _SESSION_SCOPES else ""
        at += bool(scope)
        signs = words[at : at + 2].count("@")
        name = words[at + signs] if at + signs < len(words) else ""
        if signs == 1 or not name:
            continue
        if words[at + signs + 1 : at + signs + 2] == ["."] and len(words) > at + signs + 2:  # @@session.`name`
            at += 2
            name = f"{name}.{words[at + signs]}"
        first, dot, rest = name.partition(".")
        if dot and first in _SERVER_SCOPES | _SESSION_SCOPES:
            scope, name = first, rest
        at += signs + 1
        while words[at : at + 1] in ([":"], ["="], ["to"]):
            at += 1
        value = text[part[at].start : part[-1].end].strip("'\" ").lower() if at < len(part) else ""
        if not _ASSIGNED.isdisjoint(words):
            yield Setting(name, value, scope)


def _split(tokens: Sequence[SqlToken]) -> Iterator[list[SqlToken]]:
    """Yield the parts of a list that commas outside of brackets separate."""
    part: list[SqlToken] = []
    depth = 0
    for token in tokens:
        depth += (token.word == "(") - (token.word == ")")
        if token.word == "," and depth <= 0:
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part
