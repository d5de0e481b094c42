"""The service: a gate with everything that the routes need around it, and its background work."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec

from interlock.access.machines import Machines
from interlock.access.roles import Caller
from interlock.access.servers import Servers, configuration_digest, describe_problems
from interlock.approval.groups import VerifiedGroups
from interlock.approval.request import Approval, ApprovalState
from interlock.approval.search_backfill import SearchBackfill, fill_search_fields
from interlock.audit.record import canonical
from interlock.audit.runs import Run, check_owner
from interlock.audit.stops import Stops
from interlock.audit.verify import Proof
from interlock.baseline.count import count_executed_actions
from interlock.central.issue import BundleIssuer, IssuedBundle
from interlock.config.settings import ServerSettings
from interlock.errors import ForbiddenError, MissingError, StoreError
from interlock.gate.approval_flow import ActionHeld, Outcome, Submission
from interlock.gate.batching import DecisionBatcher
from interlock.gate.gate import Gate
from interlock.gate.holds import hold_async
from interlock.gate.refusals import explain_block
from interlock.gate.run_decider import RemoteCaller
from interlock.gate.session import Session
from interlock.learning.drift import note_drift
from interlock.learning.usage import count_new_usage
from interlock.levels import Verdict
from interlock.metrics.action_index import index_new_actions
from interlock.metrics.counters import count_new_records
from interlock.model import Action, Cause, RunDetails
from interlock.policy.pins import Pins, apply_pins
from interlock.sanitise import plain, storable_name
from interlock.server.authentication import Authenticator
from interlock.server.background import BackgroundTasks
from interlock.server.feed import Feed
from interlock.server.model_reviews import ModelReviews
from interlock.server.notify.bulletins import queue_drift_notes
from interlock.server.notify.notifier import Notifier
from interlock.server.notify.weekly_reports import plan_weekly_reports
from interlock.server.notify.worker import NotificationOptions
from interlock.server.oidc.providers import OidcProviders
from interlock.server.prometheus import PrometheusMetrics
from interlock.server.rate_limits import RateLimiter
from interlock.server.schemas import ApprovalReference, Evaluation, evaluation
from interlock.server.single_flight import SingleFlight
from interlock.server.suggestion_finder import SuggestionFinder
from interlock.server.timeouts import wait_for_event
from interlock.server.tracing import make_tracer
from interlock.server.webhooks.address_policy import AddressPolicy
from interlock.server.webhooks.delivery_worker import DeliveryOptions, DeliveryWorker
from interlock.store.clock import MICROSECONDS, now

MAX_SESSIONS = 4_096
MAX_WAIT = 60
SWEEP_SECONDS, COUNT_SECONDS, REPORT_SECONDS, RETAIN_SECONDS, USE_SECONDS = 1.0, 2.0, 5.0, 30.0, 15.0
FILL_SECONDS, WEEKLY_SECONDS = 1.0, 60.0
#: How often new suggestions are looked for.
SUGGEST_SECONDS = 300.0
#: How many records are indexed at once; after an upgrade, all of them are new.
MAX_INDEXED = 20_000
_LOG = logging.getLogger("interlock.server")


class Service:
    """A gate, authentication, and background work: the feed, expiry, counters, webhooks and model reviews."""

    def __init__(self, gate: Gate, settings: ServerSettings, *, url: str) -> None:
        self.gate, self.settings, self.url = gate, settings, url.rstrip("/")
        self.journal = gate.journal
        self.authenticator = Authenticator(gate.journal, secure=url.startswith("https:"))
        gate.configuration.keep_analyses()
        gate.configuration.counts_people = True
        gate.configuration.apply_approval_rules()
        self.providers = OidcProviders(lambda: gate.config, self.url)
        self.feed = Feed(gate.journal)
        policy = AddressPolicy(settings.webhooks_inside)
        self.webhook_worker = DeliveryWorker(gate.journal, DeliveryOptions(policy))
        told = NotificationOptions(self.url, lambda: gate.configuration.config.environment)
        self.notifier = Notifier(gate.journal, lambda: gate.configuration.config.channels, policy, told)
        self.tracer = make_tracer()
        self.prometheus = PrometheusMetrics()
        self.verification: SingleFlight[Proof] = SingleFlight()
        self.verified: tuple[int, Proof] | None = None  # when, and the result
        self.request_limiter = RateLimiter(settings.rate, settings.rate * 2)
        self.sign_in_limiter = RateLimiter(1 / 12, 10)  # ten attempts at once, then five a minute
        self.link_limiter = RateLimiter(1 / 12, 10)  # the same for invalid sign-in links
        gate.sessions.limit = MAX_SESSIONS
        self.servers = Servers(gate.journal.database, self.url)
        self.machines = Machines(gate.journal.database)
        self._issuer, self._groups = BundleIssuer(gate.journal), VerifiedGroups(gate.journal)
        self.suggestions = SuggestionFinder(gate)
        self.problems: list[str] = []  # of the configurations of the servers that share the store
        self._batcher = DecisionBatcher(gate.journal)
        self.tasks = BackgroundTasks()
        self._reviews = ModelReviews(gate, self.tasks)

    # background work

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Run the background work for as long as the server runs."""
        await asyncio.to_thread(fill_search_fields, self.journal)
        self.tasks.start(self.feed.run())
        self.tasks.repeat(SWEEP_SECONDS, "expiring requests", self._sweep)
        self.tasks.repeat(COUNT_SECONDS, "counting records", self._count)
        self.tasks.repeat(FILL_SECONDS, "indexing older requests", SearchBackfill(self.journal).run_round)
        self.tasks.repeat(RETAIN_SECONDS, "applying retention", self.retain)
        self.tasks.repeat(USE_SECONDS, "recording key use", self.authenticator.key_uses.store)
        self.tasks.repeat(SUGGEST_SECONDS, "finding suggestions", self._suggest)
        await asyncio.to_thread(self.report)
        self.tasks.repeat(REPORT_SECONDS, "comparing servers", self.report)
        self.tasks.repeat(WEEKLY_SECONDS, "planning weekly reports", self._plan_reports)
        self.tasks.start(self.webhook_worker.run())
        self.tasks.start(self.notifier.worker.run())
        self.tasks.start(self._reviews.resume())
        try:
            yield
        finally:
            await self.tasks.stop()
            with contextlib.suppress(StoreError):  # the last uses of keys are lost then
                await asyncio.to_thread(self.authenticator.key_uses.store)
            with contextlib.suppress(StoreError):  # then it counts as gone after a while
                await asyncio.to_thread(self.servers.leave)
            self._reviews.close()
            if self.tracer is not None:
                await asyncio.to_thread(self.tracer.close)

    def _sweep(self) -> None:
        self.gate.spool.merge_if_used(self.journal)
        self.gate.approvals.expire_due()
        Stops(self.journal).end_due()
        self.gate.approvals.warn_expiring()

    def report(self) -> None:
        """Compare the configuration of this server with those of the others; log what is new."""
        configuration = self.gate.configuration
        configuration.expire()
        configuration.refresh()
        error = configuration.error
        digest = configuration_digest(configuration.config)
        found = self.servers.report(digest, None if error is None else "does not load")
        problems = describe_problems(found)
        if error is not None and problems != self.problems:
            _LOG.error("the configuration does not load, and the last good one stays in force: %s", error)
        for problem in problems:
            if problem not in self.problems:
                _LOG.error("%s", problem)
        if self.problems and not problems:
            _LOG.warning("all servers decide by the same configuration again")
        self.problems = problems
        self.prometheus.set_configuration(failed=error is not None, differing=len({one.digest for one in found}) - 1)

    def current_bundle(self) -> IssuedBundle:
        """Return the bundle of the policies and settings in force."""
        configuration = self.gate.configuration
        configuration.refresh()
        config = configuration.config
        config = msgspec.structs.replace(config, roles={**self._groups.members(), **config.roles})
        return self._issuer.current(config, configuration.engine.policies)

    def retain(self) -> None:
        """End idle runs, and remove some of the expired records."""
        self.gate.retention.step()

    @property
    def is_configured(self) -> bool:
        """Whether the newest configuration of this server is in force."""
        return self.gate.configuration.error is None

    def _suggest(self) -> None:
        self.suggestions.refresh()

    def _count(self) -> None:
        count_new_records(self.journal)
        index_new_actions(self.journal, MAX_INDEXED)
        count_new_usage(self.journal, MAX_INDEXED)
        note_drift(self.journal, queue_drift_notes)
        if self.gate.engine.drift_fields:
            count_executed_actions(self.journal, MAX_INDEXED)

    def _plan_reports(self) -> None:
        plan_weekly_reports(self.journal)

    # runs

    async def session_for(self, caller: Caller, action: Action, *, reports_workspace: bool = False) -> Session:
        """Return the session of the run that an action names, or of the caller's default run.

        Raise if another user started the run. A claim without a pin never makes the verdict looser, except that a run
        is in the workspace of its first action if the caller `reports_workspace`.
        """
        pins = self.pins_of(caller, strict=True)
        agent_id = action.agent_id
        user, tenant = pins.user or action.user, pins.tenant or action.tenant
        run_id = action.run_id or self.gate.sessions.default_run_id(caller.name, agent_id, user, tenant)
        found = self.gate.find_session(caller.name, run_id, caller.agent)
        if found is None or reports_workspace:
            workspace = self.workspace_for(self.pins_of(caller, strict=not reports_workspace), action.workspace)
            if found is None:
                await asyncio.to_thread(self.check_owner, caller, run_id)
                details = RunDetails(user=user, tenant=tenant)
                found = self.gate.session_of(caller.name, run_id, agent_id, workspace, caller.agent, pins, details)
            if reports_workspace and workspace is not None and found.run.workspace is None:
                pins = msgspec.structs.replace(pins, workspaces=pins.workspaces or (workspace,))
        return found.for_caller(RemoteCaller(caller.key_id, caller.observation), pins)

    def pins_of(self, caller: Caller, *, strict: bool) -> Pins:
        """Return the pins of a caller."""
        return msgspec.structs.replace(caller.pins, agent_id=caller.agent, strict=strict and not caller.pins.trusted)

    def workspace_for(self, pins: Pins, claim: str | None) -> str | None:
        """Return the workspace of a run whose caller claims one."""
        own = self.gate.config.workspace
        claimed = Action(tool_name="", workspace=claim)
        return apply_pins(claimed, pins.below(Pins(workspaces=(own,) if own else ()))).action.workspace

    def add_request(self, caller: Caller, run_id: str, text: str, once: str | None = None) -> str:
        """Record a request of the person behind a caller's run; return the recorded text.

        A request that is sent twice with the same `once` is recorded once. It authorises nothing if the agent itself
        could have sent it.
        """
        self.check_owner(caller, run_id)
        session = self.gate.session_of(caller.name, run_id, caller.agent, None, caller.agent)
        identity = canonical([self.journal.store_id, caller.name, caller.agent, run_id, once])
        record_id = "p" + hashlib.sha256(identity).hexdigest()[:31] if once else ""
        return session.add_person_request(text, record_id, claimed=not caller.pins.trusted)

    def check_owner(self, caller: Caller, run_id: str) -> None:
        """Raise if another user started the run."""
        self.journal.database.read_with_retry(
            lambda connection: check_owner(connection, storable_name(run_id), caller.name, caller.agent)
        )

    def resume_run(self, caller: Caller, run_id: str) -> Run:
        """Resume a paused run. The person who started it may do so only if nobody else could."""
        run = self.gate.runs.get(storable_name(run_id))
        if run.run_id != storable_name(run_id):
            raise MissingError(f"there is no run `{plain(run_id)[:80]}`")
        if run.started_by == caller.name and not self.gate.approvals.allows_one_person():
            raise ForbiddenError("you started this run; another person has to review and resume it")
        return self.gate.runs.resume(run.run_id, caller.name)

    def sign_in_link(self, name: str) -> str:
        """Return a link with which a person can sign in once."""
        return f"{self.url}/sign-in/{self.authenticator.sessions.create_link(name)}"

    # decisions

    async def evaluate(
        self, caller: Caller, action: Action, wait: float = 0, has_left: Callable[[], bool] = lambda: False
    ) -> Evaluation:
        """Decide and record an action, and open an approval request if it needs one; wait for the answer at most
        `wait` seconds. The action of a paused agent is held for as long.

        If the client has disconnected by then, its approval is not used up: the next call for the action finds it.
        """
        agent_id = agent_id_for(caller, action.agent_id)
        if agent_id != action.agent_id:
            action = msgspec.structs.replace(action, agent_id=agent_id)
        session = await self.session_for(caller, action)
        began = time.perf_counter()
        deadline = began + wait
        step = await self._submit(session, action, wait, has_left)
        decision = step.decision
        self.prometheus.count_decision(decision, time.perf_counter() - began)
        if step.approval is None:
            return _decision_response(step)
        self.review(step.approval)
        if wait <= 0:
            return self._approval_response(step, step.approval)
        approval = await self.wait_for_answer(step.approval.approval_id, max(0.0, deadline - time.perf_counter()))
        if approval.state is ApprovalState.APPROVED and not has_left():
            outcome = await use_with_hold(session, step, deadline - time.perf_counter(), has_left)
            if isinstance(outcome, Submission):
                return _decision_response(outcome)
            if outcome is not None:
                reference = self.approval_reference(outcome.approval or approval)
                return evaluation(step, allowed=True, by="approval", advice="", reference=reference)
        return self._approval_response(step, approval)

    async def _submit(self, session: Session, action: Action, wait: float, has_left: Callable[[], bool]) -> Submission:
        """Decide and record an action, held at most `wait` seconds while its agent is paused."""
        try:
            return await self._batcher.submit(session, action, holds=wait > 0)
        except ActionHeld:
            attempt = functools.partial(self._submit_again, session, action)
            return await hold_async(attempt, wait, has_left)

    async def _submit_again(self, session: Session, action: Action, left: float | None) -> Submission:
        return await self._batcher.submit(session, action, holds=left is not None)

    # approvals

    def review(self, approval: Approval) -> None:
        """Have the model review a request in the background, if it needs that and has no review yet."""
        if not any(answer.model for answer in approval.answers):
            self._reviews.start(approval)

    async def wait_for_answer(self, approval_id: str, seconds: float) -> Approval:
        """Return a request once it ends, or its current state when the time is up or the server stops."""
        deadline = time.monotonic() + min(seconds, MAX_WAIT)
        with self.feed.watch(approval_id) as event:  # before the request is read, so that no answer is missed
            while True:
                event.clear()
                approval = await asyncio.to_thread(self.current_approval, approval_id)
                left = deadline - time.monotonic()
                if approval.state is not ApprovalState.PENDING or left <= 0 or self.feed.has_ended:
                    return approval
                if approval.expires_at is not None:
                    left = min(left, max(0.05, (approval.expires_at - now().wall) / MICROSECONDS))
                await wait_for_event(event, left)

    def current_approval(self, approval_id: str) -> Approval:
        """Return a request in its current state; one whose time is up expires now."""
        register = self.gate.approvals
        approval = register.get(approval_id)
        if approval.state is ApprovalState.PENDING and register.get_state(approval.approval_id)[1] == 0.0:
            return register.end(approval.approval_id, ApprovalState.EXPIRED, "no answer in time")
        return approval

    def approval_reference(self, approval: Approval) -> ApprovalReference:
        """Return the state of a request, and where it is answered."""
        return ApprovalReference(
            approval_id=approval.approval_id,
            state=approval.state,
            url=self.approval_url(approval),
            expires_at=approval.expires_at,
        )

    def approval_url(self, approval: Approval) -> str:
        """Return the page where a request is answered."""
        return f"{self.url}/approvals/{approval.approval_id}"

    def _approval_response(self, step: Submission, approval: Approval) -> Evaluation:
        """Return the response for an action that may not run, or not yet, because of its approval request."""
        url = self.approval_url(approval)
        advice = {
            ApprovalState.PENDING: f"waiting for approval at {url}; try again once it is approved",
            ApprovalState.APPROVED: "the approval was used already; try again to request a new one",
        }.get(approval.state, approval.why)
        suggestions = [answer.instead for answer in approval.answers if answer.instead]
        if suggestions and approval.state is ApprovalState.REJECTED:
            advice = f"{approval.why}; try instead: {suggestions[-1]}"
        reference = self.approval_reference(approval)
        return evaluation(step, allowed=False, by="approval", advice=advice, reference=reference)


