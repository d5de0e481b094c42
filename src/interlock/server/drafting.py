"""What is done with policies, for the API and for the pages: listed, written, switched, restored and tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from interlock.audit.read import RecordFilter, StoredRecord, read_page
from interlock.config.schema import Config
from interlock.errors import ConfigError, ConflictError, MissingError
from interlock.model import Action, Ask, Struct
from interlock.policies.book import Version, checked
from interlock.policies.simulate import Simulation, simulate
from interlock.policy.conditions import Condition
from interlock.policy.policies import Policy
from interlock.policy.tiers import plain
from interlock.server.api.shared import name_of
from interlock.server.problem import Refused
from interlock.server.service import Service

MAX_PAST = 10_000


Source = Literal["shipped", "file", "store"]


#: What stands in an address where a policy's id would, and means something else there.
_ADDRESSES = frozenset({"simulate", "test", "new", ".", ".."})


class PolicyWire(Struct, frozen=True, kw_only=True):
    """A policy, and where it comes from: shipped with Interlock, a configuration file, or the store."""

    policy: Policy
    source: Source
    version: int
    changed_by: str | None = None
    changed_at: int | None = None
    editable: bool = True


class PolicyGiven(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A policy as somebody writes it: conditions that must all hold, `when` in CEL, and what then happens."""

    policy_id: Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[!-.0-~]([ -.0-~]*[!-.0-~])?$")]
    action: Literal["allow", "warn", "require_approval", "block"]
    name: Annotated[str, msgspec.Meta(max_length=200)] = ""
    description: Annotated[str, msgspec.Meta(max_length=2_000)] = ""
    conditions: Annotated[list[Condition], msgspec.Meta(max_length=50)] = msgspec.field(default_factory=list)
    when: Annotated[str, msgspec.Meta(max_length=4_000)] | None = None
    enabled: bool = True
    approval: Ask | None = None
    note: Annotated[str, msgspec.Meta(max_length=500)] = ""


class Draft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is tried: policies that are put in place or beside the others, and ids that are left out."""

    policies: Annotated[list[PolicyGiven], msgspec.Meta(max_length=50)] = msgspec.field(default_factory=list)
    without: Annotated[list[str], msgspec.Meta(max_length=50)] = msgspec.field(default_factory=list)
    run_id: str | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_PAST)] = MAX_PAST


class Trial(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A policy and an action to try it on."""

    policy: PolicyGiven
    action: Action


class Tried(Struct, frozen=True, kw_only=True):
    """What a policy says to an action, and what would be decided with it."""

    matches: bool
    error: str
    verdict: str
    because: str


def listed(service: Service) -> list[PolicyWire]:
    """Return every policy, by id."""
    config, current = service.gate.config, service.gate.book.current()
    files = {policy.policy_id for policy in config.policies}
    found = [PolicyWire(policy=policy, source="file", version=0, editable=False) for policy in config.policies]
    found += [wire_of(version) for version in current.values() if not version.removed]
    gone = {*files, *current}
    found += [
        PolicyWire(policy=policy, source="shipped", version=0)
        for policy in config.shipped_policies
        if policy.policy_id not in gone
    ]
    return sorted(found, key=lambda one: one.policy.policy_id)


def one(service: Service, policy_id: str) -> PolicyWire:
    """Return a policy, or raise."""
    found = next((wire for wire in listed(service) if wire.policy.policy_id == policy_id), None)
    if found is None:
        raise MissingError(f"there is no policy `{plain(policy_id)[:80]}`; `GET /v1/policies` lists them")
    return found


def wire_of(version: Version) -> PolicyWire:
    return PolicyWire(
        policy=version.policy,
        source="store",
        version=version.version,
        changed_by=version.changed_by,
        changed_at=version.changed_at,
    )


def policy_from(given: PolicyGiven, config: Config) -> Policy:
    """Return the policy that was written, compiled, or raise with what to write instead."""
    if given.policy_id in _ADDRESSES:
        raise ConfigError(f"no address could name a policy `{given.policy_id}`; give it another id")
    written = msgspec.json.decode(msgspec.json.encode(given))
    fields = {key: value for key, value in written.items() if value is not None and key != "note"}
    policy = checked(fields, (policy.policy_id for policy in config.policies))
    for text in (policy.name, policy.description):
        if plain(text) != text:
            raise ConfigError("a policy's name and description are plain text on one line")
    if not policy.conditions and policy.when is None:
        raise ConfigError("a policy needs `conditions` or `when`; one without would match everything")
    return policy


