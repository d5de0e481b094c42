"""Policies that read more than records hold: whether they might have matched a past action."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from interlock.patterns import late
from interlock.policies.history import PastAction
from interlock.policy.policies import Policy
from interlock.policy.policy_set import PolicySet

#: Finds an expression that reads more of the effects than their kinds, which is all that is recorded.
_UNRECORDED = late(r"\beffects\b(?!\s*\.\s*(?:kind|changes)\b)")
_INPUT = ("inputPayload", "metadata")
_RUN = "run."


class UnknownMatches:
    """Tells for which past actions it is unknown whether some policies matched.

    A policy is tested by those of its conditions that can be. If they do not hold, it did not match.
    """

    def __init__(self, policies: Iterable[Policy]) -> None:
        enabled = [policy for policy in policies if policy.enabled]
        self._with_input = _testable_parts(enabled, ())
        self._without_input = _testable_parts(enabled, _INPUT)

    def are_possible(self, past: PastAction) -> bool:
        """Whether one of the policies might have matched an action, depending on what was not recorded."""
        policies = self._with_input if past.has_input else self._without_input
        return bool(policies.match(past.action, past.assessment, past.environment).applied)


def _testable_parts(policies: Iterable[Policy], absent: tuple[str, ...]) -> PolicySet:
    parts = [_testable_part(policy, absent) for policy in policies if _reads_unrecorded(policy, absent)]
    return PolicySet(msgspec.structs.replace(part, policy_id=str(at)) for at, part in enumerate(parts))


def _reads_unrecorded(policy: Policy, absent: tuple[str, ...]) -> bool:
    """Whether a policy reads what no record holds, or one of the absent fields."""
    fields = any(condition.field.startswith((_RUN, *absent)) for condition in policy.conditions)
    return policy.limit is not None or fields or _is_unrecorded(policy.when or "", absent)


def _is_unrecorded(when: str, absent: tuple[str, ...]) -> bool:
    return _UNRECORDED.search(when) is not None or any(name in when for name in absent)


def _testable_part(policy: Policy, absent: tuple[str, ...]) -> Policy:
    """Return a policy without what cannot be tested; it matches at least as many actions."""
    return msgspec.structs.replace(
        policy,
        conditions=tuple(one for one in policy.conditions if not one.field.startswith((_RUN, *absent))),
        when=None if _is_unrecorded(policy.when or "", absent) else policy.when,
        limit=None,
    )
