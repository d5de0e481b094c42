"""Deciding the tool calls of a framework, and remembering which the framework's person was asked about."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from interlock.agents.permission import Explanation, Permission
from interlock.agents.reply import (
    AnswerOptions,
    await_approval,
    await_approval_async,
    explain_block,
    is_enough,
    one_line,
)
from interlock.agents.run_events import record_event
from interlock.analyse.tools.schema import outline
from interlock.audit.digest import canonical_form
from interlock.audit.identity import user_name
from interlock.audit.record import canonical
from interlock.audit.run_details import check_details, check_same
from interlock.audit.runs import find_run, is_own
from interlock.errors import InterlockError
from interlock.gate.approval_flow import ASKED_BY_AGENT, Submission
from interlock.gate.gate import Gate
from interlock.gate.refusals import describe_reason
from interlock.gate.session import Session
from interlock.levels import Verdict
from interlock.model import NO_DETAILS, Action, RunDetails
from interlock.sanitise import stored_name

#: What the runs of conversations are for, or a function that returns it for the id of a conversation.
DetailsOf = RunDetails | Callable[[str], RunDetails]
#: The name of the person who answers, or a function that returns it.
Approver = str | Callable[[], str] | None
_ASKED, _APPROVED, _REJECTED = "question.asked", "question.approved", "question.rejected"
_EDITED = "question.edited"


class ToolCall(NamedTuple):
    """A call of a tool in a conversation."""

    conversation: str
    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    #: The arguments when the person was asked, if the person has edited them since.
    original: Mapping[str, Any] | None = None
    description: str | None = None
    schema: Mapping[str, Any] = {}
    #: Where `call_id` is unique; None: in the conversation.
    scope: str | None = None

    @property
    def is_edited(self) -> bool:
        """Whether a person has edited the arguments since they were asked."""
        return self.original is not None and canonical_form(dict(self.original)) != canonical_form(dict(self.arguments))


class CallDecision(NamedTuple):
    """What a framework does with a call: run it, ask its person, or tell the model why it does not run."""

    permission: Permission
    why: str = ""

    @property
    def runs(self) -> bool:
        """Whether the call may run."""
        return self.permission is Permission.NO_OBJECTION


class Checker:
    """Decides calls at a gate.

    With `asks`, the framework asks where one person's answer is enough. With `once`, an approval is used up by the call
    that it lets run; a framework that never runs a finished call again does not need that. With `strict`, an approval
    counts only for a call that was asked about: a framework may approve others together with it. `approver` is the
    framework's person, who is recorded with their answers; by default, the user whose account the program runs under.
    `details` say what the runs of conversations are for.
    """

    def __init__(
        self,
        gate: Gate,
        agent_id: str,
        *,
        wait: float = 0.0,
        asks: bool = True,
        once: bool = True,
        strict: bool = False,
        approver: Approver = None,
        details: DetailsOf = NO_DETAILS,
    ) -> None:
        self._gate, self._agent_id, self._approver = gate, agent_id, approver
        self._details = details
        self._described: set[str] = set()  # runs whose details were compared, and whose requests are recorded
        self._run_ids: dict[str, str] = {}  # of conversations that have begun
        self._asks, self._once, self._strict = asks, once, strict
        self._options = AnswerOptions(wait=wait)

    def add_person_request(self, conversation: str, text: str) -> None:
        """Record what the person asked for in a conversation, for the calls that follow in it."""
        self._session_in(conversation).add_person_request(text)

    def check(self, call: ToolCall, *, approved: bool = False) -> CallDecision:
        """Decide a call. `approved`: the framework's person has agreed to it. Every failure is a refusal."""
        try:
            session, step = self._submit(call)
            if step.approval is None:
                return self._decide(session, step, call, approved=approved)
            return _decision_of(*await_approval(session, step, step.approval, self._options))
        except InterlockError as error:
            return _refuse(error)

    async def acheck(self, call: ToolCall, *, approved: bool = False) -> CallDecision:
        """Do as `check` does, without blocking the event loop."""
        try:
            session, step = await asyncio.to_thread(self._submit, call)
            if step.approval is None:
                return await asyncio.to_thread(self._decide, session, step, call, approved=approved)
            return _decision_of(*await await_approval_async(session, step, step.approval, self._options))
        except InterlockError as error:
            return _refuse(error)

    async def apeek(self, call: ToolCall) -> bool:
        """Return whether the person would be asked about a call; only then is anything recorded."""
        try:
            decided = await asyncio.to_thread(self._session(call).decide_unrecorded, self._action(call))
        except InterlockError:
            return False  # `check` says why it does not run
        if await asyncio.to_thread(self.is_unanswered, call):
            return True
        if decided.record.decision.verdict is not Verdict.REQUIRE_APPROVAL:
            return False
        return (await self.acheck(call)).permission is Permission.ASK

    def is_unanswered(self, call: ToolCall) -> bool:
        """Whether the person was asked about a call, and has not agreed."""
        session = self._session(call)
        return self._is_recorded(session, call, _ASKED) and not self._is_recorded(session, call, _APPROVED)

    def _submit(self, call: ToolCall) -> tuple[Session, Submission]:
        """Decide a call. One that its person was asked about is not recorded again, unless it is now stricter."""
        session, action = self._session(call), self._action(call)
        if self._asks and not call.is_edited and self._is_recorded(session, call, _ASKED):
            record = session.decide_unrecorded(action).record
            needs = record.decision.needs
            if record.decision.verdict is not Verdict.BLOCK and (needs is None or is_enough(needs)):
                return session, Submission(record, by=ASKED_BY_AGENT)
        return session, session.submit(action, is_enough if self._asks else None)

    def _decide(self, session: Session, step: Submission, call: ToolCall, *, approved: bool) -> CallDecision:
        decision = step.decision
        if decision.verdict is Verdict.BLOCK:
            return CallDecision(Permission.DENY, explain_block(decision, session).reason)
        asked = self._is_recorded(session, call, _ASKED)
        if step.by != ASKED_BY_AGENT and not asked:
            return CallDecision(Permission.NO_OBJECTION)
        if not approved:  # once asked, only an answer lets it run
            self._record(session, call, _ASKED)
            return CallDecision(Permission.ASK, one_line(f"Interlock asks: {describe_reason(decision)}"))
        if self._strict and not asked:
            return CallDecision(
                Permission.DENY, "Interlock: an approval is for one call, and nobody was asked about this one"
            )
        if not self._record(session, call, _APPROVED) and self._once:
            return CallDecision(Permission.DENY, "Interlock: somebody approved this once, and it has run; ask again")
        return CallDecision(Permission.NO_OBJECTION)

    def reject(self, call: ToolCall) -> None:
        """Record that the framework's person did not agree."""
        self._record(self._session(call), call, _REJECTED)

    def edit(self, call: ToolCall, arguments: Mapping[str, Any]) -> None:
        """Record that a person has edited the arguments of a call: the digest on record, the text in the store."""
        digest = self._gate.journal.content.put(canonical(canonical_form(dict(arguments))).decode())
        self._record(self._session(call), call, _EDITED, digest=digest)

    def edited_arguments(self, call: ToolCall) -> dict[str, Any] | None:
        """Return the arguments that a person has edited; None if they have not. Raise if they are lost."""
        body = self._body(self._session(call), call, _EDITED)
        if body is None:
            return None
        text = self._gate.journal.content.get(str(msgspec.json.decode(body)["data"].get("digest")))
        if text is None:
            raise InterlockError("somebody changed this call, and the changed text is lost")
        found: dict[str, Any] = msgspec.json.decode(text)
        return found

    def _session(self, call: ToolCall) -> Session:
        return self._session_in(call.conversation)

    def _session_in(self, conversation: str) -> Session:
        """Return the run of a conversation. If another agent of this user has begun it, an agent has its own."""
        run_id = self._run_ids.get(conversation) or self._find_run_id(conversation)
        return self._open_session(conversation, run_id)

    def _open_session(self, conversation: str, run_id: str) -> Session:
        """Return the session of a run. Raise if the run has begun for somebody else."""
        details = self._details(conversation) if callable(self._details) else self._details
        session = self._gate.session_of(
            user_name(), run_id, self._agent_id, os.getcwd(), self._agent_id, details=details
        )
        if run_id not in self._described:
            self._describe(session, details)
        return session

    def _describe(self, session: Session, details: RunDetails) -> None:
        """Compare what a run is for with what it has begun for, and record what the person asked for."""
        requests = self._gate.find_requests_around(session)
        if details != NO_DETAILS:
            check_same(session.run_id, session.details, check_details(details))
            requests = (*requests, *([details.request] if details.request else []))
        for text in requests:
            if text not in session.person_requests:
                session.add_person_request(text)
        self._described.add(session.run_id)

    def calling(self, call: ToolCall) -> AbstractContextManager[None]:
        """Mark the `with` block as the call itself: agents that are started inside it are below this one."""
        return self._gate.calling(self._session(call))

    def _find_run_id(self, conversation: str) -> str:
        with self._gate.journal.database.read() as connection:
            run = find_run(connection, stored_name(conversation))
        if run is None or run.started_by != user_name():
            return conversation
        if is_own(user_name(), self._agent_id, run.started_by, run.agent_id):
            return self._run_ids.setdefault(conversation, conversation)
        run_id = f"{conversation}/{self._agent_id}"
        self._run_ids[conversation] = run_id
        session = self._open_session(conversation, run_id)
        if not session.person_requests:
            for text in self._gate.runs.state(run.run_id).requests:
                session.add_person_request(text)
        return run_id

    def _action(self, call: ToolCall) -> Action:
        return Action(
            tool_name=call.tool,
            input_payload=canonical_form(dict(call.arguments)),
            agent_id=self._agent_id,
            cwd=os.getcwd(),
            home=str(Path.home()),
            docstring=call.description,
            input_schema=canonical_form(outline(call.schema)),
        )

    def _is_recorded(self, session: Session, call: ToolCall, kind: str) -> bool:
        return self._body(session, call, kind) is not None

    def _body(self, session: Session, call: ToolCall, kind: str) -> str | None:
        query = "SELECT body FROM interlock_records WHERE record_id = :record_id"
        with self._gate.journal.database.read() as connection:
            found: str | None = connection.value(query, record_id=self._record_id(session, call, kind))
            return found

    def _record(self, session: Session, call: ToolCall, kind: str, **more: str) -> bool:
        """Record something about a call; return whether that is new."""
        record_id = self._record_id(session, call, kind)
        data = {"eventId": stored_name(call.call_id), **more}
        actor = None if kind == _ASKED else self._person()
        return record_event(self._gate, session.run, kind, call.tool, record_id=record_id, actor=actor, **data)

    def _person(self) -> str:
        """Return the person who answers, as the framework's program knows them."""
        found = self._approver() if callable(self._approver) else self._approver
        return stored_name(found or user_name())

    def _record_id(self, session: Session, call: ToolCall, kind: str) -> str:
        """Return the id of a record about a call, which also depends on the tool and its original arguments."""
        first = canonical_form(dict(call.arguments if call.original is None else call.original))
        where = session.run_id if call.scope is None else call.scope
        whose = canonical([self._gate.journal.store_id, where, kind, call.call_id, call.tool, first])
        return "q" + hashlib.sha256(whose).hexdigest()[:31]


def _decision_of(permission: Permission, words: Explanation) -> CallDecision:
    """Return what a framework does after a request of ours was answered, or not."""
    if permission is Permission.NO_OBJECTION:
        return CallDecision(Permission.NO_OBJECTION)
    return CallDecision(Permission.DENY, " ".join(filter(None, (words.reason, words.notice))))


def _refuse(error: InterlockError) -> CallDecision:
    return CallDecision(Permission.DENY, one_line(f"Interlock does not let this run: it could not be decided: {error}"))