def tag(wire: PolicyWire) -> str:
    """Return what names a version of a policy, so that nobody writes over what they have not seen."""
    return f'"{wire.source}-{wire.version}"'


def known_version(wire: PolicyWire, given: str | None) -> int:
    """Return the version that somebody has read, or raise where it is not the newest."""
    if given is None:
        raise Refused(428, "say which version you change: send the `ETag` that you read as `If-Match`")
    if given.strip() != tag(wire):
        raise Refused(412, f"the policy is at {tag(wire)}, and yours is built on {plain(given)}; load it again")
    return wire.version


def save(service: Service, caller: str, given: PolicyGiven, *, known: int | None) -> Version:
    """Write a policy, and decide by it from now on."""
    policy = policy_from(given, service.gate.config)
    version = service.gate.book.save(policy, caller, known=known, note=given.note)
    service.gate.policies_changed()
    return version


def remove(service: Service, caller: str, wire: PolicyWire, *, known: int | None) -> None:
    """Let a policy count no longer."""
    if not wire.editable:
        raise ConflictError(f"policy `{wire.policy.policy_id}` comes from a configuration file; change it there")
    service.gate.book.remove(wire.policy, caller, known=known)
    service.gate.policies_changed()


def next_version(service: Service, policy_id: str) -> int:
    """Return what a new policy is built on: nothing, or what one of that id was before it was removed; or raise."""
    last = service.gate.book.current().get(policy_id)  # looked at first: who writes meanwhile is noticed
    if any(wire.policy.policy_id == policy_id for wire in listed(service)):
        raise ConflictError(f"there is a policy `{plain(policy_id)}` already; change that, or use another id")
    return last.version if last else 0


def restored(service: Service, caller: str, policy_id: str, version: int, seen: str | None = None) -> Version:
    """Write an older version anew; `seen` is the newest that somebody has read, where they say so."""
    known = known_version(one(service, policy_id), seen) if seen else None
    old = service.gate.book.get(policy_id, version)
    if any(policy.policy_id == policy_id for policy in service.gate.config.policies):
        raise ConflictError(f"policy `{policy_id}` comes from a configuration file now; change it there")
    found = service.gate.book.save(old.policy, caller, known=known, note=f"restored from version {version}")
    service.gate.policies_changed()
    return found


def switched(service: Service, caller: str, policy_id: str, *, enabled: bool) -> PolicyWire:
    """Write a policy anew, switched on or off."""
    wire = one(service, policy_id)
    if not wire.editable:
        raise ConflictError(f"policy `{policy_id}` comes from a configuration file; change it there")
    if wire.policy.enabled == enabled:
        return wire
    policy = msgspec.structs.replace(wire.policy, enabled=enabled)
    note = "switched on" if enabled else "switched off"
    version = service.gate.book.save(policy, caller, known=wire.version, note=note)
    service.gate.policies_changed()
    return wire_of(version)


def simulated(service: Service, draft: Draft) -> Simulation:
    """Return what a draft would have changed."""
    config, policies = service.gate.config, service.gate.engine.policies
    drafted = {policy.policy_id: policy for policy in policies if policy.policy_id not in draft.without}
    for given in draft.policies:
        policy = policy_from(given, config)
        drafted[policy.policy_id] = policy
    lines = _decided(service, name_of(draft.run_id), draft.limit)
    return simulate(lines, policies, tuple(drafted.values()), config)


def _decided(service: Service, run_id: str | None, limit: int) -> Iterator[StoredRecord]:
    """Yield the newest decisions, the newest first, a page at a time."""
    wanted, before = RecordFilter(kind="decision", run_id=run_id), 2**62
    while limit > 0 and (lines := read_page(service.journal.database, wanted, before=before, limit=limit)):
        yield from reversed(lines)
        before, limit = lines[0].record.seq, limit - len(lines)


def tried(service: Service, trial: Trial) -> Tried:
    """Return what a policy says to an action."""
    config = service.gate.config
    policy = msgspec.structs.replace(policy_from(trial.policy, config), enabled=True)
    others = tuple(one for one in service.gate.engine.policies if one.policy_id != policy.policy_id)
    engine = config.engine(policies=(*others, policy), default_policies=False)
    decision = engine.decide(trial.action)
    match = next((found for found in decision.matched_policies if found.policy_id == policy.policy_id), None)
    return Tried(
        matches=match is not None,
        error=match.error if match else "",
        verdict=decision.verdict.value,
        because=decision.because,
    )
