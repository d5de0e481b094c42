"""Write the decisions of a run to the audit chain, each in one transaction with its consequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import msgspec

from interlock.approval.request import Approval
from interlock.audit.chain import Transaction
from interlock.audit.pending_write import Concurrent
from interlock.audit.run_state import load_run_state, snapshot_entry
from interlock.audit.runs import PAUSED, check_owner, check_run, has_open_run, run_queries, start_run
from interlock.errors import InterlockError, StoreError, TamperedError
from interlock.event_loops import run_in_thread
from interlock.gate.approval_flow import ActionHeld, RunContext, Submission, seek_approval
from interlock.gate.decision_record import DecisionRecord, budget_name
from interlock.gate.refusals import explain_unused, refuse_blocked, refuse_unrecorded
from interlock.gate.run_history import RunHistory
from interlock.model import Cause, Needs
from interlock.store.clock import now

if TYPE_CHECKING:
    from interlock.audit.stops import Stop


class UnrecordedDecision(msgspec.Struct, frozen=True):
    """A decision that is not in the chain yet, with the context and the time in which it was made.

    `record_id` is the id for its record, if its caller may send it twice. With `holds`, `ActionHeld` is raised while
    the agent is paused, and nothing is recorded.
    """

    context: RunContext
    record: DecisionRecord
    at: int
    record_id: str = ""
    holds: bool = False


class AlreadyRecorded(InterlockError):  # noqa: N818 - how a second attempt ends, not a mistake
    """A decision with this id is already in the chain."""


Result = TypeVar("Result")
#: The next step in the transaction that records a decision.
Continuation = Callable[[Transaction, DecisionRecord], Submission]


class Recorder:
    """Records the decisions of one run, and keeps the run's history up to date."""

    def __init__(self, history: RunHistory, key: str | None) -> None:
        self._history, self._key = history, key
        self.has_started = False  # whether the run is in the chain

    def record(self, decision: UnrecordedDecision, then: Continuation | None = None) -> Submission:
        """Record a decision and its consequences; spool or refuse it if the store fails."""
        context = decision.context
        try:
            submission = context.journal.commit(self.operation(decision, then))
        except StoreError as error:
            return self.spool(decision, error)
        self.remember(submission)
        context.spool.merge_if_used(context.journal)
        return submission

    async def arecord(self, decision: UnrecordedDecision) -> Submission:
        """Like `record`, without blocking the event loop."""
        try:
            submission = await decision.context.journal.acommit(self.operation(decision))
        except StoreError as error:
            return await run_in_thread(self.spool, decision, error)
        self.remember(submission)
        return submission

    def remember(self, submission: Submission) -> None:
        """Add a recorded action to the history, for the next decision of this run."""
        self.has_started = True
        runs = submission.decision.allowed or bool(submission.by)
        self._history.add(submission.record, runs=runs, in_snapshot=submission.in_snapshot)

    def spool(self, decision: UnrecordedDecision, error: StoreError) -> Submission:
        """Write an allowed decision to the spool if the store failed and the configuration allows it; else refuse."""
        context, record, at = decision.context, decision.record, decision.at
        stop = context.stops.find_last_read(record)
        if stop is not None:
            raise refuse_blocked(record.block(cause_of(stop), str(stop)).decision, record.run.run_id) from error
        spools = context.config.audit.unwritable == "spool" and not isinstance(error, TamperedError)
        if not spools or not record.decision.allowed or record.decision.budgets:  # which only the store can count
            raise refuse_unrecorded(error, record.decision) from error
        payloads = context.config.audit.payloads
        entries = record.decision_entries(at, payloads=payloads, record_id=decision.record_id)
        context.spool.append([*entries, *record.outcome_entries(at, context.journal.content)])
        self._history.add(record, runs=True)
        return Submission(record, record_id=entries[0].record_id)

    def operation(self, decision: UnrecordedDecision, then: Continuation | None = None) -> Concurrent[Submission]:
        """Return the operation that records a decision and calls `then`, which seeks an approval by default."""
        context, at = decision.context, decision.at
        if context.spool.is_backing_off:
            raise StoreError("the store failed a moment ago")

        def write(transaction: Transaction) -> Submission:
            if decision.record_id and transaction.has(decision.record_id):
                raise AlreadyRecorded("this action was recorded before")
            mine = self._join_run(transaction, decision)
            stop = context.stops.find(transaction, mine)
            if stop is not None:
                mine = mine.block(cause_of(stop), str(stop))
                if stop.pauses and decision.holds:
                    raise ActionHeld(Submission(mine))
            elif mine.decision.budgets:
                from interlock.gate.budgets import apply_budgets  # few policies have limits

                mine = apply_budgets(transaction, mine)
            payloads = context.config.audit.payloads
            entries = mine.decision_entries(at, payloads=payloads, record_id=decision.record_id)
            for entry in entries:
                transaction.append(entry)
            mine = msgspec.structs.replace(mine, decision_id=entries[0].record_id)
            submission = then(transaction, mine) if then is not None else seek_approval(transaction, mine, context)
            if mine.decision.allowed or submission.by:
                self._append_outcome(transaction, mine, context, at)
            due = self._history.is_snapshot_due and mine.run.run_id not in transaction.snapshots
            if due:  # once, even if several actions of the run are in this transaction
                self._write_snapshot(transaction, mine, context, at)
            return msgspec.structs.replace(submission, record_id=entries[0].record_id, in_snapshot=due)

        return _make_concurrent(write, context, decision.record, decision.record_id, is_new=not self.has_started)

    @staticmethod
    def _append_outcome(transaction: Transaction, record: DecisionRecord, context: RunContext, at: int) -> None:
        """Append the consequences of an action that may run."""
        for entry in record.outcome_entries(at, context.journal.content):
            transaction.append(entry)
        if record.decision.budgets:
            from interlock.gate.budgets import budget_entries  # few policies have limits

            for entry in budget_entries(transaction, record, at):
                transaction.append(entry)

    def _write_snapshot(self, transaction: Transaction, record: DecisionRecord, context: RunContext, at: int) -> None:
        """Write a snapshot of the state of the run, so that loading it takes constant time."""
        content, run = context.journal.content, record.run
        through = transaction.newest_seq()
        loaded = load_run_state(transaction.connection, run.run_id, content)
        about = {"at": at, "actor": "interlock", "run_id": run.run_id, "agent_id": run.agent_id}
        transaction.append(snapshot_entry(loaded.state, through, content, **about))
        transaction.snapshots.add(run.run_id)

    def _join_run(self, transaction: Transaction, decision: UnrecordedDecision) -> DecisionRecord:
        """Return the record with its run as it is in the store, started if it is new; a paused run blocks."""
        record, run = decision.record, decision.record.run
        if decision.context.resumable and not self.has_started:
            check_owner(transaction.connection, run.run_id, run.started_by, self._key)
        if not has_open_run(transaction, run):
            run = start_run(transaction, run)
            record = msgspec.structs.replace(record, run=run)
        elif not self.has_started:
            check_run(transaction, run.run_id)
        return record.block(Cause.PAUSED_RUN, "the run is paused") if run.state == PAUSED else record

    def use_approval(
        self,
        context: RunContext,
        record: DecisionRecord,
        needs: Needs,
        *,
        changed: bool,
        decision_id: str = "",
        holds: bool = False,
    ) -> Concurrent[Approval | Stop | None]:
        """Return the operation that uses an approval up; one that no longer fits is recorded as refused.

        It returns the approval, a stop that refuses the action now, or None. `decision_id` is recorded as the decision
        that uses it, so that the caller can ask again if the answer is lost. With `holds`, it raises `ActionHeld` while
        the agent is paused.
        """
        from interlock.approval.transitions import use_approval

        at = now().wall

        def write(transaction: Transaction) -> Approval | Stop | None:
            stop = context.stops.find(transaction, record)
            if stop is not None:
                if stop.pauses and holds:
                    raise ActionHeld(Submission(record.block(Cause.PAUSED, str(stop))))
                transaction.append(record.entry("refused", at, why=str(stop)))
                return stop
            used = None if changed else use_approval(transaction, record.asker, record.digest, needs, decision_id)
            if used:
                self._append_outcome(transaction, record, context, at)
            else:
                transaction.append(record.entry("refused", at, why=explain_unused(changed=changed)))
            return used

        return _make_concurrent(write, context, record)


