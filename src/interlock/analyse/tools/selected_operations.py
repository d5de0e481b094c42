"""The argument that selects the operation of a tool, if the tool itself lists several.

`payroll {"step": "show"}` only reads if the server describes the tool with "Calculate, show or submit a payroll", or if
the schema lists `show` among the values of `step`. An agent cannot write either of them, so such an argument is no
word that it adds to a call, but the operation that the tool is built to read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.chosen_operations import is_named_after_thing
from interlock.analyse.tools.name_meaning import Meaning, meaning_of
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.analyse.tools.vocabulary import NOUNS, OUTCOMES, find_verb_of_state, group_of, is_verb_only, stem
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ToolNameWords
from interlock.knowledge.tool_names import split_words
from interlock.model import Action
from interlock.patterns import late
from interlock.payload import plain_key

_WORDS = read_table("tool-names", ToolNameWords)
_KEYS = VALUES["choosing"] | _WORDS.loose_selectors
MAX_DESCRIPTION = 600
MAX_VALUE = 80
_LEAST = 2  # operations of which one can be selected
_CLAUSES = late(r"[.;!?\n()]+(?:\s|$)|[()\n]|:\s")
_ITEMS = late(rf"(?i)\s*(?:,|\||/|\b(?:{'|'.join(_WORDS.list_words)})\b)\s*")
_IDENTIFIER = late(r"[^\W\d][\w.:-]{0,39}")


def find_selected_operation(action: Action, arguments: Sequence[Argument], told: str) -> Meaning | None:
    """Return the read that a call selects, or None if it selects another operation or the tool does not list any.

    `told` is the description of the tool. A tool that is named after what it does must list that among the operations,
    if it lists them in its description.
    """
    if not (told or action.input_schema):
        return None
    listed = [one for one in arguments if _may_select(one) and is_listed(one, action, told)]
    if len(listed) != 1 or any(one.key in _KEYS and one is not listed[0] and _names_deed(one) for one in arguments):
        return None
    return _look(split_words(listed[0].text))


def selects_practice(action: Action, arguments: Sequence[Argument]) -> bool:
    """Whether a call selects the system for tests where the schema of its tool lists one and that for real."""
    return any(
        _is_short(one)
        and _is_practice(one.low)
        and any(map(_is_live, _read_listed_values(one.key, action.input_schema)))
        for one in arguments
    )


def _may_select(one: Argument) -> bool:
    if not _is_short(one) or not one.words.isdisjoint(_WORDS.right_words):
        return False
    look = _look(split_words(one.text))
    return look is not None and (one.key not in VALUES["sorting"] or look.said not in NOUNS)


def _is_short(one: Argument) -> bool:
    return one.is_own and isinstance(one.value, str) and bool(_IDENTIFIER.fullmatch(one.low))


def _look(words: Sequence[str]) -> Meaning | None:
    """Return the read that words name: `show_policy`, `key-status`, `temperature_log`."""
    low = tuple(word.lower() for word in words)
    if (
        not low
        or group_of(low[0]) not in ("", "read")
        or not _WORDS.carrying_looks.isdisjoint(low)
        or any(_is_deed(word) for word in low)
    ):
        return None
    if low[-1] in OUTCOMES or low[0] in OUTCOMES:
        return Meaning("read", (), low, low[-1] if low[-1] in OUTCOMES else low[0])
    meaning = operation_meaning("_".join(low))
    return meaning if meaning.verb == "read" else None


def _is_deed(word: str) -> bool:
    return is_verb_only(word) and group_of(word) not in ("read", "draft")


def _does(value: str) -> bool:
    """Whether a value names something that is done."""
    words = tuple(find_verb_of_state(word) for word in split_words(value))
    return any(group_of(word) not in ("", "read", "draft") for word in words)


def _names_deed(one: Argument) -> bool:
    return isinstance(one.value, str) and len(one.low) <= MAX_VALUE and _does(one.low)


def is_listed(one: Argument, action: Action, told: str) -> bool:
    """Whether the tool lists the value of an argument among several things that it does."""
    values = _read_listed_values(one.key, action.input_schema)
    if one.low in values:
        others = values - {one.low}
        return any(map(_does, values)) or (
            one.key in _KEYS and any(_look(split_words(other)) is None for other in others)
        )
    if one.key not in _KEYS or not told:
        return False
    named = meaning_of(action.tool_name, "")
    own = "" if is_named_after_thing(action.tool_name) or named.said == "control" else stem(named.said)
    words = tuple(stem(word) for word in split_words(one.low))
    return any(
        (one.low in operations or words[0] in operations or words[-1] in operations) and (not own or own in operations)
        for operations in read_described_operations(told[:MAX_DESCRIPTION])
    )


def _read_listed_values(key: str, schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the values that a schema lists for an argument, if there are several."""
    properties = schema.get("properties") if schema else None
    if not isinstance(properties, Mapping):
        return frozenset()
    found = next((part for name, part in properties.items() if plain_key(name) == key), None)
    listed = found.get("enum") if isinstance(found, Mapping) else None
    values = frozenset(str(value).lower() for value in listed) if isinstance(listed, (list, tuple)) else frozenset()
    return values if len(values) >= _LEAST else frozenset()


def _is_practice(value: str) -> bool:
    words = split_words(value)
    return not VALUES["practice"].isdisjoint(words) and VALUES["live"].isdisjoint(words)


def _is_live(value: str) -> bool:
    return not VALUES["live"].isdisjoint(split_words(value))


@lru_cache(maxsize=1024)
def read_described_operations(description: str) -> tuple[frozenset[str], ...]:
    """Return what a description lists as operations, list by list.

    >>> [sorted(one) for one in read_described_operations("Create, list or delete locks. Ask the owner first.")]
    [['create', 'delete', 'list']]
    >>> read_described_operations("Deletes a user. Use list to find one.")
    ()
    """
    found: list[frozenset[str]] = []
    for clause in _CLAUSES.split(description):
        items = [_operation_in(item) for item in _ITEMS.split(clause)] if clause else []
        run: list[str] = []
        for item in (*items, ""):
            if item:
                run.append(item)
                continue
            if len(run) >= _LEAST:
                found.append(frozenset(run))
            run = []
    return tuple(found)


def _operation_in(item: str) -> str:
    """Return the verb with which a part of a list begins or ends, or the name that it consists of."""
    words = tuple(word.lower() for word in split_words(item.rpartition("=")[2]))
    if not words:
        return ""
    first, last = stem(words[0]), stem(words[-1])
    if group_of(first):
        return first
    if is_verb_only(last) or len(words) == 1:
        return last if last in OUTCOMES or group_of(last) else ""
    return ""
