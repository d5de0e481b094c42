"""The verdict on an assessed action: the strictest of floors, policies and the mode."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from interlock.levels import Level, Verdict
from interlock.model import Action, Assessment, Cause, Decision, Match, Override
from interlock.policy.modes import LevelVerdicts, mode_verdict
from interlock.policy.needs import needs_of, tighten
from interlock.policy.tiers import ApprovalTier, decision_tier

_TIER_LEVELS = {
    ApprovalTier.SAFE: Level.SAFE,
    ApprovalTier.LOW: Level.LOW,
    ApprovalTier.MEDIUM: Level.MEDIUM,
    ApprovalTier.HIGH: Level.HIGH,
    ApprovalTier.CRITICAL: Level.CRITICAL,
}
_REQUIRE_APPROVAL = Verdict.REQUIRE_APPROVAL
_FIXED_MODES = frozenset({"off"})


class _CausedVerdict(msgspec.Struct, frozen=True):
    verdict: Verdict
    cause: Cause
    because: str


@lru_cache(maxsize=128)
def _by_mode(verdict: Verdict, mode: str, level: Level) -> _CausedVerdict:
    """Return the verdict of a mode, with the sentence that says so."""
    return _CausedVerdict(verdict, Cause.MODE, f"mode `{mode}` at level {level._value_}")


def decide(
    action: Action,
    assessment: Assessment,
    matches: tuple[Match, ...],
    mode: str,
    mode_table: LevelVerdicts,
    overrides: tuple[Override, ...] = (),
    timeouts: Mapping[str, int] | None = None,
) -> Decision:
    """Return the decision on an assessed action.

    A floor blocks. The strictest matching policy wins. The mode turns the level into a verdict; a policy that allows
    overrides the mode's verdict, except in mode `off`, but never a floor or a stricter policy. Overrides are recorded.
    """
    tier = None
    level = assessment.level
    if mode == "tiers":
        tier = decision_tier(action.tool_name, assessment)
        level = _TIER_LEVELS[tier]
    by_mode = mode_verdict(mode, mode_table, assessment, level)
    answer = _by_mode(by_mode, mode, level)
    if matches:
        answer, overrides = _apply_policies(matches, mode, answer, overrides)
    for finding in assessment.findings:
        if finding.floor:
            answer = _CausedVerdict(Verdict.BLOCK, Cause.FLOOR, f"floor `{finding.rule}`")
            break
    needs = None
    if answer.verdict is _REQUIRE_APPROVAL:
        tier = decision_tier(action.tool_name, assessment) if tier is None else tier
        needs = needs_of(tier, assessment.level, mode, timeouts)
        for match in matches:
            if match.ask is not None and match.action is not Verdict.ALLOW:
                needs = tighten(needs, match.ask)
    return Decision(
        verdict=answer.verdict,
        assessment=assessment,
        mode=mode,
        matched_policies=matches,
        overrides=overrides,
        needs=needs,
        cause=answer.cause,
        because=answer.because,
    )


def needs_for(action: Action, decision: Decision) -> Decision:
    """Return a decision that requires an approval, with the requirements of the approval."""
    level = decision.assessment.level
    needs = needs_of(decision_tier(action.tool_name, decision.assessment), level, decision.mode)
    for match in decision.matched_policies:
        if match.ask is not None and match.action is not Verdict.ALLOW:
            needs = tighten(needs, match.ask)
    return msgspec.structs.replace(decision, needs=needs)


def _apply_policies(
    matches: tuple[Match, ...], mode: str, by_mode: _CausedVerdict, overrides: tuple[Override, ...]
) -> tuple[_CausedVerdict, tuple[Override, ...]]:
    """Return the verdict after the matching policies are applied to that of the mode, and the overrides."""
    strictest = max(matches, key=lambda match: match.action.rank)
    allowing = next((match for match in matches if match.action is Verdict.ALLOW and not match.error), None)
    answer = by_mode
    if allowing is not None and by_mode.verdict is not Verdict.ALLOW and mode not in _FIXED_MODES:
        overrides = (*overrides, Override(f"policy {allowing.policy_id}", by_mode.because, by_mode.verdict))
        answer = _CausedVerdict(Verdict.ALLOW, Cause.POLICY, f"policy `{allowing.policy_id}` allows it")
    if strictest.action.rank > answer.verdict.rank:
        failure = f" failed ({strictest.error})" if strictest.error else ""
        answer = _CausedVerdict(strictest.action, Cause.POLICY, f"policy `{strictest.policy_id}`{failure}")
    return answer, overrides
