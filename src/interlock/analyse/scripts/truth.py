"""Which side of `a || b`, `a && b` and `a ?? b` counts: one of them where that is certain, else either."""

from __future__ import annotations

from functools import reduce
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.values import Choice, Ref, ScriptFunction, choices, either

#: Names of what is no value.
_NOTHING = frozenset({"null", "nil", "undefined", "undef", "None", "nothing", "NULL"})
#: Languages in which everything counts as true but `nil` and `false`.
_ONLY_NOTHING_IS_FALSE = frozenset({"ruby", "lua", "elixir", "crystal", "lisp"})
#: Languages in which the text `0` and an empty list count as false.
_EMPTY_IS_FALSE = frozenset({"perl", "php"})


def is_true(language: str, value: Any) -> bool | None:
    """Return whether a value counts as true in a language; None where that is not known."""
    if isinstance(value, (bool, ScriptFunction)):
        return value is not False
    if isinstance(value, Ref):
        return False if is_nothing(value) else None
    if isinstance(value, Choice) or value is None:
        return None
    if language in _ONLY_NOTHING_IS_FALSE:
        return None if isinstance(value, str) and HOLE in value else True
    if isinstance(value, str):
        written = "".join(value.split(HOLE)[::2])
        known = None if HOLE in value and not written else bool(written)
        return known and (value != "0" or language not in _EMPTY_IS_FALSE)
    if isinstance(value, (list, dict)):
        return bool(value) or language not in _EMPTY_IS_FALSE
    return bool(value) if isinstance(value, int) else None


def is_nothing(value: Any) -> bool:
    """Whether a value is the name of what is no value: `null`, `nil`."""
    return isinstance(value, Ref) and value.owner is None and value.name in _NOTHING


def either_or(language: str, left: Any, right: Any) -> Any:
    """Return what `left || right` gives."""
    return _choose(left, right, lambda one: is_true(language, one))


def unless_nothing(left: Any, right: Any) -> Any:
    """Return what `left ?? right` gives."""
    return _choose(left, right, _is_something)


def both(language: str, left: Any, right: Any) -> Any:
    """Return what `left && right` gives; what is false runs nothing."""
    known = is_true(language, left)
    if isinstance(left, Choice):
        return reduce(either, [both(language, one, right) for one in left.values])
    if known is None:
        return either(False if language in _ONLY_NOTHING_IS_FALSE else "", right)
    return right if known else left


def _is_something(value: Any) -> bool | None:
    if isinstance(value, Ref):
        return False if is_nothing(value) else None
    return None if isinstance(value, str) and HOLE in value and not "".join(value.split(HOLE)[::2]) else True


def _choose(left: Any, right: Any, known: Any) -> Any:
    ways: list[Any] = []
    for one in choices(left):
        is_kept = known(one)
        ways += [one] if is_kept else [right] if is_kept is False else [one, right]
    return reduce(either, ways)
