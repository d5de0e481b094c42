"""Unknown tools, read by the verb in their name and the shape of their payload."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from interlock.analyse.addresses.file_urls import BY_URL, is_file_url
from interlock.analyse.addresses.hosts import host_flags, is_url
from interlock.analyse.code import read_ambiguous, read_code
from interlock.analyse.flow import NONE
from interlock.analyse.payloads.code import MAX_TEXTS, TOO_LARGE, Read, places_of, strings_among
from interlock.analyse.payloads.files import whole_span
from interlock.analyse.payloads.http_requests import report_attack, report_request
from interlock.analyse.payloads.prompt_injection import is_prompt_injection
from interlock.analyse.payloads.tools import PATH_KEYS, URL_KEYS
from interlock.analyse.payloads.verbs import verb_kind, words_of
from interlock.analyse.reading import Reading, Site
from interlock.analyse.secrets.credentials import hides_credentials, holds_credentials
from interlock.analyse.secrets.key_shapes import holds_key
from interlock.analyse.secrets.keys import is_secret_name
from interlock.analyse.tools.argument_schema import ignore_undeclared, select_declared
from interlock.analyse.tools.arguments import Argument, arguments_of
from interlock.analyse.tools.browser_actions import is_browsing, is_page_operation
from interlock.analyse.tools.command_lines import command_lines
from interlock.analyse.tools.described_operations import choose_operation
from interlock.analyse.tools.embedded_code import code_in
from interlock.analyse.tools.manifests import manifest_lines
from interlock.analyse.tools.name_meaning import ABOUT_SECRETS, meaning_of
from interlock.analyse.tools.named_commands import is_named_after_command
from interlock.analyse.tools.named_settings import settings_in
from interlock.analyse.tools.operations import NONE as NO_OPERATIONS
from interlock.analyse.tools.operations import Operations, operations_of
from interlock.analyse.tools.page_scripts import report_script
from interlock.analyse.tools.request_meaning import service_of
from interlock.analyse.tools.saved_files import record_saved
from interlock.analyse.tools.secret_requests import withholds_values
from interlock.analyse.tools.service_requests import bodies_in
from interlock.analyse.tools.service_scripts import SERVICE_LANGUAGES, report_apex, report_service_script
from interlock.analyse.tools.switches import is_true, starts_download
from interlock.analyse.tools.tool_calls import (
    read_described_call,
    read_tool_call,
    runs_any_command,
    runs_code,
    tool_description,
)
from interlock.analyse.tools.vocabulary import GLANCING
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import RequestWords
from interlock.knowledge.tool import Tool
from interlock.knowledge.tool_names import split_words
from interlock.model import Action
from interlock.patterns import late
from interlock.payload import CUT, is_cut, leaves, texts_under, with_plain_keys
from interlock.sanitise import clean

_WORDS = read_table("tool-requests", RequestWords)

_PATH_KEYS, _URL_KEYS = dict.fromkeys(PATH_KEYS), dict.fromkeys(URL_KEYS)
Leaves = list[tuple[str, Any]]
_CAP = frozenset({"cap"})
_BY_TOOL = frozenset({"by_tool"})


def read_unknown_tool(reading: Reading, action: Action) -> Read:
    """Analyse a tool without a description, by its name and its arguments."""
    kind = verb_kind(action.tool_name)
    flags = frozenset({"annotated"}) if action.annotations.get("destructiveHint") is True else NONE
    return _read_tool(reading, action, "tool.destroy" if flags else kind, flags, None)


def read_service_tool(reading: Reading, action: Action, tool: Tool) -> Read:
    """Analyse a tool of a known service: its effect is known, and its arguments decide whether that is routine."""
    chosen, tool = choose_operation(action, tool)
    kind = tool.does if tool.does in QUIET else "tool.change"
    return _read_tool(reading, chosen, kind, NONE, tool, commands_in=action)


def _read_tool(
    reading: Reading,
    action: Action,
    kind: str,
    flags: frozenset[str],
    tool: Tool | None,
    commands_in: Action | None = None,
) -> Read:
    """Analyse a tool; a command line is read from `commands_in`, which still has the name of the operation."""
    payload = action.input_payload
    walked = list(leaves(payload))
    reading.emit(kind, Site((0, 0)), clean(action.tool_name), flags)
    arguments = arguments_of(payload, tool.arguments if tool else {})
    arguments += bodies_in(arguments)
    arguments += settings_in(arguments)
    arguments = ignore_undeclared(arguments, action.input_schema)
    _read_names(reading, action, kind, walked, arguments)
    words = split_words(action.tool_name)
    inside = operations_of(words, arguments, action.tool_name if tool is None else "")
    commands = tool is None or runs_code(tool) or runs_any_command(action.tool_name) or _runs_command(tool, action)
    named = action.tool_name if commands else ""
    text, languages = _read_code(reading, commands_in or action, named, words, arguments, walked)
    _read_call(reading, action, tool, arguments, inside, told=bool(languages))
    declared = select_declared(payload, action.input_schema) if action.input_schema else None
    if declared is not None:  # undeclared arguments may add to a call, and make nothing of it harmless
        fewer = arguments_of(declared, tool.arguments if tool else {})
        plain = msgspec.structs.replace(action, input_payload=declared)
        _read_call(reading, plain, tool, fewer, operations_of(words, fewer, action.tool_name if tool is None else ""))
    spelled = with_plain_keys(walked)
    _read_paths(reading, spelled, kind, inside)
    record_saved(reading, words, walked)
    meaning = meaning_of(action.tool_name, tool_description(action))
    sends = (
        meaning.verb in _SENDING or not _WORDS.uploading_words.isdisjoint(meaning.words) or _has_body(payload, inside)
    )
    sends = sends and not is_page_operation(words)  # the address is that of the page
    _read_urls(reading, spelled, inside, sends=sends, reads=kind in QUIET or meaning.verb in _READING)
    _read_file_urls(reading, words, spelled)
    if not _FETCHING.isdisjoint(words) and (
        not _WORDS.starting_words.isdisjoint(words) or any(map(starts_download, arguments))
    ):
        for url in texts_under(spelled, _URL_KEYS):
            reading.emit("code.remote", Site(whole_span(url)), url, _BY_TOOL)
    return text, languages


def _read_call(
    reading: Reading,
    action: Action,
    tool: Tool | None,
    arguments: list[Argument],
    inside: Operations,
    *,
    told: bool = False,
) -> None:
    if tool is None:
        read_tool_call(reading, action, arguments, inside, told=told)
    else:
        read_described_call(reading, action, tool, arguments, inside, told=told)


def _runs_command(tool: Tool, action: Action) -> bool:
    """Whether the options of a described tool say more than its description: `kubectl_get`, `docker_run`.

    Any other described tool is not told by its name.
    """
    return (tool.does in QUIET or tool.does == "container.run") and is_named_after_command(action.tool_name)


#: What a tool does that only reads or prepares.
QUIET = frozenset({"tool.read", "tool.draft"})


def scan_payload(reading: Reading, payload: Mapping[str, Any], kind: str) -> Read:
    """Analyse code, paths and URLs in a payload, found by their keys; `kind` is the effect of the tool."""
    arguments, walked = arguments_of(payload), list(leaves(payload))
    unnamed = Action(tool_name="", input_payload=dict(payload))
    text, languages = _read_code(reading, unnamed, "", (), arguments, walked)
    spelled = with_plain_keys(walked)
    _read_paths(reading, spelled, kind, NO_OPERATIONS)
    sends = kind != "tool.read" or _has_body(payload, NO_OPERATIONS)
    _read_urls(reading, spelled, NO_OPERATIONS, sends=sends, reads=kind == "tool.read")
    return text, languages


def _read_paths(reading: Reading, spelled: Leaves, kind: str, inside: Operations) -> None:
    """Report the files that a payload names, unless they are steps of requests."""
    paths = texts_under(spelled, _PATH_KEYS)
    if not paths:
        return
    recursive = frozenset({"recursive"}) if kind == "tool.destroy" else NONE
    asked = {one.address for one in inside.requests}
    for path in paths:
        if path in asked:
            continue
        if is_url(path):
            reading.url("net.fetch", Site(whole_span(path)), path)
        else:
            reading.file(FILE_KINDS.get(kind, "fs.read"), Site(whole_span(path)), path, recursive)
    if kind == "tool.change" and any("ci_config" in effect.flags for effect in reading.effects):
        from interlock.analyse.files.project_settings import mark_ordinary_in_call

        mark_ordinary_in_call(reading.effects, spelled)


def _read_urls(reading: Reading, spelled: Leaves, inside: Operations, *, sends: bool, reads: bool) -> None:
    """Report the addresses that a payload names.

    Data is sent there by a request that changes something, by a tool whose name says so (`sends`), or with a body; a
    tool that does not read sends to a host that only receives. Requests to well-known services do what their paths say.
    """
    for request in inside.requests:
        if is_url(request.address):
            report_request(reading, request)
    known = {one.address for one in inside.requests}
    if known:
        report_attack(reading, known, dict(spelled))
    urls = texts_under(spelled, _URL_KEYS)
    if not urls:
        return
    sends = sends or any(one.verb not in _READING for one in inside.meanings)
    for url in urls:
        if is_url(url) and url not in known and not is_file_url(url):
            drops = not reads and not _DROPS.isdisjoint(host_flags(url))
            sent = drops or (sends and not service_of(url))
            reading.url("net.send" if sent else "net.fetch", Site(whole_span(url)), url)


def _read_file_urls(reading: Reading, words: tuple[str, ...], spelled: Leaves) -> None:
    """Report the files that a payload names by their address; a tool for the network is not meant to read any."""
    flags = NONE if _WORDS.network_words.isdisjoint(words) else BY_URL
    for url in texts_under(spelled, _URL_KEYS):
        if is_file_url(url):
            reading.url("net.fetch", Site(whole_span(url)), url, flags)


def _has_body(payload: Mapping[str, Any], inside: Operations) -> bool:
    """Whether an otherwise unknown request has a body."""
    if inside.meanings or _BODY_KEYS.isdisjoint(payload):
        return False
    return any(payload.get(key) for key in _BODY_KEYS)


_BODY_KEYS = frozenset(_WORDS.body_payload_keys)


_FETCHING = frozenset({"download", "fetch", "get", "pull"})
_DROPS = frozenset({"drop", "collector"})
_SENDING = frozenset({"send", "publish", "install"})
_READING = frozenset({"", "read", "draft"})


_VARIABLES = frozenset("env environment getenv".split())


def _read_names(reading: Reading, action: Action, kind: str, walked: Leaves, arguments: list[Argument]) -> None:
    """Emit the effects that the words of a tool's name and the texts in its payload imply."""
    words, site = words_of(action.tool_name), Site((0, 0))
    name = clean(action.tool_name)
    if words & _WORDS.recording_verbs and words & _WORDS.recorded_things:
        reading.emit("tool.change", site, name, frozenset({"watching"}))
    reads = kind == "tool.read" and words.isdisjoint(GLANCING) and words.isdisjoint(ABOUT_SECRETS)
    if words & _WORDS.secret_words and reads and not withholds_values(arguments):
        reading.emit("secret.read", site, name, frozenset({"secret"}))
    if words & _VARIABLES:
        for text in strings_among(walked)[:MAX_TEXTS]:
            if is_secret_name(text) or (text == "*" and kind == "tool.read"):
                reading.emit("env.read", site, text, frozenset({"secret"}))
    read_texts(reading, name, kind, walked)


