"""Decide the tool calls of a framework, and record which of them its user was asked about."""

from __future__ import annotations

import asyncio
import functools
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from interlock.agents.call_runs import CallNote, CallRun, ToolCall, open_conversation
from interlock.agents.permission import Permission, PermissionText
from interlock.agents.reply import (
    AnswerOptions,
    await_approval,
    await_approval_async,
    explain_block,
    is_enough,
    one_line,
    submit_with_hold,
    submit_with_hold_async,
    waiting_seconds,
)
from interlock.analyse.declared_action import DeclaredAction
from interlock.analyse.tools.argument_schema import outline
from interlock.audit.digest import canonical_form
from interlock.audit.identity import user_name
from interlock.audit.record import canonical
from interlock.errors import InterlockError
from interlock.gate.approval_flow import ASKED_BY_AGENT, AgentAsks, Submission
from interlock.gate.call_outcome import CallOutcome, WatchedCall
from interlock.gate.gate import Gate
from interlock.gate.refusals import describe_reason
from interlock.levels import Verdict
from interlock.model import NO_DETAILS, Action, RunDetails
from interlock.sanitise import storable_name

#: The details of the runs of conversations, or a function that returns them for the id of a conversation.
DetailsOf = RunDetails | Callable[[str], RunDetails]
#: The name of the person who answers, or a function that returns it.
ApproverName = str | Callable[[], str] | None
#: How many conversations are kept in memory.
MAX_RUNS = 256
_ASKED, _APPROVED, _REJECTED = "question.asked", "question.approved", "question.rejected"
_EDITED = "question.edited"


class CallDecision(NamedTuple):
    """The decision for a framework: run the call, ask its user, or tell the model why it does not run."""

    permission: Permission
    why: str = ""
    decision_id: str = ""

    @property
    def runs(self) -> bool:
        """Whether the call may run."""
        return self.permission is Permission.NO_OBJECTION


