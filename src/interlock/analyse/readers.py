"""Who reads a tool's payload: commands, code, files, patches, requests, and what only its shape tells."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from interlock.analyse.code import read_ambiguous, read_code
from interlock.analyse.hosts import is_url
from interlock.analyse.languages import LANGUAGES, NAMES
from interlock.analyse.payload import MAX_TEXT, clean, cut, leaves, plain_key, text_of, texts
from interlock.analyse.reading import NONE, Reading, Site
from interlock.analyse.sql import looks_like_sql
from interlock.analyse.tools import (
    BODY_KEYS,
    CODE_KEYS,
    COMMAND_KEYS,
    PATCH_KEYS,
    PATH_KEYS,
    SQL_KEYS,
    URL_KEYS,
    plain_name,
)
from interlock.analyse.verbs import verb_kind, words_of
from interlock.model import Action, Span

_CAP = frozenset({"cap"})
MAX_TEXTS = 50

Read = tuple[str, tuple[str, ...]]


def _language(language: str, keys: tuple[str, ...]) -> Callable[[Reading, Action], Read]:
    def reader(reading: Reading, action: Action) -> Read:
        named = text_of(action.input_payload.get("language"))
        if named and language == "python" and named.lower() not in ("python", "python3", "py"):
            return _other_language(reading, action, named.lower())
        found = _texts_in(reading, action.input_payload, keys, language)
        for at, text in _places_of(found):
            _read_as(reading, text, language, at)
        return "\n".join(found), (language,)

    return reader


def _other_language(reading: Reading, action: Action, named: str) -> Read:
    """Read code of a language that the payload names: as that, or as unread."""
    known = NAMES.get(named, named)
    found = _texts_in(reading, action.input_payload, CODE_KEYS, named)
    for at, text in _places_of(found):
        if known in LANGUAGES:
            read_code(reading, text, known, at)
        else:
            reading.unread(f"{clean(named)[:40]} code", Site((at, at + len(text))))
    return "\n".join(found), (known,)


def _places_of(found: list[str]) -> list[tuple[int, str]]:
    """Return each text with where it stands once all of them are put below each other."""
    places, at = [], 0
    for text in found:
        places.append((at, text))
        at += len(text) + 1
    return places


def _texts_in(reading: Reading, payload: Mapping[str, Any], keys: tuple[str, ...], language: str) -> list[str]:
    """Return what a payload carries for a language: every text under the known keys, else every text at all."""
    usual = payload.get(keys[0])
    if isinstance(usual, str) and usual and _is_flat(payload, keys):
        return [clean(usual[:MAX_TEXT])]
    if cut(payload):
        reading.unread("a payload too large to be looked through", Site((0, 0)), flags=_CAP)
    found = texts(payload, keys) or [text for text in _strings(payload) if text.strip()]
    if language == "shell":
        found = [*_argument_lists(payload), *found]
    elif len(found) > 1 and language == "python":
        found = ["\n".join(found), *found]  # a notebook's lines are one program
    found = list(dict.fromkeys(found))[:MAX_TEXTS]
    if not found:
        reading.unread(f"a call without {language} text", Site((0, 0)))
    return found


def _is_flat(payload: Mapping[str, Any], keys: tuple[str, ...]) -> bool:
    """Whether a payload has its text under the usual key, and nothing else that could be one."""
    for key, value in payload.items():
        if key != keys[0] and (isinstance(value, (Mapping, list, tuple)) or plain_key(key) in keys):
            return False
    return True


def _argument_lists(payload: Mapping[str, Any]) -> list[str]:
    """Return the command lines that stand in a payload as lists of words, or as a command and its arguments."""
    found = []
    command = next((text for text in texts(payload, ("command", "cmd", "program")) if text), "")
    for key, value in payload.items():
        if isinstance(value, (list, tuple)) and value and all(isinstance(item, str) for item in value):
            line = " ".join(shlex.quote(clean(item)) for item in value)
            found.append(f"{command} {line}" if plain_key(key) in ("args", "arguments", "argv") and command else line)
    return found


def _read_as(reading: Reading, text: str, language: str, at: int) -> None:
    before = len(reading.effects), len(reading.opaque)
    read_code(reading, text, language, at)
    if language == "python" and "python text that does not parse" in reading.opaque[before[1] :]:
        del reading.effects[before[0] :], reading.opaque[before[1] :]
        reading.opaque.append("python text that does not parse")
        read_ambiguous(reading, text, at)


def _whole(text: str) -> Span:
    return (0, len(text))


def _files(kind: str) -> Callable[[Reading, Action], Read]:
    def reader(reading: Reading, action: Action) -> Read:
        paths = texts(action.input_payload, PATH_KEYS)
        name = plain_name(action.tool_name)
        flags = frozenset({"recursive", "force"}) if kind == "fs.delete" and not name.endswith("_file") else NONE
        viewing = kind == "fs.write" and action.input_payload.get("command") == "view"
        for path in paths:
            where = path.removeprefix("file://")
            reading.file("fs.read" if viewing else kind, Site(_whole(path)), where, flags)
        if not paths:
            reading.emit(kind, Site((0, 0)))
            reading.opaque.append("a file tool without a path")
        return (paths[0] if paths else ""), ()

    return reader


_PATCHED = re.compile(
    r"^(?:\*\*\* (?P<what>Add|Update|Delete) File: (?P<named>.+)"
    r"|\+\+\+ (?:b/)?(?P<new>[^\t\n]+)|--- (?:a/)?(?P<old>[^\t\n]+)"
    r"|\*\*\* Move to: (?P<moved>.+)|rename to (?P<renamed>.+))$",
    re.MULTILINE,
)
MAX_PATCHED = 500


def _patch(reading: Reading, action: Action) -> Read:
    found = texts(action.input_payload, PATCH_KEYS)
    for text in found[:MAX_TEXTS]:
        matches = list(_PATCHED.finditer(text))
        for match in matches[:MAX_PATCHED]:
            path = next(value for value in match.group("named", "new", "old", "moved", "renamed") if value)
            if path.strip() != "/dev/null":
                kind = "fs.delete" if match["what"] == "Delete" else "fs.write"
                reading.file(kind, Site(match.span()), path.strip())
        if len(matches) > MAX_PATCHED or not matches:
            reading.unread("a patch that cannot be read as a whole", Site(_whole(text)), flags=_CAP)
    if not found:
        reading.unread("a patch without a text", Site((0, 0)))
    return (found[0] if found else ""), ()


def _move(reading: Reading, action: Action) -> Read:
    paths = texts(action.input_payload, (*PATH_KEYS, "from", "to", "src", "dst"))
    for path in paths:  # which of them is which, names do not tell for certain
        reading.file("fs.move", Site(_whole(path)), path)
        reading.file("fs.write", Site(_whole(path)), path)
    if not paths:
        reading.unread("a move without paths", Site((0, 0)))
    return (paths[0] if paths else ""), ()


def _http(reading: Reading, action: Action) -> Read:
    payload = action.input_payload
    urls = texts(payload, URL_KEYS) or [text for text in _strings(payload) if is_url(text)]
    methods = {text.upper() for text in texts(payload, ("method", "http_method", "verb"))}
    body = any(payload.get(key) for key in BODY_KEYS)
    sends = bool(methods - _READING_METHODS) or "post" in plain_name(action.tool_name) or body
    for url in urls[:MAX_TEXTS]:
        if url.startswith(("file:", "/")):
            reading.file("fs.read", Site(_whole(url)), url.removeprefix("file://"))
        else:
            reading.url("net.send" if sends else "net.fetch", Site(_whole(url)), url)
    for path in texts(payload, PATH_KEYS[:-1]):
        if not is_url(path):
            reading.file("fs.write", Site(_whole(path)), path, frozenset({"download"}))
    if not urls or len(urls) > MAX_TEXTS:
        reading.unread("a request whose addresses cannot all be read", Site((0, 0)))
    return (urls[0] if urls else ""), ()


_READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def _strings(payload: Any) -> list[str]:
    return [clean(value) for _, value in leaves(payload) if isinstance(value, str)]


def _shape(reading: Reading, action: Action) -> Read:
    """Read a tool that nobody named by what its payload looks like, and by the verb in its name."""
    payload = action.input_payload
    kind = verb_kind(action.tool_name)
    flags = frozenset({"annotated"}) if action.annotations.get("destructiveHint") is True else NONE
    reading.emit("tool.destroy" if flags else kind, Site((0, 0)), clean(action.tool_name), flags)
    if not words_of(action.tool_name).isdisjoint(("deploy", "release", "rollout")):
        reading.emit("deploy.release", Site((0, 0)), clean(action.tool_name))
    text, languages = _shape_code(reading, payload)
    recursive = frozenset({"recursive"}) if kind == "tool.destroy" else NONE
    for path in texts(payload, PATH_KEYS):
        if is_url(path):
            reading.url("net.fetch", Site(_whole(path)), path)
        else:
            reading.file(FILE_KINDS.get(kind, "fs.read"), Site(_whole(path)), path, recursive)
    for url in texts(payload, URL_KEYS):
        if is_url(url):
            reading.url("net.fetch" if kind == "tool.read" else "net.send", Site(_whole(url)), url)
    return text, languages


FILE_KINDS = {"tool.read": "fs.read", "tool.change": "fs.write", "tool.destroy": "fs.delete"}


def _shape_code(reading: Reading, payload: Mapping[str, Any]) -> Read:
    """Read whatever in a payload goes by the name of a command, code or SQL."""
    if cut(payload):
        reading.unread("a payload too large to be looked through", Site((0, 0)), flags=_CAP)
    commands = dict.fromkeys((*_named_lists(payload), *texts(payload, COMMAND_KEYS[:7])))
    read = [(text, "shell") for text in commands]
    read += [(text, "sql") for text in texts(payload, ("sql", "sql_query"))]
    read += [(text, "sql") for text in texts(payload, ("query", "statement", "input")) if looks_like_sql(text)]
    read += [(text, "") for text in texts(payload, ("code",))]
    read = read[:MAX_TEXTS]
    languages: list[str] = []
    for (at, text), (_, language) in zip(_places_of([text for text, _ in read]), read, strict=True):
        if language:
            read_code(reading, text, language, at)
            languages.append(language)
        else:
            languages += read_ambiguous(reading, text, at)
    return "\n".join(text for text, _ in read), tuple(dict.fromkeys(languages))


def _named_lists(payload: Mapping[str, Any]) -> list[str]:
    """Return the argument lists under names that say so."""
    named = {key: value for key, value in payload.items() if plain_key(key) in (*COMMAND_KEYS[:8], "argv", "arguments")}
    return _argument_lists(named)


READERS: dict[str, Callable[[Reading, Action], Read]] = {
    "shell": _language("shell", COMMAND_KEYS),
    "python": _language("python", CODE_KEYS),
    "sql": _language("sql", SQL_KEYS),
    "write": _files("fs.write"),
    "read": _files("fs.read"),
    "delete": _files("fs.delete"),
    "move": _move,
    "patch": _patch,
    "http": _http,
    "shape": _shape,
}