def read_texts(reading: Reading, name: str, kind: str, walked: Leaves) -> None:
    """Emit effects for keys and instructions to a model in the texts of a payload, whichever the tool."""
    for text in strings_among(walked)[:MAX_TEXTS]:
        if _tells_key(text, kind) if len(text) > _SHORT else _tells_short_key(text, kind):
            reading.emit("tool.change", Site((0, 0)), name, frozenset({"holds_key"}))
        if is_prompt_injection(text):
            reading.emit("tool.change", Site((0, 0)), name, frozenset({"instructions"}))


@lru_cache(maxsize=4096)
def _tells_short_key(text: str, kind: str) -> bool:
    """Whether a short text tells a key. Names and states come again with every call."""
    return _tells_key(text, kind)


_SHORT = 40


def _tells_key(text: str, kind: str) -> bool:
    """Whether a text in a call tells a key. Of a tool that may do anything with a text, any credentials in it count."""
    if holds_key(text):
        return not (kind == "tool.read" and _KEY_ID.fullmatch(text))
    return hides_credentials(text) or (kind == "tool.unknown" and " " in text and holds_credentials(text))


_KEY_ID = late(r"AKIA[0-9A-Z]{16}")  # the name of a key, which opens nothing without the key
FILE_KINDS = {"tool.read": "fs.read", "tool.change": "fs.write", "tool.destroy": "fs.delete"}


