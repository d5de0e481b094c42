"""Test policies before they are saved: a draft against past actions, or one policy against one action."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any

import msgspec

from interlock.audit.read import RecordFilter, StoredRecord, read_page
from interlock.audit.runs import find_run
from interlock.model import Action, Struct
from interlock.policies.simulation import Simulation, simulate
from interlock.server.api.parameters import optional_name
from interlock.server.policy_editor import PolicyInput, compile_policy
from interlock.server.service import Service
from interlock.store.clock import as_datetime, now

#: How many past actions a draft is tested against at most.
MAX_ACTIONS = 10_000


class PolicyDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to simulate: policies that are added or replaced, and ids of policies that are left out."""

    policies: Annotated[list[PolicyInput], msgspec.Meta(max_length=50)] = msgspec.field(default_factory=list)
    without: Annotated[list[str], msgspec.Meta(max_length=50)] = msgspec.field(default_factory=list)
    run_id: str | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_ACTIONS)] = MAX_ACTIONS


class PolicyTrial(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A policy, and an action to test it against."""

    policy: PolicyInput
    action: Action


class PolicyTrialResult(Struct, frozen=True, kw_only=True):
    """Whether a policy matches an action, and what would be decided with it."""

    matches: bool
    error: str
    verdict: str
    because: str


def simulate_draft(service: Service, draft: PolicyDraft) -> Simulation:
    """Return what a draft would have changed for past actions."""
    config, policies = service.gate.config, service.gate.engine.policies
    drafted = {policy.policy_id: policy for policy in policies if policy.policy_id not in draft.without}
    for given in draft.policies:
        policy = compile_policy(given, config)
        drafted[policy.policy_id] = policy
    lines = _past_decisions(service, optional_name(draft.run_id), draft.limit)
    return simulate(lines, policies, tuple(drafted.values()), config, _metadata_of(service))


def _metadata_of(service: Service) -> Callable[[str | None], Mapping[str, Any]]:
    """Return a function that returns the metadata of a run, and reads each run once."""

    @cache
    def find(run_id: str | None) -> Mapping[str, Any]:
        with service.journal.database.read() as connection:
            run = None if run_id is None else find_run(connection, run_id)
        return {} if run is None else run.metadata

    return find


def _past_decisions(service: Service, run_id: str | None, limit: int) -> Iterator[StoredRecord]:
    """Yield the newest decisions, newest first, reading one page at a time."""
    wanted, before = RecordFilter(kind="decision", run_id=run_id), 2**62
    while limit > 0 and (lines := read_page(service.journal.database, wanted, before=before, limit=limit)):
        yield from reversed(lines)
        before, limit = lines[0].record.seq, limit - len(lines)


def try_policy(service: Service, trial: PolicyTrial) -> PolicyTrialResult:
    """Return whether a policy matches an action, and what would be decided with it."""
    config = service.gate.config
    policy = msgspec.structs.replace(compile_policy(trial.policy, config), enabled=True)
    others = tuple(other for other in service.gate.engine.policies if other.policy_id != policy.policy_id)
    engine = config.engine(policies=(*others, policy), default_policies=False)
    decision = engine.decide(trial.action, now=as_datetime(now().wall))
    match = next((found for found in decision.matched_policies if found.policy_id == policy.policy_id), None)
    return PolicyTrialResult(
        matches=match is not None,
        error=match.error if match else "",
        verdict=decision.verdict.value,
        because=decision.because,
    )
