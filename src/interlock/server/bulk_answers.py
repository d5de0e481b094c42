"""Answer several requests at once: previewed first, bound to the preview, and each answered by its own rules."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.access.roles import Caller
from interlock.approval.challenge.challenge import challenge_for, judge_challenge
from interlock.approval.eligibility import find_ineligibility
from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState
from interlock.approval.request_status import QUIZZES
from interlock.approval.rows import check_pending
from interlock.approval.search_fields import group_key
from interlock.audit.record import digest_of
from interlock.errors import ApprovalError, InterlockError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.server.service import Service
from interlock.server.triage import get_exactly
from interlock.store.clock import MICROSECONDS, now

#: How many requests can be answered at once.
MAX_AT_ONCE = 100
#: How long what was shown can be answered, in seconds.
MAX_SHOWN = 3_600


class ShownRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A request that a person was shown, and the digest of its action."""

    approval_id: str
    digest: str


class LeftRequest(Struct, frozen=True):
    """A request that is not answered together with others, and why."""

    approval_id: str
    why: str


class BulkPreview(Struct, frozen=True, kw_only=True):
    """What a bulk answer is about to do. `ticket` proves to whom exactly these requests were shown, and when.

    `seconds` is how long they have to be read before they are approved.
    """

    verdict: AnswerVerdict
    requests: list[Approval]
    left: list[LeftRequest]
    seconds: float
    ticket: str

    @property
    def answerable_requests(self) -> list[ShownRequest]:
        """The requests that can be answered, as they are sent back."""
        return [ShownRequest(approval.approval_id, approval.digest) for approval in self.requests]


class BulkResult(Struct, frozen=True, kw_only=True):
    """What became of one request: its state afterwards, and the error if it was not answered."""

    approval_id: str
    state: ApprovalState
    error: str = ""


def preview_bulk_answer(service: Service, caller: Caller, verdict: AnswerVerdict, ids: Sequence[str]) -> BulkPreview:
    """Return what answering some requests is about to do, or raise if it cannot be done at once."""
    ids = list(dict.fromkeys(ids))
    _check_count(ids)
    approvals = [get_exactly(service, one) for one in ids]
    refusals = {one.approval_id: _find_reason_left(one, caller, verdict) for one in approvals}
    answerable = [one for one in approvals if not refusals[one.approval_id]]
    if verdict is AnswerVerdict.APPROVE and len({group_key(one) for one in answerable}) > 1:
        raise ApprovalError(
            "these requests differ, so read and approve them one by one; identical ones can be approved together"
        )
    at = now().wall
    shown = [ShownRequest(one.approval_id, one.digest) for one in answerable]
    return BulkPreview(
        verdict=verdict,
        requests=answerable,
        left=[LeftRequest(name, why) for name, why in refusals.items() if why],
        seconds=max((challenge_for(one).seconds for one in answerable), default=0.0),
        ticket=f"{at}.{service.authenticator.sign(_ticket_text(caller, verdict, shown, str(at)))}",
    )


def answer_many(
    service: Service, caller: Caller, verdict: AnswerVerdict, shown: Sequence[ShownRequest], ticket: str, reason: str
) -> list[BulkResult]:
    """Answer exactly the requests that a caller was shown, each by itself; return what became of each."""
    _check_count(shown)
    seconds = _seconds_since_preview(service, caller, verdict, shown, ticket)
    return [_answer_one(service, caller, verdict, one, seconds, plain(" ".join(reason.split()))) for one in shown]


def _check_count(given: Sequence[object]) -> None:
    if not given:
        raise ApprovalError("choose at least one request")
    if len(given) > MAX_AT_ONCE:
        raise ApprovalError(f"at most {MAX_AT_ONCE} requests can be answered at once, found {len(given):,}")


def _find_reason_left(approval: Approval, caller: Caller, verdict: AnswerVerdict) -> str:
    """Return why a request is left out of a bulk answer, or an empty text."""
    if approval.state is not ApprovalState.PENDING:
        return f"already {approval.state.value}"
    if any(answer.approver == caller.name for answer in approval.answers):
        return "you have answered it already"
    if verdict is AnswerVerdict.REJECT:
        return ""
    if approval.needs.challenge in QUIZZES:
        return f"needs the {QUIZZES[approval.needs.challenge]} on its own page"
    return find_ineligibility(approval, caller.name)


def _ticket_text(caller: Caller, verdict: AnswerVerdict, shown: Sequence[ShownRequest], at: str) -> str:
    content = digest_of(sorted((one.approval_id, one.digest) for one in shown))
    return f"shown many {verdict.value} {content} {caller.name} {at}"


def _seconds_since_preview(
    service: Service, caller: Caller, verdict: AnswerVerdict, shown: Sequence[ShownRequest], ticket: str
) -> float:
    """Return how long ago a caller was shown exactly these requests, or raise."""
    at, _, signature = ticket.partition(".")
    text = _ticket_text(caller, verdict, shown, at)
    if not at.isascii() or not at.isdigit() or not service.authenticator.has_signed(text, signature):
        raise ApprovalError("these are not the requests that you were shown; look at them again")
    seconds = max(0.0, (now().wall - int(at)) / MICROSECONDS)
    if seconds > MAX_SHOWN:
        raise ApprovalError("you were shown these requests more than an hour ago; look at them again")
    return seconds


def _answer_one(
    service: Service, caller: Caller, verdict: AnswerVerdict, shown: ShownRequest, seconds: float, reason: str
) -> BulkResult:
    approval = get_exactly(service, shown.approval_id)
    try:
        if approval.digest != shown.digest:
            raise ApprovalError("the request differs from what you were shown")
        check_pending(approval)
        why = _find_reason_left(approval, caller, verdict)
        if why:
            raise ApprovalError(f"not answered: {why}")
        taken = None
        if verdict is AnswerVerdict.APPROVE:
            taken = judge_challenge(challenge_for(approval), (), seconds)
        answer = Answer(approver=caller.name, verdict=verdict, reason=reason, challenge=taken)
        answered = service.gate.approvals.answer(approval.approval_id, answer)
    except InterlockError as error:
        current = service.current_approval(approval.approval_id)
        return BulkResult(approval_id=approval.approval_id, state=current.state, error=str(error))
    return BulkResult(approval_id=answered.approval_id, state=answered.state)
