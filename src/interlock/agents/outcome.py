"""What became of an action, as the agent tells it afterwards: part of its run."""

from __future__ import annotations

import hashlib

from interlock.agents.heard import Heard
from interlock.audit.chain import Transaction
from interlock.audit.identity import user_name
from interlock.audit.record import Entry, canonical
from interlock.audit.runs import OPEN, Run, start_run
from interlock.gate.gate import Gate
from interlock.ids import new_id
from interlock.sanitise import stored_name
from interlock.store.clock import now

_FAILED = ("PostToolUseFailure", "postToolUseFailure")


def note_outcome(gate: Gate, heard: Heard, started_by: str | None = None) -> None:
    """Note that a tool has run, or failed, in a run of whoever uses this machine, or of somebody else.

    The same call told twice is noted once.
    """
    failed = heard.event in _FAILED or bool(heard.told.get("error"))
    kind = "tool.failed" if failed else "tool.completed"
    at, agent_id = now().wall, stored_name(heard.action.agent_id or heard.agent.name)
    run = Run(
        run_id=stored_name(heard.run_id),
        agent_id=agent_id,
        started_by=started_by or user_name(),
        workspace=heard.action.workspace,
        state=OPEN,
        started_at=at,
    )
    record_id = _record_id(gate, heard, run.run_id)
    note_event(gate, run, kind, heard.action.tool_name, record_id=record_id, eventId=heard.call_id)


def note_event(gate: Gate, run: Run, kind: str, text: str, *, record_id: str | None = None, **data: str) -> bool:
    """Note that something happened in a run; return whether that is new. The same `record_id` is noted once."""
    entry = Entry(
        kind="event",
        at=now().wall,
        actor=run.agent_id or run.started_by,
        name=kind,
        run_id=run.run_id,
        agent_id=run.agent_id,
        outcome=kind.rpartition(".")[2],
        data={"text": stored_name(text), **data},
        record_id=record_id or new_id(),
    )

    def operation(transaction: Transaction) -> bool:
        if transaction.has(entry.record_id):
            return False
        start_run(transaction, run)
        transaction.append(entry)
        return True

    return gate.journal.commit(operation)


def _record_id(gate: Gate, heard: Heard, run_id: str) -> str:
    """Return the id of the record, which follows from the call's, where that has one."""
    if not heard.call_id:
        return "e" + new_id()[:31]
    whose = canonical([gate.journal.store_id, run_id, heard.event, heard.call_id])
    return "e" + hashlib.sha256(whose).hexdigest()[:31]
