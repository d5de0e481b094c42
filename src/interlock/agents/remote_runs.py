"""Runs of guards and the gateway at a server."""

from __future__ import annotations

import hashlib
import os
from contextlib import AbstractContextManager

import msgspec

from interlock.agents.call_runs import CallNote, ToolCall
from interlock.approval.request import Approval
from interlock.audit.record import canonical
from interlock.audit.run_details import check_details
from interlock.audit.runs import is_own
from interlock.errors import ActionRefused, ServerError
from interlock.gate.approval_flow import ASKED_BY_AGENT, AgentAsks, Submission
from interlock.gate.call_outcome import CallOutcome
from interlock.gate.remote.api import path_of
from interlock.gate.remote.gate import RemoteGate
from interlock.gate.remote.messages import RemoteSubmission, digest_at
from interlock.gate.remote.refusals import refuse
from interlock.ids import new_id
from interlock.levels import Verdict
from interlock.model import NO_DETAILS, Action, Cause, Decision, Needs, RunDetails, Struct

#: The needs of an approval for which one person's answer is enough. An agent that does not ask for it never asks.
_LEAST = Needs(tier="", human=True, model=False, challenge="confirm", approvers=1, timeout_seconds=None)


class _StoredRun(Struct, frozen=True, kw_only=True):
    agent_id: str | None
    started_by: str


class _StoredEvent(Struct, frozen=True, kw_only=True):
    decision_id: str | None
    content: str | None


class _EventReceipt(Struct, frozen=True, kw_only=True):
    duplicate: bool


class _StoredTool(Struct, frozen=True, kw_only=True):
    digest: str | None


class RemoteCallRun:
    """A run at a server."""

    poll_seconds = 0.5

    def __init__(self, gate: RemoteGate, run_id: str, agent_id: str, details: RunDetails = NO_DETAILS) -> None:
        self._gate, self._api = gate, gate.api
        self.session = gate.open_session(run_id, agent_id, workspace=os.getcwd(), details=check_details(details))

    def begin(self) -> RemoteCallRun:
        """Start the run at the server if it has details, and record the requests of the person."""
        self.session.begin(self._gate.find_parent_requests_of(self.session))
        return self

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self.session.run_id

    def link(self, approval: Approval) -> str:
        """Return where a request is answered."""
        return f"{self._api.address.url}/approvals/{approval.approval_id}"

    def explain_how_to_approve(self, approval: Approval, url: str | None = None) -> str:
        """Return where a request is answered; its page says who can."""
        return f"Approve it at {url or self.link(approval)}"

    def submit(self, action: Action, agent_asks: AgentAsks | None, hold: float | None = None) -> Submission:
        """Decide and record; open a request if an approval is needed and the agent does not ask its own user."""
        decision_id = self._gate.previews.take(self.run_id, self._digest(action))
        if decision_id is not None:
            return _check_submission(
                self.session.resume(self._with_agent_name(action), decision_id, asks=_can_ask(agent_asks))
            )
        return _check_submission(
            self.session.submit(self._with_agent_name(action), asks=_can_ask(agent_asks), hold=hold)
        )

    def submit_again(
        self, action: Action, agent_asks: AgentAsks, asked: CallNote, hold: float | None = None
    ) -> Submission:
        """Submit an action again after its user was asked; it is recorded again only if the verdict is stricter now."""
        if not asked.decision_id:
            return self.submit(action, agent_asks, hold)
        try:
            asks = _can_ask(agent_asks)
            return _check_submission(
                self.session.resume(self._with_agent_name(action), asked.decision_id, asks=asks, hold=hold)
            )
        except ServerError as error:
            if error.status not in (404, 409):
                raise
        return self.submit(action, agent_asks, hold)  # the decision is no longer kept, or the key was pinned since

    def peek(self, action: Action, agent_asks: AgentAsks | None) -> Decision:
        """Return the decision on an action before it is submitted. It is recorded now, and not again later."""
        found = self.session.submit(self._with_agent_name(action), asks=_can_ask(agent_asks))
        if found.decision.cause is not Cause.PAUSED:  # the agent may have been resumed when it is submitted
            self._gate.previews.add(self.run_id, self._digest(action), found.record_id)
        return found.decision

    def _digest(self, action: Action) -> str:
        return digest_at(self._api.address.url, action)

    def _with_agent_name(self, action: Action) -> Action:
        return self._gate.with_agent_name(action)

    def wait_for_answer(self, submission: Submission, seconds: float, *, holds: bool = False) -> Approval:
        """Return the request of a submission once it ends, or its current state after `seconds`."""
        return self.session.wait_for_answer(_remote(submission), seconds, holds=holds)

    def is_pending(self, submission: Submission) -> bool:
        """Whether the request of a submission is pending."""
        return self.session.is_pending(_remote(submission))

    def waits_unattended(self, submission: Submission) -> bool:
        """Whether the server's configuration lets this request wait when no person is available."""
        return self.session.waits_unattended(_remote(submission))

    def add_person_request(self, text: str) -> str:
        """Record a request of the person behind the run."""
        return self.session.add_person_request(text)

    def find_note(self, kind: str, call: ToolCall) -> CallNote | None:
        """Return the note about a call, or None."""
        try:
            found = self._api.get(
                path_of("events", _event_id(kind, call)), _StoredEvent, runId=self.run_id, scope=call.scope
            )
        except ServerError as error:
            if error.status != 404:
                raise
            return None
        return CallNote(found.decision_id or "", found.content)

    def add_note(
        self,
        kind: str,
        call: ToolCall,
        *,
        person: str | None = None,
        note: CallNote = CallNote(),  # noqa: B008 - it never changes
    ) -> bool:
        """Record a note about a call; return whether it is new."""
        event = self._event(kind, call.tool, _event_id(kind, call))
        more = {"scope": call.scope, "person": person, "decisionId": note.decision_id or None, "content": note.content}
        event |= {name: value for name, value in more.items() if value is not None}
        return self._report(event)

    def record_outcome(self, tool: str, outcome: CallOutcome, *, decision_id: str, event_id: str = "") -> None:  # noqa: ARG002 - the server knows it by its decision
        """Record the outcome of a call, next to its decision, without waiting for the server."""
        self._gate.report_outcome(self.session.run, tool, outcome, decision_id)

    def mark_call(self) -> AbstractContextManager[None]:
        """Mark the `with` block as a tool call of this run: runs that begin inside it are its children."""
        return self._gate.mark_call(self.session)

    def record_event(self, kind: str, text: str) -> None:
        """Record an event of the run."""
        self._report(self._event(kind, text, new_id()))

    def _event(self, kind: str, text: str, event_id: str) -> dict[str, object]:
        run = self.session.run
        about: dict[str, object] = {"eventId": event_id, "type": kind, "runId": self.run_id, "summary": text[:2_000]}
        return about if run.agent_id is None else {**about, "agentId": run.agent_id}

    def _report(self, event: dict[str, object]) -> bool:
        return not self._api.send("POST", "/v1/events", event, _EventReceipt).duplicate

    def find_allowed_digest(self, target: str, tool: str) -> str | None:
        """Return the digest of a tool's description when the tool was last allowed."""
        return self._api.get("/v1/tools", _StoredTool, target=target, tool=tool).digest

    def allow_tool(self, target: str, tool: str, digest: str) -> None:
        """Record the description of a tool that is allowed, if it is new."""
        body = {"target": target, "tool": tool, "digest": digest, "runId": self.run_id}
        self._api.send("PUT", "/v1/tools", body, _StoredTool)

    def end(self) -> None:
        """Record that the run has ended, if it began."""
        self.session.end()


