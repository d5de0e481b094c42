"""Policies that read fields that are not recorded: whether they might have matched a past action."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from interlock.history.replay.past_action import PastAction
from interlock.patterns import late
from interlock.policy.facts import Circumstances
from interlock.policy.policies import Policy
from interlock.policy.policy_set import PolicySet

#: Finds fields that are never recorded: details of effects, the history of a run, and data classes.
_UNRECORDED = late(r"\beffects\b(?!\s*\.\s*(?:kind|changes)\b)|\brun\s*\.\s*(?!metadata\b)\w|\bdata\s*\.\s*classes\b")
#: Finds the input of an action, which is recorded only if `audit.payloads` says so.
_INPUT = late(r"\binputPayload\b|(?<!run\.)\bmetadata\b")
_PAYLOADS = ("inputPayload.", "metadata.")


class UnknownMatches:
    """Finds past actions for which it is unknown whether some policies matched.

    A policy is tested with its testable conditions. If one does not hold, the policy did not match.
    """

    def __init__(self, policies: Iterable[Policy]) -> None:
        enabled = [policy for policy in policies if policy.enabled]
        self._with_input = _testable_parts(enabled, has_input=True)
        self._without_input = _testable_parts(enabled, has_input=False)

    def are_possible(self, past: PastAction, around: Circumstances) -> bool:
        """Whether one of the policies might have matched an action, depending on fields that were not recorded."""
        policies = self._with_input if past.has_input else self._without_input
        return bool(policies.match(past.action, past.assessment, past.environment, around).applied)


def _testable_parts(policies: Iterable[Policy], *, has_input: bool) -> PolicySet:
    parts = [
        _testable_part(policy, has_input=has_input)
        for policy in policies
        if _reads_unrecorded(policy, has_input=has_input)
    ]
    return PolicySet(msgspec.structs.replace(part, policy_id=str(at)) for at, part in enumerate(parts))


def _reads_unrecorded(policy: Policy, *, has_input: bool) -> bool:
    """Whether a policy reads a field that is never recorded, or the input of an action without a recorded one."""
    fields = any(_is_unrecorded_field(condition.field, has_input=has_input) for condition in policy.conditions)
    return policy.limit is not None or fields or _is_unrecorded(policy.when or "", has_input=has_input)


def _is_unrecorded_field(field: str, *, has_input: bool) -> bool:
    if field.startswith(_PAYLOADS):  # in which any name can stand
        return not has_input
    return _is_unrecorded(field, has_input=has_input)


def _is_unrecorded(text: str, *, has_input: bool) -> bool:
    return _UNRECORDED.search(text) is not None or (not has_input and _INPUT.search(text) is not None)


def _testable_part(policy: Policy, *, has_input: bool) -> Policy:
    """Return a policy without the conditions that cannot be tested; it matches at least as many actions."""
    kept = [one for one in policy.conditions if not _is_unrecorded_field(one.field, has_input=has_input)]
    return msgspec.structs.replace(
        policy,
        conditions=tuple(kept),
        when=None if _is_unrecorded(policy.when or "", has_input=has_input) else policy.when,
        limit=None,
    )
