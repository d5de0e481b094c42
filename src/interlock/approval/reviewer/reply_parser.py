"""Parse a model's reply: strict JSON of one shape. Anything else counts as no verdict."""

from __future__ import annotations

import json
from typing import Any, TypeVar

import msgspec

from interlock.approval.request import AnswerVerdict

ReplyType = TypeVar("ReplyType")
AnyAnswer = TypeVar("AnyAnswer", bound="ModelAnswer")


class NoVerdictError(Exception):
    """The model gave no verdict. The text says why; `status` is the HTTP status, or 0 if there was none."""

    def __init__(self, why: str, status: int = 0) -> None:
        self.status = status
        super().__init__(why)


class ModelAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A model's answer. It has exactly the keys of its type."""

    nonce: str
    reason: str


class ModelVerdict(ModelAnswer, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A model's answer to a request for approval."""

    verdict: AnswerVerdict


def parse_answer(text: str, nonce: str, shape: type[AnyAnswer]) -> AnyAnswer:
    """Return the answer in a model's text. The text must be the JSON object, not merely contain it."""
    found = convert(parse_strict_json(text, "the model's answer"), shape, "the model's answer")
    if found.nonce != nonce:
        raise NoVerdictError("the model's answer has the wrong nonce")
    if not found.reason.strip():
        raise NoVerdictError("the model's answer gives no reason")
    return found


def parse_strict_json(text: str, what: str) -> Any:
    """Parse JSON and reject what parsers disagree on: duplicate keys, and constants such as `NaN`."""
    try:
        return json.loads(text, object_pairs_hook=_reject_duplicate_keys, parse_constant=_reject_constant)
    except RecursionError:
        raise NoVerdictError(f"{what} is nested too deeply") from None
    except ValueError:
        raise NoVerdictError(f"{what} is not one JSON object and nothing else") from None


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("duplicate key")
    return found


def _reject_constant(name: str) -> Any:
    raise ValueError(name)


def convert(value: Any, shape: type[ReplyType], what: str) -> ReplyType:
    """Return a value converted to a type, or raise."""
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise NoVerdictError(f"{what} does not have the expected shape: {error}") from None
