"""A session: one run, whose actions are decided, recorded, brought to an approver, and allowed or refused."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from interlock.approval.request import Approval, ApprovalState
from interlock.audit.digest import action_digest
from interlock.audit.journal import Journal
from interlock.audit.runs import OPEN, Run, Runs, check_owner
from interlock.config.schema import Config
from interlock.errors import ActionRefused, StoreError, TamperedError
from interlock.gate.approval_flow import ASKED_BY_AGENT, AgentAsks, RunContext, Submission, seek_approval
from interlock.gate.decision_record import DecisionRecord
from interlock.gate.recorder import Continuation, Recorder, UnrecordedDecision
from interlock.gate.refusals import explain_unused, refuse_blocked, refuse_unrecorded
from interlock.gate.run_history import RunHistory
from interlock.gate.stop_list import ANY_STOP
from interlock.levels import Verdict
from interlock.loops import is_in_loop, run_in_thread
from interlock.memory.state import RunState
from interlock.model import NO_DETAILS, TABLE_FIELDS, TEXT_FIELDS, Action, Decision, RunDetails, Struct
from interlock.policy.pins import NO_PINS, Pins, SettledAction, settle, stricter
from interlock.sanitise import stored_name
from interlock.store.clock import MICROSECONDS, as_datetime, now, now_in

if TYPE_CHECKING:
    from datetime import datetime

    from interlock.policy.observe import Observation

#: A longer action is not analysed on the event loop.
MAX_QUICK = 1_000
#: So long after an action was let through, its agent may ask about it once more without a new record.
RECENT_SECONDS = 120
POLL_SECONDS = 0.1


class Outcome(Struct, frozen=True, kw_only=True):
    """An action that may run. `by` is why: `decision`, `approval`, `remembered`, `bypass` or `unreviewed`.

    `kept` is false if the gate is a temporary one, whose records are gone once it is closed. `decision_id` is the
    decision's record.
    """

    decision: Decision
    run_id: str
    agent_id: str | None = None
    decision_id: str = ""
    digest: str
    by: str = "decision"
    approval: Approval | None = None
    kept: bool = True


class RemoteCaller(msgspec.Struct, frozen=True):
    """A program that sends actions to a server: its API key, and whether its actions are only observed."""

    key_id: str | None = None
    observation: Observation | None = None


class Session:
    """One run. Threads may share it, and processes may share its id.

    `context` returns what the run works with, by the newest configuration; with `follow=False`, by the last known.
    `revision` returns how often other processes have written, or None if anything has to be read again first.
    """

    poll_seconds = POLL_SECONDS  # between two looks at a request

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
    ) -> None:
        self._context, self._revision = context, revision
        self._is_new = is_new  # its id was made here, so the store knows no more of it than this process
        self.pins = pins  # what is known about the caller, whatever its actions claim
        self._caller: RemoteCaller | None = None
        self._shared: Session | None = None  # which this one is a view of
        self._beside: tuple[Decision, ...] = ()  # on other forms of the action that is decided
        self._key = key  # the agent whose key may use this run, and agents below it
        self._run = Run(
            run_id=stored_name(run_id),
            agent_id=None if agent_id is None else stored_name(agent_id),
            started_by=started_by,
            workspace=workspace,
            state=OPEN,
            started_at=now().wall,
            user=details.user,
            tenant=details.tenant,
            metadata=details.metadata,
        )
        begun = RunState(workspace=workspace, user=details.user, tenant=details.tenant, metadata=details.metadata)
        self._history = RunHistory(self.run_id, begun)
        self.recorder = Recorder(self._history, key)

    def for_caller(self, caller: RemoteCaller, pins: Pins) -> Session:
        """Return the same run as one caller has it: several keys may be used in a run, each with its own pins."""
        view = self._view()
        view.pins, view._caller = pins, caller
        return view

    def beside(self, others: Sequence[Decision]) -> Session:
        """Return the same run for one action whose other forms were decided: what is stricter in any of them counts."""
        view = self._view()
        view._beside = tuple(others)
        return view

    def _view(self) -> Session:
        import copy  # which only servers need

        view = copy.copy(self)
        view._shared = self._shared or self  # which the cache has to keep as long as this is in use
        return view

    @property
    def run(self) -> Run:
        """The run, as it began here."""
        return self._run

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self._run.run_id

    def reset_lock(self) -> None:
        """Replace a lock that the parent of a forked process may have held."""
        self._history.reset_lock()

    # deciding

    def decide(self, action: Action) -> Decision:
        """Decide and record, without opening a request."""
        return self.submit_closed(action).decision

    def submit_closed(self, action: Action, record_id: str = "") -> Submission:
        """Decide and record, without opening a request. With `record_id`, raise `AlreadyRecorded` the second time."""
        return self._decide_and_record(self._context(), action, lambda _, record: Submission(record), record_id)

    def submit(self, action: Action, agent_asks: AgentAsks | None = None, record_id: str = "") -> Submission:
        """Decide and record; open a request if an approval is needed, but do not wait for it.

        `agent_asks` says, for what an approval needs, whether the agent asks its own user for it. With `record_id`,
        raise `AlreadyRecorded` if a decision has that id.
        """
        context = self._context()
        submission = self._decide_and_record(
            context,
            action,
            lambda transaction, record: seek_approval(transaction, record, context, agent_asks),
            record_id,
        )
        approval = submission.approval
        if approval is None or not approval.needs.liftable:
            return submission
        return self._seek_lift(context, submission, approval, agent_asks)

    def _seek_lift(
        self, context: RunContext, submission: Submission, approval: Approval, agent_asks: AgentAsks | None
    ) -> Submission:
        """Ask the model whether the person's own words cover an action; if it cannot tell, ask as without it."""
        found = context.open_flow().ask_model(approval)
        if found.state is ApprovalState.APPROVED:
            self._use_approval(context, submission.record, found)
            return msgspec.structs.replace(submission, by="lifted", approval=None)
        if found.state is ApprovalState.PENDING and agent_asks is not None and agent_asks(approval.needs):
            context.open_approvals().end(approval.approval_id, ApprovalState.CANCELLED, "the agent asks its user")
            asked = submission.record.entry("asked", now().wall, name=submission.record.agent_id)
            context.journal.commit(lambda transaction: transaction.append(asked))
            return msgspec.structs.replace(submission, by=ASKED_BY_AGENT, approval=None)
        return msgspec.structs.replace(submission, approval=found)

    async def asubmit(self, action: Action, record_id: str = "") -> Submission:
        """Decide and record while other tasks go on; open a request if an approval is needed, but do not wait."""
        decision = await run_in_thread(self.decide_unrecorded, action)
        decision = msgspec.structs.replace(decision, record_id=record_id)
        return await self.recheck(action, await self.recorder.arecord(decision), decision.context.journal)

    def check(self, action: Action, stop: threading.Event | None = None) -> Outcome:
        """Return once the action may run, asking for an approval if it needs one; else raise `ActionRefused`."""
        return self.finish_check(self.submit_check(action), stop)

    def submit_check(self, action: Action) -> Submission:
        """Decide and record an action that is checked; open a request if an approval is needed."""
        return self._decide_and_record(self._context(), action)

    def finish_check(self, submission: Submission, stop: threading.Event | None = None) -> Outcome:
        """Return once a submitted action may run, asking for its approval; else raise `ActionRefused`."""
        if submission.decision.verdict is Verdict.BLOCK:
            raise refuse_blocked(submission.decision, self.run_id)
        if submission.approval is None:
            outcome = self._outcome(submission.record, submission.by or "decision")
        else:
            context = self._context(follow=False)
            outcome = self._ask(context, submission.record, submission.approval, stop or threading.Event())
        return msgspec.structs.replace(outcome, decision_id=submission.record_id)

    def cancel_request(self, submission: Submission) -> None:
        """Cancel the request of a submission whose caller has gone, if it still waits."""
        if submission.approval is not None and self.is_pending(submission):
            approvals = self._context(follow=False).open_approvals()
            approvals.end(submission.approval.approval_id, ApprovalState.CANCELLED, "the caller cancelled the request")

    def is_quick(self, action: Action) -> bool:
        """Whether an action can be decided on the event loop: nothing has to be read first, and it is short."""
        is_current = self._history.is_current(self._revision()) and not self._context(follow=False).engine.reads_time
        return is_current and _length(action) < MAX_QUICK

    def decide_unrecorded(self, action: Action, *, follow: bool = True) -> UnrecordedDecision:
        """Decide without recording. `follow` looks first whether the configuration has changed."""
        return self._decide_in(self._context(follow=follow), action)

    def strictness(self, action: Action) -> tuple[bool, Verdict, int]:
        """Return how strictly this run judges an action, to compare runs by. Nothing is recorded."""
        return self.rank(self.decide_unrecorded(action).record)

    def rank(self, record: DecisionRecord) -> tuple[bool, Verdict, int]:
        """Return how strictly an action that is not recorded was judged, to compare decisions by."""
        return self.is_stopped(record), record.decision.verdict, record.decision.assessment.score

    async def recheck(self, action: Action, submission: Submission, journal: Journal) -> Submission:
        """Return a submission, or a stricter one if other processes have written meanwhile and that changes it."""
        if not self._is_outdated(submission, journal):
            return submission
        again = await run_in_thread(self.decide_unrecorded, action)
        stricter = again.record.decision.verdict > submission.decision.verdict
        return await self.recorder.arecord(again) if stricter else submission

    def _decide_and_record(
        self, context: RunContext, action: Action, then: Continuation | None = None, record_id: str = ""
    ) -> Submission:
        """Decide and record; once more if other processes have written meanwhile and that makes it stricter."""
        decision = msgspec.structs.replace(self._decide_in(context, action), record_id=record_id)
        submission = self.recorder.record(decision, then)
        if not self._is_outdated(submission, context.journal):
            return submission
        again = self.decide_unrecorded(action)
        stricter = again.record.decision.verdict > submission.decision.verdict
        return self.recorder.record(again, then) if stricter else submission

    def _is_outdated(self, submission: Submission, journal: Journal) -> bool:
        """Whether an action was allowed by a history that other processes have added to meanwhile."""
        return submission.decision.allowed and not self._history.is_current(journal.foreign_writes)

    def _decide_in(self, context: RunContext, action: Action) -> UnrecordedDecision:
        state, time_ = self._history.load(context), _find_time(context)
        settled = self._settle(action, context.config, state)
        mine = settled.action
        with context.turns if not is_in_loop() else contextlib.nullcontext():
            views = [context.engine.decide(mine, state, time_)]
            views += [context.engine.decide(view.action, view.state, time_) for view in settled.others]
        decision = functools.reduce(stricter, views)
        at = now().wall
        if self._is_observed(context.config, mine, at):
            from interlock.policy.observe import is_always_enforced, observe  # few actions are

            enforced = [observe(view) for view in views if is_always_enforced(view)]
            decision = functools.reduce(stricter, enforced, observe(decision))
        decision = functools.reduce(stricter, self._beside, decision)
        if settled.overruled:
            decision = msgspec.structs.replace(decision, overruled=settled.overruled)
        digest = action_digest(context.journal.store_id, mine)
        key_id = self._caller.key_id if self._caller is not None else None
        return UnrecordedDecision(context, DecisionRecord(mine, decision, digest, self._run, key_id), at)

    def _is_observed(self, config: Config, action: Action, at: int) -> bool:
        """Whether the operator wants the verdict on an action recorded, and not enforced.

        The agent has to be covered as the action names it and as it is known: by its key, or as the program that
        embeds the gate has named the agent of the run.
        """
        if self._caller is not None and self._caller.observation is not None and self._caller.observation.covers(at):
            return True
        known = self._key if self._key is not None or self._caller is not None else self._run.agent_id
        return config.observe.covers((action.agent_id, known), at)

    def is_stopped(self, record: DecisionRecord) -> bool:
        """Whether an action that is not recorded is refused by a stop, by the store as it is now."""
        context = self._context(follow=False)
        return context.journal.commit(lambda transaction: context.stops.find(transaction, record)) is not None

    def fill(self, action: Action) -> Action:
        """Return an action with the fields that it leaves open, and with no claim that its run does not allow."""
        return self._settle(action, self._context(follow=False).config, self._history.known).action

    def _settle(self, action: Action, config: Config, state: RunState) -> SettledAction:
        run = self._run
        own = Pins(workspaces=(run.workspace,) if run.workspace else (), agent_id=run.agent_id)
        outer = Pins(
            environment=config.environment,
            workspaces=(config.workspace,) if config.workspace else (),
            home=config.home,
        )
        filled = {"run_id": run.run_id, "agent_id": action.agent_id or run.agent_id, "cwd": action.cwd or run.workspace}
        named = {name: stored_name(text) for name in ("user", "tenant") if (text := getattr(action, name))}
        action = msgspec.structs.replace(action, **filled, **named)
        return settle(action, self.pins.below(own).below(outer), state)

    def find_recent_pass(self, *forms: Action) -> tuple[Decision, str] | None:
        """Return the decision on an action that was let through a moment ago, and why it was; else None.

        Nothing is recorded: the agent asks a second time about the same action. One that would now be judged more
        strictly is not the same. `forms` are the ways in which the action may have been written.
        """
        from interlock.audit.clearance import find_clearance

        context = self._context()
        state = self._history.load(context)
        settled = [self._settle(one, context.config, state).action for one in forms]
        digests = [action_digest(context.journal.store_id, one) for one in settled]
        try:
            with context.journal.database.read() as connection:
                check_owner(connection, self.run_id, self._run.started_by, self._key)
                if connection.values(ANY_STOP):
                    return None  # whom it concerns is found where decisions are recorded
                since = now_in(connection).wall - RECENT_SECONDS * MICROSECONDS
                found = find_clearance(connection, self.run_id, digests, since)
        except StoreError as error:
            if isinstance(error, TamperedError):
                raise
            return None  # the caller then decides anew, which handles an unreachable store
        if found is None:
            return None
        decision = self._decide_in(context, forms[0]).record.decision
        rules = {finding.rule for finding in decision.assessment.findings}
        return None if decision.verdict > found.verdict or rules - found.rules else (decision, found.way)

    @property
    def details(self) -> RunDetails:
        """What the run is for, as it is kept."""
        state = self._history.known if self._is_new else self._history.load(self._context(follow=False))
        return RunDetails(user=state.user, tenant=state.tenant, metadata=state.metadata)

    @property
    def person_requests(self) -> tuple[str, ...]:
        """What the person behind the run asked for, as it is kept."""
        return (self._history.known if self._is_new else self._history.load(self._context())).requests

    def add_person_request(self, text: str, record_id: str = "", *, claimed: bool = False) -> str:
        """Record what the person behind the run asked for; return it as it is kept, or nothing if it is not.

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

    # approvals

    def wait_for_answer(self, submission: Submission, seconds: float) -> Approval:
        """Return the request of a submission once it has ended, or as it is after so many seconds.

        A request that was approved is used up.
        """
        context, approval = self._context(), submission.approval
        assert approval is not None  # noqa: S101 - callers wait only for a submission that has a request
        deadline = time.monotonic() + seconds
        while (found := context.open_approvals().get(approval.approval_id)).state is ApprovalState.PENDING:
            if time.monotonic() >= deadline:
                return found
            time.sleep(POLL_SECONDS)
        if found.state is ApprovalState.APPROVED:
            self._use_approval(context, submission.record, approval)
        return found

    async def use_approval(self, submission: Submission) -> Outcome | None:
        """Use up the approval of a submission, or return None if it was used or expired meanwhile."""
        context, record, approval = self._context(), submission.record, submission.approval
        assert approval is not None  # noqa: S101 - callers use only a submission that has a request
        decision_id = submission.record_id
        operation = self.recorder.use_approval(context, record, approval.needs, changed=False, decision_id=decision_id)
        used = await context.journal.acommit(operation)
        if not isinstance(used, Approval):
            return None
        self._history.add(record, runs=True)
        return self._outcome(record, "approval", used)

    def find_request(self, record: DecisionRecord, record_id: str) -> tuple[Approval, bool] | None:
        """Return the newest request for an action, and whether the decision with this id has used it up."""
        from interlock.gate.recorded import find_request

        return self._context().journal.commit(lambda transaction: find_request(transaction, record, record_id))

    def waits_unattended(self, submission: Submission) -> bool:
        """Whether the configuration lets this request wait although nobody is there to ask."""
        level = submission.decision.assessment.level
        return self._context().config.approvals.without_anyone(level) == "wait"

    def is_pending(self, submission: Submission) -> bool:
        """Whether the request of a submission waits for an answer."""
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
            return self._use_approval(context, record, approval)
        except StoreError as error:
            raise refuse_unrecorded(error, record.decision) from error

    def _use_approval(self, context: RunContext, record: DecisionRecord, approval: Approval) -> Outcome:
        """Use an approval up, or raise if it no longer fits the action, or if its agent was stopped meanwhile."""
        changed = action_digest(context.journal.store_id, record.action) != record.digest
        operation = self.recorder.use_approval(context, record, approval.needs, changed=changed)
        used = context.journal.commit(operation)
        if used is None:
            raise ActionRefused(explain_unused(changed=changed), record.decision, "ask again")
        if not isinstance(used, Approval):
            raise ActionRefused(str(used), record.decision, "do nothing more until a person lifts the stop")
        self._history.add(record, runs=True)
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

    def end(self) -> None:
        """Record that the run has ended, if it ever began. An event loop does not wait for that."""
        if not self.recorder.has_started:
            return
        with contextlib.suppress(StoreError):  # then the run stays open in the chain, which does no harm
            runs = Runs(self._context(follow=False).journal)
            if is_in_loop():
                runs.end_later(self.run_id, self._run.started_by)
            else:
                runs.end(self.run_id, self._run.started_by)


def _find_time(context: RunContext) -> datetime | None:
    """Return the time by the store's clock, if a policy depends on it; by this machine's while the store is away."""
    if not context.engine.reads_time:
        return None
    try:
        with context.journal.database.read() as connection:
            return as_datetime(now_in(connection).wall)
    except StoreError:
        return as_datetime(now().wall)


def _length(action: Action) -> int:
    """Return about how many characters of an action there are to analyse."""
    texts = sum(len(getattr(action, name) or "") for name in TEXT_FIELDS)
    values = [value for name in TABLE_FIELDS for item in getattr(action, name).items() for value in item]
    return texts + sum(len(value) if type(value) is str else len(msgspec.json.encode(value)) for value in values)
