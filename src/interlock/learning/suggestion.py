"""The types of a suggestion: its proposal, its evidence, and its effect on past actions."""

from __future__ import annotations

from typing import Literal

import msgspec

from interlock.model import Struct
from interlock.policies.policy_input import PolicyInput

#: How many past actions a suggestion lists; all are counted.
MAX_LISTED = 50


class PastUse(Struct, frozen=True, kw_only=True):
    """A past action that a suggestion covers. `state` is that of its request, or the verdict if it opened none.

    `is_certain` is false if the record does not say enough: the action may have been another one.
    """

    seq: int
    record_id: str
    at: int
    text: str
    level: str
    score: int
    state: str
    run_id: str | None = None
    approval_id: str | None = None
    is_certain: bool = True


class Evidence(Struct, frozen=True, kw_only=True):
    """The answers that a suggestion rests on: who gave how many, between when, on how many days, and in which runs.

    `uncounted` are further answers about the same actions, by the reason why they are no evidence.
    """

    answers: int
    people: dict[str, int]
    first_at: int
    last_at: int
    days: int
    runs: tuple[str, ...]
    requests: tuple[str, ...]
    uncounted: dict[str, int] = msgspec.field(default_factory=dict)


class Suggestion(Struct, frozen=True, kw_only=True):
    """A grant or a policy that a person can accept, narrow or dismiss.

    `text` states everything that a grant covers, and what a policy does. `request_id` is the newest request among the
    evidence. `covered` counts the questions that a grant would have saved, or the actions that a policy would have
    stopped. `also` are the other past actions that it covers, the riskiest first: those that a grant would have let
    through without such an answer, or that a policy would have stopped although they ran; `also_count` counts them all.
    `shape` is JSON.
    """

    suggestion_id: str
    kind: Literal["grant", "policy"]
    text: str
    tool_name: str
    agent_id: str | None
    environment: str | None
    folder: str | None
    request_id: str
    evidence: Evidence
    covered: int = 0
    also: tuple[PastUse, ...] = ()
    also_count: int = 0
    is_complete: bool = True
    shape: str | None = None
    policy: PolicyInput | None = None


def describe_suggestion(suggestion: Suggestion) -> str:
    """Return a suggestion as a sentence, with what it rests on."""
    answers, people = suggestion.evidence.answers, len(suggestion.evidence.people)
    given = "approvals" if suggestion.kind == "grant" else "rejections"
    by = "1 person" if people == 1 else f"{people} people"
    return f"{suggestion.text} ({answers} {given} by {by}, {suggestion.covered} past actions)"
