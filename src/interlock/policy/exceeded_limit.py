"""The decision on an action that would exceed the limit of a policy."""

from __future__ import annotations

import msgspec

from interlock.levels import Verdict
from interlock.model import Action, BudgetUse, Cause, Decision
from interlock.policy.decide import needs_for
from interlock.policy.needs import tighten


def exceed_limit(action: Action, decision: Decision, use: BudgetUse, spent: float) -> Decision:
    """Return a decision with the verdict of a policy whose limit is exceeded, unless it is stricter already.

    If both require an approval, it has to satisfy both.
    """
    policy = use.policy
    if use.amount is None:
        why = f"policy `{policy.policy_id}` allows {use.limit}, and the amount of this action is unknown"
    else:
        why = f"policy `{policy.policy_id}` allows {use.limit}; {spent:g} so far, and {use.amount:g} more"
    matches = (*decision.matched_policies, policy)
    if decision.verdict >= policy.action:
        needs = decision.needs
        if needs is not None and policy.ask is not None and policy.action is Verdict.REQUIRE_APPROVAL:
            needs = tighten(needs, policy.ask)
        return msgspec.structs.replace(decision, matched_policies=matches, needs=needs)
    changed = msgspec.structs.replace(
        decision, verdict=policy.action, matched_policies=matches, cause=Cause.POLICY, because=why, needs=None
    )
    return needs_for(action, changed) if policy.action is Verdict.REQUIRE_APPROVAL else changed
