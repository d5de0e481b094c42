"""Drafts of policies: changes that are simulated on past actions before they are applied."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, takewhile
from typing import Annotated, Any

import msgspec

from interlock.audit.read import RecordFilter, StoredRecord, read_page
from interlock.audit.runs import find_run
from interlock.config.schema import Config
from interlock.model import Struct
from interlock.policies.policy_input import PolicyInput, compile_policy
from interlock.policies.simulation import Simulation, Simulator, join_simulations
from interlock.policy.policies import Policy
from interlock.store.database import Database

#: How many past actions a draft is tested against at most, and how many policies it may change.
MAX_ACTIONS = 10_000
MAX_CHANGES = 1_000
#: How many past actions are read at a time.
_PAGE = 1_000
_NEWEST = 2**62


class PolicyDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to simulate: policies to add or replace, and ids of policies to remove.

    With `before`, only actions with a smaller sequence number are tested.
    """

    policies: Annotated[list[PolicyInput], msgspec.Meta(max_length=MAX_CHANGES)] = msgspec.field(default_factory=list)
    without: Annotated[list[str], msgspec.Meta(max_length=MAX_CHANGES)] = msgspec.field(default_factory=list)
    run_id: str | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_ACTIONS)] = MAX_ACTIONS
    before: Annotated[int, msgspec.Meta(ge=0, le=2**53)] | None = None


def simulate_draft(draft: PolicyDraft, now: Sequence[Policy], config: Config, database: Database) -> Simulation:
    """Simulate a draft on past actions, compared with the current policies."""
    return _simulator(draft, now, config, database).run(_past_decisions(draft, database))


def simulate_in_parts(
    draft: PolicyDraft,
    now: Sequence[Policy],
    config: Config,
    database: Database,
    *,
    part: int,
    must_stop: Callable[[], bool],
) -> Iterator[Simulation]:
    """Yield the simulation so far after every `part` actions, until `must_stop` says so between two actions.

    Policies of the draft count as matched even if they are in force already.
    """
    simulator = _simulator(draft, now, config, database, {given.policy_id for given in draft.policies})
    lines = takewhile(lambda _: not must_stop(), _past_decisions(draft, database))
    total = Simulation()
    while (found := simulator.run(islice(lines, part))).actions:
        total = join_simulations([total, found])
        yield total


def _simulator(
    draft: PolicyDraft, now: Sequence[Policy], config: Config, database: Database, watched: Collection[str] = ()
) -> Simulator:
    drafted = {policy.policy_id: policy for policy in now if policy.policy_id not in draft.without}
    for given in draft.policies:
        policy = compile_policy(given, config)
        drafted[policy.policy_id] = policy
    return Simulator(now, tuple(drafted.values()), config, _metadata_of(database), watched)


def _metadata_of(database: Database) -> Callable[[str | None], Mapping[str, Any]]:
    """Return a function that returns the metadata of a run, and reads each run once."""

    @cache
    def find(run_id: str | None) -> Mapping[str, Any]:
        with database.read() as connection:
            run = None if run_id is None else find_run(connection, run_id)
        return {} if run is None else run.metadata

    return find


def _past_decisions(draft: PolicyDraft, database: Database) -> Iterator[StoredRecord]:
    """Yield the newest decisions, newest first, reading one page at a time."""
    wanted, limit = RecordFilter(kind="decision", run_id=draft.run_id), draft.limit
    before = _NEWEST if draft.before is None else draft.before
    while limit > 0 and (lines := read_page(database, wanted, before=before, limit=min(limit, _PAGE))):
        yield from reversed(lines)
        before, limit = lines[0].record.seq, limit - len(lines)