def _check_submission(step: RemoteSubmission) -> RemoteSubmission:
    """Return a submission without its used request; raise if it does not say how to continue."""
    if step.allowed:
        return msgspec.structs.replace(step, approval=None)
    if step.approval is None and step.by != ASKED_BY_AGENT and step.decision.verdict is not Verdict.BLOCK:
        raise refuse(step)
    return step


def _remote(submission: Submission) -> RemoteSubmission:
    if not isinstance(submission, RemoteSubmission):
        raise ActionRefused("it was not decided at this server", submission.decision)
    return submission


def _can_ask(agent_asks: AgentAsks | None) -> bool:
    """Whether an agent can ask its own user. The server decides when that is enough."""
    return agent_asks is not None and agent_asks(_LEAST)


def _event_id(kind: str, call: ToolCall) -> str:
    """Return the id of an event about a call, which also depends on the tool and its original arguments."""
    return hashlib.sha256(canonical(call.identity(kind))).hexdigest()


def find_remote_run(
    gate: RemoteGate, conversation: str, agent_id: str, details: RunDetails
) -> tuple[RemoteCallRun, bool]:
    """Return the run of a conversation, and whether it has begun. Agents do not share a run."""
    mine = RemoteCallRun(gate, conversation, agent_id, details)
    run: _StoredRun | None = None
    try:
        run = gate.api.get(path_of("runs", mine.run_id), _StoredRun, limit=1)
    except ServerError as error:
        if error.status != 404:
            raise
    if run is None or is_own(gate.caller.name, gate.agent_name(agent_id), run.started_by, run.agent_id):
        return mine.begin(), run is not None
    own = RemoteCallRun(gate, f"{mine.run_id}:{agent_id}", agent_id, details).begin()
    if not own.session.person_requests:
        for text in own.session.requests_of(mine.run_id):
            own.add_person_request(text)
    return own, True
