"""Plan how to make the stored policies equal to those of a folder: changes and conflicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from interlock.model import Struct
from interlock.policies.difference import diff_policies, is_same
from interlock.policies.origin import PolicyOrigin
from interlock.policies.repository import PolicyVersion
from interlock.policy.policies import Policy
from interlock.sanitise import plain

ChangeKind = Literal["add", "change", "adopt", "remove"]


class StoredPolicy(NamedTuple):
    """The newest version of a policy, and the version that its origin applied last, if an origin manages it."""

    newest: PolicyVersion
    applied: PolicyVersion | None

    @property
    def manager(self) -> str | None:
        """The name of the origin that manages it."""
        return self.applied.origin.name if self.applied is not None and self.applied.origin is not None else None

    @property
    def policy(self) -> Policy | None:
        """The policy as it is in force, or None if it was removed."""
        return None if self.newest.removed else self.newest.policy

    @property
    def was_edited(self) -> bool:
        """Whether it was edited by hand since its origin was applied."""
        return self.applied is not None and self.newest.origin is None


class PolicyChange(Struct, frozen=True, kw_only=True):
    """A policy that is added, changed, removed, or adopted: its content stays, and the origin manages it from now on.

    `overwrites` describes the edit that is lost.
    """

    policy_id: str
    kind: ChangeKind
    before: Policy | None
    after: Policy | None
    diff: tuple[str, ...]
    overwrites: str = ""


class PolicyConflict(Struct, frozen=True, kw_only=True):
    """A policy that the origin may not change, and the change that it wants."""

    policy_id: str
    reason: str
    diff: tuple[str, ...]


class PolicyPlan(Struct, frozen=True, kw_only=True):
    """The changes that applying the policies of an origin makes. `base` is the newest revision of that origin, or 0."""

    origin: PolicyOrigin
    base: int
    changes: tuple[PolicyChange, ...]
    conflicts: tuple[PolicyConflict, ...]
    unchanged: int


class PlanOptions(Struct, frozen=True, kw_only=True):
    """Options: the policies that an origin may change besides its own."""

    overwrite: bool = False
    prune: bool = False


def plan_policies(
    stored: Mapping[str, StoredPolicy],
    wanted: Mapping[str, Policy],
    shipped: Mapping[str, Policy],
    origin: PolicyOrigin,
    options: PlanOptions,
    base: int = 0,
) -> PolicyPlan:
    """Return the changes that turn the stored policies into those of an origin."""
    changes, conflicts = [], []
    for policy_id in sorted({*stored, *wanted}):
        found = stored.get(policy_id)
        step = _step(policy_id, found, wanted.get(policy_id), shipped.get(policy_id), origin, options)
        if step is None:
            continue
        pruned = policy_id not in wanted and found is not None and found.manager != origin.name
        if step.overwrites and not options.overwrite and not pruned:
            conflicts.append(PolicyConflict(policy_id=policy_id, reason=step.overwrites, diff=step.diff))
        else:
            changes.append(step)
    touched = {*(one.policy_id for one in changes), *(one.policy_id for one in conflicts)}
    return PolicyPlan(
        origin=origin,
        base=base,
        changes=tuple(changes),
        conflicts=tuple(conflicts),
        unchanged=len(wanted.keys() - touched),
    )


def _step(
    policy_id: str,
    found: StoredPolicy | None,
    wanted: Policy | None,
    shipped: Policy | None,
    origin: PolicyOrigin,
    options: PlanOptions,
) -> PolicyChange | None:
    """Return how one policy changes, or None if it stays as it is.

    Removing a stored policy restores the shipped one with the same id, so that protection is not lost.
    """
    is_own = found is not None and found.manager == origin.name
    if wanted is None and (found is None or found.policy is None or not (is_own or options.prune)):
        return None
    before, after = found.policy if found else shipped, wanted or shipped
    objection = _objection(found, origin) if found else ""
    if before is not None and after is not None and is_same(before, after):
        if wanted is None or found is None or (is_own and not found.was_edited):
            return None
        lost = objection if found.manager not in (None, origin.name) else ""
        return PolicyChange(policy_id=policy_id, kind="adopt", before=before, after=after, diff=(), overwrites=lost)
    kind: ChangeKind = "remove" if after is None else "add" if before is None else "change"
    diff = tuple(diff_policies(before, after))
    return PolicyChange(policy_id=policy_id, kind=kind, before=before, after=after, diff=diff, overwrites=objection)


def _objection(found: StoredPolicy, origin: PolicyOrigin) -> str:
    """Return why an origin may not change a policy, or an empty string."""
    newest = found.newest
    by_hand = f"by `{plain(newest.changed_by)}` (version {newest.version})"
    if found.manager == origin.name:
        what = "removed" if newest.removed else "edited"
        return f"was {what} by hand {by_hand}" if found.was_edited else ""
    if found.manager is not None:
        return f"belongs to the origin `{plain(found.manager)}`"
    return "" if newest.removed else f"was written by hand {by_hand}"
