"""Tools that run code: commands, programs and queries anywhere in the payload."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from interlock.analyse.code import read_ambiguous, read_code
from interlock.analyse.languages import LANGUAGES, NAMES
from interlock.analyse.payloads.tools import CHANGING_STATEMENTS, CODE_KEYS, COMMAND_KEYS, DATABASE_TOOLS, SQL_KEYS
from interlock.analyse.payloads.verbs import MAX_NAME, words_of
from interlock.analyse.reading import Reading, Site
from interlock.model import Action
from interlock.patterns import late
from interlock.payload import MAX_TEXT, is_truncated, leaves, plain_key, text_of, texts
from interlock.sanitise import clean

_CAP = frozenset({"cap"})
MAX_TEXTS = 50
TOO_LARGE = "a payload too large to be read in full"

Read = tuple[str, tuple[str, ...]]


def language_reader(language: str, keys: tuple[str, ...]) -> Callable[[Reading, Action], Read]:
    """Return the reader of tools that run code of one language."""
    languages = (language,)
    read = _read_python if language == "python" else read_code

    def reader(reading: Reading, action: Action) -> Read:
        if language == "shell" and _names_store(action.tool_name[:MAX_NAME]):  # `mysql.exec`
            from interlock.analyse.payloads.unknown_tools import read_unknown_tool

            return read_unknown_tool(reading, action)
        named = text_of(action.input_payload.get("language")) if language == "python" else None
        if named and named.lower() not in ("python", "python3", "py"):
            return _read_named_language(reading, action, named.lower())
        if language == "sql" and _is_structured(action, keys):
            from interlock.analyse.payloads.unknown_tools import read_unknown_tool

            return read_unknown_tool(reading, action)
        found = _texts_in(reading, action.input_payload, keys, language)
        if len(found) == 1:
            read(reading, found[0], language, 0)
            return found[0], languages
        for at, text in places_of(found):
            read(reading, text, language, at)
        return "\n".join(found), languages

    return reader


def _is_structured(action: Action, keys: tuple[str, ...]) -> bool:
    """Whether a query contains no SQL, and has fields and operators or goes to a service other than a database."""
    payload = action.input_payload
    filtered = isinstance(payload.get("filter"), Mapping) or isinstance(payload.get("filters"), (Mapping, list))
    if texts(payload, keys) or not (filtered or _asks_service(action)):
        return False
    from interlock.analyse.sql import looks_like_sql

    return not any(looks_like_sql(text) for text in strings_of(payload))


_CHANGING = late(rf"(?i)\b(?:{'|'.join(CHANGING_STATEMENTS)})\b")


def _asks_service(action: Action) -> bool:
    """Whether a tool of a server other than a database gets a query without words for changes."""
    return (
        action.tool_name.startswith("mcp__")
        and not is_store_name(action.tool_name)
        and not any(_CHANGING.search(text) for text in strings_of(action.input_payload))
    )


def is_store_name(tool_name: str) -> bool:
    """Whether the name of a tool that runs commands says that a database runs them.

    >>> is_store_name("mysql.exec"), is_store_name("mcp__desktop__exec")
    (True, False)
    """
    return _names_store(tool_name[:MAX_NAME])


@lru_cache(maxsize=1024)
def _names_store(tool_name: str) -> bool:
    return not DATABASE_TOOLS.isdisjoint(words_of(tool_name))


def _read_named_language(reading: Reading, action: Action, named: str) -> Read:
    """Analyse code in the language that the payload names, or report it as unread if that has no analyser."""
    known = NAMES.get(named, named)
    found = _texts_in(reading, action.input_payload, CODE_KEYS, named)
    for at, text in places_of(found):
        if known in LANGUAGES:
            read_code(reading, text, known, at)
        else:
            reading.unread(f"{clean(named)[:40]} code", Site((at, at + len(text))))
    return "\n".join(found), (known,)


def places_of(found: list[str]) -> list[tuple[int, str]]:
    """Return each text with its offset after all of them are joined by newlines."""
    places, at = [], 0
    for text in found:
        places.append((at, text))
        at += len(text) + 1
    return places


def _texts_in(reading: Reading, payload: Mapping[str, Any], keys: tuple[str, ...], language: str) -> list[str]:
    """Return the code in a payload: every text under the known keys, else every text."""
    usual = payload.get(keys[0])
    if isinstance(usual, str) and usual and (len(payload) == 1 or _is_flat(payload, keys)):
        return [clean(usual[:MAX_TEXT])]
    if is_truncated(payload):
        reading.unread(TOO_LARGE, Site((0, 0)), flags=_CAP)
    found = texts(payload, keys)
    lines = _command_lines(payload) if language == "shell" else []
    found = found or lines or [text for text in strings_of(payload) if text.strip()]
    if language == "shell":
        found = [*argument_lists(payload), *lines, *found]
    elif len(found) > 1 and language == "python":
        found = ["\n".join(found), *found]  # the lines of a notebook cell are one program
    found = list(dict.fromkeys(found))
    if len(found) > MAX_TEXTS:
        reading.unread(TOO_LARGE, Site((0, 0)), flags=_CAP)
        found = found[:MAX_TEXTS]
    if not found:
        reading.unread(f"a call without {language} text", Site((0, 0)))
    return found


def _command_lines(payload: Mapping[str, Any]) -> list[str]:
    """Return the commands that are given as lists of words; most calls have one text, and never get here."""
    from interlock.analyse.tools.command_lines import command_lines

    return list(command_lines("", payload))


def _is_flat(payload: Mapping[str, Any], keys: tuple[str, ...]) -> bool:
    """Whether a payload has code under the first key only."""
    for key, value in payload.items():
        if key != keys[0] and (isinstance(value, (Mapping, list, tuple)) or plain_key(key) in keys):
            return False
    return True


def argument_lists(payload: Mapping[str, Any]) -> list[str]:
    """Return the command lines that a payload holds as lists of words, or as a command and its arguments."""
    import shlex

    found = []
    command = next((text for text in texts(payload, ("command", "cmd", "program")) if text), "")
    for key, value in payload.items():
        if isinstance(value, (list, tuple)) and value and all(isinstance(item, str) for item in value):
            line = " ".join(shlex.quote(clean(item)) for item in value)
            found.append(f"{command} {line}" if plain_key(key) in ("args", "arguments", "argv") and command else line)
    return found


def _read_python(reading: Reading, text: str, language: str, at: int) -> None:
    """Analyse a text in Python; one that does not parse is analysed in every language that accepts it."""
    effects, opaque, unparsed = len(reading.effects), len(reading.opaque), len(reading.unparsed)
    read_code(reading, text, language, at)
    if "python" in reading.unparsed[unparsed:]:
        del reading.effects[effects:], reading.opaque[opaque:]
        reading.opaque.append("python text that does not parse")
        read_ambiguous(reading, text, at)


def strings_of(payload: Any) -> list[str]:
    """Return every text in a payload."""
    return strings_among(leaves(payload))


def strings_among(walked: Iterable[tuple[str, Any]]) -> list[str]:
    """Return every text among the leaves of a payload."""
    return [clean(value) for _, value in walked if isinstance(value, str)]


def find_named_commands(payload: Mapping[str, Any]) -> list[str]:
    """Return the command lines under keys that name a command."""
    named = {key: value for key, value in payload.items() if plain_key(key) in (*COMMAND_KEYS[:8], "argv", "arguments")}
    return argument_lists(named)


READERS: dict[str, Callable[[Reading, Action], Read]] = {
    "shell": language_reader("shell", COMMAND_KEYS),
    "powershell": language_reader("powershell", COMMAND_KEYS),
    "python": language_reader("python", CODE_KEYS),
    "sql": language_reader("sql", SQL_KEYS),
}
