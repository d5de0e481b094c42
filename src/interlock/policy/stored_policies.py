"""Policies from a store, merged with those that a configuration has."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from interlock.policy.policies import Policy


class StoredPolicies(msgspec.Struct, frozen=True):
    """The policies in a store, and the ids of shipped policies that were removed."""

    policies: tuple[Policy, ...] = ()
    removed: frozenset[str] = frozenset()


def merge_policies(
    shipped: Iterable[Policy], configured: Iterable[Policy], stored: StoredPolicies
) -> tuple[Policy, ...]:
    """Return all policies that apply.

    A configured or stored policy replaces a shipped one with the same id. If a file and the store use the same id,
    both apply, the file's under a longer id: neither author's policy is lost, and the stricter one wins. The stored one
    keeps its id, under which its limit is counted: a file that an agent writes does not begin a new count.
    """
    files = {policy.policy_id: policy for policy in configured}
    kept = {policy.policy_id for policy in stored.policies}
    remaining = [policy for policy in shipped if policy.policy_id not in {*files, *stored.removed, *kept}]
    beside = [_rename(policy) if policy.policy_id in kept else policy for policy in files.values()]
    return (*remaining, *beside, *stored.policies)


def _rename(policy: Policy) -> Policy:
    return msgspec.structs.replace(policy, policy_id=f"{policy.policy_id} (in a file)")
