"""Unknown tools, read by the verb in their name and the shape of their payload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.analyse.code import read_ambiguous, read_code
from interlock.analyse.hosts import is_url
from interlock.analyse.keys import holds_key, is_secret_name
from interlock.analyse.payloads.code import MAX_TEXTS, Read, named_lists, places_of, strings_of
from interlock.analyse.payloads.files import whole_span
from interlock.analyse.payloads.payload import is_truncated, texts
from interlock.analyse.payloads.prompt_injection import is_prompt_injection
from interlock.analyse.payloads.tools import COMMAND_KEYS, PATH_KEYS, URL_KEYS
from interlock.analyse.payloads.verbs import verb_kind, words_of
from interlock.analyse.reading import NONE, Reading, Site
from interlock.analyse.tools.judge import read_tool_call
from interlock.analyse.tools.name import ABOUT_SECRETS
from interlock.analyse.tools.words import GLANCING
from interlock.model import Action
from interlock.sanitise import clean

_CAP = frozenset({"cap"})
_BY_TOOL = frozenset({"by_tool"})


def read_unknown_tool(reading: Reading, action: Action) -> Read:
    """Analyse an unknown tool by the verb in its name and the shape of its payload."""
    payload = action.input_payload
    kind = verb_kind(action.tool_name)
    flags = frozenset({"annotated"}) if action.annotations.get("destructiveHint") is True else NONE
    reading.emit("tool.destroy" if flags else kind, Site((0, 0)), clean(action.tool_name), flags)
    if not words_of(action.tool_name).isdisjoint(("deploy", "release", "rollout")):
        target = _named_in(payload, _RELEASE_KEYS) or clean(action.tool_name)
        reading.emit("deploy.release", Site((0, 0)), target, _BY_TOOL)
    _read_names(reading, action, kind)
    read_tool_call(reading, action)
    return scan_payload(reading, payload, kind)


def scan_payload(reading: Reading, payload: Mapping[str, Any], kind: str) -> Read:
    """Analyse code, paths and URLs in a payload, found by their keys; `kind` is the effect of the tool."""
    text, languages = _read_code(reading, payload)
    recursive = frozenset({"recursive"}) if kind == "tool.destroy" else NONE
    for path in texts(payload, PATH_KEYS):
        if is_url(path):
            reading.url("net.fetch", Site(whole_span(path)), path)
        else:
            reading.file(FILE_KINDS.get(kind, "fs.read"), Site(whole_span(path)), path, recursive)
    for url in texts(payload, URL_KEYS):
        if is_url(url):
            reading.url("net.fetch" if kind == "tool.read" else "net.send", Site(whole_span(url)), url)
    return text, languages


# A verb and a noun that together in a tool's name mean a payment, or surveillance.
_PAYMENT = (
    frozenset("withdraw pay payout refund wire purchase buy charge transfer send".split()),
    frozenset("fund funds money payment payments balance card invoice cash bank bitcoin eth usd".split()),
)
_SURVEILLANCE = (
    frozenset("record recording capture monitor log start".split()),
    frozenset("screen microphone audio camera webcam keyboard keystrokes keylogger".split()),
)
_SECRETS = frozenset("secret secrets credential credentials password passwords apikey".split())
_VARIABLES = frozenset("env environment getenv".split())


# Keys of a payload that name where something is released, and to whom money goes.
_RELEASE_KEYS = ("environment", "env", "stage", "target", "cluster", "service", "app", "application", "project")
_RECIPIENT_KEYS = (
    "recipient",
    "payee",
    "to",
    "iban",
    "account",
    "account_number",
    "to_account",
    "destination",
    "address",
)


def _named_in(payload: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """Return the first short text under one of these keys, so that people see and are asked about the real target."""
    found = [text for key in keys for text in texts(payload, (key,)) if text.strip()]
    return clean(found[0])[:_LONGEST_NAME] if found else ""


_LONGEST_NAME = 200


def _read_names(reading: Reading, action: Action, kind: str) -> None:
    """Emit the effects that the words of a tool's name and the texts in its payload imply."""
    words, site = words_of(action.tool_name), Site((0, 0))
    name = clean(action.tool_name)
    if all(words & either for either in _SURVEILLANCE):
        reading.emit("tool.change", site, name, frozenset({"watching"}))
    if words & _SECRETS and kind == "tool.read" and words.isdisjoint(GLANCING | ABOUT_SECRETS):
        reading.emit("secret.read", site, name, frozenset({"secret"}))
    for text in strings_of(action.input_payload)[:MAX_TEXTS]:
        if words & _VARIABLES and is_secret_name(text):
            reading.emit("env.read", site, text, frozenset({"secret"}))
        if holds_key(text):
            reading.emit("tool.change", site, name, frozenset({"holds_key"}))
        if is_prompt_injection(text):
            reading.emit("tool.change", site, name, frozenset({"instructions"}))


FILE_KINDS = {"tool.read": "fs.read", "tool.change": "fs.write", "tool.destroy": "fs.delete"}


def _is_sql(text: str) -> bool:
    from interlock.analyse.sql import looks_like_sql  # imported on first use

    return looks_like_sql(text)


def _read_code(reading: Reading, payload: Mapping[str, Any]) -> Read:
    """Analyse commands, code and SQL in a payload, found by their keys."""
    if is_truncated(payload):
        reading.unread("a payload too large to be looked through", Site((0, 0)), flags=_CAP)
    commands = dict.fromkeys((*named_lists(payload), *texts(payload, COMMAND_KEYS[:7])))
    read = [(text, "shell") for text in commands]
    read += [(text, "sql") for text in texts(payload, ("sql", "sql_query"))]
    read += [(text, "sql") for text in texts(payload, ("query", "statement", "input")) if _is_sql(text)]
    read += [(text, "") for text in texts(payload, ("code",))]
    read = read[:MAX_TEXTS]
    languages: list[str] = []
    for (at, text), (_, language) in zip(places_of([text for text, _ in read]), read, strict=True):
        if language:
            read_code(reading, text, language, at)
            languages.append(language)
        else:
            languages += read_ambiguous(reading, text, at)
    return "\n".join(text for text, _ in read), tuple(dict.fromkeys(languages))


READERS = {"shape": read_unknown_tool}
