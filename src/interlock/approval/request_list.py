"""The list of requests as a person sees it: each with its place, its status for them, and its group."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from interlock.approval.assignments import Assignments
from interlock.approval.comments import Comments
from interlock.approval.groups import apply_current_rules
from interlock.approval.repository import ApprovalRepository
from interlock.approval.request import Approval, ApprovalState
from interlock.approval.request_filter import RequestFilter
from interlock.approval.request_place import Place, request_place
from interlock.approval.request_status import RequestStatus, find_status
from interlock.approval.rows import read_approvals, seconds_left
from interlock.approval.search import Hit, Viewer, group_request_ids, search
from interlock.approval.search_fields import environment_of
from interlock.audit.journal import Journal
from interlock.store.clock import now_in
from interlock.store.connection import Connection, Row
from interlock.store.paging import PageCursor
from interlock.store.where import Where

#: How many requests of a group the list names; the group itself can be opened.
MAX_MEMBERS = 10


class GroupMember(msgspec.Struct, frozen=True):
    """A request of a group: what may differ from the others."""

    approval_id: str
    agent_id: str | None
    run_id: str
    started_by: str
    created_at: int
    seconds_left: int | None


class ListedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request in a list. `count` is the size of its group, and `members` are the oldest of it."""

    approval: Approval
    standing: RequestStatus
    place: Place
    environment: str | None
    seconds_left: int | None
    assignee: str = ""
    comments: int = 0
    count: int = 1
    members: tuple[GroupMember, ...] = ()


class RequestInbox:
    """The lists of requests of a store, for one person."""

    def __init__(self, journal: Journal, approvals: ApprovalRepository, name: str, *, may_answer: bool = True) -> None:
        self._journal, self._approvals = journal, approvals
        self._name, self._may_answer = name, may_answer
        self._asker = Viewer(name, approvals.rules)

    def page(
        self, wanted: RequestFilter, limit: int, after: PageCursor | None = None
    ) -> tuple[list[ListedRequest], PageCursor | None]:
        """Return a page of the requests that a filter shows, and the cursor of the next page."""
        self._approvals.expire_due()
        with self._journal.database.read() as connection:
            moment = now_in(connection)
            hits, more = search(connection, wanted, self._asker, moment.wall, limit=limit, after=after)
            rows = load_rows(connection, [hit.approval_id for hit in hits])
            approvals = {
                one.approval_id: self._apply_rules(connection, one) for one in read_approvals(connection, rows)
            }
            left = {row["approval_id"]: _whole(seconds_left(row, moment)) for row in rows}
            groups = {hit.approval_id: self._members(connection, wanted, hit) for hit in hits if hit.members > 1}
        ids = [hit.approval_id for hit in hits]
        assignees, comments = Assignments(self._journal).of(ids), Comments(self._journal).count(ids)
        listed = [
            ListedRequest(
                approval=(approval := approvals[hit.approval_id]),
                standing=find_status(approval, self._name, may_answer=self._may_answer),
                place=request_place(approval),
                environment=environment_of(approval),
                seconds_left=left[hit.approval_id] if approval.state is ApprovalState.PENDING else None,
                assignee=assignees.get(hit.approval_id, ""),
                comments=comments.get(hit.approval_id, 0),
                count=hit.members,
                members=groups.get(hit.approval_id, ()),
            )
            for hit in hits
        ]
        return listed, more

    def group(self, approval: Approval, limit: int) -> list[str]:
        """Return the ids of the pending requests that equal one, the oldest first."""
        with self._journal.database.read() as connection:
            moment = now_in(connection)
            (row,) = load_rows(connection, [approval.approval_id])
            return group_request_ids(
                connection, RequestFilter(), self._asker, moment.wall, row["group_key"] or "", limit
            )

    def _members(self, connection: Connection, wanted: RequestFilter, hit: Hit) -> tuple[GroupMember, ...]:
        moment = now_in(connection)
        key = "SELECT group_key FROM interlock_approvals WHERE approval_id = :approval_id"
        found = connection.value(key, approval_id=hit.approval_id)
        ids = group_request_ids(connection, wanted, self._asker, moment.wall, found, MAX_MEMBERS)
        return tuple(_member(row, seconds_left(row, moment)) for row in load_rows(connection, ids))

    def _apply_rules(self, connection: Connection, approval: Approval) -> Approval:
        return apply_current_rules(connection, approval, self._asker.rules)


def _member(row: Row, left: float | None) -> GroupMember:
    return GroupMember(
        approval_id=row["approval_id"],
        agent_id=row["agent_id"],
        run_id=row["run_id"],
        started_by=row["started_by"],
        created_at=row["created_at"],
        seconds_left=_whole(left),
    )


def load_rows(connection: Connection, ids: Sequence[str]) -> list[Row]:
    """Return the rows of some requests, in this order; those that are gone are left out."""
    if not ids:
        return []
    where = Where().among("approval_id", ids)
    rows = {
        row["approval_id"]: row for row in connection.rows(f"SELECT * FROM interlock_approvals {where}", **where.given)
    }
    return [rows[one] for one in ids if one in rows]


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else int(seconds)