class Checker:
    """Decides calls at a gate, which may be at a server.

    With `asks`, the framework asks where one person's answer is enough. With `once`, an approval is used up by the call
    that it lets run; a framework that never runs a finished call again does not need that. With `strict`, an approval
    counts only for a call that was asked about: a framework may approve others together with it. `approver` is the
    framework's person, who is recorded with their answers; by default, the user whose account the program runs under.
    `details` are those of the runs of conversations.
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
        approver: ApproverName = None,
        details: DetailsOf = NO_DETAILS,
    ) -> None:
        self._gate, self._agent_id, self._approver = gate, agent_id, approver
        self._details = details
        self._runs: OrderedDict[str, CallRun] = OrderedDict()  # of conversations that have begun
        self._asks, self._once, self._strict = asks, once, strict
        self._wait = wait

    def add_person_request(self, conversation: str, text: str) -> None:
        """Record a request of the person in a conversation, for the calls that follow."""
        self._run_of(conversation).add_person_request(text)

    def check(self, call: ToolCall, *, approved: bool = False) -> CallDecision:
        """Decide a call. `approved`: the framework's person has agreed to it. Every failure is a refusal."""
        try:
            run, submit = self._submission(call)
            step = submit_with_hold(submit, functools.partial(waiting_seconds, run, self._options(run)))
            if step.approval is None:
                return self._decide(run, step, call, approved=approved)
            return _decision_of(step, *await_approval(run, step, step.approval, self._options(run)))
        except InterlockError as error:
            return _refuse(error)

    async def acheck(self, call: ToolCall, *, approved: bool = False) -> CallDecision:
        """Do as `check` does, without blocking the event loop."""
        try:
            run, submit = await asyncio.to_thread(self._submission, call)
            step = await submit_with_hold_async(submit, functools.partial(waiting_seconds, run, self._options(run)))
            if step.approval is None:
                return await asyncio.to_thread(self._decide, run, step, call, approved=approved)
            return _decision_of(step, *await await_approval_async(run, step, step.approval, self._options(run)))
        except InterlockError as error:
            return _refuse(error)

    async def needs_answer_async(self, call: ToolCall) -> bool:
        """Return whether the person would be asked about a call."""
        try:
            if await asyncio.to_thread(self.is_unanswered, call):
                return True
            if not await asyncio.to_thread(self._needs_answer, call):
                return False
        except InterlockError:
            return False  # `check` says why it does not run
        return (await self.acheck(call)).permission is Permission.ASK

    def _needs_answer(self, call: ToolCall) -> bool:
        """Whether a call needs an approval. A call that the person was asked about does."""
        run = self._run_of(call.conversation)
        if run.find_note(_ASKED, call) is not None:
            return True
        decision = run.peek(self._action(call), self._question)
        self._cache_run(call.conversation, run)
        return decision.verdict is Verdict.REQUIRE_APPROVAL

    def is_unanswered(self, call: ToolCall) -> bool:
        """Whether the person was asked about a call, and has not agreed."""
        run = self._run_of(call.conversation)
        return run.find_note(_ASKED, call) is not None and run.find_note(_APPROVED, call) is None

    @property
    def _question(self) -> AgentAsks | None:
        """The approvals that the framework may ask its own user for; None if it cannot ask."""
        return is_enough if self._asks else None

    def _options(self, run: CallRun) -> AnswerOptions:
        return AnswerOptions(wait=self._wait, link=run.link)

    def _submission(self, call: ToolCall) -> tuple[CallRun, Callable[[float | None], Submission]]:
        """Return the run of a call, and the function that submits it.

        If the person was asked about a call, it is recorded again only if the verdict is stricter now.
        """
        run, action = self._run_of(call.conversation), self._action(call)
        asked = run.find_note(_ASKED, call) if self._asks and not call.is_edited else None

        def submit(hold: float | None) -> Submission:
            if asked is None:
                step = run.submit(action, self._question, hold)
            else:
                step = run.submit_again(action, is_enough, asked, hold)
            self._cache_run(call.conversation, run)
            return step

        return run, submit

    def _decide(self, run: CallRun, step: Submission, call: ToolCall, *, approved: bool) -> CallDecision:
        decision = step.decision
        if decision.verdict is Verdict.BLOCK:
            return CallDecision(Permission.DENY, explain_block(decision, run.run_id).reason)
        asked = run.find_note(_ASKED, call) is not None
        if step.by != ASKED_BY_AGENT and not asked:
            return CallDecision(Permission.NO_OBJECTION, decision_id=step.record_id)
        if not approved:  # once asked, only an answer lets it run
            run.add_note(_ASKED, call, note=CallNote(step.record_id))
            return CallDecision(Permission.ASK, one_line(f"Interlock needs your approval: {describe_reason(decision)}"))
        if self._strict and not asked:
            return CallDecision(
                Permission.DENY, "Interlock: an approval covers one call, and this one was not approved"
            )
        if not run.add_note(_APPROVED, call, person=self._person()) and self._once:
            return CallDecision(
                Permission.DENY, "Interlock: this was approved once and has run; request approval again"
            )
        return CallDecision(Permission.NO_OBJECTION, decision_id=step.record_id)

    def watch(self, call: ToolCall, decision: CallDecision) -> WatchedCall:
        """Return a context manager that records the outcome of an allowed call."""
        return WatchedCall(functools.partial(self.record_outcome, call, decision))

    def record_outcome(self, call: ToolCall, decision: CallDecision, ended: CallOutcome) -> None:
        """Record the outcome of a call, next to its decision."""
        self._run_of(call.conversation).record_outcome(
            call.tool, ended, decision_id=decision.decision_id, event_id=call.call_id
        )

    def reject(self, call: ToolCall) -> None:
        """Record that the framework's person did not agree."""
        self._run_of(call.conversation).add_note(_REJECTED, call, person=self._person())

    def edit(self, call: ToolCall, arguments: Mapping[str, Any]) -> None:
        """Record that a person has edited the arguments of a call: the digest on record, the text in the store."""
        note = CallNote(content=canonical(canonical_form(dict(arguments))).decode())
        self._run_of(call.conversation).add_note(_EDITED, call, person=self._person(), note=note)

    def find_edited_arguments(self, call: ToolCall) -> dict[str, Any] | None:
        """Return the arguments that a person has edited; None if they have not. Raise if they are lost."""
        found = self._run_of(call.conversation).find_note(_EDITED, call)
        if found is None:
            return None
        if found.content is None:
            raise InterlockError("a person edited this call, and the edited text was lost")
        edited: dict[str, Any] = msgspec.json.decode(found.content)
        return edited

    def _run_of(self, conversation: str) -> CallRun:
        """Return the run of a conversation. An agent does not share a run that another agent of this user began."""
        known = self._runs.get(conversation)
        if known is not None:
            return known
        details = self._details(conversation) if callable(self._details) else self._details
        run, has_begun = open_conversation(self._gate, conversation, self._agent_id, details)
        if has_begun:
            self._cache_run(conversation, run)
        return run

    def _cache_run(self, conversation: str, run: CallRun) -> None:
        self._runs[conversation] = run
        self._runs.move_to_end(conversation)
        while len(self._runs) > MAX_RUNS:
            self._runs.popitem(last=False)

    def mark_call(self, call: ToolCall) -> AbstractContextManager[None]:
        """Mark the `with` block as the call itself: runs that begin inside it are its children."""
        return self._run_of(call.conversation).mark_call()

    def _action(self, call: ToolCall) -> Action:
        fields: dict[str, Any] = {
            "tool_name": call.tool,
            "input_payload": canonical_form(dict(call.arguments)),
            "agent_id": self._agent_id,
            "cwd": os.getcwd(),
            "home": str(Path.home()),
            "docstring": call.description,
            "input_schema": canonical_form(outline(call.schema)),
        }
        return Action(**fields) if call.declared is None else DeclaredAction(**fields, declared=call.declared)

    def _person(self) -> str:
        """Return the name of the person who answers."""
        found = self._approver() if callable(self._approver) else self._approver
        return storable_name(found or user_name())


def _decision_of(step: Submission, permission: Permission, words: PermissionText) -> CallDecision:
    """Return the decision for a framework from a submission and the answer to its request."""
    if permission is Permission.NO_OBJECTION:
        return CallDecision(Permission.NO_OBJECTION, decision_id=step.record_id)
    return CallDecision(Permission.DENY, words.in_full)


def _refuse(error: InterlockError) -> CallDecision:
    return CallDecision(Permission.DENY, one_line(f"Interlock refused this: the decision failed: {error}"))
