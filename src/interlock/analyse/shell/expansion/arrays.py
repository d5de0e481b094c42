"""Indexed and associative arrays: reading and setting items by subscript."""

from __future__ import annotations

import re

from interlock.analyse.shell.expansion.arithmetic import evaluate
from interlock.analyse.shell.scope import ShellScope
from interlock.patterns import late

MAX_INDEX = 1_000
_ITEM = late(r"\[([^\]]*)\]=(.*)", re.DOTALL)


def get_item(scope: ShellScope, name: str, key: str) -> str | None:
    """Return one item of an array, or all items joined for `@` and `*`. A plain value is its own first item."""
    held = scope.lookup(name)
    if key in ("@", "*"):
        return " ".join(held) if isinstance(held, list) else held
    keyed = scope.keyed.get(scope.resolve_name(name))
    if keyed is not None:
        return keyed.get(key)
    if isinstance(held, list):
        at = _evaluate_index(scope, key)
        return held[at] if at is not None and -len(held) <= at < len(held) else None
    return held


def set_item(scope: ShellScope, name: str, key: str, text: str) -> None:
    """Set one item of an array. A key that is not a number makes the array associative."""
    name = scope.resolve_name(name)
    at = None if name in scope.keyed else _evaluate_index(scope, key)
    if at is None or not 0 <= at < MAX_INDEX:
        known = scope.keyed.get(name, {})
        scope.keyed[name] = {**known, key: text}
        return
    known_value = scope.variables.get(name)
    items = list(known_value) if isinstance(known_value, list) else [known_value] if known_value else []
    items += [""] * (at + 1 - len(items))
    items[at] = text
    scope.variables[name] = items


def set_all(scope: ShellScope, name: str, words: list[str]) -> None:
    """Set an array to the items of `(a b)` or `([key]=a [other]=b)`."""
    name = scope.resolve_name(name)
    if not any(_ITEM.fullmatch(word) for word in words):
        scope.keyed.pop(name, None)
        scope.set(name, words)
        return
    scope.set(name, [])
    if name in scope.keyed:
        scope.keyed[name] = {}
    for at, word in enumerate(words):
        found = _ITEM.fullmatch(word)
        set_item(scope, name, found[1] if found else str(at), found[2] if found else word)


def _evaluate_index(scope: ShellScope, key: str) -> int | None:
    """Return the index that a subscript evaluates to, or None. Subscripts of indexed arrays are arithmetic."""
    return evaluate(key, lambda name: known if isinstance(known := scope.lookup(name), str) else None)
