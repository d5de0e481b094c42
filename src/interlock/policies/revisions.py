"""Revisions: the policies of a folder applied in one transaction, listed, and rolled back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, cast

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.config.schema import Config
from interlock.errors import ConflictError, MissingError, PolicyConflictError
from interlock.model import Struct
from interlock.policies.origin import Origin, stored_origin
from interlock.policies.plan import PlanOptions, PolicyPlan, StoredPolicy, plan_policies
from interlock.policies.policy_input import PolicyInput, compile_policies, policy_input
from interlock.policies.repository import (
    PolicyVersion,
    Revision,
    check_version,
    load_verified,
    version_from_row,
    write_version,
)
from interlock.policy.policies import Policy
from interlock.sanitise import plain
from interlock.store.clock import now_in
from interlock.store.connection import Connection

#: How many policies one folder may hold.
MAX_POLICIES = 1_000
_ROWS = "SELECT * FROM interlock_policies ORDER BY policy_id, version"


class PolicyFolder(PlanOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All policies of a folder, and what applying them may change besides. With `base`, only after that revision."""

    origin: Origin
    policies: Annotated[list[PolicyInput], msgspec.Meta(max_length=MAX_POLICIES)]
    base: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    note: Annotated[str, msgspec.Meta(max_length=500)] = ""


