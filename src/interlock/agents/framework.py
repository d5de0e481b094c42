"""What the adapters of frameworks share: a call is decided, asked about in the framework's own way, and runs once."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import select

from interlock.agents.agent import Reply
from interlock.agents.refusal import Terms, is_enough, line, refusal_of, waited, why_of
from interlock.audit.anchor import user
from interlock.audit.chain import Transaction
from interlock.audit.record import Entry, canonical
from interlock.audit.runs import start_run
from interlock.audit.summary import plainly
from interlock.errors import InterlockError
from interlock.gate.case import named
from interlock.gate.gate import Gate
from interlock.gate.passage import ASKED
from interlock.gate.session import Session
from interlock.levels import Verdict
from interlock.model import Action
from interlock.store.clock import now
from interlock.store.tables import records

_ASKED, _APPROVED, _REJECTED = "question.asked", "question.approved", "question.rejected"


class Call(NamedTuple):
    """A call of a tool: in which conversation, which one, of what, and with what.

    `first` is what it was called with when somebody was asked, where they have changed that since.
    """

    conversation: str
    call_id: str
    tool: str
    given: Mapping[str, Any]
    first: Mapping[str, Any] | None = None
    description: str | None = None


class Told(NamedTuple):
    """What a framework does with a call: SILENT, it runs; ASK, its person is asked; DENY, the model reads why not."""

    reply: Reply
    why: str = ""

    @property
    def runs(self) -> bool:
        """Whether it may run."""
        return self.reply is Reply.SILENT


class Checker:
    """Decides calls at a gate. With `asks`, what needs one person is asked in the framework's own way."""

    def __init__(self, gate: Gate, agent_id: str, *, wait: float = 0.0, asks: bool = True) -> None:
        self._gate, self._agent_id, self._asks = gate, agent_id, asks
        self._terms = Terms(wait=wait)

    async def acheck(self, call: Call, *, approved: bool = False) -> Told:
        """Do as `check` does, while others go on."""
        return await asyncio.to_thread(self.check, call, approved=approved)

    def check(self, call: Call, *, approved: bool = False) -> Told:
        """Decide a call. `approved` says that the framework's person has agreed to it; that counts once.

        Whatever goes wrong, the call does not run because of it.
        """
        try:
            return self._check(call, approved=approved)
        except InterlockError as error:
            return Told(Reply.DENY, line(f"Interlock does not let this run: it could not be decided: {error}"))

    def _check(self, call: Call, *, approved: bool) -> Told:
        session = self._session(call)
        step = session.submit(self._action(call), is_enough if self._asks else None)
        decision = step.case.decision
        if decision.verdict is Verdict.BLOCK:
            return Told(Reply.DENY, refusal_of(decision, session).why)
        if step.approval is not None:
            reply, words = waited(session, step, step.approval, self._terms)
            if reply is not Reply.SILENT:
                return Told(Reply.DENY, " ".join(filter(None, (words.why, words.tell))))
        elif step.by == ASKED or self._was_asked(session, call):  # once asked, only an answer lets it run
            if not approved:
                self._note(session, call, _ASKED)
                return Told(Reply.ASK, line(f"Interlock asks: {why_of(decision)}"))
            if not self._note(session, call, _APPROVED):
                return Told(Reply.DENY, "Interlock: somebody approved this once, and it has run; ask again")
        return Told(Reply.SILENT)

    def reject(self, call: Call) -> None:
        """Note that the framework's person did not agree."""
        self._note(self._session(call), call, _REJECTED)

    def _session(self, call: Call) -> Session:
        return self._gate.session_of(user(), call.conversation, self._agent_id, os.getcwd(), self._agent_id)

    def _action(self, call: Call) -> Action:
        return Action(
            tool_name=call.tool,
            input_payload=plainly(dict(call.given)),
            agent_id=self._agent_id,
            cwd=os.getcwd(),
            home=str(Path.home()),
            docstring=call.description,
        )

    def _was_asked(self, session: Session, call: Call) -> bool:
        name = self._record_id(session, call, _ASKED)
        with self._gate.journal.database.read() as connection:
            return connection.execute(select(records.c.seq).where(records.c.record_id == name)).first() is not None

    def _note(self, session: Session, call: Call, kind: str) -> bool:
        """Note something about a call; return whether that is new."""
        run, record_id = session.run, self._record_id(session, call, kind)
        entry = Entry(
            kind="event",
            at=now().wall,
            actor=run.agent_id or run.started_by,
            name=kind,
            run_id=run.run_id,
            agent_id=run.agent_id,
            outcome=kind.rpartition(".")[2],
            data={"eventId": named(call.call_id), "text": named(call.tool)},
            record_id=record_id,
        )

        def operation(transaction: Transaction) -> bool:
            if transaction.has(record_id):
                return False
            start_run(transaction, run)
            transaction.append(entry)
            return True

        return self._gate.journal.commit(operation)

    def _record_id(self, session: Session, call: Call, kind: str) -> str:
        """Return the id of what is noted about a call: another call by the same id is another."""
        first = plainly(dict(call.given if call.first is None else call.first))
        whose = canonical([self._gate.journal.store_id, session.run_id, kind, call.call_id, call.tool, first])
        return "q" + hashlib.sha256(whose).hexdigest()[:31]
