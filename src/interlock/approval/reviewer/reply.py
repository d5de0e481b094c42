"""What an endpoint may send back: strict JSON of one form. Everything else counts as no answer."""

from __future__ import annotations

import json
from typing import Any, TypeVar

import msgspec

from interlock.approval.request import AnswerVerdict

Form = TypeVar("Form")


class UnansweredError(Exception):
    """There is no verdict, and why, in words for a person. `status` is the HTTP status where there was one."""

    def __init__(self, why: str, status: int = 0) -> None:
        self.status = status
        super().__init__(why)


class Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model's answer: these three keys and no others."""

    nonce: str
    verdict: AnswerVerdict
    reason: str


def given_in(text: str, nonce: str) -> Given:
    """Return the answer that a model's text is. A text that merely contains one is none."""
    given = formed(strict(text, "the model's answer"), Given, "the model's answer")
    if given.nonce != nonce:
        raise UnansweredError("the model's answer is not to this question: its nonce is another")
    if not given.reason.strip():
        raise UnansweredError("the model's answer gives no reason")
    return given


def strict(text: str, what: str) -> Any:
    """Return the value of a JSON text that has one reading: no key twice, no constants that JSON does not have."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError:
        raise UnansweredError(f"{what} is nested too deeply") from None
    except ValueError:
        raise UnansweredError(f"{what} is not one JSON object and nothing else") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def formed(value: Any, form: type[Form], what: str) -> Form:
    """Return a value in the form that it must have."""
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        raise UnansweredError(f"{what} has another form than it must have: {error}") from None
