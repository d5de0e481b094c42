"""What the API writes that the nouns do not say themselves."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from interlock.approval.challenge.challenge import challenge_for
from interlock.approval.request import Answer, Approval, ApprovalState
from interlock.gate.passage import Step
from interlock.levels import Level, Verdict
from interlock.model import Effect, Factor, Finding, Match, Needs, Override, Struct

Item = TypeVar("Item")


class Page(Struct, Generic[Item], frozen=True, kw_only=True):
    """A page of a list. `next` is the cursor of the page after it, where there is one."""

    items: list[Item]
    next: str | None = None


class EffectWire(msgspec.Struct, frozen=True, rename="camel"):
    """One thing that an action would do."""

    kind: str
    resource: str | None
    place: str | None
    flags: list[str]
    span: tuple[int, int]
    via: tuple[str, ...]


class MatchWire(msgspec.Struct, frozen=True, rename="camel"):
    """A policy that matched."""

    policy_id: str
    name: str
    action: Verdict
    error: str
    severity: Level


class Waits(Struct, frozen=True, kw_only=True):
    """Where a request stands, and where somebody answers it."""

    approval_id: str
    state: ApprovalState
    url: str
    expires_at: int | None


class Evaluation(Struct, frozen=True, kw_only=True):
    """What was decided. `allowed` says whether the action may run now, and `by` whose word that is."""

    allowed: bool
    by: str
    decision_id: str
    run_id: str
    agent_id: str | None
    verdict: Verdict
    score: int
    level: Level
    because: str
    reasons: tuple[str, ...]
    recommendations: tuple[str, ...]
    advice: str
    approval: Waits | None
    needs: Needs | None
    reversible: bool
    coverage: str
    opaque: tuple[str, ...]
    findings: tuple[Finding, ...]
    factors: tuple[Factor, ...]
    effects: list[EffectWire]
    affected_resources: tuple[str, ...]
    estimated_impact: str
    matched_policies: list[MatchWire]
    overrides: tuple[Override, ...]
    mode: str


def evaluation(step: Step, *, allowed: bool, by: str, advice: str, waits: Waits | None) -> Evaluation:
    """Return what is told of a step."""
    decision, assessed = step.case.decision, step.case.decision.assessment
    return Evaluation(
        allowed=allowed,
        by=by,
        decision_id=step.record_id,
        run_id=step.case.run.run_id,
        agent_id=step.case.agent_id,
        verdict=decision.verdict,
        score=assessed.score,
        level=assessed.level,
        because=decision.because,
        reasons=assessed.reasons,
        recommendations=assessed.recommendations,
        advice=advice,
        approval=waits,
        needs=decision.needs,
        reversible=assessed.reversible,
        coverage=str(assessed.coverage),
        opaque=assessed.coverage.opaque,
        findings=assessed.findings,
        factors=assessed.factors,
        effects=[_effect(effect) for effect in assessed.effects],
        affected_resources=assessed.affected_resources,
        estimated_impact=assessed.estimated_impact,
        matched_policies=[_match(match) for match in decision.matched_policies],
        overrides=decision.overrides,
        mode=decision.mode,
    )


def _effect(effect: Effect) -> EffectWire:
    resource = effect.resource
    return EffectWire(
        effect.kind,
        str(resource) if resource else None,
        resource.place.value if resource and resource.place else None,
        sorted(effect.flags),
        effect.span,
        effect.via,
    )


def _match(match: Match) -> MatchWire:
    return MatchWire(match.policy_id, match.name, match.action, match.error, match.severity)


class QuestionWire(msgspec.Struct, frozen=True, rename="camel"):
    """A question of a challenge, with its choices."""

    text: str
    choices: tuple[str, ...]


class ChallengeWire(Struct, frozen=True, kw_only=True):
    """What it takes to approve: read for so long, and answer or explain. `ticket` says when you were shown it."""

    kind: str
    seconds: float
    questions: tuple[QuestionWire, ...]
    words: int
    ticket: str | None


class ApprovalWire(Struct, frozen=True, kw_only=True):
    """A request for approval. Which answers are right is not in it."""

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
    challenge: ChallengeWire | None = None


def approval_wire(approval: Approval, url: str, challenge: ChallengeWire | None = None) -> ApprovalWire:
    """Return what is told of a request."""
    shared = {name: getattr(approval, name) for name in _SHARED}
    return ApprovalWire(**shared, url=url, challenge=challenge)


_SHARED = tuple(name for name in ApprovalWire.__struct_fields__ if name in Approval.__struct_fields__)


def challenge_wire(approval: Approval, ticket: str | None) -> ChallengeWire:
    """Return the challenge of a request, without its answers."""
    found = challenge_for(approval)
    questions = tuple(QuestionWire(asked.text, asked.choices) for asked in found.questions)
    return ChallengeWire(kind=found.kind, seconds=found.seconds, questions=questions, words=found.words, ticket=ticket)
