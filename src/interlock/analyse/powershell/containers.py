"""Objects that a text fills step by step: lists, hashes, and builders of texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.analyse.powershell.operators import format_text
from interlock.analyse.powershell.values import TextBuilder, items_of, text_of
from interlock.analyse.scripts.values import MAX_ITEMS, Choice

_LISTS = frozenset(
    "collections.arraylist collections.generic.list collections.generic.stack collections.generic.queue "
    "collections.stack collections.queue collections.generic.hashset collections.objectmodel.collection "
    "collections.concurrent.concurrentbag collections.concurrent.concurrentqueue "
    "collections.specialized.stringcollection".split()
)
_HASHES = frozenset(
    "hashtable collections.hashtable collections.generic.dictionary collections.generic.sorteddictionary "
    "collections.specialized.ordereddictionary collections.sortedlist collections.concurrent.concurrentdictionary "
    "ordered psobject pscustomobject management.automation.psobject management.automation.pscustomobject "
    "dynamic.expandoobject object".split()
)
_BUILDERS = frozenset({"text.stringbuilder", "io.stringwriter"})
#: Methods that put something into what they are called on.
FILLING = frozenset(
    "add addrange append appendformat appendline enqueue insert insertrange push set_item write writeline".split()
)


def make_container(name: str, arguments: list[Any]) -> Any:
    """Return an empty object of a type, with what it begins with; None for any other type."""
    base = name.partition("[")[0].partition("`")[0]
    if base in _LISTS:
        return [] if any(isinstance(one, int) for one in arguments[:1]) else list(items_of((arguments or [None])[0]))
    if base in _HASHES:
        return dict(arguments[0]) if arguments and isinstance(arguments[0], dict) else {}
    if base in _BUILDERS:
        return TextBuilder([text_of(one) for one in arguments[:1] if isinstance(one, str)])
    return None


def fill(owner: Any, name: str, arguments: list[Any]) -> tuple[Any] | None:
    """Call a method that changes a list or a builder; return what it gives, or None if it is no such method."""
    if isinstance(owner, list) and name in _OF_LISTS and len(owner) < MAX_ITEMS:
        return (_OF_LISTS[name](owner, arguments),)
    if isinstance(owner, TextBuilder) and name in _OF_BUILDERS:
        _OF_BUILDERS[name](owner, arguments)
        return (owner,)
    return None


def _insert(owner: list[Any], at: Any, values: list[Any]) -> None:
    place = at if isinstance(at, int) else len(owner)
    owner[place:place] = values


def _add_range(owner: list[Any], given: list[Any]) -> None:
    owner.extend(items_of(given[0]) if given else [])


def _set_value(owner: list[Any], given: list[Any]) -> None:
    at = given[1] if len(given) > 1 else None
    if isinstance(at, int) and -len(owner) <= at < len(owner):
        owner[at] = given[0]
    elif given:  # any of them may be meant
        owner[:] = [Choice((one, given[0])) for one in owner]


def _remove(owner: list[Any], given: list[Any]) -> None:
    if given and given[0] in owner:
        owner.remove(given[0])


def _remove_at(owner: list[Any], given: list[Any]) -> None:
    if given and isinstance(given[0], int) and 0 <= given[0] < len(owner):
        del owner[given[0]]


def _clear(owner: list[Any], _given: list[Any]) -> None:
    owner.clear()


_OF_LISTS: dict[str, Callable[[list[Any], list[Any]], Any]] = {
    **dict.fromkeys(("add", "push", "enqueue"), lambda owner, given: owner.extend(given[:1])),
    "addrange": _add_range,
    "insert": lambda owner, given: _insert(owner, given[0] if given else 0, given[1:2]),
    "insertrange": lambda owner, given: _insert(owner, given[0] if given else 0, items_of((given + [None] * 2)[1])),
    "clear": _clear,
    "pop": lambda owner, _given: owner.pop() if owner else None,
    "dequeue": lambda owner, _given: owner.pop(0) if owner else None,
    "peek": lambda owner, _given: owner[-1] if owner else None,
    "reverse": lambda owner, _given: owner.reverse(),
    "remove": _remove,
    "removeat": _remove_at,
    **dict.fromkeys(("setvalue", "set"), _set_value),
    "toarray": lambda owner, _given: list(owner),
}


def _append(owner: TextBuilder, given: list[Any]) -> None:
    value = given[0] if given else ""
    text = "".join(text_of(one) for one in items_of(value))
    owner.parts.append(text * given[1] if len(given) == 2 and isinstance(given[1], int) and given[1] < 64 else text)


def _append_line(owner: TextBuilder, given: list[Any]) -> None:
    _append(owner, given)
    owner.parts.append("\n")


def _append_format(owner: TextBuilder, given: list[Any]) -> None:
    owner.parts.append(format_text(given[0] if given else "", given[1:]))


def _insert_text(owner: TextBuilder, given: list[Any]) -> None:
    text, at = text_of(owner), given[0] if given and isinstance(given[0], int) else 0
    owner.parts[:] = [text[:at], text_of(given[1]) if len(given) > 1 else "", text[at:]]


def _replace_text(owner: TextBuilder, given: list[Any]) -> None:
    old, new = (text_of(one) for one in [*given, "", ""][:2])
    owner.parts[:] = [text_of(owner).replace(old, new) if old else text_of(owner)]


def _clear_text(owner: TextBuilder, _given: list[Any]) -> None:
    owner.parts.clear()


_OF_BUILDERS: dict[str, Callable[[TextBuilder, list[Any]], None]] = {
    **dict.fromkeys(("append", "write"), _append),
    **dict.fromkeys(("appendline", "writeline"), _append_line),
    "appendformat": _append_format,
    "insert": _insert_text,
    "replace": _replace_text,
    "clear": _clear_text,
}
