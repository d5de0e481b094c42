"""The score of a decision: the highest of the sum of the tables, the factors of a tool call, and the rules' floors."""

from __future__ import annotations

from operator import attrgetter

from interlock.effects import KINDS
from interlock.levels import FLOORS, IMPACTS, MOST_LOW, Level
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Assessment, Factor, Finding, kind_of
from interlock.scoring.command import add_up, list_affected_resources
from interlock.scoring.factors import WEIGHTS, ActionContext, rate, share_points

_TOOLS = frozenset(kind for kind in KINDS if kind.startswith("tool."))
_is_reversible = attrgetter("reversible")
_PRINTING = frozenset({"out.print"})
_HIGH = FLOORS[Level.HIGH]
_HIGH_RANK = Level.HIGH.rank
_SAFE, _LOW = Level.SAFE, Level.LOW
NOTHING_FOUND = "No risk patterns detected"
_NOTHING_FOUND = (NOTHING_FOUND,)
REVIEW = "Review carefully before approving"
BACKUP = "Make sure there is a backup: this cannot be undone"
PARTIAL = "Parts of this could not be read; look at the text itself"


def assess(
    action: Action,
    analysis: Analysis,
    findings: tuple[Finding, ...],
    environment: str | None,
    state: RunState | None = None,
) -> Assessment:
    """Return how risky an action is. The factors add up to the score."""
    effects = analysis.effects
    score, factors = add_up(effects, environment, apart=True)
    if score >= _HIGH and any("disposable" in effect.flags for effect in effects):
        score, factors = add_up([one for one in effects if "disposable" not in one.flags], environment, apart=True)
    if effects and effects[0].kind in _TOOLS:
        raws = _rate_call(action, state)
        by_call, points = share_points(tuple([raw for raw, _ in raws]))
        if by_call > score:
            told = zip(WEIGHTS, points, raws, strict=True)
            score, factors = by_call, tuple([Factor(name, point, why) for name, point, (_, why) in told if point])
    worst = findings[0] if findings else None
    floor = FLOORS[worst.level] if worst is not None else 0
    if worst is not None and floor > score:
        factors = (*factors, Factor("rule", floor - score, f"{worst.rule} is {worst.level._value_}"))
        score = floor
    level = _level(score, analysis, worst)
    reversible = worst is None or all(map(_is_reversible, findings))
    return Assessment(
        score=score,
        level=level,
        factors=factors,
        findings=findings,
        reasons=_reasons(findings, analysis),
        affected_resources=list_affected_resources(analysis),
        reversible=reversible,
        estimated_impact=IMPACTS[level],
        recommendations=_recommendations(level, findings, reversible, analysis) if level.rank >= _HIGH_RANK else (),
        analysis=analysis,
    )


def _level(score: int, analysis: Analysis, worst: Finding | None) -> Level:
    """Return the level of the score; an action that only prints, and was analysed in full, is safe."""
    harmless = score == 0 and (worst is None or worst.level is _SAFE) and not analysis.coverage.opaque
    if harmless and _PRINTING.issuperset(map(kind_of, analysis.effects)):
        return _SAFE
    level = _LOW if score <= MOST_LOW else Level.of(score)
    return level if worst is None or level.rank >= worst.level.rank else worst.level


def _reasons(findings: tuple[Finding, ...], analysis: Analysis) -> tuple[str, ...]:
    opaque = analysis.coverage.opaque
    if not opaque:
        if not findings:
            return _NOTHING_FOUND
        if len(findings) == 1:
            return (findings[0].reason,)
    reasons = dict.fromkeys([finding.reason for finding in findings])
    for why in opaque:
        reasons[f"Could not be read: {why}"] = None
    return tuple(reasons)


def _recommendations(
    level: Level, findings: tuple[Finding, ...], reversible: bool, analysis: Analysis
) -> tuple[str, ...]:
    advice = [REVIEW]
    if not reversible:
        advice.append(BACKUP)
    if not analysis.coverage.full:
        advice.append(PARTIAL)
    advice += [f"Instead: {f.instead}" for f in findings if f.instead and f.level.rank >= level.rank]
    return tuple(dict.fromkeys(advice))


def _rate_call(action: Action, state: RunState | None) -> tuple[tuple[float, str], ...]:
    """Return the raw value of each of the five factors of a tool call, with its reason."""
    context = ActionContext(
        function_name=action.tool_name,
        kwargs=action.input_payload,
        docstring=action.docstring,
        hints=action.hints,
        session_id=action.run_id,
    )
    return rate(context, (state.calls.get(action.tool_name, 0) if state else 0) + 1)