class Rollback(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a revision is brought back. With `base`, only if that is still the newest revision of its origin."""

    overwrite: bool = False
    base: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    note: Annotated[str, msgspec.Meta(max_length=400)] = ""


class AppliedPolicies(Struct, frozen=True, kw_only=True):
    """What was changed, and the number of the new revision; none if there was nothing to change."""

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
    origin: Origin
    applied_by: str
    applied_at: int
    note: str
    changes: tuple[RevisionChange, ...]


class PolicyRevisions:
    """The revisions of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    # reading

    def all(self) -> list[PolicyRevision]:
        """Return every revision, newest first."""
        return _group(self._versions())

    def get(self, number: int) -> tuple[PolicyRevision, list[Policy]]:
        """Return a revision and all policies that its origin had then, or raise."""
        versions = self._versions()
        found = _find(versions, number)
        return found, [one.policy for one in _versions_at(versions, found)]

    def plan(self, folder: PolicyFolder, config: Config) -> PolicyPlan:
        """Return what applying a folder would change. Nothing is written."""
        wanted, origin = compile_policies(folder.policies, config), stored_origin(folder.origin)
        return _plan(self._versions(), wanted, origin, folder, config)

    def _versions(self) -> list[PolicyVersion]:
        with self._journal.database.read() as connection:
            return _read(connection)

    # writing

    def apply(self, folder: PolicyFolder, config: Config, actor: str) -> AppliedPolicies:
        """Make the stored policies equal to those of a folder, in one transaction, or raise and change nothing."""
        wanted, origin = compile_policies(folder.policies, config), stored_origin(folder.origin)

        def operation(transaction: Transaction) -> AppliedPolicies:
            load_verified(transaction)
            plan = _plan(_read(transaction.connection), wanted, origin, folder, config)
            return _write_plan(transaction, plan, folder.base, actor, folder.note, "applied")

        return self._journal.commit(operation)

    def roll_back(self, number: int, given: Rollback, config: Config, actor: str) -> AppliedPolicies:
        """Make the policies of an origin what they were at a revision, as a new one; or raise and change nothing."""
        note = f"rolled back to revision {number}{f': {given.note}' if given.note else ''}"

        def operation(transaction: Transaction) -> AppliedPolicies:
            load_verified(transaction)
            versions = _read(transaction.connection)
            found = _find(versions, number)
            old = _versions_at(versions, found)
            for version in old:
                check_version(transaction, version)
            wanted = compile_policies((policy_input(one.policy) for one in old), config)
            plan = _plan(versions, wanted, found.origin, PlanOptions(overwrite=given.overwrite), config)
            return _write_plan(transaction, plan, given.base, actor, note, "rolled back")

        return self._journal.commit(operation)


def _read(connection: Connection) -> list[PolicyVersion]:
    return [version_from_row(row) for row in connection.rows(_ROWS)]


def _plan(
    versions: Iterable[PolicyVersion],
    wanted: Mapping[str, Policy],
    origin: Origin,
    options: PlanOptions,
    config: Config,
) -> PolicyPlan:
    versions = list(versions)
    shipped = {policy.policy_id: policy for policy in config.shipped_policies}
    numbers = [one.revision or 0 for one in versions if one.origin is not None and one.origin.name == origin.name]
    return plan_policies(_stored(versions), wanted, shipped, origin, options, max(numbers, default=0))


def _stored(versions: Iterable[PolicyVersion]) -> dict[str, StoredPolicy]:
    """Return the newest version of each policy, and which origin manages it: the last one that wrote it."""
    found: dict[str, StoredPolicy] = {}
    for version in versions:
        policy_id = version.policy.policy_id
        manager = found[policy_id].manager if policy_id in found else None
        if version.origin is not None:
            manager = None if version.removed else version.origin.name
        found[policy_id] = StoredPolicy(version, manager)
    return found


def _group(versions: Iterable[PolicyVersion]) -> list[PolicyRevision]:
    found: dict[int, list[PolicyVersion]] = {}
    for version in versions:
        if version.revision is not None:
            found.setdefault(version.revision, []).append(version)
    return [_revision(number, found[number]) for number in sorted(found, reverse=True)]


def _find(versions: Iterable[PolicyVersion], number: int) -> PolicyRevision:
    found = next((one for one in _group(versions) if one.revision == number), None)
    if found is None:
        raise MissingError(f"there is no revision {number}; `interlock policy history` lists them")
    return found


def _versions_at(versions: Iterable[PolicyVersion], revision: PolicyRevision) -> list[PolicyVersion]:
    """Return the policies that the origin of a revision had then, as it applied them."""
    newest = {
        one.policy.policy_id: one for one in versions if one.revision is not None and one.revision <= revision.revision
    }
    return [
        one
        for one in newest.values()
        if not one.removed and one.origin is not None and one.origin.name == revision.origin.name
    ]


def _revision(number: int, versions: list[PolicyVersion]) -> PolicyRevision:
    first = versions[0]
    return PolicyRevision(
        revision=number,
        origin=cast(Origin, first.origin),  # both columns are written together
        applied_by=first.changed_by,
        applied_at=first.changed_at,
        note=first.note,
        changes=tuple(
            RevisionChange(policy_id=one.policy.policy_id, version=one.version, removed=one.removed) for one in versions
        ),
    )


def _write_plan(
    transaction: Transaction, plan: PolicyPlan, base: int | None, actor: str, note: str, outcome: str
) -> AppliedPolicies:
    """Write a new version of every policy that a plan changes, or raise if the plan is not what the caller has seen."""
    if base is not None and base != plan.base:
        what = f"revision {plan.base}" if plan.base else "no revision"
        raise ConflictError(
            f"the origin `{plain(plan.origin.name)}` has {what} now, but your change is based on revision {base}; "
            "somebody else has applied it in the meantime. Run it again"
        )
    if plan.conflicts:
        raise PolicyConflictError((one.policy_id, one.reason) for one in plan.conflicts)
    if not plan.changes:
        return AppliedPolicies(revision=None, plan=plan)
    number = (transaction.connection.value("SELECT max(revision) FROM interlock_policies") or 0) + 1
    revision = Revision(number, plan.origin)
    written: list[dict[str, Any]] = []
    for change in plan.changes:
        policy = cast(Policy, change.after or change.before)  # a change has at least one of them
        version = write_version(transaction, policy, actor, None, note, removed=change.after is None, revision=revision)
        written.append({"policyId": change.policy_id, "change": change.kind, "version": version.version})
    data = {"origin": plan.origin.to_dict(), "changes": written, "note": plain(note)}
    data["overwritten"] = [one.policy_id for one in plan.changes if one.overwrites]
    at = now_in(transaction.connection).wall
    transaction.append(
        Entry(kind="policy.applied", at=at, actor=actor, name=f"revision {number}", outcome=outcome, data=data)
    )
    return AppliedPolicies(revision=number, plan=plan)
