"""A run at the gate: its actions are decided, recorded, asked about, and let through or refused."""

from __future__ import annotations

import contextlib
import shlex
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from interlock.approval.request import Approval, ApprovalState
from interlock.approval.transitions import use_approval
from interlock.audit.chain import Transaction
from interlock.audit.clearance import find_clearance
from interlock.audit.digest import action_digest
from interlock.audit.journal import Journal
from interlock.audit.run_state import load_run_state
from interlock.audit.runs import OPEN, PAUSED, Run, Runs, check_owner, has_open_run, start_run
from interlock.errors import ActionRefused, StoreError, TamperedError
from interlock.gate.case import Case, belonging, named
from interlock.gate.passage import Elsewhere, Parts, Step, way_through
from interlock.levels import Verdict
from interlock.loops import threaded
from interlock.model import Action, Decision, Needs, RunState, Struct
from interlock.store.clock import MICROSECONDS, now, now_in

PAUSED_RUN = "the run is paused"
#: A longer action is not read while others wait.
MAX_QUICK = 1_000
#: So long after it was let through, an agent may ask about the same action once more.
MOMENT_SECONDS = 120
POLL_SECONDS = 0.1


class Outcome(Struct, frozen=True, kw_only=True):
    """An action that may run, and by whose word: `decision`, `approval`, `remembered`, `bypass` or `unreviewed`."""

    decision: Decision
    run_id: str
    digest: str
    by: str = "decision"
    approval: Approval | None = None


class Decided(NamedTuple):
    """An action that was decided, with what, and when."""

    parts: Parts
    case: Case
    at: int


Then = Callable[[Transaction, Case], Step]


