"""Decide calls of MCP tools: ask the client's user if needed, and explain why a call does not run."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

import anyio
import msgspec

from interlock.agents.call_runs import CallRun, open_call_run
from interlock.agents.gateway.messages import CALL, is_finite
from interlock.agents.gateway.tools import ServerTools, ToolDescription
from interlock.agents.permission import Permission
from interlock.agents.reply import (
    AnswerOptions,
    await_approval_async,
    explain_block,
    is_enough,
    one_line,
    submit_with_hold_async,
    waiting_seconds,
)
from interlock.audit.digest import canonical_form
from interlock.audit.summary import describe_action
from interlock.errors import InterlockError
from interlock.gate.approval_flow import ASKED_BY_AGENT, Submission
from interlock.gate.call_outcome import WatchedCall
from interlock.gate.gate import Gate
from interlock.gate.refusals import describe_reason
from interlock.ids import new_id
from interlock.levels import Verdict
from interlock.model import NO_DETAILS, Action, Cause, Needs, RunDetails
from interlock.sanitise import plain
from interlock.scoring.factors import score_docstring

#: How long a question in a client's own dialog may be: a person sees all of what they approve.
MAX_SHOWN = 1_500
MAX_DESCRIPTION = 2_000
#: Asks the client's person, and returns whether they agreed.
AskClient = Callable[[str], Awaitable[bool]]


class Ruling(NamedTuple):
    """The decision on a call: why it does not run, or a function that waits for an answer; with neither, it runs."""

    refusal: str | None = None
    wait: Callable[[], Awaitable[str | None]] | None = None  # returns why the call does not run, or None
    decision_id: str = ""


class CallDecider:
    """Decides the calls of one connection of a client, which is one run."""

    def __init__(
        self,
        gate: Gate,
        server: str,
        target: str,
        options: AnswerOptions,
        *,
        run_id: str | None = None,
        details: RunDetails = NO_DETAILS,
    ) -> None:
        self._gate, self._server, self._options, self._details = gate, server, options, details
        self.tools = ServerTools(target)
        self._run_id, self._client = run_id or new_id(), "client"
        self._opened: CallRun | None = None

    def name_client(self, client: str) -> None:
        """Set the name by which the client introduces itself."""
        self._client, self._opened = one_line(client)[:60] or "client", None

    def end(self) -> None:
        """End the run if it began, because the client disconnected."""
        if self._opened is not None:
            self._opened.end()

    def _run(self) -> CallRun:
        if self._opened is None:
            self._opened = open_call_run(self._gate, self._run_id, f"mcp/{self._client}", "mcp", self._details)
        return self._opened

    async def decide(self, method: str, params: dict[str, Any], ask: AskClient | None) -> Ruling:
        """Decide a call, without waiting for an answer."""
        if not is_finite(params):
            return Ruling("Interlock refused this: it contains a number that JSON cannot represent")
        try:
            described = self._description(method, params)
            run = await anyio.to_thread.run_sync(self._run)
            action = await anyio.to_thread.run_sync(self._action, method, params, described, run)
            asks = partial(self._can_ask_client, action) if ask is not None else None
            step = await submit_with_hold_async(
                partial(run.submit, action, asks), partial(waiting_seconds, run, self._options)
            )
            if step.decision.verdict is Verdict.BLOCK:
                return Ruling(explain_block(step.decision, run.run_id).reason)
            tool = params["name"] if method == CALL else None
            if step.by == ASKED_BY_AGENT or step.approval is not None:
                wait = partial(self._wait, run, step, ask, tool, described)
                return Ruling(wait=wait, decision_id=step.record_id)
            if step.decision.cause is not Cause.OBSERVED:  # else a changed description would be trusted afterwards
                await self._allow(tool, described, run)
        except InterlockError as error:
            return Ruling(_explain_failure(error))
        return Ruling(decision_id=step.record_id)

    async def _wait(
        self, run: CallRun, step: Submission, ask: AskClient | None, tool: str | None, described: ToolDescription | None
    ) -> str | None:
        """Wait for the answer to a question or a request; return why the call does not run, or None."""
        try:
            why = await self._objection(run, step, ask)
            if why is None:
                await self._allow(tool, described, run)
        except InterlockError as error:
            return _explain_failure(error)
        return why

    async def _allow(self, tool: str | None, described: ToolDescription | None, run: CallRun) -> None:
        if tool is not None:
            await anyio.to_thread.run_sync(self.tools.allow, tool, described, run)

    def _description(self, method: str, params: dict[str, Any]) -> ToolDescription | None:
        name = params.get("name") if method == CALL else None
        return self.tools.get(name) if isinstance(name, str) else None

    def _action(self, method: str, params: dict[str, Any], described: ToolDescription | None, run: CallRun) -> Action:
        """Return a call as an action. The server's description of the tool can only make it riskier."""
        tool = params.get("name") if method == CALL else method
        if not isinstance(tool, str) or not tool:
            raise InterlockError("the call does not say which tool it is")
        annotations = dict(described.annotations) if described is not None else {}
        if method == CALL and self.tools.is_changed(tool, described, run):
            annotations["descriptionChanged"] = True
        return Action(
            tool_name=f"mcp__{self._server}__{tool}",
            input_payload=_arguments(method, params),
            agent_id=f"mcp/{self._client}",
            cwd=os.getcwd(),
            annotations=annotations,
            docstring=_find_alarming_description(described),
            description=described.description[:MAX_DESCRIPTION] if described else None,
            input_schema=described.schema if described else {},
        )

    async def _objection(self, run: CallRun, step: Submission, ask: AskClient | None) -> str | None:
        if step.by == ASKED_BY_AGENT and ask is not None:
            agreed = await ask(_question(step))
            kind = "elicitation.accepted" if agreed else "elicitation.declined"
            await anyio.to_thread.run_sync(run.record_event, kind, step.record.action.tool_name)
            return None if agreed else "Interlock: the person declined this; do something else"
        if step.approval is not None:
            options = msgspec.structs.replace(self._options, link=run.link)
            permission, words = await await_approval_async(run, step, step.approval, options)
            agreed = permission is Permission.NO_OBJECTION
            return None if agreed else words.in_full
        return None

    def _can_ask_client(self, action: Action, needs: Needs) -> bool:
        """Whether the client's own dialog is enough: one approver is needed, and sees the whole action."""
        given = msgspec.json.encode(canonical_form(action.input_payload))
        return is_enough(needs) and len(given) + len(action.tool_name) <= MAX_SHOWN

    def watch(self, tool: str, decision_id: str) -> WatchedCall:
        """Return a context manager that records the outcome of a call that is passed on to the server."""
        return WatchedCall(partial(self._run().record_outcome, tool, decision_id=decision_id))


