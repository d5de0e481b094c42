"""The runs in which guards and the gateway decide tool calls: in a local store, or at a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from interlock.agents.reply import AnswerSource
from interlock.approval.request import Approval
from interlock.audit.digest import canonical_form
from interlock.gate.approval_flow import AgentAsks, Submission
from interlock.gate.call_outcome import CallOutcome
from interlock.gate.gate import Gate
from interlock.knowledge.tool import Tool
from interlock.model import NO_DETAILS, Action, Decision, RunDetails


class ToolCall(NamedTuple):
    """A call of a tool in a conversation."""

    conversation: str
    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    #: The arguments that the person was shown, if the person edited them afterwards.
    original: Mapping[str, Any] | None = None
    description: str | None = None
    schema: Mapping[str, Any] = {}
    #: The declaration of the tool by its author.
    declared: Tool | None = None
    #: Where `call_id` is unique; None: in the conversation.
    scope: str | None = None

    @property
    def is_edited(self) -> bool:
        """Whether a person has edited the arguments since they were asked."""
        return self.original is not None and canonical_form(dict(self.original)) != canonical_form(dict(self.arguments))

    def identity(self, kind: str) -> list[Any]:
        """Return the values that identify a record about this call."""
        first = canonical_form(dict(self.arguments if self.original is None else self.original))
        return [kind, self.call_id, self.tool, first]


class CallNote(NamedTuple):
    """A recorded note about a call: the decision that it belongs to, and a text."""

    decision_id: str = ""
    content: str | None = None


class CallRun(AnswerSource, Protocol):
    """The interface of a run for guards and the gateway."""

    @property
    def link(self) -> Callable[[Approval], str] | None:
        """Where a request is answered, if not on the command line."""

    def submit(self, action: Action, agent_asks: AgentAsks | None, hold: float | None = None) -> Submission:
        """Decide and record; open a request if an approval is needed and the agent does not ask its own user.

        With `hold`, the seconds that a server may hold it, raise `ActionHeld` if the agent is still paused then.
        """

    def submit_again(
        self, action: Action, agent_asks: AgentAsks, asked: CallNote, hold: float | None = None
    ) -> Submission:
        """Submit an action again after its user was asked; it is recorded again only if the verdict is stricter now."""

    def peek(self, action: Action, agent_asks: AgentAsks | None) -> Decision:
        """Return the decision on an action before it is submitted, without recording it twice."""

    def add_person_request(self, text: str) -> str:
        """Record a request of the person behind the run."""

    def find_note(self, kind: str, call: ToolCall) -> CallNote | None:
        """Return the note about a call, or None."""

    def add_note(
        self,
        kind: str,
        call: ToolCall,
        *,
        person: str | None = None,
        note: CallNote = CallNote(),  # noqa: B008
    ) -> bool:
        """Record a note about a call, by a person or by the agent; return whether it is new."""

    def record_outcome(self, tool: str, outcome: CallOutcome, *, decision_id: str, event_id: str = "") -> None:
        """Record the outcome of a call, next to its decision, without waiting for the store."""

    def mark_call(self) -> AbstractContextManager[None]:
        """Mark the `with` block as a tool call of this run: runs that begin inside it are its children."""

    def record_event(self, kind: str, text: str) -> None:
        """Record an event of the run."""

    def find_allowed_digest(self, target: str, tool: str) -> str | None:
        """Return the digest of a tool's description when the tool was last allowed."""

    def allow_tool(self, target: str, tool: str, digest: str) -> None:
        """Record the description of a tool that is allowed, if it is new."""

    def end(self) -> None:
        """Record that the run has ended, if it began."""


def open_call_run(gate: Gate, run_id: str, agent_id: str, key: str, details: RunDetails = NO_DETAILS) -> CallRun:
    """Return a run of an agent. `key` is the agent that it belongs to: another one of the same user cannot join it."""
    from interlock.gate.remote.gate import RemoteGate

    if isinstance(gate, RemoteGate):
        from interlock.agents.remote_runs import RemoteCallRun

        return RemoteCallRun(gate, run_id, agent_id, details).begin()
    from interlock.agents.local_runs import LocalCallRun

    return LocalCallRun(gate, run_id, agent_id, key, details)


def open_conversation(gate: Gate, conversation: str, agent_id: str, details: RunDetails) -> tuple[CallRun, bool]:
    """Return the run of a conversation, and whether it has begun. Agents do not share a run.

    Raise if the run has begun with other `details`.
    """
    from interlock.gate.remote.gate import RemoteGate

    if isinstance(gate, RemoteGate):
        from interlock.agents.remote_runs import find_remote_run

        return find_remote_run(gate, conversation, agent_id, details)
    from interlock.agents.local_runs import find_local_run

    return find_local_run(gate, conversation, agent_id, details)
