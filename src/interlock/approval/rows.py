"""The rows of requests: reading, checking, and the time that is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from interlock.approval.request import Answer, Approval, ApprovalState, ProposedShape
from interlock.audit.chain import Transaction
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, newest_record
from interlock.errors import EndedError, MissingApprovalError, TamperedError
from interlock.model import Needs
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, Moment
from interlock.store.connection import Connection, Query
from interlock.store.tables import answers, approvals
from interlock.store.where import Where

#: The fields of a request that never change after it was opened.
REQUEST_FIELDS = ("action", "decision", "needs", "one_person", "roles", "reviewer", "shapes", "extendable_until")
#: The columns from which the remaining time is computed.
CLOCK_COLUMNS = ("approval_id", "created_at", "created_boot", "created_ticks", "lasts")
_ANSWER = msgspec.json.Decoder(Answer)


_BY_ID = "SELECT * FROM interlock_approvals WHERE approval_id = :approval_id"
_ANSWERS = "SELECT * FROM interlock_answers WHERE approval_id = :approval_id ORDER BY seq"


def request_queries(approval_id: str) -> list[Query]:
    """Return the queries for a request, its answers, and the record that vouches for it."""
    row = {"approval_id": approval_id}
    return [(_BY_ID, row), (_ANSWERS, row), newest_record(approvals, row)]


def check_against_chain(transaction: Transaction, row: Mapping[str, Any]) -> None:
    """Raise unless a request and its answers match the chain."""
    check_row(transaction, approvals, row)
    for answer in transaction.connection.rows(_ANSWERS, approval_id=row["approval_id"]):
        check_row(transaction, answers, answer)


def without_seq(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without the sequence number of its newest record."""
    return {name: value for name, value in row.items() if name != "seq"}


def make_entry(
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
    """Return the seconds until a request expires, or None if it does not; see `Moment.since` for the clock."""
    if row["lasts"] is None:
        return None
    if not isinstance(row["lasts"], int) or not isinstance(row["created_at"], int):
        raise TamperedError(f"request `{plain(str(row['approval_id']))}` cannot be read; run `interlock audit verify`")
    created = Moment(row["created_at"], row["created_boot"], row["created_ticks"])
    return max(0.0, float(row["lasts"] - at.since(created)) / MICROSECONDS)


def has_expired(row: Mapping[str, Any], at: Moment) -> bool:
    """Whether the time of a request is up."""
    return seconds_left(row, at) == 0.0


def check_pending(approval: Approval) -> None:
    """Raise if a request is no longer pending."""
    if approval.state is not ApprovalState.PENDING:
        why = f" ({approval.why})" if approval.why else ""
        raise EndedError(
            f"request `{approval.approval_id[:8]}` is already {approval.state.value}{why}; nothing was changed"
        )


def find_row(connection: Connection, approval_id: str) -> dict[str, Any]:
    """Return the row of the request with an id, or with an id that starts like this, or raise."""
    exact = connection.row(_BY_ID, approval_id=approval_id)
    if exact is not None:
        return exact
    where = Where().starts_with("approval_id", approval_id)
    found = connection.rows(f"SELECT * FROM interlock_approvals {where} LIMIT 2", **where.given) if approval_id else []
    if len(found) != 1:
        what = "there is no request" if not found else "there are several requests"
        raise MissingApprovalError(f"{what} `{plain(approval_id)[:80]}`; `interlock approvals` lists them")
    return found[0]


def read_approval(connection: Connection, row: Mapping[str, Any]) -> Approval:
    """Return the request of a row, with its answers."""
    found = connection.rows(_ANSWERS, approval_id=row["approval_id"])
    return _read(row, [answer["answer"] for answer in found])


def read_approvals(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[Approval]:
    """Return the requests of some rows, with their answers, which take one query."""
    if not rows:
        return []
    where = Where().among("approval_id", [row["approval_id"] for row in rows])
    found: dict[str, list[str]] = {}
    query = f"SELECT approval_id, answer FROM interlock_answers {where} ORDER BY seq"
    for approval_id, answer in connection.tuples(query, **where.given):
        found.setdefault(approval_id, []).append(answer)
    return [_read(row, found.get(row["approval_id"], ())) for row in rows]


def _read(row: Mapping[str, Any], given: Sequence[str]) -> Approval:
    try:
        return _decode_approval(row, given)
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, OverflowError):
        name = plain(str(row.get("approval_id")))
        raise TamperedError(f"request `{name}` cannot be read; run `interlock audit verify`") from None


def _decode_approval(row: Mapping[str, Any], given: Sequence[str]) -> Approval:
    request = msgspec.json.decode(row["request"])
    if not isinstance(row["created_at"], int):
        raise TypeError("`created_at` must be a number")
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
        shapes=msgspec.convert(request.get("shapes", ()), tuple[ProposedShape, ...]),
        extendable_until=request.get("extendable_until"),
        state=ApprovalState(row["state"]),
        created_at=row["created_at"],
        expires_at=None if row["lasts"] is None else row["created_at"] + row["lasts"],
        answers=tuple(map(_ANSWER.decode, given)),
        used_at=row["used_at"],
        why=row["why"],
    )
