"""The requests of the person behind a run, in their own words, recorded when the agent's program reports them."""

from __future__ import annotations

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.masking import mask_text
from interlock.audit.pending_write import Concurrent
from interlock.audit.record import Entry
from interlock.audit.runs import Run, check_owner, start_run
from interlock.errors import InvalidActionError
from interlock.memory.state import MAX_REQUEST
from interlock.sanitise import clean, plain
from interlock.store.clock import now


def record_request(
    journal: Journal, run: Run, text: str, *, key: str | None = None, record_id: str = "", claimed: bool = False
) -> tuple[str, bool]:
    """Record a person's request in a run; return the recorded text, and whether it is new.

    The text is masked, on one line, and truncated. `key` is the agent whose API key is used: it can add to no run of
    another agent. One `record_id` is recorded once. A `claimed` request may be the agent's own words: it authorises
    nothing.
    """
    words = " ".join(clean(text).split())
    if not words:
        raise InvalidActionError("the request is empty; give the person's own words")
    kept = plain(mask_text(words[: MAX_REQUEST * 4]))[:MAX_REQUEST]
    entry = Entry(
        kind="request",
        at=now().wall,
        actor=run.started_by,
        run_id=run.run_id,
        agent_id=run.agent_id,
        data={"text": kept, "claimed": True} if claimed else {"text": kept},
    )
    if record_id:
        entry = msgspec.structs.replace(entry, record_id=record_id)

    def operation(transaction: Transaction) -> bool:
        check_owner(transaction.connection, run.run_id, run.started_by, key)
        if transaction.has(entry.record_id):
            return False
        start_run(transaction, run)
        transaction.append(entry)
        return True

    return kept, journal.commit(Concurrent(operation, run.run_id, record_id=entry.record_id))
