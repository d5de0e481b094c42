"""The approvals of a run: a request is put to a person or a model, awaited, and used up once it is approved."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import msgspec

from interlock.approval.request import Approval, ApprovalState
from interlock.audit.digest import action_digest
from interlock.audit.pending_write import Concurrent
from interlock.errors import ActionRefused, StoreError
from interlock.gate.approval_flow import ActionHeld, Outcome, RunContext, Submission
from interlock.gate.decision_record import DecisionRecord
from interlock.gate.recorder import Recorder, cause_of
from interlock.gate.refusals import explain_unused, refuse_blocked, refuse_unrecorded
from interlock.gate.run_history import RunHistory
from interlock.levels import Verdict

POLL_SECONDS = 0.1


class RunApprovals:
    """The approvals of one run. Threads may share it.

    `context` returns the services and the newest configuration; with `follow=False`, the last known configuration.
    """

    poll_seconds = POLL_SECONDS  # between two polls of a request

    def __init__(
        self, context: Callable[..., RunContext], run_id: str, history: RunHistory, recorder: Recorder
    ) -> None:
        self._context, self.run_id = context, run_id
        self._history, self._recorder = history, recorder

    def explain_how_to_approve(self, approval: Approval, url: str | None = None) -> str:
        """Return who can approve a request, and where: at a URL, or on the command line."""
        from interlock.gate.approval_instructions import explain_how_to_approve  # most actions need no approval

        with self._context(follow=False).journal.database.read() as connection:
            return explain_how_to_approve(connection, approval, url)

    def hold_seconds(self, submission: Submission) -> float:
        """Return how long a check is held while its agent is paused: as long as a request would be waited for."""
        hours = self._context(follow=False).config.approvals.expire_hours
        return hours * 3_600.0 if self.waits_unattended(submission) else 0.0

    def finish(self, submission: Submission, stop: threading.Event | None = None) -> Outcome:
        """Return once a submitted action may run, asking for its approval; else raise `ActionRefused`."""
        if submission.decision.verdict is Verdict.BLOCK:
            raise refuse_blocked(submission.decision, self.run_id)
        if submission.approval is None:
            outcome = self._outcome(submission.record, submission.by or "decision")
        else:
            context = self._context(follow=False)
            outcome = self._ask(context, submission.record, submission.approval, stop or threading.Event())
        return msgspec.structs.replace(outcome, decision_id=submission.record_id)

    def cancel(self, submission: Submission) -> None:
        """Cancel the request of a submission whose caller is gone, if it is still pending."""
        if submission.approval is not None and self.is_pending(submission):
            approvals = self._context(follow=False).open_approvals()
            approvals.end(submission.approval.approval_id, ApprovalState.CANCELLED, "the caller cancelled the request")

    def wait_for_answer(self, submission: Submission, seconds: float, *, holds: bool = False) -> Approval:
        """Return the request of a submission once it ends, or its current state after `seconds`.

        A request that was approved is used up. With `holds`, raise `ActionHeld` if the agent is paused then.
        """
        context, approval = self._context(), submission.approval
        assert approval is not None  # noqa: S101 - callers wait only for a submission that has a request
        deadline = time.monotonic() + seconds
        while (found := context.open_approvals().get(approval.approval_id)).state is ApprovalState.PENDING:
            if time.monotonic() >= deadline:
                return found
            time.sleep(POLL_SECONDS)
        if found.state is ApprovalState.APPROVED and holds:
            self._try_use(context, submission.record, approval, holds=True)
        elif found.state is ApprovalState.APPROVED:
            self.use(context, submission.record, approval, deadline - time.monotonic())
        return found

    async def use_async(self, submission: Submission, *, holds: bool = False) -> Outcome | Submission | None:
        """Use up the approval of a submission, or return None if it was used or expired meanwhile.

        If its agent was stopped meanwhile, return the submission as it is refused; raise `ActionHeld` if it is paused
        and this `holds`.
        """
        context, record, approval = self._context(), submission.record, submission.approval
        assert approval is not None  # noqa: S101 - callers use only a submission that has a request
        operation = self._recorder.use_approval(
            context, record, approval.needs, changed=False, decision_id=submission.record_id, holds=holds
        )
        used = await context.journal.acommit(operation)
        if used is None:
            return None
        if not isinstance(used, Approval):
            stopped = record.block(cause_of(used), str(used))
            return msgspec.structs.replace(submission, record=stopped, approval=None)
        self._history.add_run(record)
        return self._outcome(record, "approval", used)

    def find_request(self, record: DecisionRecord, record_id: str) -> tuple[Approval, bool] | None:
        """Return the newest request for an action, and whether the decision with this id has used it up."""
        from interlock.gate.recorded_decisions import find_request

        operation = Concurrent(
            lambda transaction: find_request(transaction, record, record_id), self.run_id, actions=(record.digest,)
        )
        return self._context().journal.commit(operation)

    def waits_unattended(self, submission: Submission) -> bool:
        """Whether the configuration lets this request wait when no person is available."""
        level = submission.decision.assessment.level
        return self._context().config.approvals.unattended_action(level) == "wait"

    def is_pending(self, submission: Submission) -> bool:
        """Whether the request of a submission is pending."""
        waiting = submission.approval
        if waiting is None:
            return False
        return self._context().open_approvals().get(waiting.approval_id).state is ApprovalState.PENDING

    def _ask(self, context: RunContext, record: DecisionRecord, approval: Approval, stop: threading.Event) -> Outcome:
        try:
            asked = context.open_flow().ask(approval, stop)
            if asked.approval.state is not ApprovalState.APPROVED:
                waits = (
                    "it waits for an approval" if asked.approval.state is ApprovalState.PENDING else asked.approval.why
                )
                raise ActionRefused(waits, record.decision, asked.advice, approval.approval_id)
            if stop.is_set():
                raise ActionRefused("the caller cancelled the request", record.decision)
            return self.use(context, record, approval, self.hold_seconds(Submission(record)), stop)
        except StoreError as error:
            raise refuse_unrecorded(error, record.decision) from error

    def use(
        self,
        context: RunContext,
        record: DecisionRecord,
        approval: Approval,
        seconds: float = 0.0,
        stop: threading.Event | None = None,
    ) -> Outcome:
        """Use up an approval, held for so many seconds while the agent is paused; raise if it cannot be used."""
        try:
            return self._try_use(context, record, approval, holds=True)
        except ActionHeld:
            from interlock.gate.holds import hold  # few agents are paused

            def attempt(left: float | None) -> Outcome:
                return self._try_use(context, record, approval, holds=left is not None)

            return hold(attempt, seconds, stop)

    def _try_use(self, context: RunContext, record: DecisionRecord, approval: Approval, *, holds: bool) -> Outcome:
        """Use up an approval; raise if it no longer fits the action, or if the agent was stopped in the meantime."""
        changed = action_digest(context.journal.store_id, record.action) != record.digest
        operation = self._recorder.use_approval(context, record, approval.needs, changed=changed, holds=holds)
        used = context.journal.commit(operation)
        if used is None:
            raise ActionRefused(explain_unused(changed=changed), record.decision, "try again to request a new approval")
        if not isinstance(used, Approval):
            raise refuse_blocked(record.block(cause_of(used), str(used)).decision, self.run_id)
        self._history.add_run(record)
        return self._outcome(record, "approval", used)

    def _outcome(self, record: DecisionRecord, by: str, approval: Approval | None = None) -> Outcome:
        return Outcome(
            decision=record.decision,
            run_id=self.run_id,
            agent_id=record.agent_id,
            digest=record.digest,
            by=by,
            approval=approval,
            kept=self._context(follow=False).keeps,
        )
