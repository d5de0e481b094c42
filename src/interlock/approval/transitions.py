"""The transitions of a request inside a transaction: open, end and use it, each with a record."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.approval.request import Approval, ApprovalState
from interlock.approval.requester import Requester
from interlock.approval.requirement import covers
from interlock.approval.rows import (
    REQUEST_FIELDS,
    check_against_chain,
    find_row,
    has_expired,
    make_entry,
    read_approval,
    read_approvals,
    without_seq,
)
from interlock.approval.search_fields import search_fields
from interlock.audit.chain import Transaction
from interlock.audit.record import canonical
from interlock.audit.rows import write_row
from interlock.model import Needs
from interlock.store.clock import Moment, now_in
from interlock.store.connection import Connection, Query, Row
from interlock.store.tables import approvals

#: The reason of a request that expired.
NO_ANSWER_IN_TIME = "no answer in time"


def open_request(transaction: Transaction, approval: Approval, at: Moment) -> None:
    """Insert a new request."""
    lasts = None if approval.expires_at is None else approval.expires_at - at.wall
    row = {
        "approval_id": approval.approval_id,
        "run_id": approval.run_id,
        "agent_id": approval.agent_id,
        "started_by": approval.started_by,
        "digest": approval.digest,
        "state": ApprovalState.PENDING.value,
        "request": canonical({name: getattr(approval, name) for name in REQUEST_FIELDS}).decode(),
        "created_at": at.wall,
        "created_boot": at.boot,
        "created_ticks": at.ticks,
        "lasts": lasts,
        "used_at": None,
        "why": "",
        **search_fields(approval),
        "warned_at": None,
    }
    data = {"needs": msgspec.to_builtins(approval.needs), "onePerson": approval.one_person}
    entry = make_entry("approval.requested", row, approval.agent_id or approval.started_by, at.wall, data)
    write_row(transaction, approvals, row, entry, new=True)


def find_pending(connection: Connection, requester: Requester, digest: str, needs: Needs) -> Approval | None:
    """Return a pending request of this requester for exactly this action that requires at least `needs`, if any."""
    at = now_in(connection)
    rows = _select(connection, requester, digest, ApprovalState.PENDING)
    pending = read_approvals(connection, [row for row in rows if not has_expired(row, at)])
    return next((approval for approval in pending if covers(approval.needs, needs)), None)


def use_approval(
    transaction: Transaction, requester: Requester, digest: str, needs: Needs, decision_id: str = "", *, since: int = 0
) -> Approval | None:
    """Use up an approval of exactly this action that satisfies `needs` and has not expired; return it, or None.

    `decision_id` is recorded as the decision that uses it. An approval counts only if it was requested after call
    `since` of the run.
    """
    transaction.lock_actions(digest)
    connection = transaction.connection
    at = now_in(connection)
    for row in _select(connection, requester, digest, ApprovalState.APPROVED):
        if row["used_at"] is not None:
            continue
        found = read_approval(connection, row)
        if has_expired(row, at) or not covers(found.needs, needs) or found.decision.get("call", 0) < since:
            continue
        check_against_chain(transaction, row)
        used = {**row, "used_at": at.wall}
        data = {"decisionId": decision_id} if decision_id else {}
        entry = make_entry("approval.used", row, row["agent_id"] or row["started_by"], at.wall, data, outcome="allow")
        write_row(transaction, approvals, without_seq(used), entry, new=False)
        return read_approval(connection, used)
    return None


def end_request(
    transaction: Transaction, approval_id: str, state: ApprovalState, why: str, actor: str = "interlock"
) -> Approval:
    """End a request if it is pending; return it as it is afterwards."""
    row = find_row(transaction.connection, approval_id)
    if row["state"] == ApprovalState.PENDING.value:
        move_request(transaction, row, state, actor, why)
    return read_approval(transaction.connection, find_row(transaction.connection, approval_id))


def move_request(transaction: Transaction, row: dict[str, Any], state: ApprovalState, actor: str, why: str) -> None:
    """Move a pending request to its final state."""
    moved = {**without_seq(row), "state": state.value, "why": why}
    at = now_in(transaction.connection).wall
    entry = make_entry(f"approval.{state.value}", row, actor, at, {"why": why}, outcome=state.value)
    write_row(transaction, approvals, moved, entry, new=False)


def _select(connection: Connection, requester: Requester, digest: str, state: ApprovalState) -> list[Row]:
    query, given = _query(requester, digest, state)
    return connection.rows(query, **given)


def _query(requester: Requester, digest: str, state: ApprovalState) -> Query:
    """Return the query for the requests of a requester for an action, by digests: many may be in the same state."""
    where = requester.where().equals(digest=digest).add("state || '' = :state", state=state.value)
    return f"SELECT * FROM interlock_approvals {where}", where.given


def action_queries(requester: Requester, digest: str) -> list[Query]:
    """Return the queries for the requests of a requester for an action that may be used or found again."""
    return [_query(requester, digest, state) for state in (ApprovalState.APPROVED, ApprovalState.PENDING)]