def _read_code(
    reading: Reading, action: Action, name: str, words: tuple[str, ...], arguments: list[Argument], walked: Leaves
) -> Read:
    """Analyse commands and code in the arguments of a tool; `name` may tell the program that a command is for."""
    if is_cut(walked) or [one for one in arguments if one.value is CUT]:
        reading.unread(TOO_LARGE, Site((0, 0)), flags=_CAP)
    if (
        words
        and words[0] in _WORDS.looking_at_code
        and _WORDS.running_code.isdisjoint(words)
        and meaning_of(name, "").verb in _READING
    ):
        return "", ()  # code that is looked at does not run
    read = [(text, "shell") for text in command_lines(name, action.input_payload)]
    read += [(one.text, role[5:]) for one in arguments for role in one.roles if role.startswith("code:")]
    read += code_in(words, arguments, lined=bool(read))
    read += [(text, "shell") for text in manifest_lines(name, arguments)]
    if words[:1] == ("explain",):
        read = [(_find_explained_statement(text, arguments) if kind == "sql" else text, kind) for text, kind in read]
    read = list(dict.fromkeys(read))
    if len(read) > MAX_TEXTS:
        reading.unread(TOO_LARGE, Site((0, 0)), flags=_CAP)
        read = read[:MAX_TEXTS]
    languages: list[str] = []
    for (at, text), (_, language) in zip(places_of([text for text, _ in read]), read, strict=True):
        if language == "apex":
            report_apex(reading, action, text, arguments)
            languages.append(language)
        elif language:
            read_code(reading, text, language, at)
            languages.append(language)
        else:
            languages += read_ambiguous(reading, text, at)
        if language == "javascript" and (is_browsing(words) or "document." in text):
            report_script(reading, action, text, arguments)
        elif language in SERVICE_LANGUAGES:
            report_service_script(reading, action, text, arguments)
    return "\n".join(text for text, _ in read), tuple(dict.fromkeys(languages))


def _find_explained_statement(text: str, arguments: list[Argument]) -> str:
    """Return the `EXPLAIN` statement of a tool for another statement, which runs only with `ANALYZE`."""
    if text.lstrip()[:7].lower() == "explain":
        return text
    measured = any(one.key in ("analyze", "analyse") and is_true(one) for one in arguments)
    return f"EXPLAIN {'ANALYZE ' if measured else ''}{text}"


READERS = {"shape": read_unknown_tool}
