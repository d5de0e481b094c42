"""Replay one run: take its records in order, and make each decision again with the memory of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from interlock.audit.record import Record
from interlock.audit.summary import MAX_ITEMS
from interlock.history.replay.causes import find_cause
from interlock.history.replay.decide_recorded import ORDERS, NewDecision, decide_recorded, is_observed, restore_verdict
from interlock.history.replay.past_action import read_past_action
from interlock.history.replay.recorded_action import ASSESSED, EXACT, MASKED, read_recorded_action
from interlock.history.replay.recorded_assessment import decide_assessed
from interlock.history.replay.result import ReplayResult
from interlock.history.replay.run_memory import RepeatedAction, ReplayMemory
from interlock.history.replay.setup import ReplaySetup
from interlock.memory.state import RunState
from interlock.model import Decision
from interlock.policy.drift import read_recorded_drift
from interlock.policy.facts import Circumstances
from interlock.policy.observe import enforce, observe
from interlock.store.clock import as_datetime

#: The kinds of records that a replay reads.
KINDS = frozenset(
    "run.started request decision risk observed.policy download written memory bypass asked "
    "grant.used approval.used".split()
)
_POLICIES = frozenset({"risk", "observed.policy"})
#: Why an action cannot be decided again.
UNRECORDED = "a policy reads fields that were not recorded"
UNCOUNTED = "a policy has a limit that nothing was counted for"


class RunReplay:
    """Replays one run. A result is complete once the records of its policies were read, so it comes one record late."""

    def __init__(self, setup: ReplaySetup) -> None:
        self._setup, self._memory = setup, ReplayMemory()
        self._decided: _RepeatedDecision | None = None

    def add(self, record: Record) -> ReplayResult | None:
        """Read the next record of the run; return the result of an earlier one that is complete now."""
        if record.kind == "decision":
            complete, self._decided = self.finish(), self._decide(record)
            return complete
        if record.kind in _POLICIES and self._decided is not None:
            self._decided.policies.append(record.name or "")
        else:
            self._memory.add(record)
        return None

    def finish(self) -> ReplayResult | None:
        """Return the result of the last decision, if there is one."""
        decided, self._decided = self._decided, None
        return None if decided is None else decided.result(self._setup)

    def _decide(self, record: Record) -> _RepeatedDecision:
        recorded = read_recorded_action(record)
        if recorded is None:
            decided = self._decide_assessed(record, self._memory.state, ASSESSED)
            self._memory.add_unread(record)
            return decided
        state, is_concurrent = self._memory.at(record)
        is_memory_exact = self._memory.is_exact
        new = decide_recorded(self._setup.engine, recorded, record, state)
        same = self._setup.assesses_as(record.data)
        is_exact = recorded.is_exact
        self._memory.add_decision(record, RepeatedAction(recorded.action, new.decision, is_exact, is_exact and same))
        if not is_exact and same:
            return self._decide_assessed(record, state, MASKED)  # which is what the engine makes of the whole input
        return _RepeatedDecision(
            record=record,
            new=new,
            basis=EXACT if is_exact else MASKED,
            is_memory_exact=is_memory_exact,
            is_concurrent=is_concurrent,
            undecided=UNCOUNTED if not new.is_counted else "" if new.is_compared else UNRECORDED,
        )

    def _decide_assessed(self, record: Record, state: RunState, basis: str) -> _RepeatedDecision:
        """Decide an action by its recorded assessment: rules and scores stay, policies and the mode decide again.

        If these are the same, the recorded verdict stands, since policies may have read more than was recorded.
        """
        past = read_past_action(record)
        around = Circumstances(state, as_datetime(record.at), read_recorded_drift(record.data))
        found = decide_assessed(past, self._setup.policies, self._setup.config, around, self._setup.config.mode)
        decision = observe(found.decision) if is_observed(record.data) else found.decision
        if record.data.get("cause") in ORDERS or self._setup.decides_as(record.data):
            return _RepeatedDecision(record=record, new=NewDecision(restore_verdict(decision, record)), basis=basis)
        undecided = UNRECORDED if self._setup.unknown.are_possible(past, around) else ""
        return _RepeatedDecision(record=record, new=NewDecision(decision), basis=basis, undecided=undecided)


class _RepeatedDecision(msgspec.Struct):
    """A decision made again, and the policies that matched it then, as far as they were read."""

    record: Record
    new: NewDecision
    basis: str
    is_memory_exact: bool = True
    is_concurrent: bool = False
    undecided: str = ""
    policies: list[str] = []

    def result(self, setup: ReplaySetup) -> ReplayResult:
        """Return the result, with the cause of a difference."""
        record, data, decision = self.record, self.record.data, self.new.decision
        now, assessed = enforce(decision), decision.assessment
        would_have = data.get("wouldHave")
        before = str(would_have["verdict"] if would_have else record.outcome)
        rules = [finding.rule for finding in assessed.findings[:MAX_ITEMS]]
        policies = [match.policy_id for match in decision.matched_policies]
        result = ReplayResult(
            seq=record.seq,
            at=record.at,
            run_id=record.run_id or "",
            agent_id=record.agent_id,
            tool=record.name or "",
            text=str(data.get("text") or ""),
            before=before,
            after=before if self.undecided else now.verdict.value,
            because=now.because,
            observed=would_have is not None,
            level_before=str(data.get("level", "")),
            level_after=assessed.level.value,
            score_before=int(data.get("score") or 0),
            score_after=assessed.score,
            rules_before=[str(name) for name in data.get("rules") or ()],
            rules_after=rules,
            policies_before=self.policies,
            policies_after=policies,
            basis=self.basis,
            undecided=self.undecided,
        )
        return self._explain(result, setup) if result.has_changed or self._is_enforced_otherwise(decision) else result

    def _is_enforced_otherwise(self, decision: Decision) -> bool:
        """Whether an observed action is enforced now and was not, or the other way round."""
        return not self.undecided and decision.verdict.value != self.record.outcome

    def _explain(self, result: ReplayResult, setup: ReplaySetup) -> ReplayResult:
        cause = find_cause(
            self.record.data,
            setup.stamp,
            setup.config.mode,
            basis=self.basis,
            same_assessment=(result.level_before, result.score_before, sorted(result.rules_before))
            == (result.level_after, result.score_after, sorted(result.rules_after)),
            same_policies=sorted(result.policies_before) == sorted(result.policies_after),
            is_memory_exact=self.is_memory_exact,
            is_concurrent=self.is_concurrent,
        )
        return msgspec.structs.replace(result, cause=cause)


def replay_records(records: Iterable[Record], setup: ReplaySetup) -> Iterator[ReplayResult]:
    """Yield a result for each decision. The records of a run are in order; those of several runs may be mixed."""
    runs: dict[str, RunReplay] = {}
    for record in records:
        if record.run_id is None or record.kind not in KINDS:
            continue
        replay = runs.get(record.run_id)
        if replay is None:
            replay = runs[record.run_id] = RunReplay(setup)
        result = replay.add(record)
        if result is not None:
            yield result
    for replay in runs.values():
        if (result := replay.finish()) is not None:
            yield result
