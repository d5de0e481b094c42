"""Record the events of a run other than decisions: a tool has run, a person has answered."""

from __future__ import annotations

from interlock.audit.chain import Transaction
from interlock.audit.pending_write import Concurrent
from interlock.audit.record import Entry
from interlock.audit.runs import Run, start_run
from interlock.gate.gate import Gate
from interlock.ids import new_id
from interlock.sanitise import storable_name
from interlock.store.clock import now


def record_event(
    gate: Gate, run: Run, kind: str, text: str, *, record_id: str | None = None, actor: str | None = None, **data: str
) -> bool:
    """Record an event of a run; return whether it is new. One `record_id` is recorded once.

    `actor` is the person or agent behind the event; by default, the agent.
    """
    entry = Entry(
        kind="event",
        at=now().wall,
        actor=actor or run.agent_id or run.started_by,
        name=kind,
        run_id=run.run_id,
        agent_id=run.agent_id,
        outcome=kind.rpartition(".")[2],
        data={"text": storable_name(text), **data},
        record_id=record_id or new_id(),
    )

    def operation(transaction: Transaction) -> bool:
        if transaction.has(entry.record_id):
            return False
        start_run(transaction, run)
        transaction.append(entry)
        return True

    return gate.journal.commit(Concurrent(operation, run.run_id, record_id=entry.record_id))
