"""Trying a draft of the policies on what has been: what would have been answered otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from interlock.audit.read import StoredRecord
from interlock.config.schema import Config
from interlock.levels import Verdict
from interlock.model import Struct
from interlock.policies.past import Past, looks_inside, past_of, takes_apart
from interlock.policy.decide import decide
from interlock.policy.modes import MODES, mode_row
from interlock.policy.policies import Policy, PolicySet

MAX_EXAMPLES = 20


class Change(Struct, frozen=True, kw_only=True):
    """An action that a draft answers otherwise."""

    record_id: str
    seq: int
    run_id: str | None
    tool_name: str
    text: str
    before: Verdict
    after: Verdict
    because: str


class Simulation(Struct, frozen=True, kw_only=True):
    """What a draft would have changed. `unknown` are actions of which less was kept than the draft asks for."""

    actions: int
    matched: int
    changed: int
    stricter: int
    milder: int
    unknown: int
    transitions: dict[str, int]
    examples: tuple[Change, ...]
    first: int | None
    last: int | None


def simulate(
    lines: Iterable[StoredRecord], now: Sequence[Policy], draft: Sequence[Policy], config: Config
) -> Simulation:
    """Decide past actions by the policies as they are and as drafted; what else has changed since plays no part.

    A draft that asks for the input is tried on those actions whose input was kept. Of effects, only kinds are kept.
    """
    was, would = PolicySet(now), PolicySet(draft)
    changed = [*_unlike(draft, now), *_unlike(now, draft)]
    changed_ids = {policy.policy_id for policy in changed}
    inside = any(looks_inside(msgspec.to_builtins(policy)) for policy in changed)
    apart = any(takes_apart(msgspec.to_builtins(policy)) for policy in changed)
    tally: Counter[str] = Counter()
    transitions: Counter[str] = Counter()
    examples: list[Change] = []
    seqs: list[int] = []
    for line in lines:
        past = past_of(line.record)
        seqs.append(line.record.seq)
        tally["actions"] += 1
        if apart or (inside and not past.whole):
            tally["unknown"] += 1
            continue
        before, _, _ = _verdict(past, was, config)
        after, because, ids = _verdict(past, would, config)
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


def _unlike(some: Sequence[Policy], others: Sequence[Policy]) -> list[Policy]:
    """Return those of some policies that are not among others, or are otherwise there."""
    known = {policy.policy_id: policy for policy in others}
    return [policy for policy in some if known.get(policy.policy_id) != policy]


def _verdict(past: Past, policies: PolicySet, config: Config) -> tuple[Verdict, str, set[str]]:
    matches = policies.match(past.action, past.assessment, past.environment)
    mode = past.mode if past.mode in MODES or past.mode in config.modes else config.mode
    found = decide(past.action, past.assessment, matches, mode, mode_row(mode, config.modes))
    return found.verdict, found.because, {match.policy_id for match in matches}


def _change(past: Past, before: Verdict, after: Verdict, because: str) -> Change:
    record = past.record
    return Change(
        record_id=record.record_id,
        seq=record.seq,
        run_id=record.run_id,
        tool_name=record.name or "",
        text=str(record.data.get("text") or ""),
        before=before,
        after=after,
        because=because,
    )
