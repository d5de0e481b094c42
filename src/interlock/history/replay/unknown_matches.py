"""Policies that read fields that are not recorded: whether they might have matched a past action."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from interlock.history.replay.past_action import PastAction
from interlock.patterns import late
from interlock.policy.drift import read_baseline
from interlock.policy.drift_use import find_drift_fields
from interlock.policy.facts import Circumstances
from interlock.policy.policies import Policy
from interlock.policy.policy_set import PolicySet

#: Finds fields that are never recorded: details of effects, the history of a run, and data classes.
_UNRECORDED = late(r"\beffects\b(?!\s*\.\s*(?:kind|changes)\b)|\brun\s*\.\s*(?!metadata\b)\w|\bdata\s*\.\s*classes\b")
#: Finds drift facts, which are recorded if a policy used them then.
_DRIFT = late(r"\bdrift\b")
#: Finds the input of an action, which is recorded only if `audit.payloads` says so.
_INPUT = late(r"\binputPayload\b|(?<!run\.)\bmetadata\b")
_PAYLOADS = ("inputPayload.", "metadata.")


class UnknownMatches:
    """Finds past actions for which it is unknown whether some policies matched.

    A policy is tested with its testable conditions. If one does not hold, the policy did not match.
    """

    def __init__(self, policies: Iterable[Policy]) -> None:
        self._policies = [policy for policy in policies if policy.enabled]
        self._drift = frozenset(field for policy in self._policies for field in find_drift_fields(policy))
        self._parts: dict[_RecordedFields, PolicySet] = {}

    def are_possible(self, past: PastAction, around: Circumstances) -> bool:
        """Whether one of the policies might have matched an action, depending on fields that were not recorded."""
        baseline = read_baseline(past.record.data) if self._drift else None
        has_drift = not self._drift or (baseline is not None and baseline.knows(self._drift))
        recorded = _RecordedFields(past.has_input, has_drift)
        if recorded not in self._parts:
            self._parts[recorded] = _testable_parts(self._policies, recorded)
        return bool(self._parts[recorded].match(past.action, past.assessment, past.environment, around).applied)


class _RecordedFields(NamedTuple):
    """The fields of an action's record that are not always recorded."""

    has_input: bool
    has_drift: bool


def _testable_parts(policies: Iterable[Policy], recorded: _RecordedFields) -> PolicySet:
    parts = [_testable_part(policy, recorded) for policy in policies if _reads_unrecorded(policy, recorded)]
    return PolicySet(msgspec.structs.replace(part, policy_id=str(at)) for at, part in enumerate(parts))


def _reads_unrecorded(policy: Policy, recorded: _RecordedFields) -> bool:
    """Whether a policy reads a field that is never recorded, or one that the action's record lacks."""
    fields = any(_is_unrecorded_field(condition.field, recorded) for condition in policy.conditions)
    return policy.limit is not None or fields or _is_unrecorded(policy.when or "", recorded)


def _is_unrecorded_field(field: str, recorded: _RecordedFields) -> bool:
    if field.startswith(_PAYLOADS):  # in which any name can stand
        return not recorded.has_input
    return _is_unrecorded(field, recorded)


def _is_unrecorded(text: str, recorded: _RecordedFields) -> bool:
    return (
        _UNRECORDED.search(text) is not None
        or (not recorded.has_input and _INPUT.search(text) is not None)
        or (not recorded.has_drift and _DRIFT.search(text) is not None)
    )


def _testable_part(policy: Policy, recorded: _RecordedFields) -> Policy:
    """Return a policy without the conditions that cannot be tested; it matches at least as many actions."""
    kept = [one for one in policy.conditions if not _is_unrecorded_field(one.field, recorded)]
    return msgspec.structs.replace(
        policy,
        conditions=tuple(kept),
        when=None if _is_unrecorded(policy.when or "", recorded) else policy.when,
        limit=None,
    )
