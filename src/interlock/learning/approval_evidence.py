"""Answered requests as evidence. An answer counts if another person gave it, to a single request, after reading it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

import msgspec

from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState
from interlock.approval.rows import read_approval
from interlock.approval.rubber_stamps import reading_seconds
from interlock.store.clock import MICROSECONDS
from interlock.store.database import Database

#: How old an answer may be, and how many requests are read, the newest first.
WINDOW = 90 * 86_400 * MICROSECONDS
MAX_REQUESTS = 10_000
_AT_ONCE = 500
#: The fields that are kept of each decision.
_DECISION_FIELDS = ("text", "reasons", "factors")
_ANSWERED = """
    SELECT * FROM interlock_approvals WHERE state = :state AND created_at >= :since AND created_at < :before
    ORDER BY created_at DESC LIMIT :most
"""


class NoEvidence(Enum):
    """Why an answer is not evidence, as a phrase for people."""

    UNREAD = "given faster than it can be read"
    OWN = "given by the person who started the run"
    BY_MODEL = "by a model"


class AnsweredRequest(NamedTuple):
    """A request and the answer that ended it. `why_not` says why the answer is not evidence; None if it is."""

    approval: Approval
    answer: Answer
    why_not: NoEvidence | None


class Answers(NamedTuple):
    """The answered requests of a window. If `alone`, all answers are those of one person."""

    approved: list[AnsweredRequest]
    rejected: list[AnsweredRequest]
    alone: bool


def read_answers(database: Database, at: int) -> Answers:
    """Return the requests that were answered in the window that ends at a time, the oldest first."""
    approved = _read(database, ApprovalState.APPROVED, at)
    rejected = _read(database, ApprovalState.REJECTED, at)
    people = {answer.approver for one in (*approved, *rejected) for answer in one.answers if not answer.model}
    alone = len(people) == 1
    hurried = _find_hurried_answers([*approved, *rejected])
    return Answers(
        [_classify_answer(one, AnswerVerdict.APPROVE, hurried, alone=alone) for one in approved],
        [_classify_answer(one, AnswerVerdict.REJECT, set(), alone=True) for one in rejected if one.answers],
        alone,
    )


def _read(database: Database, state: ApprovalState, at: int) -> list[Approval]:
    found: list[Approval] = []
    before = at + 1
    while len(found) < MAX_REQUESTS:
        with database.read() as connection:  # short reads, so that nothing waits for them
            rows = connection.rows(_ANSWERED, state=state.value, since=at - WINDOW, before=before, most=_AT_ONCE)
            found += [_remove_details(read_approval(connection, row)) for row in rows]
        if len(rows) < _AT_ONCE:
            break
        before = rows[-1]["created_at"]
    return found[::-1]


def _remove_details(approval: Approval) -> Approval:
    """Return a request without the fields that suggestions do not use: thousands are in memory at a time."""
    decision = {name: approval.decision[name] for name in _DECISION_FIELDS if name in approval.decision}
    action = {name: value for name, value in approval.action.items() if name not in ("inputPayload", "metadata")}
    return msgspec.structs.replace(approval, action=action, decision=decision)


def _classify_answer(
    approval: Approval, verdict: AnswerVerdict, hurried: set[tuple[str, str]], *, alone: bool
) -> AnsweredRequest:
    people = [answer for answer in approval.answers if answer.verdict is verdict and not answer.model]
    if not people:
        return AnsweredRequest(approval, approval.answers[-1], NoEvidence.BY_MODEL)
    answer = people[-1]
    if answer.approver == approval.started_by and not alone:
        return AnsweredRequest(approval, answer, NoEvidence.OWN)
    is_hurried = (approval.approval_id, answer.approver) in hurried
    return AnsweredRequest(approval, answer, NoEvidence.UNREAD if is_hurried else None)


def _find_hurried_answers(approvals: Iterable[Approval]) -> set[tuple[str, str]]:
    """Return the answers given before the person could have read the request since their last answer."""
    by_person: dict[str, list[tuple[Answer, Approval]]] = defaultdict(list)
    for approval in approvals:
        for answer in approval.answers:
            if not answer.model:
                by_person[answer.approver].append((answer, approval))
    return {key for given in by_person.values() for key in _find_hurried_answers_of(given)}


def _find_hurried_answers_of(given: list[tuple[Answer, Approval]]) -> Iterator[tuple[str, str]]:
    last = 0
    for answer, approval in sorted(given, key=lambda one: one[0].at):
        shown = answer.challenge.seconds if answer.challenge else (answer.at - approval.created_at) / MICROSECONDS
        took = min(shown, (answer.at - approval.created_at) / MICROSECONDS, (answer.at - last) / MICROSECONDS)
        if took < reading_seconds(approval):
            yield approval.approval_id, answer.approver
        last = answer.at
