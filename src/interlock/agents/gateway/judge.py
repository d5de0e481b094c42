"""The judge: decides a call of a tool, asks where that takes it, and says why one does not run."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

import anyio
import msgspec

from interlock.agents.agent import Reply
from interlock.agents.gateway.messages import CALL, is_finite
from interlock.agents.gateway.tools import Described, Tools
from interlock.agents.outcome import note_event
from interlock.agents.refusal import Terms, await_answer, is_enough, line, refusal_of, why_of
from interlock.audit.digest import canonical_form
from interlock.audit.identity import user_name
from interlock.audit.summary import describe_action
from interlock.errors import InterlockError
from interlock.gate.approval_flow import ASKED_BY_AGENT, Submission
from interlock.gate.gate import Gate
from interlock.gate.session import Session
from interlock.ids import new_id
from interlock.levels import Verdict
from interlock.model import Action, Needs
from interlock.sanitise import plain
from interlock.scoring.factors import score_docstring

#: How long what is asked in a client's own dialog may be: what somebody approves, they have seen whole.
MAX_SHOWN = 1_500
_LOG = logging.getLogger("interlock.mcp")
#: Asks the client's person; whether they said yes.
Ask = Callable[[str], Awaitable[bool]]


class Judged(NamedTuple):
    """What was decided of a call: why it does not run, or what is left to wait for; with neither, it runs."""

    why: str | None = None
    later: Callable[[], Awaitable[str | None]] | None = None


class Judge:
    """Decides for one connection of a client, which is one run."""

    def __init__(self, gate: Gate, server: str, target: str, terms: Terms, *, run_id: str | None = None) -> None:
        self._gate, self._server, self._terms = gate, server, terms
        self.tools = Tools(gate.journal, target)
        self._run_id, self._client = run_id or new_id(), "client"

    def meet(self, client: str) -> None:
        """Learn who the client says it is."""
        self._client = line(client)[:60] or "client"

    @property
    def _session(self) -> Session:
        return self._gate.session_of(user_name(), self._run_id, f"mcp/{self._client}", os.getcwd(), "mcp")

    async def judged(self, method: str, params: dict[str, Any], ask: Ask | None) -> Judged:
        """Decide a call, and wait for nobody."""
        if not is_finite(params):
            return Judged("Interlock does not let this run: a number in it is none that JSON can say")
        try:
            said = self._described(method, params)
            action = await anyio.to_thread.run_sync(self._action, method, params, said)
            asks = partial(self._can_be_asked, action) if ask is not None else None
            session = self._session
            step = await anyio.to_thread.run_sync(session.submit, action, asks)
            if step.decision.verdict is Verdict.BLOCK:
                return Judged(refusal_of(step.decision, session).why)
            tool = params["name"] if method == CALL else None
            if step.by == ASKED_BY_AGENT or step.approval is not None:
                return Judged(later=partial(self._later, session, step, ask, tool, said))
            await self._allow(tool, said, session)
        except InterlockError as error:
            return Judged(_failed(error))
        return Judged()

    async def _later(
        self, session: Session, step: Submission, ask: Ask | None, tool: str | None, said: Described | None
    ) -> str | None:
        """Return why a call does not run, once whoever has to be asked has answered."""
        try:
            why = await self._objection(session, step, ask)
            if why is None:
                await self._allow(tool, said, session)
        except InterlockError as error:
            return _failed(error)
        return why

    async def _allow(self, tool: str | None, said: Described | None, session: Session) -> None:
        if tool is not None:
            await anyio.to_thread.run_sync(self.tools.allow, tool, said, session.run)

    def _described(self, method: str, params: dict[str, Any]) -> Described | None:
        name = params.get("name") if method == CALL else None
        return self.tools.get(name) if isinstance(name, str) else None

    def _action(self, method: str, params: dict[str, Any], said: Described | None) -> Action:
        """Return a call as an action. What the server says of its tool can make it worse, and never better."""
        tool = params.get("name") if method == CALL else method
        if not isinstance(tool, str) or not tool:
            raise InterlockError("the call does not say which tool it is")
        annotations = dict(said.annotations) if said is not None else {}
        if method == CALL and self.tools.is_changed(tool, said):
            annotations["descriptionChanged"] = True
        return Action(
            tool_name=f"mcp__{self._server}__{tool}",
            input_payload=_given(method, params),
            agent_id=f"mcp/{self._client}",
            cwd=os.getcwd(),
            annotations=annotations,
            docstring=_warning(said),
        )

    async def _objection(self, session: Session, step: Submission, ask: Ask | None) -> str | None:
        if step.by == ASKED_BY_AGENT and ask is not None:
            agreed = await ask(_question(step))
            kind = "elicitation.accepted" if agreed else "elicitation.declined"
            await anyio.to_thread.run_sync(note_event, self._gate, session.run, kind, step.record.action.tool_name)
            return None if agreed else "Interlock: the person was asked, and did not agree; do something else"
        if step.approval is not None:
            reply, words = await await_answer(session, step, step.approval, self._terms)
            return None if reply is Reply.SILENT else " ".join(filter(None, (words.why, words.tell)))
        return None

    def _can_be_asked(self, action: Action, needs: Needs) -> bool:
        """Whether the client's own dialog is enough: one person has to agree, and sees all that they agree to."""
        given = msgspec.json.encode(canonical_form(action.input_payload))
        return is_enough(needs) and len(given) + len(action.tool_name) <= MAX_SHOWN

    def finished(self, tool: str, *, failed: bool) -> None:
        """Note what became of a call."""
        try:
            note_event(self._gate, self._session.run, "tool.failed" if failed else "tool.completed", tool)
        except InterlockError as error:  # it has run: that this is not on record stops nobody else
            _LOG.warning("what became of a call is not on record: %s", error)


def _failed(error: InterlockError) -> str:
    return line(f"Interlock does not let this run: it could not be decided: {error}")


#: What the protocol itself puts beside the arguments of a call.
_BESIDE = frozenset({"name", "arguments", "_meta", "task"})


def _given(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return what a server is given, whatever part of the message it stands in."""
    if method != CALL:
        return params
    given = params.get("arguments", {})
    found = dict(given) if isinstance(given, dict) else {"input": given}
    beside = {name: value for name, value in params.items() if name not in _BESIDE}
    return {**found, "params": beside} if beside else found


def _warning(said: Described | None) -> str | None:
    """Return what a tool says of itself, where that makes it worse than a tool that says nothing."""
    if said is None or score_docstring(said.description)[0] <= score_docstring(None)[0]:
        return None
    return said.description


def _question(step: Submission) -> str:
    """Return what the person is asked: what runs, with what, and why that is asked."""
    action, decision = step.record.action, step.decision
    given = plain(msgspec.json.encode(canonical_form(action.input_payload)).decode())
    text = plain(describe_action(action, decision))
    return f"Interlock asks: {why_of(decision)}.\n\nTool: {plain(action.tool_name)}\n{text}\n\nGiven: {given}"
