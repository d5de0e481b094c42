"""Decide one recorded action again, with all recorded inputs of its decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from interlock.audit.record import Record
from interlock.engine import Engine
from interlock.history.replay.recorded_action import RecordedAction
from interlock.levels import Verdict
from interlock.memory.state import RunState
from interlock.model import Action, Cause, Decision, UnenforcedVerdict
from interlock.policy.drift import read_baseline
from interlock.policy.exceeded_limit import exceed_limit
from interlock.policy.observe import enforce, observe
from interlock.policy.pins import join_views, remove_claims
from interlock.store.clock import as_datetime

#: Causes of verdicts that a person ordered, whatever the configuration says.
ORDERS = {cause.value: cause for cause in (Cause.STOPPED, Cause.PAUSED_RUN)}


class NewDecision(NamedTuple):
    """The decision on a recorded action.

    `is_counted` is false if a limit could matter that was not counted then, and `is_compared` if a policy needs a
    baseline that was not recorded.
    """

    decision: Decision
    is_counted: bool = True
    is_compared: bool = True


def decide_recorded(engine: Engine, recorded: RecordedAction, record: Record, state: RunState) -> NewDecision:
    """Decide an action again at its own time, after what its run had done then."""
    data = record.data
    now = as_datetime(int(data.get("time") or record.at)) if engine.reads_time else None
    state = msgspec.structs.replace(state, workspace=data.get("runWorkspace"))
    drift = read_baseline(data) if engine.drift_fields else None
    views = [engine.decide(recorded.action, state, now, drift)]
    views += [
        engine.decide(view.action, remove_claims(state) if view.unclaimed else state, now, drift)
        for view in recorded.views
    ]
    decision = join_views(views, observed=is_observed(data))
    if data.get("cause") in ORDERS:
        return NewDecision(restore_verdict(decision, record))
    new = _apply_limits(decision, recorded.action, data) if decision.budgets else NewDecision(decision)
    return new._replace(is_compared=not _lacks_baseline(decision)) if engine.drift_fields else new


def _lacks_baseline(decision: Decision) -> bool:
    """Whether a policy could have matched, depending on a baseline that was not recorded."""
    failed = any(match.lacks_baseline for match in decision.matched_policies)
    return failed and enforce(decision).cause is not Cause.FLOOR


def is_observed(data: Mapping[str, Any]) -> bool:
    """Whether the verdict on an action was only observed."""
    return "wouldHave" in data


def restore_verdict(decision: Decision, record: Record) -> Decision:
    """Return a decision with its recorded verdict, because a person ordered it or the set-up is the same."""
    data = record.data
    would_have = None
    if is_observed(data):
        then = data["wouldHave"]
        would_have = UnenforcedVerdict(Verdict(then["verdict"]), decision.cause, str(then["because"]))
    return msgspec.structs.replace(
        decision,
        verdict=Verdict(str(record.outcome)),
        cause=ORDERS.get(data.get("cause", ""), decision.cause),
        because=str(data.get("because", "")),
        needs=None,
        would_have=would_have,
    )


def _apply_limits(decision: Decision, action: Action, data: Mapping[str, Any]) -> NewDecision:
    """Apply the limits of policies, with their use at the time of the decision."""
    spent = {(one["policy"], one["scope"], one["seconds"]): float(one["spent"]) for one in data.get("limits", ())}
    enforced, is_counted = enforce(decision), True
    for use in decision.budgets:
        known = spent.get((use.policy.policy_id, use.scope, use.seconds))
        if known is None and use.amount is not None:
            is_counted = is_counted and use.policy.action <= enforced.verdict
        elif use.amount is None or (known or 0.0) + use.amount > use.most:
            enforced = exceed_limit(action, enforced, use, known or 0.0)
    return NewDecision(observe(enforced) if decision.would_have is not None else enforced, is_counted)
