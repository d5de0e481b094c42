"""Requests as the store has them: rows in, requests out, and how much time is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.approval.request import Answer, Approval, State
from interlock.audit.chain import Transaction
from interlock.audit.record import Entry
from interlock.audit.rows import must_be_told
from interlock.errors import EndedError, MissingApprovalError, TamperedError
from interlock.model import Needs
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, Moment
from interlock.store.connection import Connection
from interlock.store.tables import answers, approvals
from interlock.store.where import Where

#: What a request keeps as it was when it was opened.
KEPT = ("action", "decision", "needs", "one_person", "roles", "reviewer")
#: What tells how much time a request has left.
CLOCKED = ("approval_id", "created_at", "created_boot", "created_ticks", "lasts")
_ANSWER = msgspec.json.Decoder(Answer)


def check_told(transaction: Transaction, row: Mapping[str, Any]) -> None:
    """Raise unless a request and its answers are what the chain says."""
    must_be_told(transaction, approvals, row)
    query = "SELECT * FROM interlock_answers WHERE approval_id = :approval_id"
    for answer in transaction.connection.rows(query, approval_id=row["approval_id"]):
        must_be_told(transaction, answers, answer)


def bare(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without the number of its newest record."""
    return {name: value for name, value in row.items() if name != "seq"}


def entry_of(
    kind: str,
    row: Mapping[str, Any],
    actor: str,
    at: int,
    data: dict[str, Any],
    name: str | None = None,
    outcome: str = "",
) -> Entry:
    """Return an entry about a request."""
    return Entry(
        kind=kind,
        at=at,
        actor=actor,
        name=name,
        run_id=row["run_id"],
        agent_id=row["agent_id"],
        approval_id=row["approval_id"],
        digest=row["digest"],
        outcome=outcome or None,
        data=data,
    )


def seconds_left(row: Mapping[str, Any], at: Moment) -> float | None:
    """Return how many seconds a request has left, by a clock that nobody can set where there is one."""
    if row["lasts"] is None:
        return None
    if not isinstance(row["lasts"], int) or not isinstance(row["created_at"], int):
        raise TamperedError(
            f"request `{plain(str(row['approval_id']))}` cannot be read; `interlock audit verify` says more"
        )
    began = Moment(row["created_at"], row["created_boot"], row["created_ticks"])
    return max(0.0, float(row["lasts"] - at.since(began)) / MICROSECONDS)


def is_over(row: Mapping[str, Any], at: Moment) -> bool:
    """Whether a request has run out of time."""
    return seconds_left(row, at) == 0.0


def check_open(approval: Approval) -> None:
    """Raise if a request has ended."""
    if approval.state is not State.PENDING:
        why = f" ({approval.why})" if approval.why else ""
        raise EndedError(
            f"request `{approval.approval_id}` is {approval.state.value} already{why}; nothing was changed"
        )


def row_of(connection: Connection, approval_id: str) -> dict[str, Any]:
    """Return the row of a request by its id, or by how its id begins where that is enough."""
    same = Where().begins("approval_id", approval_id)
    found = connection.rows(f"SELECT * FROM interlock_approvals {same} LIMIT 2", **same.given) if approval_id else []
    if len(found) != 1:
        what = "there is no request" if not found else "there are several requests"
        raise MissingApprovalError(f"{what} `{plain(approval_id)[:80]}`; `interlock approvals` lists them")
    return found[0]


def approval_of(connection: Connection, row: Mapping[str, Any]) -> Approval:
    """Return the request of a row, with its answers."""
    try:
        return _approval(connection, row)
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, OverflowError):
        named = plain(str(row.get("approval_id")))
        raise TamperedError(f"request `{named}` cannot be read; `interlock audit verify` says more") from None


def _approval(connection: Connection, row: Mapping[str, Any]) -> Approval:
    query = "SELECT answer FROM interlock_answers WHERE approval_id = :approval_id ORDER BY seq"
    request = msgspec.json.decode(row["request"])
    if not isinstance(row["created_at"], int):
        raise TypeError("a time must be a number")
    return Approval(
        approval_id=row["approval_id"],
        run_id=row["run_id"],
        agent_id=row["agent_id"],
        started_by=row["started_by"],
        digest=row["digest"],
        action=request["action"],
        decision=request["decision"],
        needs=msgspec.convert(request["needs"], Needs),
        one_person=request["one_person"],
        reviewer=request["reviewer"],
        roles={role: tuple(names) for role, names in request["roles"].items()},
        state=State(row["state"]),
        created_at=row["created_at"],
        expires_at=None if row["lasts"] is None else row["created_at"] + row["lasts"],
        answers=tuple(_ANSWER.decode(text) for text in connection.values(query, approval_id=row["approval_id"])),
        used_at=row["used_at"],
        why=row["why"],
    )
