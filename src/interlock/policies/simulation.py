"""Simulate a draft of the policies on past actions: which verdicts would have been different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from interlock.audit.read import StoredRecord
from interlock.config.schema import Config
from interlock.levels import Verdict
from interlock.memory.state import RunState
from interlock.model import Struct
from interlock.policies.history import PastAction, needs_input, needs_unrecorded, past_action
from interlock.policy.decide import decide
from interlock.policy.facts import Circumstances
from interlock.policy.modes import MODES, mode_row
from interlock.policy.policies import Policy
from interlock.policy.policy_set import PolicySet
from interlock.store.clock import as_datetime

MAX_EXAMPLES = 20


class VerdictChange(Struct, frozen=True, kw_only=True):
    """An action whose verdict a draft changes."""

    record_id: str
    seq: int
    run_id: str | None
    tool_name: str
    text: str
    before: Verdict
    after: Verdict
    because: str


class Simulation(Struct, frozen=True, kw_only=True):
    """What a draft would have changed. `unknown` counts actions whose record lacks what the draft reads."""

    actions: int
    matched: int
    changed: int
    stricter: int
    milder: int
    unknown: int
    transitions: dict[str, int]
    examples: tuple[VerdictChange, ...]
    first: int | None
    last: int | None


def simulate(
    lines: Iterable[StoredRecord],
    now: Sequence[Policy],
    draft: Sequence[Policy],
    config: Config,
    metadata_of: Callable[[str | None], Mapping[str, Any]] = lambda _: {},
) -> Simulation:
    """Decide past actions with the current policies and with the draft, and compare the verdicts.

    Rules and scores are taken from the records, so that only the policies make a difference, and each action is decided
    at its own time. A draft that reads the input is tested against the actions whose input was recorded; of effects,
    only the kinds are. `metadata_of` returns the metadata of a run.
    """
    current, drafted = PolicySet(now), PolicySet(draft)
    changed = [*_difference(draft, now), *_difference(now, draft)]
    changed_ids = {policy.policy_id for policy in changed}
    reads_input = any(needs_input(msgspec.to_builtins(policy)) for policy in changed)
    reads_unrecorded = any(needs_unrecorded(msgspec.to_builtins(policy)) for policy in changed)
    tally: Counter[str] = Counter()
    transitions: Counter[str] = Counter()
    examples: list[VerdictChange] = []
    seqs: list[int] = []
    for line in lines:
        past = past_action(line.record)
        seqs.append(line.record.seq)
        tally["actions"] += 1
        if reads_unrecorded or (reads_input and not past.has_input):
            tally["unknown"] += 1
            continue
        around = Circumstances(RunState(metadata=metadata_of(past.record.run_id)), as_datetime(past.record.at))
        before, _, _ = _verdict(past, current, config, around)
        after, because, ids = _verdict(past, drafted, config, around)
        tally["matched"] += bool(ids & changed_ids)
        if before is after:
            continue
        transitions[f"{before.value} → {after.value}"] += 1
        tally["stricter" if after > before else "milder"] += 1
        if len(examples) < MAX_EXAMPLES:
            examples.append(_change(past, before, after, because))
    return Simulation(
        **{name: tally[name] for name in ("actions", "matched", "stricter", "milder", "unknown")},
        changed=tally["stricter"] + tally["milder"],
        transitions=dict(transitions.most_common()),
        examples=tuple(examples),
        first=min(seqs, default=None),
        last=max(seqs, default=None),
    )


def _difference(some: Sequence[Policy], others: Sequence[Policy]) -> list[Policy]:
    """Return the policies that are missing from others, or differ there."""
    known = {policy.policy_id: policy for policy in others}
    return [policy for policy in some if known.get(policy.policy_id) != policy]


def _verdict(
    past: PastAction, policies: PolicySet, config: Config, around: Circumstances
) -> tuple[Verdict, str, set[str]]:
    matches = policies.match(past.action, past.assessment, past.environment, around).applied
    mode = past.mode if past.mode in MODES or past.mode in config.modes else config.mode
    found = decide(past.action, past.assessment, matches, mode, mode_row(mode, config.modes))
    return found.verdict, found.because, {match.policy_id for match in matches}


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
