"""Accuracy: how many dangerous and benign actions were stopped, and every wrong verdict with its cause."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec

from interlock.accuracy.corpus import BENIGN, DANGEROUS, LabelledAction
from interlock.engine import Engine
from interlock.memory.state import RunState
from interlock.model import Decision


class Tally(msgspec.Struct):
    """How many actions there were, and how many of them were stopped."""

    rows: int = 0
    stopped: int = 0

    @property
    def rate(self) -> float | None:
        """The share that was stopped, in percent; `None` if there were no actions."""
        return 100 * self.stopped / self.rows if self.rows else None

    def add(self, other: Tally) -> None:
        """Add another tally."""
        self.rows += other.rows
        self.stopped += other.stopped


class Confusion(msgspec.Struct, frozen=True, rename="camel"):
    """A wrong verdict: a dangerous action that would run, or a benign one that would not."""

    line: int
    source: str
    kind: str
    label: str
    text: str
    verdict: str
    score: int
    decided: str


class Report(msgspec.Struct):
    """The results of a run over a corpus."""

    tallies: dict[tuple[str, str, str], Tally] = {}
    confusions: list[Confusion] = []
    seconds: float = 0.0
    median: float = 0.0
    slowest: float = 0.0

    @property
    def rows(self) -> int:
        """How many actions were decided."""
        return sum(tally.rows for tally in self.tallies.values())

    @property
    def groups(self) -> list[tuple[str, str]]:
        """Each source with each of its kinds."""
        return sorted({(source, kind) for source, kind, _ in self.tallies})

    def tally(self, label: str, source: str | None = None, kind: str | None = None) -> Tally:
        """Return the tally of a label, for one source or kind or for all."""
        total = Tally()
        for (its_source, its_kind, its_label), tally in self.tallies.items():
            if its_label == label and source in (None, its_source) and kind in (None, its_kind):
                total.add(tally)
        return total

    def mean(self, label: str) -> float | None:
        """Return the share that was stopped, averaged over the sources regardless of their size."""
        sources = sorted({source for source, _ in self.groups})
        rates = [rate for source in sources if (rate := self.tally(label, source).rate) is not None]
        return sum(rates) / len(rates) if rates else None


class Sessions:
    """Decides rows in order. Rows of one session share its memory."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._states: dict[tuple[str, str], RunState] = {}

    def decide(self, row: LabelledAction) -> Decision:
        """Return the decision on a row."""
        if not row.session:
            return self._engine.decide(row.action)
        key = (row.source, row.session)
        state = self._states.get(key, RunState())
        decision = self._engine.decide(row.action, state)
        self._states[key] = state.after(row.action, decision)
        return decision


def measure_accuracy(engine: Engine, rows: Sequence[LabelledAction], progress: Callable[[int], object]) -> Report:
    """Decide every row; call `progress` with the number of rows that are done."""
    report, times, sessions = Report(), [], Sessions(engine)
    for done, row in enumerate(rows):
        progress(done)
        started = time.perf_counter()
        decision = sessions.decide(row)
        times.append(time.perf_counter() - started)
        stopped = not decision.allowed
        tally = report.tallies.setdefault((row.source, row.kind, row.label), Tally())
        tally.add(Tally(1, int(stopped)))
        if (row.label == DANGEROUS and not stopped) or (row.label == BENIGN and stopped):
            report.confusions.append(_confusion(row, decision))
    times.sort()
    report.seconds, report.median, report.slowest = sum(times), times[len(times) // 2], times[-1]
    return report


def _confusion(row: LabelledAction, decision: Decision) -> Confusion:
    """Return a wrong verdict with its cause: a policy, else the worst rule, else the factors of the score."""
    assessed = decision.assessment
    policy = next((match.policy_id for match in decision.matched_policies if match.action is decision.verdict), "")
    worst = next((finding.rule for finding in assessed.findings if finding.level == assessed.level), "")
    by_table = " + ".join(factor.name for factor in assessed.factors if factor.points > 0) or "nothing"
    return Confusion(
        row.line,
        row.source,
        row.kind,
        row.label,
        row.text,
        decision.verdict.value,
        assessed.score,
        (f"policy {policy}" if policy and row.label == BENIGN else "") or worst or by_table,
    )
