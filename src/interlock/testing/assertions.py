"""Assertions about the decisions of a gate or an engine."""

from __future__ import annotations

from typing import Protocol

from interlock.levels import Verdict
from interlock.model import Action, Decision


class Decider(Protocol):
    """A gate or an engine."""

    def decide(self, action: Action) -> Decision:
        """Return the decision on an action."""


def assert_allowed(decider: Decider, action: Action) -> Decision:
    """Fail unless an action may run without an approval; return the decision."""
    return _check(decider, action, (Verdict.ALLOW, Verdict.WARN))


def assert_asks(
    decider: Decider, action: Action, *, policy: str | None = None, approvers: int | None = None
) -> Decision:
    """Fail unless an action needs an approval; check the policy and the number of approvers if given."""
    decision = _check(decider, action, (Verdict.REQUIRE_APPROVAL,), policy)
    found = decision.needs.approvers if decision.needs else 0
    if approvers is not None and approvers != found:
        raise AssertionError(f"{_describe(action)} needs {found} approvers, not {approvers}")
    return decision


def assert_blocked(decider: Decider, action: Action, *, policy: str | None = None) -> Decision:
    """Fail unless an action is blocked, because of a policy if given; return the decision."""
    return _check(decider, action, (Verdict.BLOCK,), policy)


def _check(decider: Decider, action: Action, expected: tuple[Verdict, ...], policy: str | None = None) -> Decision:
    decision = decider.decide(action)
    matched = [match.policy_id for match in decision.matched_policies]
    if decision.verdict not in expected:
        why = "; ".join(decision.assessment.reasons[:2])
        wanted = " or ".join(one.value for one in expected)
        raise AssertionError(f"{_describe(action)}: {decision.verdict.value}, not {wanted} ({decision.because}: {why})")
    if policy is not None and policy not in matched:
        raise AssertionError(f"{_describe(action)}: policy `{policy}` does not match; these do: {matched or 'none'}")
    return decision


def _describe(action: Action) -> str:
    return f"{action.tool_name} {action.input_payload!r}"[:200]
