"""One call in Python: what it does, by the table, by a program that it starts, or by SQL that it carries."""

from __future__ import annotations

import shlex
from typing import Any

from interlock.analyse.paths import HOLE
from interlock.analyse.python.calls import (
    CLASSES,
    EXECUTORS,
    OPENERS,
    SPAWNERS,
    SQL_METHODS,
    TELLING_METHODS,
    table,
)
from interlock.analyse.python.values import UNKNOWN, Instance, Ref, Unknown, as_text, words_of
from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql import looks_like_sql
from interlock.effects import KINDS


def has_effects(name: str) -> bool:
    """Whether a function is known to do something."""
    return name in SPAWNERS or name in EXECUTORS or name in OPENERS or name in table()


def call_effects(
    reading: Reading, site: Site, function: Any, arguments: list[Any], keywords: dict[str, Any], owner: Any
) -> Any:
    """Put the effects of a call into the reading; return what the call gives, where that is known."""
    reading.call += 1
    if not isinstance(function, Ref):
        return _method_of_unknown(reading, site, function, arguments)
    name = function.name
    if name in ("__import__", "importlib.import_module", "builtins.__import__"):
        return Ref(as_text(arguments[0])) if arguments and isinstance(arguments[0], str) else UNKNOWN
    if name == "getattr" and len(arguments) >= 2 and isinstance(arguments[0], Ref) and isinstance(arguments[1], str):
        return Ref(f"{arguments[0].name}.{arguments[1]}")
    if name in CLASSES:
        return Instance(
            "pathlib.Path" if name.startswith("pathlib.") else name,
            as_text(arguments[0]) if arguments else "",
        )
    if name in ("pathlib.Path.home", "pathlib.Path.cwd"):
        return Instance("pathlib.Path", "~" if name.endswith("home") else ".")
    if name in OPENERS:
        return _open(reading, site, name, arguments, keywords, owner)
    if name in SPAWNERS:
        return _spawn(reading, site, arguments, keywords)
    if name in EXECUTORS:
        return _execute(reading, site, arguments[1:] if name.startswith("os.spawn") else arguments)
    if name in ("requests.request", "httpx.request") and len(arguments) > 1:
        reads = as_text(arguments[0]).upper() in ("GET", "HEAD", "OPTIONS")
        reading.url("net.fetch" if reads else "net.send", site, as_text(arguments[1]), _carried(reading, keywords))
        return UNKNOWN
    return _by_table(reading, site, name, arguments, keywords, owner)


def _by_table(
    reading: Reading, site: Site, name: str, arguments: list[Any], keywords: dict[str, Any], owner: Any
) -> Any:
    row = table().get(name)
    if row is None:
        return _method_of_unknown(reading, site, Unknown(name.rpartition(".")[2]), arguments)
    for argument, role in row.roles:
        value = (
            owner
            if argument == "self"
            else arguments[int(argument)]
            if int(argument) < len(arguments)
            else _first(keywords)
        )
        if role.startswith("code:"):
            _code(reading, site, name, role[5:], value)
        elif role == "net.fetch" and ("data" in keywords or "json" in keywords):
            reading.url("net.send", site, as_text(value), row.flags | _carried(reading, keywords))
        elif role.startswith("net."):
            words = words_of(value)
            host = words[0] if words else value
            reading.url(role, site, as_text(host), row.flags | _carried(reading, keywords))
        else:
            reading.on(role, site, as_text(value), row.flags)
    for kind in row.kinds:
        if kind == "code.opaque":
            reading.unread(f"what `{name}` loads", site, name, row.flags)
        else:
            reading.emit(kind, site, name if KINDS[kind].resource == "program" else None, row.flags)
    return UNKNOWN


def _first(keywords: dict[str, Any]) -> Any:
    for name in ("url", "path", "src", "args", "cmd", "command", "file", "filename"):
        if name in keywords:
            return keywords[name]
    return UNKNOWN


def _code(reading: Reading, site: Site, name: str, language: str, value: Any) -> None:
    """Read code that a call runs: as code if it is known, else say that it is not."""
    if isinstance(value, (str, bytes)):
        reading.nest(language, as_text(value), site.behind(name))
    else:
        reading.unread(f"{language} code that `{name}` computes", site, name, frozenset({"computed"}))


def _carried(reading: Reading, keywords: dict[str, Any]) -> frozenset[str]:
    """Return what a request takes along, from where its data came."""
    marks: frozenset[str] = frozenset()
    for key in ("data", "json", "files", "params", "content", "headers"):
        if key in keywords:
            marks |= reading.marks(as_text(keywords[key]))
    return marks


def _open(
    reading: Reading, site: Site, name: str, arguments: list[Any], keywords: dict[str, Any], owner: Any
) -> Instance:
    if name == "pathlib.Path.open":
        path, rest = as_text(owner), arguments
    else:
        path, rest = as_text(arguments[0] if arguments else _first(keywords)), arguments[1:]
    mode = as_text(rest[0]) if rest else as_text(keywords.get("mode", "r"))
    writes = bool(set(mode) & set("wax+")) or HOLE in mode
    reading.file("fs.write" if writes else "fs.read", site, path)
    return Instance("file", path, mode)


def _spawn(reading: Reading, site: Site, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    command = arguments[0] if arguments else keywords.get("args", UNKNOWN)
    words = words_of(command)
    reading.emit("process.spawn", site, words[0] if words else None)
    if isinstance(keywords.get("cwd"), str):
        site = site._replace(cwd=reading.places.resolve(keywords["cwd"], site.cwd))
    if words is not None:
        reading.nest("shell", " ".join(_quoted(word) for word in words), site.behind("subprocess"))
    else:
        _code(reading, site, "subprocess", "shell", command)
    return UNKNOWN


def _execute(reading: Reading, site: Site, arguments: list[Any]) -> Any:
    words = [as_text(arguments[0])] if arguments else []
    reading.emit("process.spawn", site, words[0] if words else None)
    rest = arguments[1:]
    if rest and words_of(rest[0]) is not None:
        rest = rest[0]
    words += [as_text(value) for value in rest[1:] if not isinstance(value, dict)]
    reading.nest("shell", " ".join(_quoted(word) for word in words), site.behind("os.exec"))
    return UNKNOWN


def _quoted(word: str) -> str:
    """Return a word as the shell reads it back; its holes stay, inside double quotes."""
    if HOLE not in word:
        return shlex.quote(word)
    return '"' + "".join("\\" + char if char in '"\\$`' else char for char in word) + '"'


def _method_of_unknown(reading: Reading, site: Site, function: Any, arguments: list[Any]) -> Any:
    """Read a method whose owner is not known: SQL that it takes, or a name that tells."""
    method = function.name if isinstance(function, Unknown) else ""
    if method in SQL_METHODS and arguments and isinstance(arguments[0], str) and looks_like_sql(arguments[0]):
        reading.nest("sql", arguments[0], site.behind(method))
    elif method in TELLING_METHODS:
        reading.file(TELLING_METHODS[method], site, as_text(UNKNOWN))
    return UNKNOWN