class Session:
    """One run. Threads may share it, and processes may share its id."""

    def __init__(
        self,
        parts: Callable[..., Parts],
        quiet: Callable[[], int | None],
        *,
        run_id: str,
        agent_id: str | None,
        workspace: str | None,
        started_by: str,
        key: str | None = None,
    ) -> None:
        self._parts, self._quiet = parts, quiet
        self._key = key  # whose name this run goes by, or names below it
        self._run = Run(
            run_id=named(run_id),
            agent_id=None if agent_id is None else named(agent_id),
            started_by=started_by,
            workspace=workspace,
            state=OPEN,
            started_at=now().wall,
        )
        self._state: RunState | None = None
        self._foreign = -1
        self._began = False
        self._lock = threading.Lock()

    @property
    def run(self) -> Run:
        """The run, as it began here."""
        return self._run

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self._run.run_id

    def renew(self) -> None:
        """Forget a lock that a parent process may have held."""
        self._lock = threading.Lock()

    def decide(self, action: Action) -> Decision:
        """Decide and record; ask nobody, wait for nothing."""
        parts = self._parts()
        return self._settled(parts, action, lambda _transaction, case: Step(case)).case.decision

    def submit(self, action: Action, elsewhere: Elsewhere | None = None) -> Step:
        """Decide and record; open a request where that takes one, and wait for nobody.

        `elsewhere` says of what an approval takes whether whoever acts asks for it itself.
        """
        parts = self._parts()
        return self._settled(parts, action, lambda transaction, case: way_through(transaction, case, parts, elsewhere))

    def passed(self, *forms: Action) -> tuple[Decision, str] | None:
        """Return what is decided of an action that was let through a moment ago, and how it was; else None.

        Nothing is recorded: it is the same action, and whoever runs it asks once more. One that is judged more
        strictly by now than it was then is not the same. `forms` are the ways in which it may have been said.
        """
        parts = self._parts()
        digests = [action_digest(parts.journal.store_id, belonging(one, self._run, parts.config)) for one in forms]
        try:
            with parts.journal.database.read() as connection:
                check_owner(connection, self.run_id, self._run.started_by, self._key)
                since = now_in(connection).wall - MOMENT_SECONDS * MICROSECONDS
                found = find_clearance(connection, self.run_id, digests, since)
        except StoreError as error:
            if isinstance(error, TamperedError):
                raise
            return None  # whoever decides anew knows what to do without a store
        if found is None:
            return None
        decision = self._case(parts, forms[0]).decision
        rules = {finding.rule for finding in decision.assessment.findings}
        return None if decision.verdict > found.verdict or rules - found.rules else (decision, found.way)

    def awaited(self, step: Step, seconds: float) -> Approval:
        """Return the request of a step once it has ended, or after so long as it stands then; use it up if it may."""
        parts, approval = self._parts(), step.approval
        assert approval is not None  # noqa: S101 - only a step that waits is waited for
        deadline = time.monotonic() + seconds
        while (found := parts.register.get(approval.approval_id)).state is ApprovalState.PENDING:
            if time.monotonic() >= deadline:
                return found
            time.sleep(POLL_SECONDS)
        if found.state is ApprovalState.APPROVED:
            self._used(parts, step.case, approval)
        return found

    def waits_for_others(self, step: Step) -> bool:
        """Whether a request waits, by configuration, where nobody is there to ask."""
        level = step.case.decision.assessment.level
        return self._parts().config.approvals.without_anyone(level) == "wait"

    def is_pending(self, step: Step) -> bool:
        """Whether the request of a step waits for an answer."""
        waiting = step.approval
        return waiting is not None and self._parts().register.get(waiting.approval_id).state is ApprovalState.PENDING

    def check(self, action: Action, stop: threading.Event | None = None) -> Outcome:
        """Return once the action may run, having asked where that takes it; or raise `ActionRefused`."""
        parts = self._parts()
        step = self._settled(parts, action)
        decision = step.case.decision
        if decision.because == PAUSED_RUN:
            how = f"`interlock runs resume {shlex.quote(self.run_id)}` lets it go on, once you have looked at it"
            raise ActionRefused(f"run `{self.run_id}` is paused", decision, how)
        if decision.verdict is Verdict.BLOCK:
            raise ActionRefused(*blocked(decision))
        if step.approval is None:
            return self._outcome(step.case, step.by or "decision")
        return self._asked(parts, step.case, step.approval, stop or threading.Event())

    def end(self) -> None:
        """Note that the run has ended, if it ever began."""
        if self._began:
            with contextlib.suppress(StoreError):  # then it stays open on record, which harms nobody
                Runs(self._parts().journal).end(self.run_id, self._run.started_by)

    async def pass_on(self, action: Action) -> Step:
        """Decide and record while other tasks go on; open a request where that takes one, and wait for nobody."""
        decided = await threaded(self.decided, action)
        return await self.settled(action, await self._arecorded(decided), decided.parts.journal)

    def is_quick(self, action: Action) -> bool:
        """Whether an action can be decided while others wait: nothing has to be read anew, and it is not long."""
        known = self._state is not None and self._foreign == self._quiet()
        return known and _length(action) < MAX_QUICK

    def decided(self, action: Action, *, follow: bool = True) -> Decided:
        """Decide, and do nothing else. Without `follow`, nobody looks whether anything else has changed."""
        parts = self._parts(follow=follow)
        return Decided(parts, self._case(parts, action), now().wall)

    async def settled(self, action: Action, step: Step, journal: Journal) -> Step:
        """Return a step; or another one, where others have written meanwhile and that makes it worse."""
        if self._foreign == journal.foreign_writes or not step.case.decision.allowed:
            return step
        again = await threaded(self.decided, action)
        worse = again.case.decision.verdict > step.case.decision.verdict
        return await self._arecorded(again) if worse else step

    async def use_up(self, step: Step) -> Outcome | None:
        """Use up the approval that a step was waiting for, or return None where it was used or ran out meanwhile."""
        parts, case, approval = self._parts(), step.case, step.approval
        assert approval is not None  # noqa: S101 - only a step that waits is used up
        used = await parts.journal.acommit(self._using(parts, case, approval.needs, changed=False))
        if used is None:
            return None
        self._note(case, runs=True)
        return self._outcome(case, "approval", used)

    def _settled(self, parts: Parts, action: Action, then: Then | None = None) -> Step:
        """Decide and record; once more where another process has written meanwhile, and that makes it worse."""
        step = self._recorded(Decided(parts, self._case(parts, action), now().wall), then)
        if self._foreign == parts.journal.foreign_writes or not step.case.decision.allowed:
            return step
        again = self.decided(action)
        worse = again.case.decision.verdict > step.case.decision.verdict
        return self._recorded(again, then) if worse else step

    def _case(self, parts: Parts, action: Action) -> Case:
        mine = belonging(action, self._run, parts.config)
        decision = parts.engine.decide(mine, self._known(parts))
        return Case(mine, decision, action_digest(parts.journal.store_id, mine), self._run)

    def _known(self, parts: Parts) -> RunState:
        """Return what the run has done so far; read anew where somebody else has written since."""
        with self._lock:
            if self._state is not None and self._is_known(parts):
                return self._state
            foreign = parts.journal.foreign_writes
            try:
                with parts.journal.database.read() as connection:
                    self._state, self._foreign = load_run_state(connection, self.run_id, parts.journal.content), foreign
            except StoreError as error:
                if parts.config.audit.unwritable != "spool" or isinstance(error, TamperedError):
                    raise _unrecorded(error, None) from error
                return self._state or RunState()
            return self._state

    def _is_known(self, parts: Parts) -> bool:
        """Whether nobody else can have added to the run since its state was read."""
        known = self._foreign == parts.journal.foreign_writes or parts.spool.is_backing_off
        return self._state is not None and known

    def _note(self, case: Case, *, runs: bool) -> None:
        """Note a call, and what it fetched if it may run, for the next decision of this run."""
        with self._lock:
            state = self._state or RunState()
            after = state.after(case.action, case.decision)
            self._state = after if runs else msgspec.structs.replace(state, calls=after.calls)

    def _recorded(self, decided: Decided, then: Then | None) -> Step:
        """Record a case and go on in the same transaction; a case that cannot be recorded is refused, or spooled."""
        parts = decided.parts
        try:
            step = self.noted(parts.journal.commit(self.recording(decided, then)))
        except StoreError as error:
            return self.spooled(decided, error)
        parts.spool.merge_if_used(parts.journal)
        return step

    async def _arecorded(self, decided: Decided) -> Step:
        try:
            return self.noted(await decided.parts.journal.acommit(self.recording(decided)))
        except StoreError as error:
            return await threaded(self.spooled, decided, error)

    def noted(self, step: Step) -> Step:
        """Take in that a step is on record, for the next decision of this run."""
        self._began = True
        self._note(step.case, runs=step.case.decision.allowed or bool(step.by))
        return step

    def spooled(self, decided: Decided, error: StoreError) -> Step:
        """Keep a decision on disk that the store does not take, where that is wanted; else refuse."""
        parts, case, at = decided
        spools = parts.config.audit.unwritable == "spool" and not isinstance(error, TamperedError)
        if not spools or not case.decision.allowed:
            raise _unrecorded(error, case.decision) from error
        after = case.after(at, parts.journal.content)
        parts.spool.append([*case.entries(at, payloads=parts.config.audit.payloads), *after])
        self._note(case, runs=True)
        return Step(case)

    def recording(self, decided: Decided, then: Then | None = None) -> Callable[[Transaction], Step]:
        """Return the operation that records a decision and goes on: to the way through, unless it is said otherwise."""
        parts, case, at = decided
        if parts.spool.is_backing_off:
            raise StoreError("the store failed a moment ago")

        def operation(transaction: Transaction) -> Step:
            if parts.returning and not self._began:
                check_owner(transaction.connection, case.run.run_id, case.run.started_by, self._key)
            run = case.run if has_open_run(transaction, case.run) else start_run(transaction, case.run)
            mine = case if run is case.run else case._replace(run=run)
            if run.state == PAUSED:
                mine = mine.blocked(PAUSED_RUN)
            entries = mine.entries(at, payloads=parts.config.audit.payloads)
            for entry in entries:
                transaction.append(entry)
            step = then(transaction, mine) if then is not None else way_through(transaction, mine, parts)
            if mine.decision.allowed or step.by:
                for entry in mine.after(at, parts.journal.content):
                    transaction.append(entry)
            return step._replace(record_id=entries[0].record_id)

        return operation

    def _asked(self, parts: Parts, case: Case, approval: Approval, stop: threading.Event) -> Outcome:
        try:
            asked = parts.asking.ask(approval, stop)
            if asked.approval.state is not ApprovalState.APPROVED:
                waits = (
                    "it waits for an approval" if asked.approval.state is ApprovalState.PENDING else asked.approval.why
                )
                raise ActionRefused(waits, case.decision, asked.advice, approval.approval_id)
            if stop.is_set():
                raise ActionRefused("whoever asked took it back", case.decision)
            return self._used(parts, case, approval)
        except StoreError as error:
            raise _unrecorded(error, case.decision) from error

    def _used(self, parts: Parts, case: Case, approval: Approval) -> Outcome:
        """Use an approval up; one that no longer fits is on record as not used."""
        changed = action_digest(parts.journal.store_id, case.action) != case.digest
        used = parts.journal.commit(self._using(parts, case, approval.needs, changed=changed))
        if used is None:
            raise ActionRefused(_why_not(changed), case.decision, "ask again")
        self._note(case, runs=True)
        return self._outcome(case, "approval", used)

    def _using(
        self, parts: Parts, case: Case, needs: Needs, *, changed: bool
    ) -> Callable[[Transaction], Approval | None]:
        """Return the operation that uses an approval up."""
        at = now().wall

        def operation(transaction: Transaction) -> Approval | None:
            used = None if changed else use_approval(transaction, case.asker, case.digest, needs)
            refused = [case.entry("refused", at, why=_why_not(changed))]
            for entry in case.after(at, parts.journal.content) if used else refused:
                transaction.append(entry)
            return used

        return operation

    def _outcome(self, case: Case, by: str, approval: Approval | None = None) -> Outcome:
        return Outcome(decision=case.decision, run_id=self.run_id, digest=case.digest, by=by, approval=approval)


