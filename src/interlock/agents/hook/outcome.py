"""Record the outcome of an action that the agent reports afterwards."""

from __future__ import annotations

import hashlib

from interlock.agents.hook.call import HookCall
from interlock.audit.clearance import find_decision_id
from interlock.audit.digest import action_digest
from interlock.audit.record import canonical
from interlock.audit.runs import OPEN, Run
from interlock.errors import StoreError
from interlock.gate.call_outcome import CallOutcome, measure_size
from interlock.gate.call_outcome import record_outcome as record_call_outcome
from interlock.gate.gate import Gate
from interlock.gate.session import Session
from interlock.ids import new_id
from interlock.sanitise import storable_name
from interlock.store.clock import now

#: The names by which agents send how long a call took, in milliseconds, and what it returned.
_DURATIONS, _RESULTS = ("duration_ms", "duration"), ("tool_response", "toolResult", "output")
MAX_DURATION = 1e12


def record_outcome(gate: Gate, call: HookCall, session: Session) -> None:
    """Record that a tool has run, or failed, in the run that decided it. One call is recorded once."""
    failed = call.agent.event(call.event).failed or bool(call.fields.get("error"))
    at, agent_id = now().wall, storable_name(call.action.agent_id or call.agent.name)
    run = Run(
        run_id=storable_name(call.run_id),
        agent_id=agent_id,
        started_by=session.run.started_by,
        workspace=call.action.workspace,
        state=OPEN,
        started_at=at,
    )
    record_call_outcome(
        gate.journal,
        gate.call_spool,
        run,
        call.action.tool_name,
        _outcome_of(call, failed=failed),
        decision_id=_find_decision(gate, call, session),
        event_id=call.call_id,
        record_id=_record_id(gate, call, run.run_id),
    )
    gate.journal.flush()  # the process of a hook ends at once


def _outcome_of(call: HookCall, *, failed: bool) -> CallOutcome:
    """Return the outcome of a call, as reported by its agent."""
    duration = next((call.fields[name] for name in _DURATIONS if name in call.fields), None)
    result = next((call.fields[name] for name in _RESULTS if name in call.fields), None)
    size, cut = (None, False) if result is None else measure_size(result)
    timed = isinstance(duration, int | float) and not isinstance(duration, bool) and 0 <= duration < MAX_DURATION
    return CallOutcome(
        failed=failed, duration_ms=duration if timed else None, result_bytes=size, result_cut=cut and size is not None
    )


def _find_decision(gate: Gate, call: HookCall, session: Session) -> str:
    """Return the record of the decision on a call, or nothing if there is none."""
    digest = action_digest(gate.journal.store_id, session.complete_action(call.action))
    try:
        with gate.journal.database.read() as connection:
            return find_decision_id(connection, session.run_id, digest) or ""
    except StoreError:
        return ""  # the outcome is spooled without it


def _record_id(gate: Gate, call: HookCall, run_id: str) -> str:
    """Return the id of the record, which follows from the call's id, if it has one."""
    if not call.call_id:
        return "e" + new_id()[:31]
    whose = canonical([gate.journal.store_id, run_id, call.event, call.call_id])
    return "e" + hashlib.sha256(whose).hexdigest()[:31]
