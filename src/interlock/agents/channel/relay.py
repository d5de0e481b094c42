"""Relay a permission prompt: find the action that the hook asked about, and open a request for exactly that action."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import msgspec

from interlock.agents.channel.messages import PermissionPrompt
from interlock.approval.request import ApprovalState
from interlock.audit.digest import action_digest
from interlock.audit.identity import user_name
from interlock.audit.read import RecordFilter, read_newest, read_page
from interlock.audit.record import Record
from interlock.errors import ActionRefused, InterlockError
from interlock.gate.approval_flow import Submission
from interlock.gate.gate import Gate
from interlock.gate.session import Session
from interlock.levels import Verdict
from interlock.model import Action
from interlock.store.clock import MICROSECONDS, now

AGENT = "claude-code"
#: How old the hook's question about a prompt may be, and how many of the newest questions are searched.
RECENT_SECONDS, MAX_QUESTIONS = 120, 50
#: The records which show that a prompt was answered in the terminal: the call ended, or the person wrote again.
_ENDS = ("event", "request", "run.ended", "run.failed")
_LOG = logging.getLogger("interlock.agents")

AnswerCallback = Callable[..., None]


class PermissionRelay:
    """Relays the prompts of one Claude Code session. `session_id` is the session's id, if it is known."""

    def __init__(self, gate: Gate, session_id: str | None) -> None:
        self._gate, self._session_id = gate, session_id

    def relay(self, prompt: PermissionPrompt, answer: AnswerCallback) -> None:
        """Have people answer a prompt; leave it to the terminal if its action is not known exactly."""
        try:
            found = self._find_question(prompt)
            if found is not None:
                self._ask(prompt, *found, answer)
        except InterlockError as error:
            _LOG.warning("a permission prompt stays in the terminal: %s", error)

    def _find_question(self, prompt: PermissionPrompt) -> tuple[Record, Action] | None:
        """Return the hook's question with the action of a prompt. The action's digest decides, so none is guessed.

        Two sessions can ask about the same action, and a prompt does not tell its session: then there is no answer.
        """
        payload = _decode_payload(prompt.input_preview)
        if payload is None:
            return None  # the preview is cut
        found = {}
        for record in self._recent_questions():
            action = _make_action(prompt.tool_name, payload, record)
            if action_digest(self._gate.journal.store_id, action) == record.digest:
                found[record.run_id] = record, action
        return found.popitem()[1] if len(found) == 1 else None

    def _recent_questions(self) -> list[Record]:
        since = now().wall - RECENT_SECONDS * MICROSECONDS
        wanted = RecordFilter(kind="asked", run_id=self._session_id, since=since)
        stored = read_newest(self._gate.journal.database, wanted, MAX_QUESTIONS)
        return [one.record for one in stored if (one.record.agent_id or "").split("/")[0] == AGENT]

    def _ask(self, prompt: PermissionPrompt, question: Record, action: Action, answer: AnswerCallback) -> None:
        """Open a request, and answer the prompt as the request is answered."""
        session = self._gate.session_of(user_name(), question.run_id or "", action.agent_id, action.workspace, AGENT)
        step = session.submit(action)
        if step.decision.verdict is Verdict.BLOCK:
            answer(prompt.request_id, allow=False)  # since the hook asked, this has become stricter
        elif step.approval is not None:
            self._wait(prompt, question, session, step, answer)

    def _wait(
        self,
        prompt: PermissionPrompt,
        question: Record,
        session: Session,
        step: Submission,
        answer: AnswerCallback,
    ) -> None:
        while session.approvals.is_pending(step):
            if self._is_over(question, step.record_id):
                session.approvals.cancel(step)
                return
            time.sleep(session.approvals.poll_seconds)
        try:
            ended = session.approvals.wait_for_answer(step, 0)
        except ActionRefused:
            return  # the approval was used elsewhere: the prompt stays in the terminal
        if ended.state in (ApprovalState.APPROVED, ApprovalState.REJECTED):
            answer(prompt.request_id, allow=ended.state is ApprovalState.APPROVED)

    def _is_over(self, question: Record, decision_id: str) -> bool:
        """Whether the prompt was answered in the terminal."""
        about = (None, question.data.get("decisionId"), decision_id)
        wanted = RecordFilter(run_id=question.run_id)
        later = (one.record for one in read_page(self._gate.journal.database, wanted, after=question.seq))
        return any(record.kind in _ENDS and record.data.get("decisionId") in about for record in later)


def _decode_payload(preview: str) -> dict[str, Any] | None:
    try:
        found = msgspec.json.decode(preview)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _make_action(tool: str, payload: dict[str, Any], question: Record) -> Action:
    where = question.data.get("where") or {}
    return Action(tool_name=tool, input_payload=payload, agent_id=question.agent_id, **where)