def _explain_failure(error: InterlockError) -> str:
    return one_line(f"Interlock refused this: the decision failed: {error}")


#: The members of a call that belong to the protocol.
_PROTOCOL_MEMBERS = frozenset({"name", "arguments", "_meta", "task"})


def _arguments(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return all arguments that the server gets, from every part of the message."""
    if method != CALL:
        return params
    given = params.get("arguments", {})
    found = dict(given) if isinstance(given, dict) else {"input": given}
    beside = {name: value for name, value in params.items() if name not in _PROTOCOL_MEMBERS}
    return {**found, "params": beside} if beside else found


def _find_alarming_description(described: ToolDescription | None) -> str | None:
    """Return a tool's description if it raises the score, else None."""
    if described is None or score_docstring(described.description)[0] <= score_docstring(None)[0]:
        return None
    return described.description


def _question(step: Submission) -> str:
    """Return the question to the person: what runs, with which arguments, and why they are asked."""
    action, decision = step.record.action, step.decision
    given = plain(msgspec.json.encode(canonical_form(action.input_payload)).decode())
    text = plain(describe_action(action, decision))
    question = f"Interlock needs your approval: {describe_reason(decision)}."
    return f"{question}\n\nTool: {plain(action.tool_name)}\n{text}\n\nGiven: {given}"