def _make_concurrent(
    operation: Callable[[Transaction], Result],
    context: RunContext,
    record: DecisionRecord,
    record_id: str = "",
    *,
    is_new: bool = False,
) -> Concurrent[Result]:
    """Return an operation on a decision with what it locks: its run, and what a limit or an approval needs.

    A file has one writer, and nothing else to lock. `is_new` says that this process has not written to the run yet.
    """
    run_id, decision = record.run.run_id, record.decision
    if context.journal.database.is_sqlite:
        return Concurrent(operation, run_id, record_id=record_id)
    reads = run_queries(run_id) if is_new else []
    if not (decision.budgets or decision.needs):
        return Concurrent(operation, run_id, record_id=record_id, reads=reads)
    from interlock.approval.grants import grant_query
    from interlock.approval.transitions import action_queries

    if decision.needs:
        reads += [grant_query(record.digest, record.candidate), *action_queries(record.asker, record.digest)]
    return Concurrent(
        operation,
        run_id,
        budgets=map(budget_name, decision.budgets),
        actions=(record.digest, record.candidate.frame),
        record_id=record_id,
        reads=reads,
    )


def cause_of(stop: Stop) -> Cause:
    """Return the cause of a verdict that comes from a stop or a pause."""
    return Cause.PAUSED if stop.pauses else Cause.STOPPED
