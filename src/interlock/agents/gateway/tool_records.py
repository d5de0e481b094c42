"""Records of tool descriptions: each has a digest, and is written when a call of the tool is allowed."""

from __future__ import annotations

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.pending_write import Concurrent
from interlock.audit.record import Entry
from interlock.audit.runs import Run
from interlock.sanitise import storable_name
from interlock.store.clock import now


def find_allowed_digest(journal: Journal, name: str) -> str | None:
    """Return the digest of a tool's description when the tool was last allowed."""
    newest = "SELECT body FROM interlock_records WHERE kind = 'tool' AND name = :name ORDER BY seq DESC LIMIT 1"
    with journal.database.read() as connection:
        body = connection.value(newest, name=name)
    return None if body is None else digest_in(body)


def allow_tool(journal: Journal, name: str, tool: str, digest: str, run: Run) -> None:
    """Record the description of a tool that is allowed, if it is new."""
    if find_allowed_digest(journal, name) == digest:
        return
    entry = Entry(
        kind="tool",
        at=now().wall,
        actor=run.agent_id or run.started_by,
        name=name,
        run_id=run.run_id,
        agent_id=run.agent_id,
        data={"digest": digest, "tool": storable_name(tool)},
    )

    def operation(transaction: Transaction) -> None:
        transaction.append(entry)

    journal.commit(Concurrent(operation, run.run_id))


def digest_in(body: str) -> str | None:
    """Return the digest that a record of a tool holds."""
    data = msgspec.json.decode(body).get("data")
    return data.get("digest") if isinstance(data, dict) else None
