"""Widening: in a text that takes long, numbers become unknown values, so that rounds and calls are of one kind.

A body is read once for each kind of arguments, and a loop over something known is followed round by round. Numbers
make every round and every call a kind of its own. So a text has a number of precise steps, by its length; when they
are used up, any number stands for all of them. Texts are never widened: what is done with them is what matters.
"""

from __future__ import annotations

from typing import Any

from interlock.analyse.python.evaluation.values import Choice, Unknown, either_of, is_list

MIN_PRECISE_STEPS = 250  # statements, calls and rounds that are read with exact numbers
CHARACTERS_PER_STEP = 10  # of a longer text: reading it once takes about half as many steps
_NUMBERS = frozenset({int, float})
_MAX_PARTS = 64


def precise_steps(text: str) -> int:
    """Return how many steps of reading a text are taken with exact numbers."""
    return max(MIN_PRECISE_STEPS, len(text) // CHARACTERS_PER_STEP)


def is_numeric(value: Any) -> bool:
    """Whether a value is a number, a choice of numbers, or a list of such values."""
    kind = type(value)
    if kind in _NUMBERS:
        return True
    if kind is Choice:
        return all(type(one) in _NUMBERS for one in value.values)
    return is_list(value) and bool(value) and all(is_numeric(one) for one in value[:_MAX_PARTS])


def is_counted(value: Any) -> bool:
    """Whether a value is one that a loop goes through by counting: numbers, or the letters of a text."""
    if type(value) is str:
        return len(value) == 1
    if is_list(value):
        return bool(value) and all(is_counted(one) for one in value[:_MAX_PARTS])
    return is_numeric(value)


def without_numbers(name: str, value: Any) -> Any:
    """Return a value with an unknown value in place of a number, also in a choice."""
    if type(value) in _NUMBERS:
        return Unknown(name)
    if type(value) is Choice and any(type(one) in _NUMBERS for one in value.values):
        return either_of([Unknown(name) if type(one) in _NUMBERS else one for one in value.values])
    return value


def widen_numbers(names: dict[str, Any]) -> None:
    """Replace the numbers among the values of names by unknown values."""
    for name, value in names.items():
        if is_numeric(value):
            names[name] = Unknown(name)
