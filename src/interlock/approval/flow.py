"""The approval flow: pass a request to a model, then to a person, and wait until it is answered or expires."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from interlock.approval.approver import Approver
from interlock.approval.ask_person import ask_person
from interlock.approval.repository import ApprovalRepository
from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState
from interlock.approval.reviewer.run_so_far import load_run_so_far
from interlock.approval.reviewer.second_stage import RunSoFar
from interlock.approval.transitions import NO_ANSWER_IN_TIME
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import NOT_CONFIGURED, Entry
from interlock.audit.runs import pause_run
from interlock.errors import ApprovalError, EndedError, NotYoursError, StoreError
from interlock.levels import Level
from interlock.store.clock import now

#: How long to wait between two polls of a pending request, in seconds: at first, and at most.
POLL_SECONDS = (0.05, 0.5)
#: How many rejections by a model pause a run: in a row, and in all.
MAX_REJECTIONS, MAX_REJECTIONS_IN_ALL = 3, 20


class ApprovalOutcome(NamedTuple):
    """The final state of a request, and advice if it was not approved."""

    approval: Approval
    how: str = ""

    @property
    def advice(self) -> str:
        """Advice for the caller: an approver's suggestion, or how to get an answer."""
        suggestions = [answer.instead for answer in self.approval.answers if answer.instead]
        return f"try instead: {suggestions[-1]}" if suggestions else self.how


class ApprovalFlow:
    """Passes requests to a model or to the person at this terminal, or waits for an answer given elsewhere."""

    def __init__(
        self,
        journal: Journal,
        repository: ApprovalRepository,
        *,
        review: Callable[[Approval, float | None], Answer] | None = None,
        judge: Callable[[Approval, RunSoFar, float | None], Answer] | None = None,
        approver: Approver | None = None,
        person: str = "",
    ) -> None:
        self._journal, self._repository = journal, repository
        self._review, self._judge, self._approver, self._person = review, judge, approver, person

    def ask(self, approval: Approval, stop: threading.Event) -> ApprovalOutcome:
        """Return the outcome of a request. Setting `stop` cancels it."""
        try:
            approval = self.ask_model(approval)
            if approval.state is ApprovalState.PENDING:
                return self._ask_person(approval, stop)
        except BaseException:
            with contextlib.suppress(StoreError):  # then it stays pending until it expires
                self._repository.end(approval.approval_id, ApprovalState.CANCELLED, "the caller went away")
            raise
        return ApprovalOutcome(approval)

    def ask_model(self, approval: Approval) -> Approval:
        """Have the model review a request, if it needs that and has no review yet; return the request afterwards."""
        if self._review is None or not approval.needs.model or any(answer.model for answer in approval.answers):
            return approval
        left = self._repository.get_state(approval.approval_id)[1]
        if approval.needs.liftable and self._judge is not None:
            answer = self._judge(approval, load_run_so_far(self._journal, approval), left)
        else:
            answer = self._review(approval, left)
        try:
            approval = self._repository.answer(approval.approval_id, answer)
        except ApprovalError:  # it ended meanwhile
            return self._repository.get(approval.approval_id)
        if answer.verdict is AnswerVerdict.REJECT:
            self._journal.commit(lambda transaction: _pause_if_rejected(transaction, approval.run_id))
        return approval

    def _ask_person(self, approval: Approval, stop: threading.Event) -> ApprovalOutcome:
        level = Level(approval.decision["level"])
        unattended = self._repository.rules.settings.unattended_action(level)
        barrier = self._find_barrier(approval)
        if barrier is None:
            barrier = self._ask_approver(approval, stop)
        if barrier is None:
            return ApprovalOutcome(self._wait(approval, stop))
        if unattended == "refuse":
            ended = self._repository.end(approval.approval_id, ApprovalState.CANCELLED, barrier.why)
            return ApprovalOutcome(ended, _advise_on_asking(level, at_terminal=barrier.is_absence))
        if unattended == "queue":
            how = f"`interlock approvals approve {approval.approval_id[:8]}`, then try again"
            return ApprovalOutcome(approval, how)
        return ApprovalOutcome(self._wait(approval, stop))

    def _find_barrier(self, approval: Approval) -> _Barrier | None:
        """Return why the request cannot be answered here, or None if the approver is available and may approve it."""
        if self._approver is None or not self._approver.available():
            return _Barrier("no approver is available", is_absence=True)
        objection = self._repository.explain_ineligible(approval, self._person)
        return _Barrier(objection) if objection else None

    def _ask_approver(self, approval: Approval, stop: threading.Event) -> _Barrier | None:
        """Ask the person who is available. If the answer is not accepted, the request stays open to others.

        Return a barrier if they have failed the quiz too often.
        """
        assert self._approver is not None  # noqa: S101 - for the type checker
        try:
            answer = ask_person(
                self._approver,
                self._repository,
                approval,
                self._person,
                poll=lambda: stop.is_set() or self._get_state(approval)[0] is not ApprovalState.PENDING,
                seconds_left=lambda: self._get_state(approval)[1],
            )
        except NotYoursError as error:
            return _Barrier(str(error))
        except EndedError:
            return None
        if answer is not None:
            with contextlib.suppress(ApprovalError):
                self._repository.answer(approval.approval_id, answer)
        return None

    def _get_state(self, approval: Approval) -> tuple[ApprovalState, float | None]:
        """Return the state of a request and the seconds left; while a server restarts, assume that it is pending."""
        try:
            return self._repository.get_state(approval.approval_id)
        except StoreError as error:
            if not error.again:
                raise
            return ApprovalState.PENDING, 1.0

    def _wait(self, approval: Approval, stop: threading.Event) -> Approval:
        """Return the request once it is answered, has expired or was stopped."""
        pause, longest = POLL_SECONDS
        while True:
            state, left = self._get_state(approval)
            if state is not ApprovalState.PENDING:
                return self._repository.get(approval.approval_id)
            if left is not None and left <= 0:
                return self._repository.end(approval.approval_id, ApprovalState.EXPIRED, NO_ANSWER_IN_TIME)
            if stop.wait(pause if left is None else min(pause, left)):
                why = "cancelled by the caller"
                return self._repository.end(approval.approval_id, ApprovalState.CANCELLED, why)
            pause = min(pause * 1.5, longest)


