"""Runs of guards and the gateway in a local store."""

from __future__ import annotations

import hashlib
import os
from contextlib import AbstractContextManager

import msgspec

from interlock.agents.call_runs import CallNote, ToolCall
from interlock.agents.gateway.tool_records import allow_tool, find_allowed_digest
from interlock.agents.reply import is_enough
from interlock.agents.run_events import record_event
from interlock.approval.request import Approval
from interlock.audit.identity import user_name
from interlock.audit.record import canonical
from interlock.audit.run_details import check_details, check_same
from interlock.audit.runs import find_run, is_own
from interlock.gate.approval_flow import ASKED_BY_AGENT, AgentAsks, Submission
from interlock.gate.call_outcome import CallOutcome, record_outcome
from interlock.gate.gate import Gate
from interlock.gate.run_approvals import POLL_SECONDS
from interlock.levels import Verdict
from interlock.model import NO_DETAILS, Action, Decision, RunDetails
from interlock.sanitise import storable_name


class LocalCallRun:
    """A run in the store of a gate."""

    link = None  # requests are answered on the command line
    poll_seconds = POLL_SECONDS

    def __init__(self, gate: Gate, run_id: str, agent_id: str, key: str, details: RunDetails = NO_DETAILS) -> None:
        self._gate = gate
        self.session = gate.session_of(user_name(), run_id, agent_id, os.getcwd(), key, details=details)

    def describe(self, details: RunDetails) -> None:
        """Check that the details of the run match those it began with, and record the requests of the person."""
        requests = self._gate.find_parent_requests_of(self.session)
        if details != NO_DETAILS:
            check_same(self.run_id, self.session.details, check_details(details))
            requests = (*requests, *([details.request] if details.request else []))
        for text in requests:
            if text not in self.session.person_requests:
                self.session.add_person_request(text)

    def mark_call(self) -> AbstractContextManager[None]:
        """Mark the `with` block as a tool call of this run: runs that begin inside it are its children."""
        return self._gate.mark_call(self.session)

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self.session.run_id

    def submit(self, action: Action, agent_asks: AgentAsks | None, hold: float | None = None) -> Submission:
        """Decide and record; open a request if an approval is needed and the agent does not ask its own user."""
        return self.session.submit(action, agent_asks, holds=hold is not None)

    def submit_again(
        self, action: Action, agent_asks: AgentAsks, asked: CallNote, hold: float | None = None
    ) -> Submission:
        """Submit an action again after its user was asked; it is recorded again only if the verdict is stricter now."""
        record = self.session.decide_unrecorded(action).record
        needs = record.decision.needs
        blocked = record.decision.verdict is Verdict.BLOCK or self.session.is_stopped(record)
        if not blocked and (needs is None or (is_enough(needs) and self.session.user_may_answer())):
            return Submission(record, by=ASKED_BY_AGENT, record_id=asked.decision_id)
        return self.submit(action, agent_asks, hold)

    def peek(self, action: Action, agent_asks: AgentAsks | None) -> Decision:  # noqa: ARG002 - used at a server
        """Return the decision on an action before it is submitted, without recording it."""
        return self.session.decide_unrecorded(action).record.decision

    def wait_for_answer(self, submission: Submission, seconds: float, *, holds: bool = False) -> Approval:
        """Return the request of a submission once it ends, or its current state after `seconds`."""
        return self.session.approvals.wait_for_answer(submission, seconds, holds=holds)

    def is_pending(self, submission: Submission) -> bool:
        """Whether the request of a submission is pending."""
        return self.session.approvals.is_pending(submission)

    def waits_unattended(self, submission: Submission) -> bool:
        """Whether the configuration lets this request wait when no person is available."""
        return self.session.approvals.waits_unattended(submission)

    def explain_how_to_approve(self, approval: Approval, url: str | None = None) -> str:
        """Return who can approve a request, and where: at a URL, or on the command line."""
        return self.session.approvals.explain_how_to_approve(approval, url)

    def add_person_request(self, text: str) -> str:
        """Record a request of the person behind the run."""
        return self.session.add_person_request(text)

    def find_note(self, kind: str, call: ToolCall) -> CallNote | None:
        """Return the note about a call, or None."""
        query = "SELECT body FROM interlock_records WHERE record_id = :record_id"
        with self._gate.journal.database.read() as connection:
            body = connection.value(query, record_id=self._record_id(kind, call))
        if body is None:
            return None
        data = msgspec.json.decode(body)["data"]
        digest = data.get("digest")
        content = None if digest is None else self._gate.journal.content.get(str(digest))
        return CallNote(str(data.get("decisionId", "")), content)

    def add_note(
        self,
        kind: str,
        call: ToolCall,
        *,
        person: str | None = None,
        note: CallNote = CallNote(),  # noqa: B008 - it never changes
    ) -> bool:
        """Record a note about a call: the digest of its content in the chain, the text in the store."""
        data = {"eventId": storable_name(call.call_id)}
        if note.decision_id:
            data["decisionId"] = note.decision_id
        if note.content is not None:
            data["digest"] = self._gate.journal.content.put(note.content)
        record_id = self._record_id(kind, call)
        return record_event(self._gate, self.session.run, kind, call.tool, record_id=record_id, actor=person, **data)

    def _record_id(self, kind: str, call: ToolCall) -> str:
        """Return the id of a record about a call, which also depends on the tool and its original arguments."""
        where = self.run_id if call.scope is None else call.scope
        whose = canonical([self._gate.journal.store_id, where, *call.identity(kind)])
        return "q" + hashlib.sha256(whose).hexdigest()[:31]

    def record_outcome(self, tool: str, outcome: CallOutcome, *, decision_id: str, event_id: str = "") -> None:
        """Record the outcome of a call, next to its decision, without waiting for the store."""
        gate, run = self._gate, self.session.run
        record_outcome(gate.journal, gate.call_spool, run, tool, outcome, decision_id=decision_id, event_id=event_id)

    def record_event(self, kind: str, text: str) -> None:
        """Record an event of the run."""
        record_event(self._gate, self.session.run, kind, text)

    def find_allowed_digest(self, target: str, tool: str) -> str | None:
        """Return the digest of a tool's description when the tool was last allowed."""
        return find_allowed_digest(self._gate.journal, storable_name(f"{target} {tool}"))

    def allow_tool(self, target: str, tool: str, digest: str) -> None:
        """Record the description of a tool that is allowed, if it is new."""
        allow_tool(self._gate.journal, storable_name(f"{target} {tool}"), tool, digest, self.session.run)

    def end(self) -> None:
        """Record that the run has ended, if it began."""
        self.session.end()


def find_local_run(gate: Gate, conversation: str, agent_id: str, details: RunDetails) -> tuple[LocalCallRun, bool]:
    """Return the run of a conversation, and whether it has begun. Agents do not share a run."""
    with gate.journal.database.read() as connection:
        run = find_run(connection, storable_name(conversation))
    is_foreign = run is not None and run.started_by != user_name()
    if run is None or is_foreign or is_own(user_name(), agent_id, run.started_by, run.agent_id):
        mine = LocalCallRun(gate, conversation, agent_id, agent_id, details)
        mine.describe(details)
        return mine, run is not None and not is_foreign
    own = LocalCallRun(gate, f"{conversation}/{agent_id}", agent_id, agent_id, details)
    own.describe(details)
    if not own.session.person_requests:
        for text in gate.runs.state(run.run_id).requests:
            own.add_person_request(text)
    return own, True