_TEXTS = ("tool_name", "agent_id", "run_id", "environment", "cwd", "workspace", "home", "docstring")
_TABLES = ("input_payload", "hints", "annotations", "metadata")


def _length(action: Action) -> int:
    """Return about how much there is to read of an action."""
    texts = sum(len(getattr(action, name) or "") for name in _TEXTS)
    values = [value for name in _TABLES for item in getattr(action, name).items() for value in item]
    return texts + sum(len(value) if type(value) is str else len(msgspec.json.encode(value)) for value in values)


def _why_not(changed: bool) -> str:
    if changed:
        return "the action was changed while it was asked about"
    return "the approval was used or ran out meanwhile"


def _unrecorded(error: StoreError, decision: Decision | None) -> ActionRefused:
    how = 'mend the store, or set `audit.unwritable = "spool"` to go on without it'
    return ActionRefused(f"the decision could not be recorded: {error}", decision, how)


def blocked(decision: Decision) -> tuple[str, Decision, str]:
    """Return why a blocked action may not run, and what could be done about it."""
    reasons = decision.assessment.reasons
    why = f"{decision.because}: {reasons[0]}" if reasons else decision.because
    floor = next((finding.rule for finding in decision.assessment.findings if finding.floor), None)
    policies = [match.policy_id for match in decision.matched_policies if match.action is Verdict.BLOCK]
    if floor:
        how = f'nobody can approve this; only `rules_off = ["{floor}"]` in your own configuration lifts it'
    elif policies:
        how = f"ask whoever keeps policy `{policies[0]}` for an exception"
    else:
        how = f"mode `{decision.mode}` refuses this level; a policy that allows exactly this is an exception"
    return why, decision, how