class _Barrier(NamedTuple):
    """Why a request cannot be answered here. `is_absence`: no person is available at all."""

    why: str
    is_absence: bool = False


def _advise_on_asking(level: Level, *, at_terminal: bool) -> str:
    """Return advice on how to get requests of a level answered."""
    how = f'set `approvals.unattended = "wait"` (or "queue") for level {level.value}, and answer elsewhere'
    return f"run it at a terminal, or {how} with `interlock approvals`" if at_terminal else how


_ANSWERS_OF_MODELS = """
    SELECT given.answer FROM interlock_answers given JOIN interlock_approvals asked USING (approval_id)
    WHERE asked.run_id = :run_id AND given.approver LIKE 'model:%' ORDER BY given.seq DESC LIMIT :most
"""


def _pause_if_rejected(transaction: Transaction, run_id: str) -> None:
    """Pause a run if the model has rejected its last requests: the agent is stuck, or is probing for a way around."""
    newest = transaction.connection.values(_ANSWERS_OF_MODELS, run_id=run_id, most=MAX_ANSWERS)
    verdicts = [msgspec.json.decode(text, type=Answer).verdict for text in newest]
    if verdicts[:MAX_REJECTIONS] == [AnswerVerdict.REJECT] * MAX_REJECTIONS:
        pause_run(transaction, run_id, f"a model has rejected {MAX_REJECTIONS} requests in a row")
    elif verdicts.count(AnswerVerdict.REJECT) >= MAX_REJECTIONS_IN_ALL:
        pause_run(transaction, run_id, f"a model has rejected {MAX_REJECTIONS_IN_ALL} requests")


MAX_ANSWERS = 1_000


def missing_review_entry(approval: Approval) -> Entry:
    """Return the record of a request that needs a model's review where no model is configured."""
    return Entry(
        kind="approval.reviewed",
        at=now().wall,
        actor="interlock",
        run_id=approval.run_id,
        agent_id=approval.agent_id,
        approval_id=approval.approval_id,
        digest=approval.digest,
        outcome=NOT_CONFIGURED,
    )
