"""The judge: decides a call of a tool, asks where that takes it, and says why one does not run."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import anyio
import msgspec

from interlock.agents.agent import Reply
from interlock.agents.gateway.messages import CALL, is_finite
from interlock.agents.gateway.tools import Tools
from interlock.agents.outcome import note_event
from interlock.agents.refusal import Terms, is_enough, line, refusal_of, waited, why_of
from interlock.audit.anchor import user
from interlock.audit.record import new_id
from interlock.audit.summary import plainly, shown
from interlock.errors import InterlockError
from interlock.gate.gate import Gate
from interlock.gate.passage import ASKED, Step
from interlock.gate.session import Session
from interlock.levels import Verdict
from interlock.model import Action, Needs
from interlock.policy.tiers import plain

#: How long what is asked in a client's own dialog may be: what somebody approves, they have seen whole.
MAX_SHOWN = 1_500
#: Asks the client's person; whether they said yes.
Ask = Callable[[str], Awaitable[bool]]


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
        return self._gate.session_of(user(), self._run_id, f"mcp/{self._client}", os.getcwd(), "mcp")

    async def refusal(self, method: str, params: dict[str, Any], ask: Ask | None) -> str | None:
        """Return why a call does not run; None where it may."""
        try:
            return await self._refusal(method, params, ask)
        except InterlockError as error:
            return line(f"Interlock does not let this run: it could not be decided: {error}")

    async def _refusal(self, method: str, params: dict[str, Any], ask: Ask | None) -> str | None:
        if not is_finite(params):
            return "Interlock does not let this run: a number in it is none that JSON can say"
        action = await anyio.to_thread.run_sync(self._action, method, params)
        asks = partial(self._can_be_asked, action) if ask is not None else None
        session = self._session
        step = await anyio.to_thread.run_sync(session.submit, action, asks)
        why = await self._objection(session, step, ask)
        if why is None and method == CALL:
            await anyio.to_thread.run_sync(self.tools.allow, params["name"], session.run)
        return why

    def _action(self, method: str, params: dict[str, Any]) -> Action:
        """Return a call as an action. What the server says of its tool can make it worse, and never better."""
        tool = params.get("name") if method == CALL else method
        if not isinstance(tool, str) or not tool:
            raise InterlockError("the call does not say which tool it is")
        given = params.get("arguments", {}) if method == CALL else params
        said = self.tools.get(tool) if method == CALL else None
        annotations = dict(said.annotations) if said is not None else {}
        if method == CALL and self.tools.is_changed(tool):
            annotations["descriptionChanged"] = True
        return Action(
            tool_name=f"mcp__{self._server}__{tool}",
            input_payload=given if isinstance(given, dict) else {"input": given},
            agent_id=f"mcp/{self._client}",
            cwd=os.getcwd(),
            annotations=annotations,
            docstring=said.description if said is not None else None,
        )

    async def _objection(self, session: Session, step: Step, ask: Ask | None) -> str | None:
        decision = step.case.decision
        if decision.verdict is Verdict.BLOCK:
            return refusal_of(decision, session).why
        if step.by == ASKED and ask is not None:
            agreed = await ask(_question(step))
            kind = "elicitation.accepted" if agreed else "elicitation.declined"
            await anyio.to_thread.run_sync(note_event, self._gate, session.run, kind, step.case.action.tool_name)
            return None if agreed else "Interlock: the person was asked, and did not agree; do something else"
        if step.approval is not None:
            waiting = partial(waited, session, step, step.approval, self._terms)
            reply, words = await anyio.to_thread.run_sync(waiting, abandon_on_cancel=True)
            return None if reply is Reply.SILENT else " ".join(filter(None, (words.why, words.tell)))
        return None

    def _can_be_asked(self, action: Action, needs: Needs) -> bool:
        """Whether the client's own dialog is enough: one person has to agree, and sees all that they agree to."""
        given = msgspec.json.encode(plainly(action.input_payload))
        return is_enough(needs) and len(given) <= MAX_SHOWN

    def finished(self, tool: str, *, failed: bool) -> None:
        """Note what became of a call."""
        note_event(self._gate, self._session.run, "tool.failed" if failed else "tool.completed", tool)


def _question(step: Step) -> str:
    """Return what the person is asked: what runs, with what, and why that is asked."""
    action, decision = step.case.action, step.case.decision
    given = plain(msgspec.json.encode(plainly(action.input_payload)).decode())
    text = plain(shown(action, decision))
    return f"Interlock asks: {why_of(decision)}.\n\nTool: {plain(action.tool_name)}\n{text}\n\nGiven: {given}"
