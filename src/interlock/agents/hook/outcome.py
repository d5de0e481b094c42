"""Recording what became of an action, as the agent reports it afterwards."""

from __future__ import annotations

import hashlib

from interlock.agents.hook.call import HookCall
from interlock.agents.run_events import record_event
from interlock.audit.identity import user_name
from interlock.audit.record import canonical
from interlock.audit.runs import OPEN, Run
from interlock.gate.gate import Gate
from interlock.ids import new_id
from interlock.sanitise import stored_name
from interlock.store.clock import now


def record_outcome(gate: Gate, call: HookCall, started_by: str | None = None) -> None:
    """Record that a tool has run, or failed, in a run of this machine's user or of `started_by`.

    The same call reported twice is recorded once.
    """
    failed = call.agent.event(call.event).failed or bool(call.fields.get("error"))
    kind = "tool.failed" if failed else "tool.completed"
    at, agent_id = now().wall, stored_name(call.action.agent_id or call.agent.name)
    run = Run(
        run_id=stored_name(call.run_id),
        agent_id=agent_id,
        started_by=started_by or user_name(),
        workspace=call.action.workspace,
        state=OPEN,
        started_at=at,
    )
    record_id = _record_id(gate, call, run.run_id)
    record_event(gate, run, kind, call.action.tool_name, record_id=record_id, eventId=call.call_id)


def _record_id(gate: Gate, call: HookCall, run_id: str) -> str:
    """Return the id of the record, which follows from the call's id, if it has one."""
    if not call.call_id:
        return "e" + new_id()[:31]
    whose = canonical([gate.journal.store_id, run_id, call.event, call.call_id])
    return "e" + hashlib.sha256(whose).hexdigest()[:31]
