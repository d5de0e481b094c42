"""The status of a request for one person: whether they can answer it, its challenge, and missing approvals."""

from __future__ import annotations

from interlock.approval.eligibility import find_ineligibility
from interlock.approval.request import AnswerVerdict, Approval, ApprovalState
from interlock.model import Struct

#: Challenges that a person has to take on the page of the request.
QUIZZES = {"quiz": "quiz", "teach_back": "explanation", "multi_party": "quiz"}


class RequestStatus(Struct, frozen=True, kw_only=True):
    """Whether a person can approve a request, and its status in a few words.

    `quiz` names the challenge that has to be taken on its own page; `why_not` says why the person cannot approve it.
    """

    can_answer: bool
    text: str
    quiz: str = ""
    why_not: str = ""


def find_status(approval: Approval, name: str, *, may_answer: bool = True) -> RequestStatus:
    """Return the status of a request for a person; `may_answer` is whether their role can answer requests at all."""
    if approval.state is not ApprovalState.PENDING:
        return RequestStatus(can_answer=False, text=approval.state.value)
    quiz = QUIZZES.get(approval.needs.challenge, "")
    reason = find_ineligibility(approval, name) if may_answer else "your role cannot answer requests"
    text = " · ".join(part for part in (_count(approval), _waits_for(approval, name, reason)) if part)
    return RequestStatus(can_answer=not reason, text=text, quiz=quiz, why_not=reason)


def _count(approval: Approval) -> str:
    """Return how many approvals are missing, if more than one is needed."""
    if approval.needs.approvers <= 1:
        return ""
    given = sum(answer.verdict is AnswerVerdict.APPROVE and not answer.model for answer in approval.answers)
    return f"needs {max(0, approval.needs.approvers - given)} of {approval.needs.approvers}"


def _waits_for(approval: Approval, name: str, reason: str) -> str:
    if not reason:
        return "you can answer"
    if any(answer.approver == name for answer in approval.answers):
        return "you have answered"
    if approval.needs.who:
        return "waits for " + " and ".join(" or ".join(group) for group in approval.needs.who)
    return "waits for another person"
