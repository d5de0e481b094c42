"""The revisions of a store: the policies of a folder are applied in one transaction, and rolled back in one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec

from interlock.approval.groups import all_members
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.config.schema import Config
from interlock.errors import ConflictError, PolicyConflictError
from interlock.policies.origin import PolicyOrigin, normalise_origin
from interlock.policies.plan import PlanOptions, PolicyPlan, StoredPolicy, plan_policies
from interlock.policies.policy_input import compile_policies, policy_input
from interlock.policies.repository import (
    MAX_NOTE,
    PolicyVersion,
    Revision,
    check_version,
    load_verified,
    version_from_row,
    write_version,
)
from interlock.policies.revision import (
    AppliedPolicies,
    PolicyFolder,
    PolicyRevision,
    Rollback,
    find_revision,
    list_revisions,
    versions_at,
)
from interlock.policy.policies import Policy
from interlock.sanitise import plain
from interlock.store.clock import now_in
from interlock.store.connection import Connection

_ROWS = "SELECT * FROM interlock_policies ORDER BY policy_id, version"


class PolicyRevisions:
    """The revisions of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    # reading

    def all(self) -> list[PolicyRevision]:
        """Return every revision, newest first."""
        return list_revisions(self._versions())

    def get(self, number: int) -> tuple[PolicyRevision, list[Policy]]:
        """Return a revision and all policies that its origin had then, or raise."""
        versions = self._versions()
        found = find_revision(versions, number)
        return found, [one.policy for one in versions_at(versions, found)]

    def plan(self, folder: PolicyFolder, config: Config) -> PolicyPlan:
        """Return the plan for applying a folder. Nothing is written."""
        wanted, origin = compile_policies(folder.policies, self._with_groups(config)), normalise_origin(folder.origin)
        return _plan(self._versions(), wanted, origin, folder, config)

    def _versions(self) -> list[PolicyVersion]:
        with self._journal.database.read() as connection:
            return _read(connection)

    def _with_groups(self, config: Config) -> Config:
        """Return a configuration whose roles include the groups of the store, to check who can approve."""
        with self._journal.database.read() as connection:
            return msgspec.structs.replace(config, roles=all_members(connection, config.roles))

    # writing

    def apply(self, folder: PolicyFolder, config: Config, actor: str) -> AppliedPolicies:
        """Make the stored policies equal to those of a folder, in one transaction, or raise and change nothing."""
        wanted, origin = compile_policies(folder.policies, self._with_groups(config)), normalise_origin(folder.origin)

        def operation(transaction: Transaction) -> AppliedPolicies:
            plan = _plan(_read_verified(transaction), wanted, origin, folder, config)
            return _write_plan(transaction, plan, folder.base, actor, folder.note, "applied")

        return self._journal.commit(operation)

    def roll_back(self, number: int, given: Rollback, config: Config, actor: str) -> AppliedPolicies:
        """Restore the policies of an origin to a revision, as a new revision; or raise and change nothing."""
        versions = self._versions()
        found = find_revision(versions, number)
        old = versions_at(versions, found)  # later writes do not change them
        wanted = compile_policies((policy_input(one.policy) for one in old), self._with_groups(config))
        note = f"rolled back to revision {number}{f': {given.note}' if given.note else ''}"

        def operation(transaction: Transaction) -> AppliedPolicies:
            for version in old:
                check_version(transaction, version)
            options = PlanOptions(overwrite=given.overwrite)
            plan = _plan(_read_verified(transaction), wanted, found.origin, options, config)
            return _write_plan(transaction, plan, given.base, actor, note, "rolled back")

        return self._journal.commit(operation)


def _read(connection: Connection) -> list[PolicyVersion]:
    return [version_from_row(row) for row in connection.rows(_ROWS)]


def _read_verified(transaction: Transaction) -> list[PolicyVersion]:
    """Return all versions, or raise if the ones that a plan depends on were changed outside Interlock."""
    load_verified(transaction)
    versions = _read(transaction.connection)
    for stored in _newest_policies(versions).values():
        if stored.applied is not None and stored.was_edited:
            check_version(transaction, stored.applied)
    return versions


def _plan(
    versions: list[PolicyVersion],
    wanted: Mapping[str, Policy],
    origin: PolicyOrigin,
    options: PlanOptions,
    config: Config,
) -> PolicyPlan:
    shipped = {policy.policy_id: policy for policy in config.shipped_policies}
    numbers = [one.revision or 0 for one in versions if one.origin is not None and one.origin.name == origin.name]
    return plan_policies(_newest_policies(versions), wanted, shipped, origin, options, max(numbers, default=0))


def _newest_policies(versions: Iterable[PolicyVersion]) -> dict[str, StoredPolicy]:
    """Return the newest version of each policy, and the one that an origin applied last, unless that removed it."""
    found: dict[str, StoredPolicy] = {}
    for version in versions:
        policy_id = version.policy.policy_id
        applied = found[policy_id].applied if policy_id in found else None
        if version.origin is not None:
            applied = None if version.removed else version
        found[policy_id] = StoredPolicy(version, applied)
    return found


def _write_plan(
    transaction: Transaction, plan: PolicyPlan, base: int | None, actor: str, note: str, outcome: str
) -> AppliedPolicies:
    """Write a new version of every policy that a plan changes, or raise if the caller reviewed another plan."""
    if base is not None and base != plan.base:
        what = f"revision {plan.base}" if plan.base else "no revision"
        raise ConflictError(
            f"the origin `{plain(plan.origin.name)}` has {what} now, but your change is based on revision {base}; "
            "it was applied again in the meantime. Run the command again"
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
    data = {"origin": plan.origin.to_dict(), "changes": written, "note": plain(note)[:MAX_NOTE]}
    data["overwritten"] = [one.policy_id for one in plan.changes if one.overwrites]
    at = now_in(transaction.connection).wall
    transaction.append(
        Entry(kind="policy.applied", at=at, actor=actor, name=f"revision {number}", outcome=outcome, data=data)
    )
    return AppliedPolicies(revision=number, plan=plan)
