"""The messages between a remote gate and its server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from interlock.analyse.declared_action import DeclaredAction
from interlock.approval.request import Answer, Approval, ApprovalState
from interlock.audit.digest import action_digest, canonical_form
from interlock.errors import InvalidActionError
from interlock.gate.approval_flow import Submission
from interlock.knowledge.problems import declaration_problems
from interlock.knowledge.tool import Tool
from interlock.model import TABLE_FIELDS, TEXT_FIELDS, Action, Decision, Needs, Struct
from interlock.sanitise import clean

#: How many arguments and flags of a tool can be declared.
MAX_WORDS = 200


class DeclaredTool(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The declaration of a function by its author: the effect of a call, and the roles of its arguments."""

    does: Annotated[str, msgspec.Meta(max_length=100)]
    flags: Annotated[tuple[str, ...], msgspec.Meta(max_length=MAX_WORDS)] = ()
    arguments: Annotated[Mapping[str, str], msgspec.Meta(max_length=MAX_WORDS)] = {}

    def to_tool(self) -> Tool:
        """Return the description of the tool, or raise for a word that is not in the vocabulary."""
        for problem in declaration_problems(self.does, self.flags, self.arguments.values()):
            raise InvalidActionError(f"`declared`: {problem.message}")
        return Tool(does=self.does, flags=self.flags, arguments=self.arguments)


def find_declaration(action: Action) -> DeclaredTool | None:
    """Return the declaration of an action's tool, or None."""
    if not isinstance(action, DeclaredAction):
        return None
    tool = action.declared
    return DeclaredTool(does=tool.does, flags=tool.flags, arguments=tool.arguments)


class CheckMessage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An action to check: with `once` for the first time, with `decision_id` to continue a decision.

    `declared` is the declaration of its function by its author. With `holds`, the action of a paused agent is held.
    """

    forms: list[Action]
    declared: DeclaredTool | None = None
    once: str | None = None
    decision_id: str | None = None
    asks: bool = False
    opens: bool = True
    holds: bool = False


class ApprovalAnswer(Struct, frozen=True, kw_only=True):
    """A request, as the server describes it."""

    approval_id: str
    state: ApprovalState
    url: str
    run_id: str
    agent_id: str | None
    started_by: str
    action: dict[str, Any]
    decision: dict[str, Any]
    needs: Needs
    created_at: int
    expires_at: int | None
    answers: tuple[Answer, ...]
    used_at: int | None
    why: str

    def to_approval(self, digest: str) -> Approval:
        """Return the request of an action with this digest."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__ if name != "url"}
        return Approval(**fields, digest=digest)


class CheckAnswer(Struct, frozen=True, kw_only=True):
    """The server's answer about an action, which may run only if `allowed` is true."""

    allowed: bool
    by: str
    decision_id: str
    run_id: str
    agent_id: str | None
    decision: Decision
    approval: ApprovalAnswer | None
    waits: bool
    held: bool = False


class RemoteSubmission(Submission, frozen=True):
    """An action that was recorded at a server. `agent_id` is its agent there, `url` where it can be approved.

    It is `held` while its agent is paused: it was not recorded, or its approval was not used up.
    """

    agent_id: str | None = None
    allowed: bool = False
    waits: bool = False
    held: bool = False
    url: str = ""


class CallerAnswer(Struct, frozen=True, kw_only=True):
    """The person and the agent that a key belongs to."""

    name: str
    agent: str | None

    def place(self, agent_id: str | None) -> str | None:
        """Return the name of an agent below that of the key.

        >>> CallerAnswer(name="ann", agent="shop").place("tests")
        'shop/tests'
        """
        mine = self.agent
        if agent_id is None or mine is None or agent_id == mine or agent_id.startswith(f"{mine}/"):
            return agent_id or mine
        return f"{mine}/{agent_id}"


def portable(action: Action) -> Action:
    """Return an action as JSON can represent it, so that different values stay different. A declaration is left out."""
    texts = {name: clean(text) for name in TEXT_FIELDS if (text := getattr(action, name)) is not None}
    tables = {name: canonical_form(getattr(action, name)) for name in TABLE_FIELDS}
    if isinstance(action, DeclaredAction):
        action = Action(**{name: getattr(action, name) for name in Action.__struct_fields__})
    return msgspec.structs.replace(action, **texts, **tables)


def digest_at(url: str, action: Action) -> str:
    """Return the digest that binds the outcome of a check at a server to exactly one action."""
    return action_digest(url, portable(action))
