"""Widening: in a text that takes long, numbers become unknown values, so that rounds and calls are of one kind.

A body is read once for each kind of arguments, and a loop over something known is followed round by round. Numbers
would make every round and every call a kind of its own. They are followed one by one until the text has used up its
precise steps; from then on any number is taken for all of them.
"""

from __future__ import annotations

from typing import Any

from interlock.analyse.python.values import Choice, Unknown, is_list

MIN_PRECISE_STEPS = 250  # statements, calls and rounds that are read with exact numbers
CHARACTERS_PER_STEP = 12  # of a text: one more such step
_NUMBERS = frozenset({int, float})
_MAX_PARTS = 64


def precise_steps(text: str) -> int:
    """Return how many steps of reading a text are taken with exact numbers."""
    return MIN_PRECISE_STEPS + len(text) // CHARACTERS_PER_STEP


def is_numeric(value: Any) -> bool:
    """Whether a value is a number, a single letter, a choice of them, or a list of such values."""
    kind = type(value)
    if kind in _NUMBERS:
        return True
    if kind is str:
        return len(value) == 1
    if kind is Choice:
        return all(type(one) in _NUMBERS for one in value.values)
    return is_list(value) and bool(value) and all(is_numeric(one) for one in value[:_MAX_PARTS])


def widen(names: dict[str, Any]) -> None:
    """Replace the numbers among the values of names by unknown values."""
    for name, value in names.items():
        if is_numeric(value):
            names[name] = Unknown(name)
