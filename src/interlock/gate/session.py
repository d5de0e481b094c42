"""A session decides and records the actions of one run."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec

from interlock.approval.request import Approval, ApprovalState
from interlock.audit.digest import action_digest
from interlock.audit.journal import Journal
from interlock.audit.pending_write import Concurrent
from interlock.audit.runs import OPEN, Run, Runs, check_owner
from interlock.errors import StoreError, TamperedError
from interlock.event_loops import is_in_loop, run_in_thread
from interlock.gate.approval_flow import (
    ASKED_BY_AGENT,
    ActionHeld,
    AgentAsks,
    Outcome,
    RunContext,
    Submission,
    question_entry,
    seek_approval,
)
from interlock.gate.decision_record import DecisionRecord
from interlock.gate.recorder import Continuation, Recorder, UnrecordedDecision
from interlock.gate.run_decider import RemoteCaller, RunDecider
from interlock.gate.run_history import RunHistory, RunWrites
from interlock.gate.stop_list import ANY_STOP
from interlock.levels import Verdict
from interlock.memory.state import RunState
from interlock.model import NO_DETAILS, TABLE_FIELDS, TEXT_FIELDS, Action, Decision, RunDetails
from interlock.policy.pins import NO_PINS, Pins
from interlock.sanitise import storable_name
from interlock.store.clock import MICROSECONDS, now, now_in
from interlock.store.connection import Connection

if TYPE_CHECKING:
    from interlock.audit.stops import Stop
    from interlock.gate.run_approvals import RunApprovals

#: Longer actions are not analysed on the event loop, in characters.
MAX_QUICK = 1_000
#: For how long an agent may ask again about an allowed action without a new record.
RECENT_SECONDS = 120


class Session:
    """One run, with its `approvals`. Threads may share it, and processes may share its id.

    `context` returns the services and the newest configuration; with `follow=False`, the last known configuration.
    `revision` is None if something must be read again first.
    """

    def __init__(
        self,
        context: Callable[..., RunContext],
        revision: Callable[[], int | None],
        *,
        run_id: str,
        agent_id: str | None,
        workspace: str | None,
        started_by: str,
        key: str | None = None,
        pins: Pins = NO_PINS,
        details: RunDetails = NO_DETAILS,
        is_new: bool = False,
        writes: RunWrites,
    ) -> None:
        self._context, self._revision = context, revision
        self._shared: Session | None = None  # the session that this one is a view of
        self._key = key  # the agent whose key may use this run, and agents below it
        self._run = Run(
            run_id=storable_name(run_id),
            agent_id=None if agent_id is None else storable_name(agent_id),
            started_by=started_by,
            workspace=workspace,
            state=OPEN,
            started_at=now().wall,
            user=details.user,
            tenant=details.tenant,
            metadata=details.metadata,
        )
        begun = RunState(workspace=workspace, user=details.user, tenant=details.tenant, metadata=details.metadata)
        self._history = RunHistory(self.run_id, begun, writes, is_new=is_new)
        self._decider = RunDecider(run=self._run, history=self._history, key=key, pins=pins)
        self.recorder = Recorder(self._history, key)

    def for_caller(self, caller: RemoteCaller, pins: Pins) -> Session:
        """Return a view of the run for one caller: several keys may use a run, each with its own pins."""
        return self._view(msgspec.structs.replace(self._decider, caller=caller, pins=pins))

    def with_forms(self, others: Sequence[Decision]) -> Session:
        """Return a view of the run for one action, given the decisions on its other forms: the strictest counts."""
        return self._view(msgspec.structs.replace(self._decider, other_forms=tuple(others)))

    def _view(self, decider: RunDecider) -> Session:
        import copy  # only servers need it

        view = copy.copy(self)
        view._decider = decider
        view._shared = self._shared or self  # the cache must keep it while this view is in use
        return view

    @property
    def run(self) -> Run:
        """The run, as it began in this process."""
        return self._run

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self._run.run_id

    @functools.cached_property
    def approvals(self) -> RunApprovals:
        """The approvals of the run; imported on use, since most actions need none."""
        from interlock.gate.run_approvals import RunApprovals

        return RunApprovals(self._context, self.run_id, self._history, self.recorder)

    def reset_lock(self) -> None:
        """Replace the locks that the parent of a forked process may have held."""
        self._history.reset_lock()

    # deciding

    def decide(self, action: Action) -> Decision:
        """Decide and record, without opening a request."""
        return self.submit_without_request(action).decision

    def submit_without_request(self, action: Action, record_id: str = "") -> Submission:
        """Decide and record, without opening a request. With `record_id`, raise `AlreadyRecorded` the second time."""
        return self._decide_and_record(self._context(), action, lambda _, record: Submission(record), record_id)

    def submit(
        self, action: Action, agent_asks: AgentAsks | None = None, record_id: str = "", *, holds: bool = False
    ) -> Submission:
        """Decide and record; open a request if an approval is needed, but do not wait for it.

        `agent_asks` decides, from the needs of an approval, whether the agent asks its own user. With `record_id`,
        raise `AlreadyRecorded` if a decision with that id exists. With `holds`, raise `ActionHeld` while the agent is
        paused, and record nothing.
        """
        context = self._context()
        submission = self._decide_and_record(
            context,
            action,
            lambda transaction, record: seek_approval(
                transaction, record, context, self._limit_to_valid(context, transaction.connection, agent_asks)
            ),
            record_id,
            holds=holds,
        )
        approval = submission.approval
        if approval is None or not approval.needs.liftable:
            return submission
        return self._ask_model_to_lift(context, submission, approval, agent_asks)

    def _ask_model_to_lift(
        self, context: RunContext, submission: Submission, approval: Approval, agent_asks: AgentAsks | None
    ) -> Submission:
        """Ask the model whether the person's own words authorise an action; if it cannot tell, open a request."""
        found = context.open_flow().ask_model(approval)
        if found.state is ApprovalState.APPROVED:
            self.approvals.use(context, submission.record, found)
            return msgspec.structs.replace(submission, by="lifted", approval=None)
        asks = agent_asks is not None and agent_asks(approval.needs) and self.user_may_answer()
        if found.state is ApprovalState.PENDING and asks:
            context.open_approvals().end(approval.approval_id, ApprovalState.CANCELLED, "the agent asks its user")
            asked = question_entry(submission.record)
            context.journal.commit(Concurrent(lambda transaction: transaction.append(asked), self.run_id))
            return msgspec.structs.replace(submission, by=ASKED_BY_AGENT, approval=None)
        return msgspec.structs.replace(submission, approval=found)

    def user_may_answer(self) -> bool:
        """Whether an answer of the agent's own user, who started the run, is valid."""
        context = self._context(follow=False)
        with context.journal.database.read() as connection:
            return self._is_user_answer_valid(context, connection)

    def _limit_to_valid(self, context: RunContext, connection: Connection, asks: AgentAsks | None) -> AgentAsks | None:
        """Return `asks`, limited to approvals that the agent's own user may give."""
        return None if asks is None else lambda needs: asks(needs) and self._is_user_answer_valid(context, connection)

    def _is_user_answer_valid(self, context: RunContext, connection: Connection) -> bool:
        """Whether one person may approve alone, or an admin lets the users of this API key answer."""
        from interlock.approval.one_person import allows_one_person  # most actions need no approval

        return self._decider.pins.asks_user or allows_one_person(connection, context.approval_rules)

    async def asubmit(self, action: Action, record_id: str = "", *, holds: bool = False) -> Submission:
        """Like `submit`, without blocking the event loop."""
        decision = await run_in_thread(self.decide_unrecorded, action)
        decision = msgspec.structs.replace(decision, record_id=record_id, holds=holds)
        return await self.recheck(action, await self.recorder.arecord(decision), decision.context.journal)

    def check(self, action: Action, stop: threading.Event | None = None) -> Outcome:
        """Return once the action may run, asking for an approval if it needs one; else raise `ActionRefused`."""
        try:
            submission = self.submit_check(action, holds=True)
        except ActionHeld as held:
            from interlock.gate.holds import hold  # few agents are paused

            seconds = self.approvals.hold_seconds(held.submission)
            submission = hold(lambda left: self.submit_check(action, holds=left is not None), seconds, stop)
        return self.approvals.finish(submission, stop)

    def submit_check(self, action: Action, *, holds: bool = False) -> Submission:
        """Decide and record an action; open a request if an approval is needed."""
        return self._decide_and_record(self._context(), action, holds=holds)

    def is_quick(self, action: Action) -> bool:
        """Whether an action can be decided on the event loop: it is short, and nothing has to be read first."""
        return self.is_ready() and _count_characters(action) < MAX_QUICK

    def is_ready(self) -> bool:
        """Whether nothing has to be read before an action is decided."""
        context = self._context(follow=False)
        is_current = self._revision() is not None and self._history.is_current(context.journal)
        return is_current and not (context.engine.reads_time or context.engine.drift_fields)

    def decide_unrecorded(self, action: Action, *, follow: bool = True) -> UnrecordedDecision:
        """Decide without recording. `follow` first reloads a changed configuration."""
        return self._decider.decide(self._context(follow=follow), action)

    def strictness(self, action: Action) -> tuple[bool, Verdict, int]:
        """Return how strictly this run judges an action, to compare runs by. Nothing is recorded."""
        return self.rank(self.decide_unrecorded(action).record)

    def rank(self, record: DecisionRecord) -> tuple[bool, Verdict, int]:
        """Return how strictly an action that is not recorded was judged, to compare decisions by."""
        return self.is_stopped(record), record.decision.verdict, record.decision.assessment.score

    async def recheck(self, action: Action, submission: Submission, journal: Journal) -> Submission:
        """Return a submission, or a stricter one if others have added to the run in the meantime."""
        if not self._is_outdated(submission, journal):
            return submission
        again = await run_in_thread(self.decide_unrecorded, action)
        stricter = again.record.decision.verdict > submission.decision.verdict
        return await self.recorder.arecord(again) if stricter else submission

    def _decide_and_record(
        self,
        context: RunContext,
        action: Action,
        then: Continuation | None = None,
        record_id: str = "",
        *,
        holds: bool = False,
    ) -> Submission:
        """Decide and record; again if others have added to the run in the meantime and the verdict is stricter."""
        decision = msgspec.structs.replace(self._decider.decide(context, action), record_id=record_id, holds=holds)
        submission = self.recorder.record(decision, then)
        if not self._is_outdated(submission, context.journal):
            return submission
        again = self.decide_unrecorded(action)
        stricter = again.record.decision.verdict > submission.decision.verdict
        return self.recorder.record(again, then) if stricter else submission

    def _is_outdated(self, submission: Submission, journal: Journal) -> bool:
        """Whether an action was allowed by a history that others have extended in the meantime."""
        return submission.decision.allowed and not self._history.is_current(journal)

    def is_stopped(self, record: DecisionRecord) -> bool:
        """Whether a stop or a pause in the store refuses an action that is not recorded."""
        return self.find_stop(record) is not None

    def find_stop(self, record: DecisionRecord) -> Stop | None:
        """Return the stop or pause in the store that refuses an action that is not recorded, or None."""
        context = self._context(follow=False)
        operation = Concurrent(lambda transaction: context.stops.find(transaction, record), self.run_id)
        return context.journal.commit(operation)

    def complete_action(self, action: Action) -> Action:
        """Return an action completed with the fields of its run, and without claims that its pins overrule."""
        return self._decider.apply_pins(action, self._context(follow=False).config, self._history.last_state).action

    def find_recent_pass(self, *forms: Action) -> tuple[Decision, str] | None:
        """Return the decision on an action that was allowed a moment ago, and the reason; else None.

        Nothing is recorded, because the agent asks a second time about the same action. Return None if it would be
        judged more strictly now. `forms` are the ways in which the action may have been written.
        """
        from interlock.audit.clearance import find_clearance

        context = self._context()
        state = self._history.load(context)
        pinned = [self._decider.apply_pins(one, context.config, state).action for one in forms]
        digests = [action_digest(context.journal.store_id, one) for one in pinned]
        try:
            with context.journal.database.read() as connection:
                check_owner(connection, self.run_id, self._run.started_by, self._key)
                if connection.values(ANY_STOP):
                    return None  # recording the decision finds out which agents it covers
                since = now_in(connection).wall - RECENT_SECONDS * MICROSECONDS
                found = find_clearance(connection, self.run_id, digests, since)
        except StoreError as error:
            if isinstance(error, TamperedError):
                raise
            return None  # the caller then decides anew, which handles an unreachable store
        if found is None:
            return None
        decision = self._decider.decide(context, forms[0]).record.decision
        rules = {finding.rule for finding in decision.assessment.findings}
        return None if decision.verdict > found.verdict or rules - found.rules else (decision, found.way)

    @property
    def details(self) -> RunDetails:
        """The user, tenant and metadata of the run, as recorded."""
        state = self._history.last_state if self._history.is_own else self._history.load(self._context(follow=False))
        return RunDetails(user=state.user, tenant=state.tenant, metadata=state.metadata)

    @property
    def person_requests(self) -> tuple[str, ...]:
        """The requests of the person behind the run, as recorded."""
        return (self._history.last_state if self._history.is_own else self._history.load(self._context())).requests

    def add_person_request(self, text: str, record_id: str = "", *, claimed: bool = False) -> str:
        """Record a request of the person behind the run; return the recorded text, empty if none is recorded.

        With `record_id`, it is recorded once, however often it is added. What is `claimed` authorises nothing.
        """
        from interlock.audit.requests import record_request

        context = self._context()
        if not context.config.memory.requests:
            return ""
        kept, is_new = record_request(
            context.journal, self._run, text, key=self._key, record_id=record_id, claimed=claimed
        )
        if is_new:
            self._history.add_request(kept)
        return kept

    def end(self) -> None:
        """Record that the run has ended, if it began. An event loop does not wait for that."""
        if not self.recorder.has_started:
            return
        with contextlib.suppress(StoreError):  # the run stays open in the chain, which is harmless
            runs = Runs(self._context(follow=False).journal)
            if is_in_loop():
                runs.end_later(self.run_id, self._run.started_by)
            else:
                runs.end(self.run_id, self._run.started_by)


def _count_characters(action: Action) -> int:
    """Return the approximate number of characters to analyse in an action."""
    texts = sum(map(len, filter(None, _texts_of(action))))
    values = [value for table in _tables_of(action) if table for item in table.items() for value in item]
    return texts + sum(len(value) if type(value) is str else len(msgspec.json.encode(value)) for value in values)


_texts_of, _tables_of = attrgetter(*TEXT_FIELDS), attrgetter(*TABLE_FIELDS)
