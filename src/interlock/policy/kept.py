"""Policies that are kept in a store, on top of those that a configuration has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from interlock.policy.policies import Policy


class Kept(NamedTuple):
    """What a store says about policies: those it keeps, and which of the shipped ones were removed."""

    policies: tuple[Policy, ...] = ()
    removed: frozenset[str] = frozenset()


def together(shipped: Iterable[Policy], configured: Iterable[Policy], kept: Kept) -> tuple[Policy, ...]:
    """Return all policies that count.

    A kept one stands in place of a shipped one. Beside one that a file has under the same id it counts as well, under
    a longer name: of two that somebody wrote none is lost, and the stricter wins.
    """
    files = {policy.policy_id: policy for policy in configured}
    replaced = {*files, *kept.removed, *(policy.policy_id for policy in kept.policies)}
    ours = [policy for policy in shipped if policy.policy_id not in replaced]
    beside = [_renamed(policy) if policy.policy_id in files else policy for policy in kept.policies]
    return (*ours, *files.values(), *beside)


def _renamed(policy: Policy) -> Policy:
    return msgspec.structs.replace(policy, policy_id=f"{policy.policy_id} (kept in the store)")
