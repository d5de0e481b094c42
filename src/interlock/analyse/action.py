"""From an action to its analysis: which tool it is, what its payload carries, and who reads that."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from interlock.analyse.hosts import is_url
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.paths import Places
from interlock.analyse.payload import clean, first_text, leaves, text_of, texts
from interlock.analyse.reading import NONE, NOTHING, Reading, Site, TooMuch
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
    reader_of,
)
from interlock.analyse.verbs import verb_kind, words_of
from interlock.model import Action, Analysis, Place, RunState, Span

_CAP = frozenset({"cap"})


#: What coverage says when an analyser breaks. The test suite looks for it after every input it tries.
FAULT = "the analyser failed"


class Surroundings:
    """What the configuration adds to reading: tools by name, places by prefix, private paths."""

    __slots__ = ("places", "tools")

    def __init__(
        self,
        *,
        tools: Mapping[str, str] | None = None,
        places: Mapping[str, tuple[Place, int]] | None = None,
        private: Callable[[str], bool] | None = None,
        workspace: str | None = None,
        home: str | None = None,
    ) -> None:
        self.tools = dict(tools or {})

        def seen_from(cwd: str | None, given_workspace: str | None, given_home: str | None) -> Places:
            return Places(
                cwd=cwd, workspace=given_workspace or workspace, home=given_home or home, extra=places, private=private
            )

        # The actions of a run come from the same few folders.
        self.places = lru_cache(maxsize=64)(seen_from)


NOWHERE = Surroundings()


def analyse(action: Action, around: Surroundings = NOWHERE, state: RunState | None = None) -> Analysis:
    """Read an action: everything that it would do, and how much of it could be read."""
    places = around.places(action.cwd, action.workspace, action.home)
    reading = Reading(places, LANGUAGES, state.downloaded if state else NONE)
    reader = reader_of(action.tool_name, around.tools)
    text, languages = READERS[reader or "shape"](reading, action)
    return reading.close(text, languages)


def read_code(reading: Reading, text: str, language: str) -> None:
    """Read a whole text in one language."""
    if "\ufffd" in text:
        reading.opaque.append("characters that are not text")
    site = Site((0, len(text)), base=0)
    try:
        reading.spend(len(text) // 256)
        LANGUAGES[language](reading, text, site, NOTHING)
    except TooMuch:
        reading.unread("more steps than may be spent on one action", site, flags=_CAP)
    except Exception as error:  # a fault of ours must not open the gate: it is said, and somebody is asked
        reading.unread(f"{FAULT}: {type(error).__name__}", site, flags=_CAP)


def read_ambiguous(reading: Reading, text: str) -> tuple[str, ...]:
    """Read a text in every language that accepts it; if none does, as a shell would."""
    from interlock.analyse.python.walk import parse
    from interlock.analyse.shell.grammar import accepts

    languages = []
    if parse(text) is not None:
        languages.append("python")
    if looks_like_sql(text):
        languages.append("sql")
    if accepts(text) or not languages:
        languages.append("shell")
    for language in languages:
        read_code(reading, text, language)
    return tuple(languages)


Read = tuple[str, tuple[str, ...]]


def _language(language: str, keys: tuple[str, ...]) -> Callable[[Reading, Action], Read]:
    def reader(reading: Reading, action: Action) -> Read:
        found = first_text(action.input_payload, keys)
        if found is None:
            return _shape(reading, action)
        text = found[1]
        before = len(reading.effects), len(reading.opaque)
        read_code(reading, text, language)
        if language == "python" and "python text that does not parse" in reading.opaque:
            del reading.effects[before[0] :], reading.opaque[before[1] :]
            reading.opaque.append("python text that does not parse")
            return text, read_ambiguous(reading, text)
        return text, (language,)

    return reader


def _whole(text: str) -> Span:
    return (0, len(text))


def _files(kind: str) -> Callable[[Reading, Action], Read]:
    def reader(reading: Reading, action: Action) -> Read:
        paths = list(texts(action.input_payload, PATH_KEYS))
        flags = frozenset({"recursive"}) if "director" in action.tool_name.lower() else NONE
        for path in paths:
            reading.file(kind, Site(_whole(path)), path.removeprefix("file://"), flags)
        if not paths:
            reading.emit(kind, Site((0, 0)))
        return (paths[0] if paths else ""), ()

    return reader


_PATCHED = re.compile(
    r"^(?:\*\*\* (Add|Update|Delete) File: (.+)|\+\+\+ (?:b/)?(\S+)|\*\*\* Move to: (.+))$", re.MULTILINE
)


def _patch(reading: Reading, action: Action) -> Read:
    found = first_text(action.input_payload, PATCH_KEYS)
    if found is None:
        return _shape(reading, action)
    text = found[1]
    for match in list(_PATCHED.finditer(text))[:500]:
        path = match[2] or match[3] or match[4]
        if path != "/dev/null":
            reading.file("fs.delete" if match[1] == "Delete" else "fs.write", Site(match.span()), path.strip())
    if not reading.effects:
        reading.unread("a patch without a file", Site(_whole(text)))
    return text, ()


def _move(reading: Reading, action: Action) -> Read:
    paths = list(texts(action.input_payload, PATH_KEYS))
    for path in paths[:1]:
        reading.file("fs.move", Site(_whole(path)), path)
    for path in paths[1:]:
        reading.file("fs.write", Site(_whole(path)), path)
    return (paths[0] if paths else ""), ()


_READING_METHODS = ("GET", "HEAD", "OPTIONS", "")


def _http(reading: Reading, action: Action) -> Read:
    payload = action.input_payload
    urls = list(texts(payload, URL_KEYS)) or [text for text in _strings(payload) if is_url(text)]
    method = (text_of(payload.get("method")) or "").upper()
    sends = method not in _READING_METHODS or "post" in plain_name(action.tool_name)
    if not method and any(payload.get(key) for key in BODY_KEYS):
        sends = True
    for url in urls[:20]:
        if url.startswith(("file:", "/")):
            reading.file("fs.read", Site(_whole(url)), url.removeprefix("file://"))
        else:
            reading.url("net.send" if sends else "net.fetch", Site(_whole(url)), url)
    if not urls:
        reading.emit("net.send" if sends else "net.fetch", Site((0, 0)))
    return (urls[0] if urls else ""), ()


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
    for path in texts(payload, PATH_KEYS):
        if is_url(path):
            reading.url("net.fetch", Site(_whole(path)), path)
        else:
            reading.file(FILE_KINDS.get(kind, "fs.read"), Site(_whole(path)), path)
    for url in texts(payload, URL_KEYS):
        if is_url(url):
            reading.url("net.fetch" if kind == "tool.read" else "net.send", Site(_whole(url)), url)
    return text, languages


FILE_KINDS = {"tool.read": "fs.read", "tool.change": "fs.write", "tool.destroy": "fs.delete"}


def _shape_code(reading: Reading, payload: Mapping[str, Any]) -> Read:
    for keys, language in ((COMMAND_KEYS[:7], "shell"), (("sql", "sql_query"), "sql"), (("code",), "")):
        found = first_text(payload, keys)
        if found and language:
            read_code(reading, found[1], language)
            return found[1], (language,)
        if found:
            return found[1], read_ambiguous(reading, found[1])
    for key in ("query", "statement", "input"):
        text = text_of(payload.get(key))
        if text and looks_like_sql(text):
            read_code(reading, text, "sql")
            return text, ("sql",)
    return "", ()


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
