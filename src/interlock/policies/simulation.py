"""Simulate other policies on past actions: which verdicts would have been different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from interlock.audit.read import StoredRecord
from interlock.config.schema import Config
from interlock.history.replay.past_action import PastAction, read_past_action
from interlock.history.replay.recorded_assessment import decide_assessed
from interlock.history.replay.unknown_matches import UnknownMatches
from interlock.levels import Verdict
from interlock.memory.state import RunState
from interlock.model import Struct
from interlock.policies.difference import is_same
from interlock.policy.drift import read_recorded_drift
from interlock.policy.facts import Circumstances
from interlock.policy.policies import Policy
from interlock.policy.policy_set import PolicySet
from interlock.store.clock import as_datetime

MAX_EXAMPLES = 20
#: How many of the matching actions are shown, whether their verdict changes or not.
MAX_MATCHING = 5


class VerdictChange(Struct, frozen=True, kw_only=True):
    """An action whose verdict a draft changes. `count` is how many actions look the same."""

    record_id: str
    seq: int
    run_id: str | None
    tool_name: str
    text: str
    before: Verdict
    after: Verdict
    because: str
    count: int = 1

    @property
    def newly_allowed(self) -> bool:
        """Whether the draft would allow an action that was not allowed."""
        return self.after < Verdict.REQUIRE_APPROVAL <= self.before

    @property
    def urgency(self) -> int:
        """The order in which people should look at changes: newly allowed first, then milder, then stricter."""
        return 0 if self.newly_allowed else 1 if self.after < self.before else 2


class Simulation(Struct, frozen=True, kw_only=True):
    """The effect of a draft on past actions. `unknown` counts actions whose record lacks a field that the draft reads.

    `before` and `after` count the tested actions by their verdict. Of the examples, those that would have been newly
    allowed come first. `matching` are the newest actions that the draft matches, with the same or another verdict.
    `first` and `last` are the sequence numbers of the oldest and the newest action. `is_complete` is false if there was
    no time for older actions.
    """

    actions: int = 0
    matched: int = 0
    changed: int = 0
    stricter: int = 0
    milder: int = 0
    newly_allowed: int = 0
    unknown: int = 0
    before: dict[str, int] = msgspec.field(default_factory=dict)
    after: dict[str, int] = msgspec.field(default_factory=dict)
    transitions: dict[str, int] = msgspec.field(default_factory=dict)
    examples: tuple[VerdictChange, ...] = ()
    matching: tuple[VerdictChange, ...] = ()
    first: int | None = None
    last: int | None = None
    is_complete: bool = True


_NUMBERS = ("actions", "matched", "changed", "stricter", "milder", "newly_allowed", "unknown")
_COUNTS = ("before", "after", "transitions")


class Simulator:
    """Decides past actions with the current policies and with a draft, and compares the verdicts.

    Rules and scores are taken from the records, so that only the policies make a difference, and each action is decided
    at its own time. An action is unknown if a policy that differs could match it, depending on something that was not
    recorded; or if one matches, and the current policies do not lead to the recorded verdict, because another one could
    match depending on that. `metadata_of` returns the metadata of a run. Policies whose ids are `watched` count as
    matched even if the draft does not change them.
    """

    def __init__(
        self,
        now: Sequence[Policy],
        draft: Sequence[Policy],
        config: Config,
        metadata_of: Callable[[str | None], Mapping[str, Any]] = lambda _: {},
        watched: Collection[str] = (),
    ) -> None:
        self._current, self._drafted = PolicySet(now), PolicySet(draft)
        self._config, self._metadata_of = config, metadata_of
        differing = [*_difference(draft, now), *_difference(now, draft)]
        self._ids = {*(policy.policy_id for policy in differing), *watched}
        same = [policy for policy in draft if policy.policy_id in watched and policy not in differing]
        self._unknown = UnknownMatches([*differing, *same])
        self._others = UnknownMatches(policy for policy in now if policy.policy_id not in self._ids)

    def run(self, lines: Iterable[StoredRecord]) -> Simulation:
        """Return the effect of the draft on some past actions."""
        return join_simulations([self._compare(line) for line in lines])

    def _compare(self, line: StoredRecord) -> Simulation:
        past = read_past_action(line.record)
        state, at = RunState(metadata=self._metadata_of(past.record.run_id)), as_datetime(past.record.at)
        around = Circumstances(state, at, read_recorded_drift(past.record.data))
        before, ids_before = decide_assessed(past, self._current, self._config, around)
        after, ids = decide_assessed(past, self._drafted, self._config, around)
        unclear = bool((ids | ids_before) & self._ids) and before.verdict.value != past.record.outcome
        if self._unknown.are_possible(past, around) or (unclear and self._others.are_possible(past, around)):
            return Simulation(actions=1, unknown=1, first=line.record.seq, last=line.record.seq)
        return _compare(past, before.verdict, after.verdict, after.because, matched=bool(ids & self._ids))


def _compare(past: PastAction, before: Verdict, after: Verdict, because: str, *, matched: bool) -> Simulation:
    """Return the simulation of one action."""
    seq = past.record.seq
    same = Simulation(
        actions=1, matched=int(matched), before={before.value: 1}, after={after.value: 1}, first=seq, last=seq
    )
    if before is after and not matched:
        return same
    change = _change(past, before, after, because)
    same = msgspec.structs.replace(same, matching=(change,) if matched else ())
    if before is after:
        return same
    return msgspec.structs.replace(
        same,
        changed=1,
        stricter=int(after > before),
        milder=int(after < before),
        newly_allowed=int(change.newly_allowed),
        transitions={f"{before.value} → {after.value}": 1},
        examples=(change,),
    )


def join_simulations(parts: Sequence[Simulation]) -> Simulation:
    """Return one simulation for several, each on other actions."""
    numbers: dict[str, Any] = {name: sum(getattr(part, name) for part in parts) for name in _NUMBERS}
    for name in _COUNTS:
        total: Counter[str] = Counter()
        for part in parts:
            total.update(getattr(part, name))
        numbers[name] = dict(total.most_common())
    return Simulation(
        **numbers,
        examples=_most_urgent([change for part in parts for change in part.examples]),
        matching=_newest([one for part in parts for one in part.matching]),
        first=min((part.first for part in parts if part.first is not None), default=None),
        last=max((part.last for part in parts if part.last is not None), default=None),
    )


def _most_urgent(changes: list[VerdictChange]) -> tuple[VerdictChange, ...]:
    """Return the most important changes, newest first. Equal changes are counted together."""
    return _count_equal(sorted(changes, key=lambda change: (change.urgency, -change.seq)))[:MAX_EXAMPLES]


def _newest(matching: list[VerdictChange]) -> tuple[VerdictChange, ...]:
    """Return the newest of the matching actions. Equal ones are counted together."""
    return _count_equal(sorted(matching, key=lambda one: -one.seq))[:MAX_MATCHING]


def _count_equal(changes: Iterable[VerdictChange]) -> tuple[VerdictChange, ...]:
    different: dict[tuple[object, ...], VerdictChange] = {}
    for change in changes:
        looks = change.tool_name, change.text, change.before, change.after, change.because
        known = different.get(looks)
        different[looks] = msgspec.structs.replace(known, count=known.count + change.count) if known else change
    return tuple(different.values())


def _difference(some: Sequence[Policy], others: Sequence[Policy]) -> list[Policy]:
    """Return the policies that are missing from others, or differ there."""
    known = {policy.policy_id: policy for policy in others}
    return [one for one in some if one.policy_id not in known or not is_same(one, known[one.policy_id])]


def _change(past: PastAction, before: Verdict, after: Verdict, because: str) -> VerdictChange:
    record = past.record
    return VerdictChange(
        record_id=record.record_id,
        seq=record.seq,
        run_id=record.run_id,
        tool_name=record.name or "",
        text=str(record.data.get("text") or ""),
        before=before,
        after=after,
        because=because,
    )
