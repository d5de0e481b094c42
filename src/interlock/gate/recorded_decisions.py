"""Recorded decisions: a caller that lost the answer can retry, and nothing is recorded twice."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.approval.request import Approval
from interlock.approval.rows import check_against_chain, read_approval
from interlock.audit.chain import Transaction
from interlock.audit.runs import PAUSED, find_run
from interlock.gate.decision_record import DecisionRecord
from interlock.levels import Verdict
from interlock.model import Decision
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection

_DECISION = "SELECT seq, body FROM interlock_records WHERE record_id = :record_id AND kind = 'decision'"
_NEXT = (
    "SELECT kind, body FROM interlock_records WHERE seq > :seq AND kind NOT IN ('risk', 'override') "
    "ORDER BY seq LIMIT 1"
)
_RECORD = "SELECT body FROM interlock_records WHERE seq = :seq"
#: For how long a caller that lost the answer on an allowed action gets the same answer again.
RECENT_SECONDS = 120
#: Why an action may run, by the record that followed its decision.
WAYS = {"asked": "asked", "bypass": "bypass", "grant.used": "remembered", "approval.used": "approval"}


class RecordedDecision(msgspec.Struct, frozen=True):
    """A decision in the chain. `way` says why its action may run although it needs an approval."""

    record_id: str
    run_id: str
    agent_id: str | None
    digest: str
    verdict: Verdict
    because: str
    way: str
    is_paused: bool  # whether its run is paused now
    is_recent: bool  # whether an answer to it may still be on its way

    def apply_to(self, decision: Decision) -> Decision:
        """Return a new decision with the recorded verdict, which must be at least as strict."""
        if decision.verdict is self.verdict:
            return decision
        return msgspec.structs.replace(decision, verdict=self.verdict, because=self.because)


def find_decision(connection: Connection, record_id: str) -> RecordedDecision | None:
    """Return the decision with an id, or None."""
    found = connection.tuples(_DECISION, record_id=record_id)
    if not found:
        return None
    seq, body = found[0][0], msgspec.json.decode(found[0][1])
    run = find_run(connection, body["runId"])
    return RecordedDecision(
        record_id=record_id,
        run_id=body["runId"],
        agent_id=body["agentId"],
        digest=body["digest"],
        verdict=Verdict(body["outcome"]),
        because=body["data"]["because"],
        way=_find_way(connection, seq, body),
        is_paused=run is None or run.state == PAUSED,
        is_recent=_is_recent(connection, body["at"]),
    )


def _is_recent(connection: Connection, at: int) -> bool:
    return now_in(connection).wall - at <= RECENT_SECONDS * MICROSECONDS


def _find_way(connection: Connection, seq: int, decision: dict[str, Any]) -> str:
    """Return why an action may run, from the record that follows its decision in the same transaction and names it.

    The id is compared because the next record may belong to a later decision on the same action.
    """
    for kind, text in connection.tuples(_NEXT, seq=seq):
        body = msgspec.json.decode(text)
        if body["data"].get("decisionId") == decision["recordId"]:
            return WAYS.get(kind, "")
    return ""


def find_request(transaction: Transaction, record: DecisionRecord, record_id: str) -> tuple[Approval, bool] | None:
    """Return the newest request for an action, and whether the decision with this id has just used it up."""
    transaction.lock_actions(record.digest)
    where = record.asker.where().equals(digest=record.digest)
    query = f"SELECT * FROM interlock_approvals {where} ORDER BY created_at DESC LIMIT 1"
    for row in transaction.connection.rows(query, **where.given):
        check_against_chain(transaction, row)
        approval = read_approval(transaction.connection, row)
        used_at, connection = approval.used_at, transaction.connection
        recent = used_at is not None and _is_recent(connection, used_at)
        return approval, recent and _find_use(connection, row["seq"]) == record_id
    return None


def _find_use(connection: Connection, seq: int) -> str | None:
    """Return the id of the decision that used up an approval."""
    found: str | None = msgspec.json.decode(connection.value(_RECORD, seq=seq))["data"].get("decisionId")
    return found
