"""One call in Python: what it does, by the table, by a program that it starts, or by SQL that it carries."""

from __future__ import annotations

import shlex
from typing import Any

from interlock.analyse.paths import HOLE
from interlock.analyse.python.calls import (
    CLASSES,
    DATA_SECOND,
    EXECUTORS,
    OPENERS,
    READERS_OF_FILES,
    REQUESTERS,
    SPAWNERS,
    SQL_METHODS,
    TELLING_METHODS,
    table,
)
from interlock.analyse.python.values import MAX_NAME, UNKNOWN, Instance, Ref, Unknown, as_text, words_of
from interlock.analyse.reading import NOTHING, Flow, Reading, Site
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
        return _method_of_unknown(reading, site, function, arguments, keywords)
    name = function.name.removesuffix(".__call__")
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
    if name in REQUESTERS:
        return _request(reading, site, arguments, keywords)
    if name in READERS_OF_FILES and isinstance(owner, Instance):
        return _contents(reading, site, name, owner)
    return _by_table(reading, site, name, arguments, keywords, owner)


def _by_table(
    reading: Reading, site: Site, name: str, arguments: list[Any], keywords: dict[str, Any], owner: Any
) -> Any:
    row = table().get(name)
    if row is None:
        return _method_of_unknown(reading, site, Unknown(name.rpartition(".")[2]), arguments, keywords)
    result: Any = UNKNOWN
    for argument, role in row.roles:
        value = owner if argument == "self" else _argument(arguments, keywords, int(argument))
        if role.startswith("code:"):
            _code(reading, site, name, role[5:], value)
        elif role == "net.fetch" and ("data" in keywords or "json" in keywords):
            reading.url("net.send", site, as_text(value), row.flags | _carried(reading, keywords))
        elif role.startswith("net."):
            words = words_of(value)
            host = as_text(words[0] if words else value)
            kind = "net.send" if role == "net.fetch" and len(arguments) > 1 and name in DATA_SECOND else role
            reading.url(kind, site, host, row.flags | _carried(reading, keywords))
            result = _fetched(reading, host) if kind == "net.fetch" else UNKNOWN
        else:
            reading.on(role, site, as_text(value), row.flags)
    for kind in row.kinds:
        if kind == "code.opaque":
            reading.unread(f"what `{name}` loads", site, name, row.flags)
        else:
            reading.emit(kind, site, name if KINDS[kind].resource == "program" else None, row.flags)
    return result


_KEYWORDS = (
    tuple("path src source url args cmd command file filename name text query statement sql source_dir".split()),
    tuple("dst dest destination target url".split()),
    tuple("root_dir base_dir".split()),
)


def _argument(arguments: list[Any], keywords: dict[str, Any], position: int) -> Any:
    """Return an argument by its position, or by one of the names that it usually has."""
    if position < len(arguments):
        return arguments[position]
    names = _KEYWORDS[position] if position < len(_KEYWORDS) else ()
    return next((keywords[name] for name in names if name in keywords), UNKNOWN)


def _request(reading: Reading, site: Site, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Read a request whose method is an argument."""
    method = as_text(arguments[0] if arguments else keywords.get("method", UNKNOWN)).upper()
    url = as_text(_argument(arguments, keywords, 1))
    kind = "net.fetch" if method in ("GET", "HEAD", "OPTIONS") else "net.send"
    reading.url(kind, site, url, _carried(reading, keywords))
    return _fetched(reading, url) if kind == "net.fetch" else UNKNOWN


def _fetched(reading: Reading, url: str) -> Unknown:
    """Return what a request brings: unknown, but known to come from the network."""
    return _marked(reading, f"response of {url}", "download")


def _contents(reading: Reading, site: Site, name: str, owner: Instance) -> Any:
    """Return what a file holds: unknown, but known to be secret where the file is."""
    if owner.kind == "pathlib.Path":
        reading.file("fs.read", site, owner.text)
    place, flags = reading.places.resource(owner.text, site.cwd)
    return _marked(reading, f"contents of {place.name}", "secret") if "secret" in flags else Unknown(name)


def _marked(reading: Reading, name: str, mark: str) -> Unknown:
    name = name.replace(HOLE, "")[:MAX_NAME]
    reading.taints[name] = frozenset({mark})
    return Unknown(name)


def _code(reading: Reading, site: Site, name: str, language: str, value: Any) -> None:
    """Read code that a call runs: as code if it is known, else say that it is not."""
    if isinstance(value, (str, bytes)):
        reading.nest(language, as_text(value), site.behind(name))
    elif isinstance(value, Unknown) and "download" in reading.marks(as_text(value)):
        reading.emit("code.remote", site.behind(name), value.name)
        reading.opaque.append("code that is downloaded")
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
        path, rest = as_text(_argument(arguments, keywords, 0)), arguments[1:]
    mode = as_text(rest[0]) if rest else as_text(keywords.get("mode", "r"))
    writes = bool(set(mode) & set("wax+")) or HOLE in mode
    reading.file("fs.write" if writes else "fs.read", site, path)
    return Instance("file", path, mode)


def _spawn(reading: Reading, site: Site, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    command = _argument(arguments, keywords, 0)
    words = words_of(command)
    if words is None and len(arguments) > 1 and all(isinstance(word, str) for word in arguments):
        words = [as_text(word) for word in arguments]  # `create_subprocess_exec("rm", "-rf", "x")`
    reading.emit("process.spawn", site, words[0] if words else None)
    if isinstance(keywords.get("cwd"), str):
        site = site._replace(cwd=reading.places.resolve(keywords["cwd"], site.cwd))
    if words is not None:
        given = keywords.get("input")
        stdin = Flow(as_text(given)) if isinstance(given, (str, bytes)) else NOTHING
        reading.nest("shell", " ".join(_quoted(word) for word in words), site.behind("subprocess"), stdin)
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


def _method_of_unknown(
    reading: Reading, site: Site, function: Any, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    """Read a method whose owner is not known: SQL that it takes, or a name that tells."""
    method = function.name if isinstance(function, Unknown) else ""
    text = _argument(arguments, keywords, 0)
    if method in SQL_METHODS and isinstance(text, str) and looks_like_sql(text):
        reading.nest("sql", text, site.behind(method))
    elif method in TELLING_METHODS:
        reading.file(TELLING_METHODS[method], site, as_text(UNKNOWN))
    return UNKNOWN
