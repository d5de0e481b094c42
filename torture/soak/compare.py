"""Compare the ledger of the callers with the records of the store: what is lost, doubled or wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from torture.soak.ledger import Ledger

#: How many examples a problem names.
EXAMPLES = 3


@dataclass
class Kept:
    """What a store holds of what the callers were told."""

    decisions: dict[str, tuple[str, str]] = field(default_factory=dict)  # name and outcome, by the record's id
    events: Counter[str] = field(default_factory=Counter)
    answers: dict[str, list[str]] = field(default_factory=dict)  # final states by request: each has one at most
    uses: Counter[str] = field(default_factory=Counter)
    ended_runs: set[str] = field(default_factory=set)

    @property
    def names(self) -> Counter[str]:
        """How often each action is on record."""
        return Counter(name for name, _ in self.decisions.values())


def compare(ledger: Ledger, kept: Kept) -> list[str]:
    """Return every difference between what callers were told and what is on record, as sentences."""
    return [problem for check in CHECKS for problem in check(ledger, kept)]


def find_lost(ledger: Ledger, kept: Kept) -> Iterator[str]:
    """Yield a sentence about acknowledged records that are not in the store."""
    names = kept.names
    told = Counter({one.name: 1 for one in ledger.decisions if one.name in ledger.once})
    told.update(one.name for one in ledger.decisions if one.name not in ledger.once)
    lost = [one.name for one in ledger.decisions if one.decision_id and one.decision_id not in kept.decisions]
    lost += [name for name, count in told.items() if names[name] < count and name not in lost]
    yield from _tell(len(lost), "acknowledged decisions are not in the store", lost)
    events = sorted(ledger.events - set(kept.events))
    yield from _tell(len(events), "acknowledged events are not in the store", events)
    answers = [one for one, state in sorted(ledger.answers.items()) if state not in kept.answers.get(one, ())]
    yield from _tell(len(answers), "acknowledged answers are not in the store", answers)
    runs = sorted(ledger.ended_runs - kept.ended_runs)
    yield from _tell(len(runs), "runs that ended have not ended in the store", runs)


def find_doubles(ledger: Ledger, kept: Kept) -> Iterator[str]:
    """Yield a sentence about what is on record more often than it happened."""
    told = Counter(one.name for one in ledger.decisions)
    many = []
    for name, count in sorted(kept.names.items()):
        most = 1 if name in ledger.once else told[name] + ledger.uncertain[name]
        if count > most and not ledger.refused[name]:
            many.append(name)
    yield from _tell(len(many), "actions are on record more often than they were sent", many)
    events = [one for one, count in sorted(kept.events.items()) if count > 1]
    yield from _tell(len(events), "events are on record twice", events)
    states = [one for one, found in sorted(kept.answers.items()) if len(found) > 1]
    yield from _tell(len(states), "requests have two results", states)


def find_reuse(ledger: Ledger, kept: Kept) -> Iterator[str]:
    """Yield a sentence about approvals that were used more than once, or without a record."""
    twice = sorted({one for uses in (ledger.uses, kept.uses) for one, count in uses.items() if count > 1})
    yield from _tell(len(twice), "approvals were used more than once", twice)
    unrecorded = sorted(one for one in ledger.uses if not kept.uses[one])
    yield from _tell(len(unrecorded), "approvals allowed an action without a record of it", unrecorded)
    unapproved = sorted(one for one in kept.uses if "approved" not in kept.answers.get(one, ()))
    yield from _tell(len(unapproved), "requests were used that nobody approved", unapproved)


def find_silent_allowances(ledger: Ledger, kept: Kept) -> Iterator[str]:
    """Yield a sentence about actions that were refused in a fault and are on record, or allowed against the record."""
    names, told = kept.names, Counter(one.name for one in ledger.decisions)
    recorded = [
        name
        for name in sorted(ledger.refused)
        if name not in ledger.once and names[name] > told[name] + ledger.uncertain[name]
    ]
    yield from _tell(len(recorded), "actions are on record although their callers were told otherwise", recorded)
    wrong = [
        one.name
        for one in ledger.decisions
        if one.is_allowed and kept.decisions.get(one.decision_id, ("", "allow"))[1] == "block"
    ]
    yield from _tell(len(wrong), "actions were allowed that are on record as blocked", wrong)


def find_odd_responses(ledger: Ledger, _kept: Kept) -> Iterator[str]:
    """Yield a sentence for each kind of response that no fault explains, and for gaps in streams."""
    for text, count in ledger.unexpected.most_common():
        yield f"{count:,} × {text}"
    yield from _tell(len(ledger.gaps), "gaps in streams of events", ledger.gaps)


#: What is compared, in the order of the report.
CHECKS: tuple[Callable[[Ledger, Kept], Iterator[str]], ...] = (
    find_lost,
    find_doubles,
    find_reuse,
    find_silent_allowances,
    find_odd_responses,
)


def _tell(count: int, what: str, examples: list[str]) -> Iterator[str]:
    if count:
        yield f"{count:,} {what}: {', '.join(examples[:EXAMPLES])}{', …' if count > EXAMPLES else ''}"
