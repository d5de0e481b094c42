"""Quiz questions about the arguments of a tool call, for calls without a named target."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from interlock.approval.challenge.distractors import ELSEWHERE
from interlock.approval.challenge.targets import truncate_middle
from interlock.approval.request import Approval
from interlock.payload import leaves
from interlock.sanitise import plain

MAX_KEY = 40
MAX_VALUE = 60


class QuizArgument(msgspec.Struct, frozen=True):
    """An argument whose value a person can be asked for."""

    key: str
    value: str
    wrong: tuple[str, ...]

    @property
    def question(self) -> str:
        """The question, in which the key cannot end its own quotation."""
        return f"What is `{truncate_middle(plain(self.key).replace('`', ''), MAX_KEY)}` in this call?"


def quiz_arguments(approval: Approval) -> list[QuizArgument]:
    """Return the arguments with a short value, numbers first: amounts and counts matter most."""
    found = [(key, value) for key, value in leaves(approval.action.get("inputPayload")) if key.strip()]
    numbers = [QuizArgument(key, str(value), _wrong_numbers(value)) for key, value in found if _is_number(value)]
    texts = [(key, value) for key, value in found if isinstance(value, str) and _is_short(value)]
    others = [value for _, value in texts]
    return numbers + [QuizArgument(key, value, (*_drop_values(others, value), *ELSEWHERE)) for key, value in texts]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15


def _wrong_numbers(value: float) -> tuple[str, ...]:
    """Return other numbers, as they are written.

    >>> _wrong_numbers(50), _wrong_numbers(0)
    (('500', '5.0', '51'), ('1', '10', '100'))
    """
    near = (value * 10, value / 10, value + 1) if value else (1, 10, 100)
    return tuple(str(round(wrong, 2)) for wrong in near if wrong != value)


def _is_short(value: str) -> bool:
    return bool(value.strip()) and len(value) <= MAX_VALUE and "\n" not in value and "‹" not in value


def _drop_values(values: list[str], left_out: str) -> Iterator[str]:
    return (value for value in values if value != left_out)
