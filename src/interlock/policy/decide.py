"""The verdict: floors, policies and the mode, combined by `max`."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.levels import Level, Verdict
from interlock.model import Action, Assessment, Decision, Match, Override
from interlock.policy.modes import Row, mode_verdict
from interlock.policy.tiers import ApprovalTier, decision_tier, needs_of, tightened

_TIER_LEVELS = {
    ApprovalTier.SAFE: Level.SAFE,
    ApprovalTier.LOW: Level.LOW,
    ApprovalTier.MEDIUM: Level.MEDIUM,
    ApprovalTier.HIGH: Level.HIGH,
    ApprovalTier.CRITICAL: Level.CRITICAL,
}
_UNCHANGEABLE = frozenset({"off"})


def decide(
    action: Action,
    assessment: Assessment,
    matches: tuple[Match, ...],
    mode: str,
    mode_table: Row,
    overrides: tuple[Override, ...] = (),
    timeouts: Mapping[str, int] | None = None,
) -> Decision:
    """Return the decision on an assessed action.

    A floor blocks. The strictest matching policy wins. The mode turns the level into a verdict, and an explicit
    `allow` sets that one answer aside, never a floor, a stricter policy, or the mode `off`; this is recorded.
    """
    tier = None
    level = assessment.level
    if mode == "tiers":
        tier = decision_tier(action.tool_name, assessment)
        level = _TIER_LEVELS[tier]
    by_mode = mode_verdict(mode, mode_table, assessment, level)
    verdict, because = by_mode, f"mode `{mode}` at level {level.value}"
    if matches:
        verdict, because, overrides = _with_policies(matches, mode, by_mode, because, overrides)
    floor = next((finding for finding in assessment.findings if finding.floor), None)
    if floor is not None:
        verdict, because = Verdict.BLOCK, f"floor `{floor.rule}`"
    needs = None
    if verdict is Verdict.REQUIRE_APPROVAL:
        tier = decision_tier(action.tool_name, assessment) if tier is None else tier
        needs = needs_of(tier, assessment.level, mode, timeouts)
        for match in matches:
            if match.ask is not None and match.action is not Verdict.ALLOW:
                needs = tightened(needs, match.ask)
    return Decision(
        verdict=verdict,
        assessment=assessment,
        mode=mode,
        matched_policies=matches,
        overrides=overrides,
        needs=needs,
        because=because,
    )


def _with_policies(
    matches: tuple[Match, ...], mode: str, by_mode: Verdict, because: str, overrides: tuple[Override, ...]
) -> tuple[Verdict, str, tuple[Override, ...]]:
    strictest = max(matches, key=lambda match: match.action.rank)
    allowing = next((match for match in matches if match.action is Verdict.ALLOW and not match.error), None)
    if allowing is not None and by_mode is not Verdict.ALLOW and mode not in _UNCHANGEABLE:
        overrides = (*overrides, Override(f"policy {allowing.policy_id}", because, by_mode))
        by_mode, because = Verdict.ALLOW, f"policy `{allowing.policy_id}` allows it"
    if strictest.action.rank > by_mode.rank:
        because = f"policy `{strictest.policy_id}`" + (f" failed ({strictest.error})" if strictest.error else "")
        return strictest.action, because, overrides
    return by_mode, because, overrides
