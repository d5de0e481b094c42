"""A revision: versions of policies that were applied together, its input, and its result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, cast

import msgspec

from interlock.errors import MissingError
from interlock.model import Struct
from interlock.policies.origin import PolicyOrigin
from interlock.policies.plan import PlanOptions, PolicyPlan
from interlock.policies.policy_input import PolicyInput
from interlock.policies.repository import PolicyVersion

#: How many policies one folder may hold.
MAX_POLICIES = 1_000


class PolicyFolder(PlanOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All policies of a folder, and the others that may be changed. With `base`, only on top of that revision."""

    origin: PolicyOrigin
    policies: Annotated[list[PolicyInput], msgspec.Meta(max_length=MAX_POLICIES)]
    base: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    note: Annotated[str, msgspec.Meta(max_length=500)] = ""


class Rollback(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rollback to a revision. With `base`, only if that is still the newest revision of its origin."""

    overwrite: bool = False
    base: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    note: Annotated[str, msgspec.Meta(max_length=400)] = ""


class AppliedPolicies(Struct, frozen=True, kw_only=True):
    """The changes, and the number of the new revision; None if there was nothing to change."""

    revision: int | None
    plan: PolicyPlan


class RevisionChange(Struct, frozen=True, kw_only=True):
    """A version of a policy that a revision wrote."""

    policy_id: str
    version: int
    removed: bool


class PolicyRevision(Struct, frozen=True, kw_only=True):
    """Versions of policies that were applied together, by whom, when, and from where."""

    revision: int
    origin: PolicyOrigin
    applied_by: str
    applied_at: int
    note: str
    changes: tuple[RevisionChange, ...]


def list_revisions(versions: Iterable[PolicyVersion]) -> list[PolicyRevision]:
    """Return the revisions that wrote versions, newest first."""
    found: dict[int, list[PolicyVersion]] = {}
    for version in versions:
        if version.revision is not None:
            found.setdefault(version.revision, []).append(version)
    return [_revision(number, found[number]) for number in sorted(found, reverse=True)]


def _revision(number: int, versions: list[PolicyVersion]) -> PolicyRevision:
    first = versions[0]
    return PolicyRevision(
        revision=number,
        origin=cast(PolicyOrigin, first.origin),  # both columns are written together
        applied_by=first.changed_by,
        applied_at=first.changed_at,
        note=first.note,
        changes=tuple(
            RevisionChange(policy_id=one.policy.policy_id, version=one.version, removed=one.removed) for one in versions
        ),
    )


def find_revision(versions: Iterable[PolicyVersion], number: int) -> PolicyRevision:
    """Return the revision with a number, or raise."""
    found = next((one for one in list_revisions(versions) if one.revision == number), None)
    if found is None:
        raise MissingError(f"there is no revision {number}; `interlock policy history` lists them")
    return found


def versions_at(versions: Iterable[PolicyVersion], revision: PolicyRevision) -> list[PolicyVersion]:
    """Return the policies that the origin of a revision had then, as it applied them."""
    newest = {
        one.policy.policy_id: one for one in versions if one.revision is not None and one.revision <= revision.revision
    }
    return [
        one
        for one in newest.values()
        if not one.removed and one.origin is not None and one.origin.name == revision.origin.name
    ]
