"""Definitions: settings that a call has made at a service, kept so that later calls can be judged together with it.

A filter is drafted, a payee is named, a rule is saved but switched off. None of that has an effect until a later
call names the filter, pays the payee or switches the rule on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from interlock.knowledge.tool_names import split_words
from interlock.memory.calls.arguments import remove_secrets
from interlock.memory.calls.words import memory_words
from interlock.memory.model import Definition
from interlock.model import Action, Analysis
from interlock.payload import MAX_DEPTH, leaves, plain_key

#: How many characters the arguments of a definition may have, and how many are kept of each text in them.
MAX_LENGTH, MAX_TEXT = 1_500, 200
MIN_NAME, MAX_NAME = 3, 80


def find_definition(action: Action, analysis: Analysis) -> Definition | None:
    """Return what a call of a tool sets that later calls can refer to, or None."""
    if analysis.files or analysis.effects[0].kind == "tool.read":
        return None
    words, arguments = frozenset(split_words(action.tool_name)), _shorten(remove_secrets(unwrap(action.input_payload)))
    names, standing = _find_defined_names(words, arguments), not memory_words().standing.isdisjoint(words)
    return Definition(action.tool_name, arguments, names, standing) if names or standing else None


def unwrap(value: Any, depth: int = 0) -> Any:
    """Return arguments with JSON in their texts decoded.

    >>> unwrap({"body": '{"name": "Coffee"}', "note": "{braces}"})
    {'body': {'name': 'Coffee'}, 'note': '{braces}'}
    """
    if depth > MAX_DEPTH:
        return value
    if isinstance(value, Mapping):
        return {key: unwrap(part, depth + 1) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [unwrap(part, depth + 1) for part in value]
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return unwrap(msgspec.json.decode(value), depth + 1)
    except (msgspec.DecodeError, ValueError, RecursionError):  # a text that only begins like JSON
        return value


def _shorten(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments within the limit: texts are cut, and then the longest argument goes first."""
    kept = {key: _cut(value) for key, value in arguments.items()}
    lengths = {key: _length(value) for key, value in kept.items()}
    while sum(lengths.values()) > MAX_LENGTH:
        longest = max(lengths, key=lambda key: lengths[key])
        del kept[longest], lengths[longest]
    return kept


def _cut(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _cut(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cut(part) for part in value]
    return value[:MAX_TEXT] if isinstance(value, str) else value


def _length(value: Any) -> int:
    """Return the length of a value as JSON; one that JSON cannot represent counts as too long."""
    try:
        return len(msgspec.json.encode(value))
    except (TypeError, ValueError, RecursionError):
        return MAX_LENGTH + 1


def _find_defined_names(tool: frozenset[str], arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names and ids of what a call sets, by keys that end in `name` or the like, or that the tool names.

    >>> _find_defined_names(frozenset({"save", "filter"}), {"id": "f-17", "filter": "Bank", "to": "Archive"})
    ('f-17', 'bank')
    """
    found = (
        name
        for key, name in short_values(arguments)
        if key.rpartition("_")[2] in memory_words().naming or tool.issuperset(key.split("_"))
    )
    return tuple(dict.fromkeys(found))


def short_values(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the keys and values that may be names or ids, in lower case."""
    for key, value in leaves(arguments):
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            text = str(value).strip().lower()
            if MIN_NAME <= len(text) <= MAX_NAME and "\n" not in text:
                yield plain_key(key), text
