"""Policies from a store, merged with those that a configuration has."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from interlock.policy.policies import Policy


class StoredPolicies(msgspec.Struct, frozen=True):
    """What a store says about policies: those it holds, and the ids of shipped ones that were removed."""

    policies: tuple[Policy, ...] = ()
    removed: frozenset[str] = frozenset()


def merge_policies(
    shipped: Iterable[Policy], configured: Iterable[Policy], stored: StoredPolicies
) -> tuple[Policy, ...]:
    """Return all policies that apply.

    A configured or stored policy replaces a shipped one with the same id. If a file and the store use the same id,
    both apply, the stored one under a longer id: neither author's policy is lost, and the stricter one wins.
    """
    files = {policy.policy_id: policy for policy in configured}
    replaced = {*files, *stored.removed, *(policy.policy_id for policy in stored.policies)}
    remaining = [policy for policy in shipped if policy.policy_id not in replaced]
    beside = [_rename(policy) if policy.policy_id in files else policy for policy in stored.policies]
    return (*remaining, *files.values(), *beside)


def _rename(policy: Policy) -> Policy:
    return msgspec.structs.replace(policy, policy_id=f"{policy.policy_id} (kept in the store)")
