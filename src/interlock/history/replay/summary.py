"""The summary of a replay: counts and examples, bounded in size, merged from parts in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from interlock.history.replay.result import ReplayResult
from interlock.levels import Verdict
from interlock.model import Struct

#: How many examples of each change are kept, and how many names in each table.
MAX_EXAMPLES, MAX_NAMES = 5, 2_000
MAX_TEXT = 300
_STOPS = frozenset(verdict.value for verdict in Verdict if verdict.rank >= Verdict.REQUIRE_APPROVAL.rank)
#: The tables of changes, and what each counts them by.
GROUPS = ("rule", "policy", "agent", "tool")


class ReplayExample(Struct, frozen=True, kw_only=True):
    """An action whose verdict changes. `count` is the number of similar actions."""

    seq: int
    run_id: str
    agent_id: str | None
    tool: str
    text: str
    before: str
    after: str
    because: str
    cause: str
    newly_allowed: bool
    count: int = 1


class ReplaySummary(Struct, frozen=True, kw_only=True):
    """Counts of a replay.

    `before` and `after` count the actions by verdict, and `transitions` the changes, as `allow → block`. `groups` holds
    the changes by rule, policy, agent and tool. `basis` counts how actions were decided, `causes` why verdicts differ,
    and `undecided` why some could not be decided. `stopped_before` and `stopped_after` are interruptions: actions that
    need an approval or are blocked.
    """

    actions: int = 0
    runs: int = 0
    changed: int = 0
    newly_allowed: int = 0
    newly_stopped: int = 0
    stricter: int = 0
    milder: int = 0
    observed: int = 0
    stopped_before: int = 0
    stopped_after: int = 0
    before: dict[str, int] = msgspec.field(default_factory=dict)
    after: dict[str, int] = msgspec.field(default_factory=dict)
    transitions: dict[str, int] = msgspec.field(default_factory=dict)
    basis: dict[str, int] = msgspec.field(default_factory=dict)
    causes: dict[str, int] = msgspec.field(default_factory=dict)
    undecided: dict[str, int] = msgspec.field(default_factory=dict)
    groups: dict[str, dict[str, dict[str, int]]] = msgspec.field(default_factory=dict)
    examples: dict[str, tuple[ReplayExample, ...]] = msgspec.field(default_factory=dict)
    first: int | None = None
    last: int | None = None

    @property
    def interruptions(self) -> tuple[float, float]:
        """How many of 100 actions were interrupted, and would be."""
        every = self.actions or 1
        return 100 * self.stopped_before / every, 100 * self.stopped_after / every


_NUMBERS = tuple(name for name, kind in ReplaySummary.__annotations__.items() if kind == "int")
_COUNTS = ("before", "after", "transitions", "basis", "causes", "undecided")


def summarise(results: Iterable[ReplayResult]) -> ReplaySummary:
    """Return the counts of some results, one at a time, so that any number of them fits in memory."""
    numbers: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = {name: Counter() for name in _COUNTS}
    groups: dict[str, dict[str, Counter[str]]] = {name: {} for name in GROUPS}
    examples: dict[str, list[ReplayExample]] = {}
    runs: set[str] = set()
    first: int | None = None
    last: int | None = None
    for result in results:
        runs.add(result.run_id)
        first, last = min(result.at, first or result.at), max(result.at, last or 0)
        numbers["actions"] += 1
        numbers["observed"] += result.observed
        numbers["stopped_before"] += result.before in _STOPS
        numbers["stopped_after"] += result.after in _STOPS
        counts["before"][result.before] += 1
        counts["after"][result.after] += 1
        counts["basis"][result.basis] += 1
        if result.undecided:
            counts["undecided"][result.undecided] += 1
        if result.cause:
            counts["causes"][result.cause] += 1
        if result.has_changed:
            _count_change(result, numbers, counts, groups, examples)
    numbers["runs"] = len(runs)
    return _summary(numbers, counts, groups, examples, first, last)


def _count_change(
    result: ReplayResult,
    numbers: Counter[str],
    counts: dict[str, Counter[str]],
    groups: dict[str, dict[str, Counter[str]]],
    examples: dict[str, list[ReplayExample]],
) -> None:
    change = f"{result.before} → {result.after}"
    is_stricter = Verdict(result.after) > Verdict(result.before)
    numbers["changed"] += 1
    numbers["stricter" if is_stricter else "milder"] += 1
    numbers["newly_allowed"] += result.newly_allowed
    numbers["newly_stopped"] += result.newly_stopped
    counts["transitions"][change] += 1
    names = {
        "rule": _find_changed_names(result.rules_before, result.rules_after),
        "policy": _find_changed_names(result.policies_before, result.policies_after),
        "agent": [result.agent_id or "(none)"],
        "tool": [result.tool],
    }
    for group, found in names.items():
        for name in found:
            groups[group].setdefault(name, Counter())[change] += 1
    examples[change] = _add_example(examples.get(change, []), [_example(result)])


def _find_changed_names(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return the names that a change is about: those that come or go, or all if none does."""
    different = {*before} ^ {*after}
    return sorted(different or {*before, *after})


