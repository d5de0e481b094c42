"""Rubber stamps: approvals that were given faster than a person can read the request."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.approval.request import Answer, AnswerVerdict, Approval
from interlock.approval.rows import read_approval
from interlock.model import Struct
from interlock.store.database import Database

#: The speed of a fast reader, in words per second, and the shortest plausible time for any request.
WORDS_A_SECOND = 5.0
LEAST_SECONDS = 3.0
MAX_WORDS = 400


class RubberStamp(Struct, frozen=True, kw_only=True):
    """An approval that took less time than reading the request; `took` and `reading` are in seconds."""

    approval: Approval
    answer: Answer
    took: float
    reading: float


def reading_seconds(approval: Approval) -> float:
    """Return how long it takes to read the action and the reasons of a request, in seconds.

    The words of a command are also split at its separators: `a&&b` is two words.
    """
    texts = [approval.decision.get("text", ""), *approval.decision.get("reasons", ())]
    words = sum(len(str(text).replace("/", " ").replace("&", " ").split()) for text in texts)
    return LEAST_SECONDS + min(words, MAX_WORDS) / WORDS_A_SECOND


_ANSWERED = """
    SELECT * FROM interlock_approvals
    WHERE created_at >= :since AND created_at < :before
    AND EXISTS (SELECT 1 FROM interlock_answers given WHERE given.approval_id = interlock_approvals.approval_id)
    ORDER BY created_at DESC LIMIT :most
"""


def find_rubber_stamps(
    database: Database, *, since: int = 0, before: int = 2**62, limit: int | None = None
) -> Iterator[RubberStamp]:
    """Yield the rubber stamps among the newest `limit` answered requests of a time span, the newest first."""
    with database.read() as connection:
        for row in connection.rows(_ANSWERED, since=since, before=before, most=2**62 if limit is None else limit):
            approval = read_approval(connection, row)
            reading = reading_seconds(approval)
            for answer in approval.answers:
                took = answer.challenge.seconds if answer.challenge else (answer.at - approval.created_at) / 1_000_000
                if not answer.model and answer.verdict is AnswerVerdict.APPROVE and took < reading:
                    yield RubberStamp(approval=approval, answer=answer, took=took, reading=reading)
