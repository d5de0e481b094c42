"""Assignments: which person a request is assigned to. Others can still answer it."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.approval.groups import apply_current_rules
from interlock.approval.requirement import check_approver
from interlock.approval.rows import check_against_chain, check_pending, find_row, make_entry, read_approval
from interlock.approval.rules import ApprovalRules
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.rows import check_row, write_row
from interlock.errors import MissingApprovalError
from interlock.store.clock import now_in
from interlock.store.tables import assignments
from interlock.store.where import Where

_BY_REQUEST = "SELECT * FROM interlock_assignments WHERE approval_id = :approval_id"


class Assignments:
    """The assignments of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def of(self, approval_ids: Sequence[str]) -> dict[str, str]:
        """Return the assignee of each of some requests; unassigned requests are left out."""
        if not approval_ids:
            return {}
        where = Where("assignee IS NOT NULL").among("approval_id", approval_ids)
        with self._journal.database.read() as connection:
            query = f"SELECT approval_id, assignee FROM interlock_assignments {where}"
            return dict(connection.tuples(query, **where.given))

    def assign(self, approval_id: str, assignee: str | None, actor: str, rules: ApprovalRules) -> bool:
        """Assign a pending request to a person who may approve it, or unassign it; return whether that is a change."""

        def operation(transaction: Transaction) -> bool:
            connection = transaction.connection
            row = find_row(connection, approval_id)
            if row["approval_id"] != approval_id:
                raise MissingApprovalError("there is no such request")
            approval = read_approval(connection, row)
            check_pending(approval)
            check_against_chain(transaction, row)
            if assignee is not None:
                check_approver(apply_current_rules(transaction, approval, rules), assignee)
            return _write(transaction, row, assignee, actor)

        return self._journal.commit(operation)


def _write(transaction: Transaction, row: dict[str, object], assignee: str | None, actor: str) -> bool:
    connection = transaction.connection
    known = connection.row(_BY_REQUEST, approval_id=row["approval_id"])
    if known is not None:
        check_row(transaction, assignments, known)
    before = None if known is None else known["assignee"]
    if before == assignee:
        return False
    at = now_in(connection).wall
    assigned = {
        "approval_id": row["approval_id"],
        "assignee": assignee,
        "assigned_by": actor,
        "assigned_at": at,
    }
    kind = "approval.unassigned" if assignee is None else "approval.assigned"
    entry = make_entry(kind, row, actor, at, {"assignee": assignee, "before": before}, assignee or before)
    write_row(transaction, assignments, assigned, entry, new=known is None)
    return True
