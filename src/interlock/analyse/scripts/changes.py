"""Values that a script changes in place: by a function, through a reference, or through another name.

A list or a hash is one object under all its names, so a change of it is seen under each. A text is not: where a text is
changed through something other than its name, every name and element that holds the same text may hold the new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any

from interlock.analyse.scripts.values import (
    MAX_CHOICES,
    MAX_ITEMS,
    Ref,
    ScriptFunction,
    as_text,
    choices,
    either,
    flat,
    is_constant,
    join_all,
    unknown,
)
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.libraries import ChangingFunctions

if TYPE_CHECKING:
    from interlock.analyse.scripts.scope import ScriptScope

_LANGUAGES = read_table("changing-functions", ChangingFunctions).languages
#: Language → name of a function → how it changes what it is given.
_KINDS: dict[str, dict[str, str]] = {
    language: {name: kind for kind in found.__struct_fields__ for name in getattr(found, kind)}
    for language, found in _LANGUAGES.items()
}
#: Language → objects whose members are its global variables.
_GLOBALS = {"javascript": frozenset({"global", "globalThis", "self", "window"}), "lua": frozenset({"_ENV", "_G"})}
#: Languages whose texts can be changed in place.
_CHANGEABLE_TEXTS = frozenset({"ruby"})
_MAX_DEPTH = 3


def gives_itself(scope: ScriptScope, name: str, owner: Any) -> bool:
    """Whether a method orders a list in place and gives that list back: `list.sort().reverse()`."""
    kind = _KINDS.get(scope.syntax.name, {}).get(name.rpartition(".")[2])
    return kind in _GIVING_BACK and isinstance(owner, list)


_GIVING_BACK = frozenset({"ordering", "reversing", "shuffling"})


def change_by_call(scope: ScriptScope, name: str, owner: Any, arguments: list[Any]) -> None:
    """Change the list, hash or text that a call changes in place, if it is such a call."""
    kinds = _KINDS.get(scope.syntax.name)
    kind = kinds.get(name.rpartition(".")[2]) if kinds else None
    if kind is None:
        return
    if kind == "naming":
        _name_value(scope, arguments)
        return
    owned = owner is not None
    if any(isinstance(value, (Ref, ScriptFunction)) for value in arguments) and kind == "ordering":
        kind = "shuffling"  # in an order that a function tells
    target, given = (owner, arguments) if owned else (arguments[0] if arguments else None, arguments[1:])
    others = [value for value in given if isinstance(value, list)] if kind == "changing" and not owned else []
    if isinstance(target, Ref) and kind == "storing" and len(given) > 1:
        set_global(scope, target, as_text(given[0]), given[1])
    given = [
        as_text(value) if isinstance(value, Ref) and kind in _ADDING else value
        for value in given
        if not isinstance(value, ScriptFunction) and (kind in _ADDING or not isinstance(value, Ref))
    ]
    for one in (*choices(target), *others):
        if isinstance(one, list):
            _change_list(scope, one, kind, given)
        elif isinstance(one, dict):
            _change_hash(scope, one, kind, given)
        elif isinstance(one, str) and scope.syntax.name in _CHANGEABLE_TEXTS:
            change_same(scope, one, _changed_text(one, kind, given))


def change_text(scope: ScriptScope, name: str, text: str, given: list[Any]) -> Any:
    """Return what a text is after one of its methods changed it, or None if the method changes nothing."""
    kind = _KINDS.get(scope.syntax.name, {}).get(name)
    return _changed_text(text, kind, given) if kind is not None else None


def _name_value(scope: ScriptScope, arguments: list[Any]) -> None:
    """Give a value to a name that a function is told, or to any name: `local_variable_set(:name, value)`."""
    name, value = arguments[-2] if len(arguments) > 1 else None, arguments[-1] if arguments else unknown()
    if isinstance(name, str) and is_constant(name):
        held = scope.names.get(name)
        scope.names[name] = value if held is None else either(held, value)
    else:
        change_any(scope, value)


# lists


def _change_list(scope: ScriptScope, items: list[Any], kind: str, given: list[Any]) -> None:
    if kind == "inserting" and scope.syntax.name == "lua" and len(given) > 1 and type(given[0]) is int:
        given = [given[0] - 1, *given[1:]]
    change = _LIST_CHANGES.get(kind)
    after = change(items, given) if change is not None else None
    if after is None:
        after = [_any_of([item, *items, *flat(given)], kind not in _ORDERING) for item in items] or [unknown("element")]
    elif scope.is_uncertain():
        after = [
            either(items[index], one) if index < len(items) else one
            for index, one in enumerate([*after, *items[len(after) :]])
        ]
    items[:] = after[:MAX_ITEMS]


_ADDING = frozenset({"appending", "inserting", "prepending"})
_ORDERING = frozenset({"ordering", "shuffling"})


def _any_of(values: list[Any], or_unknown: bool) -> Any:
    """Return one of several values, and of too many an unknown one."""
    return reduce(either, values[: MAX_CHOICES + 2] + [unknown("element")] * or_unknown)


def _sort(items: list[Any], given: list[Any]) -> list[Any] | None:
    return sorted(items) if not given and all(isinstance(one, str) and is_constant(one) for one in items) else None


def _insert(items: list[Any], given: list[Any]) -> list[Any] | None:
    if len(given) < 2:
        return [*items, *given]
    at = given[0]
    return [*items[:at], *given[1:], *items[at:]] if type(at) is int and at >= 0 else None


def _splice(items: list[Any], given: list[Any]) -> list[Any] | None:
    start, count = (*given, 0, len(items))[0], given[1] if len(given) > 1 else len(items)
    if type(start) is not int or type(count) is not int or start < 0 or count < 0:
        return None
    return [*items[:start], *flat(given[2:]), *items[start + count :]]


def _replace(items: list[Any], given: list[Any]) -> list[Any] | None:
    if not given:
        return None
    return list(given[0]) if isinstance(given[0], list) else [given[0]] * max(len(items), 1)


def _store(items: list[Any], given: list[Any]) -> list[Any] | None:
    if len(given) < 2 or type(given[0]) is not int or not 0 <= given[0] < MAX_ITEMS:
        return None
    after = [*items, *[""] * (given[0] + 1 - len(items))]
    after[given[0]] = value_of(given[1])
    return after


_LIST_CHANGES: dict[str, Callable[[list[Any], list[Any]], list[Any] | None]] = {
    "appending": lambda items, given: [*items, *flat(given)],
    "prepending": lambda items, given: [*flat(given), *items],
    "inserting": _insert,
    "splicing": _splice,
    "replacing": _replace,
    "storing": _store,
    "reversing": lambda items, _given: items[::-1],
    "ordering": _sort,
    "taking_first": lambda items, _given: items[1:],
    "taking_last": lambda items, _given: items[:-1],
}


# hashes


def _change_hash(scope: ScriptScope, pairs: dict[str, Any], kind: str, given: list[Any]) -> None:
    if kind == "storing" and len(given) > 1:
        store_in_hash(scope, pairs, as_text(given[0]), value_of(given[1]))
        return
    followed = kind in ("merging", "replacing") and all(isinstance(one, dict) for one in given)
    for one in given if followed else ():
        for key, value in one.items():
            store_in_hash(scope, pairs, key, value_of(value))
    if not followed:
        for key, value in pairs.items():
            pairs[key] = _any_of([value, *flat(given)], True)


def value_of(value: Any) -> Any:
    """Return what a property is that a descriptor describes: `{value: 1, writable: false}`."""
    return value["value"] if isinstance(value, dict) and "value" in value else value


def store_in_hash(scope: ScriptScope, pairs: dict[str, Any], key: str, value: Any, is_known: bool = True) -> None:
    """Put a value into a hash; where the key is not known, every value may be replaced by it."""
    if not is_known or not is_constant(key):
        for name, before in pairs.items():
            pairs[name] = either(before, value)
    if len(pairs) < MAX_ITEMS:
        pairs[key[:100]] = scope.merge(pairs.get(key[:100]), "=", value)


# texts


def _changed_text(text: str, kind: str, given: list[Any]) -> Any:
    if kind == "appending":
        return join_all([text, *flat(given)])
    if kind == "prepending":
        return join_all([*flat(given), text])
    if kind == "replacing" and given:
        return given[0]
    if kind == "inserting" and len(given) == 2 and type(given[0]) is int and 0 <= given[0] <= len(text):
        return join_all([text[: given[0]], given[1], text[given[0] :]])
    return _any_of([text, *given[1:]], True)


def change_same(scope: ScriptScope, before: Any, after: Any) -> None:
    """Give every name and element that holds a text what that text may have become."""
    if not isinstance(before, str) or not before or before == after:
        return
    for name, value in list(scope.names.items()):
        if value == before:
            scope.names[name] = either(value, after)
    for container in _containers(list(scope.names.values()), _MAX_DEPTH):
        for key, value in container.items() if isinstance(container, dict) else list(enumerate(container)):
            if value == before:
                container[key] = either(value, after)


def set_global(scope: ScriptScope, container: Any, name: str, value: Any) -> None:
    """Set a global variable that is written as a member: `globalThis.name = value`."""
    if isinstance(container, Ref) and container.name in _GLOBALS.get(scope.syntax.name, ()) and name.isidentifier():
        held = scope.names.get(name)
        scope.names[name] = value if held is None else scope.merge(held, "=", value)


def _containers(values: list[Any], depth: int) -> Iterator[Any]:
    for value in values[:MAX_ITEMS]:
        if isinstance(value, (list, dict)):
            yield value
            if depth:
                yield from _containers(list(value.values()) if isinstance(value, dict) else list(value), depth - 1)


def change_any(scope: ScriptScope, after: Any) -> None:
    """Say that a value was put under a name that is not known: each text of the script may be it."""
    for name, value in list(scope.names.items()):
        if isinstance(value, str) and is_constant(value):
            scope.names[name] = either(value, after)
