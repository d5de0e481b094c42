"""The requirements of an approval, by tier and level, tightened by policies."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.levels import Level
from interlock.model import Ask, Needs
from interlock.policy.tiers import TIER_INFO, ApprovalTier
from interlock.scoring.factors import CHALLENGES

#: How long a request waits in the modes other than `tiers`.
DEFAULT_TIMEOUT_SECONDS = 300


def needs_of(tier: ApprovalTier, level: Level, mode: str, timeouts: Mapping[str, int] | None = None) -> Needs:
    """Return what an approval requires by tier and level: the stricter of both tables."""
    info = TIER_INFO[tier]
    challenge = CHALLENGES[level]
    human = info["human_required"] or mode != "tiers"
    timeout = info["timeout_seconds"] if mode == "tiers" else DEFAULT_TIMEOUT_SECONDS
    if timeouts and tier.name.lower() in timeouts:
        timeout = timeouts[tier.name.lower()]
    return Needs(
        tier=tier.name.lower(),
        human=human,
        model=info["llm_required"],
        challenge="confirm" if challenge == "auto_approve" and human else challenge,
        approvers=2 if challenge == "multi_party" else 1,
        timeout_seconds=timeout,
    )


#: Challenges, from the easiest to the hardest.
CHALLENGE_ORDER = ("auto_approve", "confirm", "quiz", "teach_back", "multi_party")


def combine(first: Needs, second: Needs) -> Needs:
    """Return requirements that include both."""
    challenge = max(first.challenge, second.challenge, key=CHALLENGE_ORDER.index)
    limits = [limit for limit in (first.timeout_seconds, second.timeout_seconds) if limit is not None]
    return Needs(
        tier=first.tier,
        human=first.human or second.human,
        model=first.model or second.model,
        challenge=challenge,
        approvers=max(first.approvers, second.approvers),
        timeout_seconds=min(limits, default=None),
        who=tuple(dict.fromkeys((*first.who, *second.who))),
        reason=first.reason or second.reason,
        liftable=first.liftable and second.liftable,
    )


def tighten(needs: Needs, ask: Ask) -> Needs:
    """Return the stricter of two requirements: those so far and a policy's, which always includes a person."""
    challenge = max(needs.challenge, ask.challenge, "confirm", key=CHALLENGE_ORDER.index)
    limits = [limit for limit in (needs.timeout_seconds, ask.timeout_seconds) if limit is not None]
    return Needs(
        tier=needs.tier,
        human=True,
        model=needs.model or ask.model,
        challenge=challenge,
        approvers=max(needs.approvers, ask.approvers, 2 if challenge == "multi_party" else 1),
        timeout_seconds=min(limits, default=None),
        who=(*needs.who, ask.who) if ask.who else needs.who,
        reason=needs.reason or ask.reason,
    )
