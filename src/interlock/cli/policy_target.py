"""The policies that a command reads and changes: those of a store on this machine, or of a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from interlock.audit.identity import user_name
from interlock.cli.open_store import OpenStore, open_store
from interlock.cli.person import require_person
from interlock.errors import ConflictError, InterlockError, ServerError
from interlock.gate.remote.address import RemoteOptions, ServerAddress
from interlock.gate.remote.api import ServerApi, path_of
from interlock.model import Struct
from interlock.policies.drafts import PolicyDraft, simulate_draft
from interlock.policies.plan import PolicyPlan
from interlock.policies.repository import PolicyRepository, PolicyVersion
from interlock.policies.revision import AppliedPolicies, PolicyFolder, PolicyRevision, Rollback
from interlock.policies.revisions import PolicyRevisions
from interlock.policies.simulation import Simulation
from interlock.policy.policies import Policy
from interlock.policy.stored_policies import merge_policies

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store
    from interlock.cli.commands.policies import ServerOptions

#: How long a server may take to plan, apply or simulate.
SECONDS = 300.0


class PolicyTarget(Protocol):
    """Stored policies, and what commands do with them."""

    def plan(self, folder: PolicyFolder) -> PolicyPlan:
        """Return the plan for applying a folder."""

    def apply(self, folder: PolicyFolder) -> AppliedPolicies:
        """Make the policies equal to those of a folder."""

    def simulate(self, draft: PolicyDraft) -> Simulation:
        """Simulate a draft on past actions."""

    def revisions(self) -> list[PolicyRevision]:
        """Return every revision, newest first."""

    def revision(self, number: int) -> tuple[PolicyRevision, list[Policy]]:
        """Return a revision, and the policies of its origin then."""

    def roll_back(self, number: int, given: Rollback) -> AppliedPolicies:
        """Restore the policies of an origin to a revision."""

    def versions(self, policy_id: str) -> list[PolicyVersion]:
        """Return every version of a policy, newest first."""

    def restore(self, policy_id: str, version: int) -> int:
        """Write an older version as the newest one; return its number."""


@contextmanager
def open_target(store: Store, server: ServerOptions, command: str | None = None) -> Iterator[PolicyTarget]:
    """Give the policies that options name. A `command` that changes them on this machine needs a person."""
    if server.server is not None:
        if store.store is not None:
            raise InterlockError("name a server or a store, not both")
        options = RemoteOptions(timeout=SECONDS, total_timeout=SECONDS, attempts=1, allow_http=server.insecure_http)
        yield ServerPolicies(ServerApi(ServerAddress(server.server, None, options), options))
        return
    if command is not None:
        require_person(command)
    with open_store(store.store, store.config, make=command is not None) as found:
        yield StorePolicies(found)


class StorePolicies:
    """The policies of a store on this machine."""

    def __init__(self, found: OpenStore) -> None:
        self._config, self._database = found.config, found.database
        self._policies, self._revisions = PolicyRepository(found.journal), PolicyRevisions(found.journal)

    def plan(self, folder: PolicyFolder) -> PolicyPlan:
        """Return the plan for applying a folder."""
        return self._revisions.plan(folder, self._config)

    def apply(self, folder: PolicyFolder) -> AppliedPolicies:
        """Make the policies equal to those of a folder."""
        return self._revisions.apply(folder, self._config, user_name())

    def simulate(self, draft: PolicyDraft) -> Simulation:
        """Simulate a draft on past actions."""
        now = merge_policies(self._config.shipped_policies, self._config.policies, self._policies.load())
        return simulate_draft(draft, now, self._config, self._database)

    def revisions(self) -> list[PolicyRevision]:
        """Return every revision, newest first."""
        return self._revisions.all()

    def revision(self, number: int) -> tuple[PolicyRevision, list[Policy]]:
        """Return a revision, and the policies of its origin then."""
        return self._revisions.get(number)

    def roll_back(self, number: int, given: Rollback) -> AppliedPolicies:
        """Restore the policies of an origin to a revision."""
        return self._revisions.roll_back(number, given, self._config, user_name())

    def versions(self, policy_id: str) -> list[PolicyVersion]:
        """Return every version of a policy, newest first."""
        return self._policies.versions(policy_id)

    def restore(self, policy_id: str, version: int) -> int:
        """Write an older version as the newest one; return its number."""
        if any(policy.policy_id == policy_id for policy in self._config.policies):
            raise ConflictError(f"policy `{policy_id}` comes from a configuration file; change it there")
        return self._policies.restore(self._policies.get(policy_id, version), user_name(), known=None).version


class _Revisions(Struct, frozen=True, kw_only=True):
    items: list[PolicyRevision]


class _RevisionDetails(Struct, frozen=True, kw_only=True):
    revision: PolicyRevision
    policies: list[Policy]


class _Versions(Struct, frozen=True, kw_only=True):
    items: list[PolicyVersion]


class _RestoreAnswer(Struct, frozen=True, kw_only=True):
    version: int


class ServerPolicies:
    """The policies of a server."""

    def __init__(self, api: ServerApi) -> None:
        self._api = api

    def plan(self, folder: PolicyFolder) -> PolicyPlan:
        """Return the plan for applying a folder."""
        return self._api.send("POST", path_of("policy-revisions", "plan"), folder, PolicyPlan)

    def apply(self, folder: PolicyFolder) -> AppliedPolicies:
        """Make the policies equal to those of a folder."""
        return self._api.send("POST", path_of("policy-revisions"), folder, AppliedPolicies)

    def simulate(self, draft: PolicyDraft) -> Simulation:
        """Simulate a draft on past actions."""
        return self._api.send("POST", path_of("policies", "simulate"), draft, Simulation)

    def revisions(self) -> list[PolicyRevision]:
        """Return every revision, newest first."""
        return self._api.get(path_of("policy-revisions"), _Revisions).items

    def revision(self, number: int) -> tuple[PolicyRevision, list[Policy]]:
        """Return a revision, and the policies of its origin then."""
        found = self._api.get(path_of("policy-revisions", str(number)), _RevisionDetails)
        return found.revision, found.policies

    def roll_back(self, number: int, given: Rollback) -> AppliedPolicies:
        """Restore the policies of an origin to a revision."""
        return self._api.send("POST", path_of("policy-revisions", str(number), "rollback"), given, AppliedPolicies)

    def versions(self, policy_id: str) -> list[PolicyVersion]:
        """Return every version of a policy, newest first."""
        try:
            return self._api.get(path_of("policies", policy_id, "versions"), _Versions).items
        except ServerError as error:
            if error.status == 404:
                return []
            raise

    def restore(self, policy_id: str, version: int) -> int:
        """Write an older version as the newest one; return its number."""
        path = path_of("policies", policy_id, "versions", str(version), "restore")
        return self._api.send("POST", path, None, _RestoreAnswer).version