async def use_with_hold(
    session: Session, step: Submission, seconds: float, has_left: Callable[[], bool]
) -> Outcome | Submission | None:
    """Use up the approval of a submission, held at most so many seconds while its agent is paused."""
    try:
        return await session.approvals.use_async(step, holds=seconds > 0)
    except ActionHeld:
        return await hold_async(
            lambda left: session.approvals.use_async(step, holds=left is not None), seconds, has_left
        )


def _decision_response(step: Submission) -> Evaluation:
    """Return the response for an action that needs no approval request."""
    decision = step.decision
    allowed = decision.allowed or bool(step.by)
    advice = ""
    if decision.cause is Cause.PAUSED_RUN:
        advice = "do nothing more until a person has reviewed the run and resumed it"
    elif decision.verdict is Verdict.BLOCK:
        advice = explain_block(decision)[1]
    return evaluation(step, allowed=allowed, by=step.by or "decision", advice=advice, reference=None)


def agent_id_for(caller: Caller, given: str | None) -> str | None:
    """Return the agent id of an action. An agent's key may use its own name, and names below it."""
    if caller.agent is None:
        return given
    if given is None or given == caller.agent or given.startswith(f"{caller.agent}/"):
        return given or caller.agent
    name = plain(caller.agent)
    raise ForbiddenError(f"this key belongs to agent `{name}`; `agentId` must be `{name}` or begin with `{name}/`")
