"""Rubber stamps: approvals given faster than anybody can read what they approve."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.approval.request import Answer, Approval, Reply
from interlock.approval.rows import approval_of
from interlock.model import Struct
from interlock.store.database import Database

#: How fast a practised reader reads, in words a second, and the least time that any look takes.
WORDS_A_SECOND = 5.0
LEAST_SECONDS = 3.0
MAX_WORDS = 400


class Stamp(Struct, frozen=True, kw_only=True):
    """An approval that was quicker than reading."""

    approval: Approval
    answer: Answer
    took: float
    reading: float


def reading_seconds(approval: Approval) -> float:
    """Return how long it takes to read what is asked: the action, and the reasons.

    The words of a command are counted at its separators too: nobody reads `a&&b` as one.
    """
    told = [approval.decision.get("text", ""), *approval.decision.get("reasons", ())]
    words = sum(len(str(text).replace("/", " ").replace("&", " ").split()) for text in told)
    return LEAST_SECONDS + min(words, MAX_WORDS) / WORDS_A_SECOND


_ANSWERED = """
    SELECT * FROM interlock_approvals
    WHERE created_at >= :since AND approval_id IN (SELECT approval_id FROM interlock_answers)
    ORDER BY created_at DESC LIMIT :most
"""


def stamps(database: Database, *, since: int = 0, limit: int | None = None) -> Iterator[Stamp]:
    """Yield the approvals by people that were quicker than reading, the newest first, among so many at most."""
    with database.read() as connection:
        for row in connection.rows(_ANSWERED, since=since, most=2**62 if limit is None else limit):
            approval = approval_of(connection, row)
            reading = reading_seconds(approval)
            for answer in approval.answers:
                took = answer.challenge.seconds if answer.challenge else (answer.at - approval.created_at) / 1_000_000
                if not answer.model and answer.verdict is Reply.APPROVE and took < reading:
                    yield Stamp(approval=approval, answer=answer, took=took, reading=reading)
