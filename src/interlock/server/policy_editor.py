"""List, write, switch, remove and restore policies, for the API and the pages."""

from __future__ import annotations

from typing import Literal

import msgspec

from interlock.approval.groups import all_members
from interlock.errors import ConflictError, MissingError
from interlock.model import Struct
from interlock.policies.known_fields import load_known_fields
from interlock.policies.origin import PolicyOrigin
from interlock.policies.policy_input import PolicyInput, compile_policy
from interlock.policies.repository import PolicyVersion
from interlock.policy.policies import Policy
from interlock.policy.policy_problems import KnownFields, find_policy_problems
from interlock.sanitise import plain
from interlock.server.problems import RequestError
from interlock.server.service import Service

PolicySource = Literal["shipped", "file", "store"]


class PolicyWire(Struct, frozen=True, kw_only=True):
    """A policy and its source: built in (`shipped`), a configuration file, or the store."""

    policy: Policy
    source: PolicySource
    version: int
    changed_by: str | None = None
    changed_at: int | None = None
    editable: bool = True
    revision: int | None = None
    origin: PolicyOrigin | None = None


# reading


def list_policies(service: Service) -> list[PolicyWire]:
    """Return every policy, sorted by id."""
    config, current = service.gate.config, service.gate.policies.current()
    files = {policy.policy_id for policy in config.policies}
    found = [PolicyWire(policy=policy, source="file", version=0, editable=False) for policy in config.policies]
    found += [as_current_policy(version) for version in current.values() if not version.removed]
    replaced = {*files, *current}
    found += [
        PolicyWire(policy=policy, source="shipped", version=0)
        for policy in config.shipped_policies
        if policy.policy_id not in replaced
    ]
    return sorted(found, key=lambda wire: wire.policy.policy_id)


def get_policy(service: Service, policy_id: str) -> PolicyWire:
    """Return a policy, or raise."""
    found = next((wire for wire in list_policies(service) if wire.policy.policy_id == policy_id), None)
    if found is None:
        raise MissingError(f"there is no policy `{plain(policy_id)[:80]}`; `GET /v1/policies` lists them")
    return found


def as_current_policy(version: PolicyVersion) -> PolicyWire:
    """Return a version as the policy that it is now."""
    return PolicyWire(
        policy=version.policy,
        source="store",
        version=version.version,
        changed_by=version.changed_by,
        changed_at=version.changed_at,
        revision=version.revision,
        origin=version.origin,
    )


def find_warnings(service: Service, policy: Policy) -> list[str]:
    """Return warnings about a policy that can be saved: fields that no known call or run has."""
    with service.journal.database.read() as connection:
        roles = all_members(connection, service.gate.config.roles)
        found = find_policy_problems([policy], roles, load_known_fields(connection))
    return [problem.text for problem in found if not problem.fatal]


# optimistic locking


def etag(wire: PolicyWire) -> str:
    """Return the tag of a policy's version."""
    return f'"{wire.source}-{wire.version}"'


def version_tag(version: PolicyVersion) -> str:
    """Return the tag of a stored version, which may be the removal of a policy."""
    return f'"store-{version.version}"'


def check_etag(wire: PolicyWire, given: str | None) -> int:
    """Return the version that a change is based on, or raise if it is not the newest."""
    if given is None:
        raise RequestError(428, "name the version that you change: send the `ETag` that you read as `If-Match`")
    if given.strip() != etag(wire):
        detail = f"the policy is at {etag(wire)}, but your change is based on {plain(given)}; reload it"
        raise RequestError(412, detail)
    return wire.version


def base_version(service: Service, policy_id: str) -> int:
    """Return the version that a new policy follows: 0, or the last version of a removed one. Raise if it exists."""
    last = service.gate.policies.current().get(policy_id)  # read first, so that a concurrent write is noticed
    if any(wire.policy.policy_id == policy_id for wire in list_policies(service)):
        raise ConflictError(f"policy `{plain(policy_id)}` already exists; change it, or use another id")
    return last.version if last else 0


# writing


def check_policy(service: Service, given: PolicyInput) -> Policy:
    """Return a policy that can be saved, or raise."""
    policy = compile_policy(given, service.gate.config)
    with service.journal.database.read() as connection:
        roles = all_members(connection, service.gate.config.roles)
    for problem in find_policy_problems([policy], roles, KnownFields()):
        raise RequestError(422, str(problem))
    return policy


def save_policy(service: Service, caller: str, given: PolicyInput, *, known: int | None) -> PolicyVersion:
    """Write a policy, and apply it from now on."""
    policy = check_policy(service, given)
    return _save(service, caller, policy, known=known, note=given.note)


def remove_policy(service: Service, caller: str, wire: PolicyWire, *, known: int | None) -> None:
    """Remove a policy. Its versions stay, and can be restored."""
    _check_editable(wire)
    service.gate.policies.remove(wire.policy, caller, known=known)
    service.gate.configuration.reload_policies()


def restore_policy(
    service: Service, caller: str, policy_id: str, version: int, if_match: str | None = None
) -> PolicyVersion:
    """Write an older version as the newest one; with `if_match`, only if that is still the newest."""
    known = check_etag(get_policy(service, policy_id), if_match) if if_match else None
    old = service.gate.policies.get(policy_id, version)
    if any(policy.policy_id == policy_id for policy in service.gate.config.policies):
        raise ConflictError(_FROM_FILE.format(policy_id))
    restored = service.gate.policies.restore(old, caller, known=known)
    service.gate.configuration.reload_policies()
    return restored


def undo_change(service: Service, caller: str, policy_id: str, if_match: str) -> PolicyVersion:
    """Undo the newest change of a policy, as a new version; `if_match` names the change to undo."""
    gate, versions = service.gate, service.gate.policies.versions(policy_id)
    if not versions:
        raise MissingError(f"policy `{plain(policy_id)[:80]}` has no change to undo")
    newest, older = versions[0], versions[1] if len(versions) > 1 else None
    if if_match.strip() != version_tag(newest):
        raise RequestError(412, "the policy was changed in the meantime; look at its versions first")
    if any(policy.policy_id == policy_id for policy in gate.config.policies):
        raise ConflictError(_FROM_FILE.format(policy_id))
    note = f"undid version {newest.version}"
    shipped = {policy.policy_id: policy for policy in gate.config.shipped_policies}
    if older is not None and not older.removed:
        version = gate.policies.restore(older, caller, known=newest.version, note=note)
    elif older is None and policy_id in shipped:
        version = gate.policies.save(shipped[policy_id], caller, known=newest.version, note=note)
    else:
        version = gate.policies.remove(newest.policy, caller, known=newest.version, note=note)
    gate.configuration.reload_policies()
    return version


def set_enabled(service: Service, caller: str, policy_id: str, *, enabled: bool) -> PolicyWire:
    """Switch a policy on or off, as a new version."""
    wire = get_policy(service, policy_id)
    _check_editable(wire)
    if wire.policy.enabled == enabled:
        return wire
    policy = msgspec.structs.replace(wire.policy, enabled=enabled)
    note = "switched on" if enabled else "switched off"
    return as_current_policy(_save(service, caller, policy, known=wire.version, note=note))


def _save(service: Service, caller: str, policy: Policy, *, known: int | None, note: str) -> PolicyVersion:
    version = service.gate.policies.save(policy, caller, known=known, note=note)
    service.gate.configuration.reload_policies()
    return version


_FROM_FILE = "policy `{}` comes from a configuration file; change it there"


def _check_editable(wire: PolicyWire) -> None:
    if not wire.editable:
        raise ConflictError(_FROM_FILE.format(wire.policy.policy_id))
