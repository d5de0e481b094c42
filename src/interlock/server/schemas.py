"""The JSON bodies of the API that are not types of the model themselves."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from interlock.approval.challenge.challenge import challenge_for
from interlock.approval.quiz_attempts import FIRST_ATTEMPT, QuizAttempts
from interlock.approval.request import Answer, Approval, ApprovalState
from interlock.approval.request_place import Place, request_place
from interlock.approval.search_fields import environment_of
from interlock.gate.approval_flow import Submission
from interlock.levels import Level, Verdict
from interlock.model import Effect, Factor, Finding, Match, Needs, Override, Struct, UnenforcedVerdict
from interlock.rules.standards.rule_ids import ids_of

Element = TypeVar("Element")


class Page(Struct, Generic[Element], frozen=True, kw_only=True):
    """A page of a list. `next` is the cursor of the next page, if there is one."""

    items: list[Element]
    next: str | None = None


class EffectWire(msgspec.Struct, frozen=True, rename="camel"):
    """An effect of an action."""

    kind: str
    resource: str | None
    place: str | None
    flags: list[str]
    span: tuple[int, int]
    via: tuple[str, ...]


class FindingWire(Finding, frozen=True, rename="camel"):
    """A finding, with what it stands for in OWASP Agentic, MITRE ATLAS and MITRE ATT&CK."""

    standards: tuple[str, ...] = ()


class MatchWire(msgspec.Struct, frozen=True, rename="camel"):
    """A policy that matched."""

    policy_id: str
    name: str
    action: Verdict
    error: str
    severity: Level


class ApprovalReference(Struct, frozen=True, kw_only=True):
    """The state of an approval request, and the URL where it is answered."""

    approval_id: str
    state: ApprovalState
    url: str
    expires_at: int | None


class Evaluation(Struct, frozen=True, kw_only=True):
    """A decision. `allowed` says whether the action may run now, and `by` what allowed or stopped it."""

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
    approval: ApprovalReference | None
    needs: Needs | None
    reversible: bool
    coverage: str
    opaque: tuple[str, ...]
    findings: list[FindingWire]
    factors: tuple[Factor, ...]
    effects: list[EffectWire]
    affected_resources: tuple[str, ...]
    estimated_impact: str
    matched_policies: list[MatchWire]
    overrides: tuple[Override, ...]
    overruled: tuple[str, ...]  # claims of the caller that did not count
    mode: str
    would_have: UnenforcedVerdict | None = None  # set if the action is only observed


def evaluation(
    step: Submission, *, allowed: bool, by: str, advice: str, reference: ApprovalReference | None
) -> Evaluation:
    """Return the response for a decision that was recorded."""
    decision, assessment = step.decision, step.decision.assessment
    return Evaluation(
        allowed=allowed,
        by=by,
        decision_id=step.record_id,
        run_id=step.record.run.run_id,
        agent_id=step.record.agent_id,
        verdict=decision.verdict,
        score=assessment.score,
        level=assessment.level,
        because=decision.because,
        reasons=assessment.reasons,
        recommendations=assessment.recommendations,
        advice=advice,
        approval=reference,
        needs=decision.needs,
        reversible=assessment.reversible,
        coverage=str(assessment.coverage),
        opaque=assessment.coverage.opaque,
        findings=[_finding(finding) for finding in assessment.findings],
        factors=assessment.factors,
        effects=[_effect(effect) for effect in assessment.effects],
        affected_resources=assessment.affected_resources,
        estimated_impact=assessment.estimated_impact,
        matched_policies=[_match(match) for match in decision.matched_policies],
        overrides=decision.overrides,
        overruled=decision.overruled,
        mode=decision.mode,
        would_have=decision.would_have,
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


def _finding(finding: Finding) -> FindingWire:
    return FindingWire(**msgspec.structs.asdict(finding), standards=ids_of(finding.rule))


def _match(match: Match) -> MatchWire:
    return MatchWire(match.policy_id, match.name, match.action, match.error, match.severity)


class QuestionWire(msgspec.Struct, frozen=True, rename="camel"):
    """A question of a challenge, and its choices."""

    text: str
    choices: tuple[str, ...]


class ChallengeWire(Struct, frozen=True, kw_only=True):
    """What approving requires: a reading time, and answers or an explanation. `ticket` proves when it was shown.

    `tries_left` is how often the caller can still take a quiz, and `pause` the seconds until they can.
    """

    kind: str
    seconds: float
    questions: tuple[QuestionWire, ...]
    words: int
    ticket: str | None
    tries_left: int | None = None
    pause: float = 0.0


class ShapeWire(Struct, frozen=True, kw_only=True):
    """A shape that can be granted: its id, and the text that states everything it covers."""

    shape_id: str
    text: str


class ApprovalWire(Struct, frozen=True, kw_only=True):
    """A request for approval, without the right answers to its challenge.

    `environment` is the one that it was decided for, and `digest` binds answers to its action.
    `can_answer` says whether the caller can approve it, `why_not` why they cannot, and `eligible` names the people who
    can; all are null for callers who may not see other requests.
    """

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
    digest: str = ""
    environment: str | None = None
    place: Place = Place()
    assignee: str | None = None
    comments: int = 0
    extendable_until: int | None = None
    shapes: tuple[ShapeWire, ...] = ()
    can_answer: bool | None = None
    why_not: str | None = None
    eligible: tuple[str, ...] | None = None
    challenge: ChallengeWire | None = None


class CheckedAction(Struct, frozen=True, kw_only=True):
    """A decision in full. `allowed` says whether the action may run now.

    `by` is `asked` if the caller is to ask its own user, who has to agree first. `waits` says whether the
    configuration lets a request wait when no person is available. `held` says that the agent is paused, and
    that the caller may send the action again to keep waiting.
    """

    allowed: bool
    by: str
    decision_id: str
    run_id: str
    agent_id: str | None
    verdict: Verdict
    score: int
    level: Level
    would_have: UnenforcedVerdict | None
    decision: dict[str, Any]
    approval: ApprovalWire | None
    waits: bool
    held: bool = False


def approval_wire(
    approval: Approval,
    url: str,
    challenge: ChallengeWire | None = None,
    *,
    assignee: str | None = None,
    comments: int = 0,
) -> ApprovalWire:
    """Return the response for an approval request."""
    shared = {name: getattr(approval, name) for name in _SHARED}
    where: dict[str, Any] = {"environment": environment_of(approval), "place": request_place(approval)}
    shapes = tuple(ShapeWire(shape_id=shape.shape_id, text=shape.text) for shape in approval.shapes)
    counted: dict[str, Any] = {"assignee": assignee, "comments": comments}
    return ApprovalWire(**shared, **where, **counted, url=url, shapes=shapes, challenge=challenge)


_SHARED = tuple(
    name for name in ApprovalWire.__struct_fields__ if name in Approval.__struct_fields__ and name != "shapes"
)


def challenge_wire(approval: Approval, ticket: str | None, attempts: QuizAttempts = FIRST_ATTEMPT) -> ChallengeWire:
    """Return the challenge of a request, without the right answers."""
    challenge = challenge_for(approval, attempt=attempts.failures)
    questions = tuple(QuestionWire(question.text, question.choices) for question in challenge.questions)
    return ChallengeWire(
        kind=challenge.kind,
        seconds=challenge.seconds,
        questions=questions,
        words=challenge.words,
        ticket=ticket,
        tries_left=attempts.tries_left if challenge.questions else None,
        pause=attempts.pause,
    )
