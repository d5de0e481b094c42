"""Test policies before they are saved: a draft against past actions, or one policy against one action."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import reduce

import msgspec

from interlock.model import Action, Struct
from interlock.policies import drafts
from interlock.policies.drafts import PolicyDraft
from interlock.policies.policy_input import PolicyInput, compile_policy
from interlock.policies.simulation import Simulation
from interlock.server.api.parameters import optional_name
from interlock.server.service import Service
from interlock.store.clock import as_datetime, now

#: How many actions are simulated between two checks of the time and of the reader, and for how long at most.
PART = 250
MAX_SECONDS = 5.0


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


def make_draft(given: PolicyInput, *, limit: int) -> PolicyDraft:
    """Return the draft of one policy. One that is switched off is simulated as if it did not exist."""
    return PolicyDraft(policies=[given], without=[] if given.enabled else [given.policy_id], limit=limit)


def simulate_in_parts(service: Service, draft: PolicyDraft, must_stop: Callable[[], bool]) -> Iterator[Simulation]:
    """Yield the simulation of a draft so far, again and again, until it is complete or must stop."""
    gate = service.gate
    return drafts.simulate_in_parts(
        draft, gate.engine.policies, gate.config, service.journal.database, part=PART, must_stop=must_stop
    )


def simulate_in_time(service: Service, draft: PolicyDraft) -> Simulation:
    """Simulate a draft on past actions, the newest first, for a few seconds at most."""
    draft = msgspec.structs.replace(draft, run_id=optional_name(draft.run_id))
    limit = TimeLimit(MAX_SECONDS)
    found = reduce(lambda _, newest: newest, simulate_in_parts(service, draft, limit.is_over), Simulation())
    return msgspec.structs.replace(found, is_complete=not limit.was_over)


class TimeLimit:
    """A time limit that starts with the first check, so that at least one action is simulated, however many policies
    have to be compiled before. A client that continues where a simulation stopped gets to the end.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds, self._began = seconds, 0.0
        self.was_over = False

    def is_over(self) -> bool:
        """Whether the time is over; never at the first check."""
        if not self._began:
            self._began = time.monotonic()
            return False
        self.was_over = time.monotonic() > self._began + self._seconds
        return self.was_over


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
