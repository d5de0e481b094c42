"""The service: everything that the routes work with, put together and kept going."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from interlock.access.roles import Caller
from interlock.approval.request import Approval, ApprovalState
from interlock.audit.record import new_id
from interlock.audit.runs import Run, check_owner
from interlock.audit.verify import Proof
from interlock.config.settings import ServerSettings
from interlock.errors import ForbiddenError, InterlockError, MissingError, StoreError
from interlock.gate.case import named
from interlock.gate.gate import Gate
from interlock.gate.passage import Step
from interlock.gate.session import PAUSED_RUN, Session, blocked
from interlock.gate.sessions import Sessions
from interlock.gate.together import Together
from interlock.levels import Verdict
from interlock.metrics.counting import count_new
from interlock.model import Action
from interlock.policy.tiers import plain
from interlock.server.doors import Doors
from interlock.server.feed import Feed
from interlock.server.gauges import Gauges
from interlock.server.limits import Limit
from interlock.server.once import Once
from interlock.server.patience import heard
from interlock.server.tracing import tracer
from interlock.server.webhooks.address import Reach
from interlock.server.webhooks.courier import Courier, Terms
from interlock.server.wire import Evaluation, Waits, evaluation
from interlock.store.clock import MICROSECONDS, now

MAX_SESSIONS = 4_096
MAX_WAIT = 60
#: So many requests are before the model at once.
MAX_REVIEWS = 8
SWEEP_SECONDS, COUNT_SECONDS = 1.0, 2.0
_LOG = logging.getLogger("interlock.server")


class Service:
    """A gate, the doors to it, and what goes on by itself: following, ending what has run out, counting."""

    def __init__(self, gate: Gate, settings: ServerSettings, *, url: str) -> None:
        self.gate, self.settings, self.url = gate, settings, url.rstrip("/")
        self.journal = gate.journal
        self.doors = Doors(gate.journal, secure=url.startswith("https:"))
        gate.alone = lambda: self.doors.people.count() <= 1
        gate.follow_terms()
        self.feed = Feed(gate.journal)
        self.courier = Courier(gate.journal, Terms(Reach(settings.webhooks_inside)))
        self.tracer = tracer()
        self.gauges = Gauges()
        self.calls = Limit(settings.rate, settings.rate * 2)
        self.proving: Once[Proof] = Once()
        self.tries = Limit(1 / 12, 10)  # ten at once to sign in, then five a minute
        self.links = Limit(1 / 12, 10)  # as many links that are none
        self._sessions: Sessions[tuple[str, str | None, str]] = Sessions(MAX_SESSIONS)
        self._own: OrderedDict[tuple[str, str | None], str] = OrderedDict()
        self._together = Together(gate.journal)
        self._reviewers = ThreadPoolExecutor(MAX_REVIEWS, "interlock-review")  # a slow model holds up nobody else
        self._reviewed: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    # what goes on by itself

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep everything going."""
        for work in (self.feed.run(), self._every(SWEEP_SECONDS, self._sweep), self._every(COUNT_SECONDS, self._count)):
            self.begin(work)
        self.begin(self.courier.run())
        self.begin(self._ask_models())
        try:
            yield
        finally:
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._reviewers.shutdown(wait=False, cancel_futures=True)
            if self.tracer is not None:
                await asyncio.to_thread(self.tracer.close)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something go on beside the requests."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _every(self, seconds: float, work: Callable[[], None]) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await asyncio.to_thread(work)
            except Exception as error:  # nobody would notice what has stopped
                ours = isinstance(error, InterlockError)
                _LOG.warning("%s: %s", work.__name__.strip("_"), error, exc_info=None if ours else error)

    def _sweep(self) -> None:
        self.gate.follow_terms()
        self.gate.spool.merge_if_used(self.journal)
        self.gate.approvals.expire_due()

    def _count(self) -> None:
        count_new(self.journal)

    async def _ask_models(self) -> None:
        """Ask the model about requests that an earlier server left behind."""
        for approval in await asyncio.to_thread(self.gate.approvals.list, ApprovalState.PENDING, 1_000):
            self.ask_model(approval)

    def ask_model(self, approval: Approval) -> None:
        """Let the model take its part in a request, where it has one; whoever asks again meanwhile changes nothing."""
        if approval.needs.model and approval.reviewer and approval.approval_id not in self._reviewed:
            self._reviewed.add(approval.approval_id)
            self.begin(self._ask_model(approval))

    async def _ask_model(self, approval: Approval) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._reviewers, self.gate.asking().ask_model, approval)
        except StoreError as error:
            _LOG.warning("the model could not be asked about %s: %s", approval.approval_id, error)
        finally:
            self._reviewed.discard(approval.approval_id)

    # deciding

    async def session(self, caller: Caller, action: Action) -> Session:
        """Return the run that an action belongs to: the one it names, or the caller's own. Nobody joins another's."""
        agent_id = action.agent_id
        run_id = action.run_id or self._own_run(caller, agent_id)
        name = caller.name, caller.agent, run_id
        found = self._sessions.get(name)
        if found is None:
            await asyncio.to_thread(self.check_owner, caller, run_id)
            session = self.gate.session_of(caller.name, run_id, agent_id, action.workspace, caller.agent)
            found = self._sessions.keep(name, session)  # or the one that somebody made meanwhile
        return found

    def _own_run(self, caller: Caller, agent_id: str | None) -> str:
        key = caller.name, agent_id
        if key not in self._own:
            self._own[key] = new_id()
            while len(self._own) > MAX_SESSIONS:
                self._own.popitem(last=False)
        return self._own[key]

    def check_owner(self, caller: Caller, run_id: str) -> None:
        """Raise where a run is somebody else's."""
        with self.journal.database.read() as connection:
            check_owner(connection, named(run_id), caller.name, caller.agent)

    def resume(self, caller: Caller, run_id: str) -> Run:
        """Let a paused run go on. Where there are others, nobody does so for a run that they started."""
        run = self.gate.runs.get(named(run_id))
        if run.run_id != named(run_id):
            raise MissingError(f"there is no run `{plain(run_id)[:80]}`")
        if run.started_by == caller.name and not self.gate.approvals.rules.one_person:
            raise ForbiddenError("you started this run; somebody else has to look at it, and let it go on")
        return self.gate.runs.resume(run.run_id, caller.name)

    async def evaluate(
        self, caller: Caller, action: Action, wait: float = 0, has_left: Callable[[], bool] = lambda: False
    ) -> Evaluation:
        """Decide, record, and open a request where that takes one; wait for its answer at most so long.

        For whoever has left meanwhile nothing is used up: they find the approval when they ask again.
        """
        agent_id = agent_of(caller, action.agent_id)
        if agent_id != action.agent_id:
            action = msgspec.structs.replace(action, agent_id=agent_id)
        session = await self.session(caller, action)
        began = time.perf_counter()
        step = await self._together.pass_on(session, action)
        decision = step.case.decision
        self.gauges.decided(decision.verdict, decision.assessment.level, time.perf_counter() - began)
        if step.approval is None:
            return _told(step)
        if not any(answer.model for answer in step.approval.answers):
            self.ask_model(step.approval)
        if wait <= 0:
            return self._waits(step, step.approval)
        approval = await self.wait(step.approval.approval_id, wait)
        if approval.state is ApprovalState.APPROVED and not has_left():
            outcome = await session.use_up(step)
            if outcome is not None:
                return evaluation(
                    step, allowed=True, by="approval", advice="", waits=self.reference(outcome.approval or approval)
                )
        return self._waits(step, approval)

    async def wait(self, approval_id: str, seconds: float) -> Approval:
        """Return a request once it has ended, or after so long as it stands then."""
        deadline = time.monotonic() + min(seconds, MAX_WAIT)
        with self.feed.about(approval_id) as event:  # before the request is read, so that no answer falls between
            while True:
                event.clear()
                approval = await asyncio.to_thread(self.current, approval_id)
                left = deadline - time.monotonic()
                if approval.state is not ApprovalState.PENDING or left <= 0:
                    return approval
                if approval.expires_at is not None:
                    left = min(left, max(0.05, (approval.expires_at - now().wall) / MICROSECONDS))
                await heard(event, left)

    def current(self, approval_id: str) -> Approval:
        """Return a request as it stands; one whose time is up has expired."""
        register = self.gate.approvals
        approval = register.get(approval_id)
        if approval.state is ApprovalState.PENDING and register.get_state(approval.approval_id)[1] == 0.0:
            return register.end(approval.approval_id, ApprovalState.EXPIRED, "no answer in time")
        return approval

    def reference(self, approval: Approval) -> Waits:
        """Return where a request stands, and where somebody answers it."""
        return Waits(
            approval_id=approval.approval_id,
            state=approval.state,
            url=self.url_of(approval),
            expires_at=approval.expires_at,
        )

    def url_of(self, approval: Approval) -> str:
        """Return where somebody answers a request."""
        return f"{self.url}/approvals/{approval.approval_id}"

    def _waits(self, step: Step, approval: Approval) -> Evaluation:
        advice = {
            ApprovalState.PENDING: f"somebody has to approve this at {self.url_of(approval)}; ask again then",
            ApprovalState.APPROVED: "it was approved, and that was used already; ask again",
        }.get(approval.state, approval.why)
        wished = [answer.instead for answer in approval.answers if answer.instead]
        if wished and approval.state is ApprovalState.REJECTED:
            advice = f"{approval.why}; try instead: {wished[-1]}"
        return evaluation(step, allowed=False, by="approval", advice=advice, waits=self.reference(approval))


def _told(step: Step) -> Evaluation:
    decision = step.case.decision
    allowed = decision.allowed or bool(step.by)
    advice = ""
    if decision.because == PAUSED_RUN:
        advice = "somebody has to resume the run, once they have looked at it"
    elif decision.verdict is Verdict.BLOCK:
        advice = blocked(decision)[2]
    return evaluation(step, allowed=allowed, by=step.by or "decision", advice=advice, waits=None)


def agent_of(caller: Caller, given: str | None) -> str | None:
    """Return under whose name an action stands: an agent's key lends its own, and names below it."""
    if caller.agent is None:
        return given
    if given is None or given == caller.agent or given.startswith(f"{caller.agent}/"):
        return given or caller.agent
    raise ForbiddenError(
        f"this key is `{plain(caller.agent)}`'s; `agentId` is that, or begins with `{plain(caller.agent)}/`"
    )