def _example(result: ReplayResult) -> ReplayExample:
    return ReplayExample(
        seq=result.seq,
        run_id=result.run_id,
        agent_id=result.agent_id,
        tool=result.tool,
        text=result.text[:MAX_TEXT],
        before=result.before,
        after=result.after,
        because=result.because,
        cause=result.cause,
        newly_allowed=result.newly_allowed,
    )


def _add_example(known: Iterable[ReplayExample], more: Iterable[ReplayExample]) -> list[ReplayExample]:
    """Return examples, newest first; those that look the same are counted together."""
    different: dict[tuple[str, str, str], ReplayExample] = {}
    for one in sorted((*known, *more), key=lambda one: -one.seq):
        looks = one.tool, one.text, one.because
        same = different.get(looks)
        different[looks] = msgspec.structs.replace(same, count=same.count + one.count) if same else one
    return list(different.values())[:MAX_EXAMPLES]


def _largest(table: dict[str, Counter[str]]) -> dict[str, dict[str, int]]:
    """Return the names with the most changes."""
    order = sorted(table, key=lambda name: (-table[name].total(), name))[:MAX_NAMES]
    return {name: dict(table[name].most_common()) for name in order}


def join_summaries(parts: Sequence[ReplaySummary]) -> ReplaySummary:
    """Return one summary for several, each of other runs."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in _COUNTS}
    groups: dict[str, dict[str, Counter[str]]] = {name: {} for name in GROUPS}
    examples: dict[str, list[ReplayExample]] = {}
    for part in parts:
        for name in _COUNTS:
            counts[name].update(getattr(part, name))
        for group, table in part.groups.items():
            for name, changes in table.items():
                groups[group].setdefault(name, Counter()).update(changes)
        for change, found in part.examples.items():
            examples[change] = _add_example(examples.get(change, []), found)
    numbers = Counter({name: sum(getattr(part, name) for part in parts) for name in _NUMBERS})
    first = min((part.first for part in parts if part.first is not None), default=None)
    last = max((part.last for part in parts if part.last is not None), default=None)
    return _summary(numbers, counts, groups, examples, first, last)


def _summary(
    numbers: Counter[str],
    counts: dict[str, Counter[str]],
    groups: dict[str, dict[str, Counter[str]]],
    examples: dict[str, list[ReplayExample]],
    first: int | None,
    last: int | None,
) -> ReplaySummary:
    given: dict[str, Any] = {**numbers, **{name: dict(counter.most_common()) for name, counter in counts.items()}}
    return ReplaySummary(
        **given,
        groups={name: _largest(table) for name, table in groups.items()},
        examples={name: tuple(found) for name, found in examples.items()},
        first=first,
        last=last,
    )
