"""Rubber stamps: approvals given faster than a person can read the request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from interlock.approval.request import Answer, AnswerVerdict, Approval
from interlock.errors import TamperedError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.store.database import Database

#: The speed of a fast reader, in words per second, and the shortest plausible time for any request.
WORDS_A_SECOND = 5.0
LEAST_SECONDS = 3.0
MAX_WORDS = 400


class DecisionText(msgspec.Struct, frozen=True):
    """The part of a decision that a person reads in a request."""

    level: str = ""
    text: str = ""
    reasons: list[Any] = []


class _RequestedAction(msgspec.Struct, frozen=True, rename="camel"):
    tool_name: str = ""


class _RequestContent(msgspec.Struct, frozen=True):
    action: _RequestedAction
    decision: DecisionText


class RubberStamp(Struct, frozen=True, kw_only=True):
    """An approval that took less time than reading the request; `took` and `reading` are in seconds."""

    approval_id: str
    tool_name: str
    decision: DecisionText
    answer: Answer
    took: float
    reading: float


def reading_seconds(approval: Approval) -> float:
    """Return how long it takes to read the action and the reasons of a request, in seconds.

    The words of a command are also split at its separators: `a&&b` is two words.
    """
    return _seconds_for(approval.decision.get("text", ""), approval.decision.get("reasons", ()))


def _seconds_for(text: str, reasons: Iterable[Any]) -> float:
    words = sum(len(str(one).replace("/", " ").replace("&", " ").split()) for one in (text, *reasons))
    return LEAST_SECONDS + min(words, MAX_WORDS) / WORDS_A_SECOND


#: Requests are read here in part, with their answers in one query, since a page looks at a thousand of them.
_ANSWERED = """
    SELECT found.approval_id, found.created_at, found.request, given.answer FROM (
        SELECT approval_id, created_at, request FROM interlock_approvals
        WHERE created_at >= :since AND created_at < :before
        AND EXISTS (SELECT 1 FROM interlock_answers any_one WHERE any_one.approval_id = interlock_approvals.approval_id)
        ORDER BY created_at DESC LIMIT :most
    ) found JOIN interlock_answers given ON given.approval_id = found.approval_id
    ORDER BY found.created_at DESC, found.approval_id, given.seq
"""
_ANSWER, _REQUEST = msgspec.json.Decoder(Answer), msgspec.json.Decoder(_RequestContent)


def find_rubber_stamps(
    database: Database, *, since: int = 0, before: int = 2**62, limit: int | None = None
) -> Iterator[RubberStamp]:
    """Yield the rubber stamps among the newest `limit` answered requests of a time span, the newest first."""
    with database.read() as connection:
        rows = connection.tuples(_ANSWERED, since=since, before=before, most=2**62 if limit is None else limit)
    for approval_id, created_at, request, given in rows:
        try:
            answer, asked = _ANSWER.decode(given), _REQUEST.decode(request)
        except msgspec.DecodeError:
            name = plain(str(approval_id))
            raise TamperedError(f"request `{name}` cannot be read; run `interlock audit verify`") from None
        took = answer.challenge.seconds if answer.challenge else (answer.at - created_at) / 1_000_000
        reading = _seconds_for(asked.decision.text, asked.decision.reasons)
        if not answer.model and answer.verdict is AnswerVerdict.APPROVE and took < reading:
            yield RubberStamp(
                approval_id=approval_id,
                tool_name=asked.action.tool_name,
                decision=asked.decision,
                answer=answer,
                took=took,
                reading=reading,
            )
