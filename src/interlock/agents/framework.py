"""What the adapters of frameworks share: a call is decided, asked about in the framework's own way, and runs once."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from interlock.agents.agent import Reply, Words
from interlock.agents.outcome import note_event
from interlock.agents.refusal import Terms, await_answer, is_enough, line, refusal_of, waited, why_of
from interlock.audit.digest import canonical_form
from interlock.audit.identity import user_name
from interlock.audit.record import canonical
from interlock.errors import InterlockError
from interlock.gate.approval_flow import ASKED_BY_AGENT, Submission
from interlock.gate.gate import Gate
from interlock.gate.session import Session
from interlock.levels import Verdict
from interlock.model import Action
from interlock.sanitise import stored_name

_ASKED, _APPROVED, _REJECTED = "question.asked", "question.approved", "question.rejected"
_EDITED = "question.edited"


class Call(NamedTuple):
    """A call of a tool: in which conversation, which one, of what, and with what.

    `first` is what it was called with when somebody was asked, where they have changed that since. `scope` is where its
    id means this call and no other; else that is the conversation.
    """

    conversation: str
    call_id: str
    tool: str
    given: Mapping[str, Any]
    first: Mapping[str, Any] | None = None
    description: str | None = None
    scope: str | None = None


class Told(NamedTuple):
    """What a framework does with a call: SILENT, it runs; ASK, its person is asked; DENY, the model reads why not."""

    reply: Reply
    why: str = ""

    @property
    def runs(self) -> bool:
        """Whether it may run."""
        return self.reply is Reply.SILENT


class Checker:
    """Decides calls at a gate.

    With `asks`, what needs one person is asked in the framework's own way. With `once`, an approval is used up by the
    call that runs on it; a framework that never runs a finished call again needs that not. With `strict`, an approval
    counts only for a call that was asked about: a framework may have others approved together with it.
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
    ) -> None:
        self._gate, self._agent_id = gate, agent_id
        self._asks, self._once, self._strict = asks, once, strict
        self._terms = Terms(wait=wait)

    def check(self, call: Call, *, approved: bool = False) -> Told:
        """Decide a call. `approved` says that the framework's person has agreed to it.

        Whatever goes wrong, the call does not run because of it.
        """
        try:
            session, step = self._submitted(call)
            if step.approval is None:
                return self._told(session, step, call, approved=approved)
            return _answered(*waited(session, step, step.approval, self._terms))
        except InterlockError as error:
            return _failed(error)

    async def acheck(self, call: Call, *, approved: bool = False) -> Told:
        """Do as `check` does, while others go on."""
        try:
            session, step = await asyncio.to_thread(self._submitted, call)
            if step.approval is None:
                return await asyncio.to_thread(self._told, session, step, call, approved=approved)
            return _answered(*await await_answer(session, step, step.approval, self._terms))
        except InterlockError as error:
            return _failed(error)

    async def apeek(self, call: Call) -> bool:
        """Return whether somebody would be asked about a call; nothing is recorded unless they would be."""
        try:
            decided = await asyncio.to_thread(self._session(call).decide_unrecorded, self._action(call))
        except InterlockError:
            return False  # whoever decides next says why it does not run
        if await asyncio.to_thread(self.is_unanswered, call):
            return True
        if decided.record.decision.verdict is not Verdict.REQUIRE_APPROVAL:
            return False
        return (await self.acheck(call)).reply is Reply.ASK

    def is_unanswered(self, call: Call) -> bool:
        """Whether somebody was asked about a call, and has not agreed."""
        session = self._session(call)
        return self._is_noted(session, call, _ASKED) and not self._is_noted(session, call, _APPROVED)

    def _submitted(self, call: Call) -> tuple[Session, Submission]:
        session = self._session(call)
        return session, session.submit(self._action(call), is_enough if self._asks else None)

    def _told(self, session: Session, step: Submission, call: Call, *, approved: bool) -> Told:
        decision = step.decision
        if decision.verdict is Verdict.BLOCK:
            return Told(Reply.DENY, refusal_of(decision, session).why)
        asked = self._is_noted(session, call, _ASKED)
        if step.by != ASKED_BY_AGENT and not asked:
            return Told(Reply.SILENT)
        if not approved:  # once asked, only an answer lets it run
            self._note(session, call, _ASKED)
            return Told(Reply.ASK, line(f"Interlock asks: {why_of(decision)}"))
        if self._strict and not asked:
            return Told(Reply.DENY, "Interlock: an approval is for one call, and nobody was asked about this one")
        if not self._note(session, call, _APPROVED) and self._once:
            return Told(Reply.DENY, "Interlock: somebody approved this once, and it has run; ask again")
        return Told(Reply.SILENT)

    def reject(self, call: Call) -> None:
        """Note that the framework's person did not agree."""
        self._note(self._session(call), call, _REJECTED)

    def edit(self, call: Call, given: Mapping[str, Any]) -> None:
        """Note that a person has changed what a call is given: its digest on record, the text on the shelf."""
        digest = self._gate.journal.content.put(canonical(canonical_form(dict(given))).decode())
        self._note(self._session(call), call, _EDITED, digest=digest)

    def edited(self, call: Call) -> dict[str, Any] | None:
        """Return what a person has changed a call to; None where they have not. One that is lost is an error."""
        body = self._body(self._session(call), call, _EDITED)
        if body is None:
            return None
        text = self._gate.journal.content.get(str(msgspec.json.decode(body)["data"].get("digest")))
        if text is None:
            raise InterlockError("somebody changed this call, and what they wrote is not to be had any more")
        found: dict[str, Any] = msgspec.json.decode(text)
        return found

    def _session(self, call: Call) -> Session:
        return self._gate.session_of(user_name(), call.conversation, self._agent_id, os.getcwd(), self._agent_id)

    def _action(self, call: Call) -> Action:
        return Action(
            tool_name=call.tool,
            input_payload=canonical_form(dict(call.given)),
            agent_id=self._agent_id,
            cwd=os.getcwd(),
            home=str(Path.home()),
            docstring=call.description,
        )

    def _is_noted(self, session: Session, call: Call, kind: str) -> bool:
        return self._body(session, call, kind) is not None

    def _body(self, session: Session, call: Call, kind: str) -> str | None:
        query = "SELECT body FROM interlock_records WHERE record_id = :record_id"
        with self._gate.journal.database.read() as connection:
            found: str | None = connection.value(query, record_id=self._record_id(session, call, kind))
            return found

    def _note(self, session: Session, call: Call, kind: str, **more: str) -> bool:
        """Note something about a call; return whether that is new."""
        record_id = self._record_id(session, call, kind)
        told = {"eventId": stored_name(call.call_id), **more}
        return note_event(self._gate, session.run, kind, call.tool, record_id=record_id, **told)

    def _record_id(self, session: Session, call: Call, kind: str) -> str:
        """Return the id of what is noted about a call: another call by the same id is another."""
        first = canonical_form(dict(call.given if call.first is None else call.first))
        where = session.run_id if call.scope is None else call.scope
        whose = canonical([self._gate.journal.store_id, where, kind, call.call_id, call.tool, first])
        return "q" + hashlib.sha256(whose).hexdigest()[:31]


def _answered(reply: Reply, words: Words) -> Told:
    """Return what a framework does after somebody was asked by us."""
    if reply is Reply.SILENT:
        return Told(Reply.SILENT)
    return Told(Reply.DENY, " ".join(filter(None, (words.why, words.tell))))


def _failed(error: InterlockError) -> Told:
    return Told(Reply.DENY, line(f"Interlock does not let this run: it could not be decided: {error}"))
