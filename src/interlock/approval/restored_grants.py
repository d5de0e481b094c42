"""Restore a revoked grant. That is possible until the grant would have expired."""

from __future__ import annotations

import msgspec

from interlock.approval.grants import Grant, grant_entry, grant_row, read_grant
from interlock.approval.request import GrantScope
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.rows import check_row, write_row
from interlock.audit.runs import CLOSED
from interlock.audit.undo_checks import require_exact_restoration, require_newest
from interlock.errors import ConflictError, MissingApprovalError
from interlock.store.clock import now_in
from interlock.store.tables import grants

#: The longest list of names that a row holds.
MAX_NAMES = 200


def check_revoked_grant(journal: Journal, grant_id: str, revocation: int) -> Grant:
    """Return a revoked grant as it would be restored, or raise if it cannot be."""
    return journal.commit(lambda transaction: _find_restorable(transaction, grant_id, revocation))


def restore_grant(journal: Journal, grant_id: str, actor: str, *, undoes: int) -> Grant:
    """Make a revoked grant valid again, until it expires. `undoes` is the record of its revocation.

    The person who restores it counts as one of its approvers: one for their own agents has to be restored by another.
    """

    def operation(transaction: Transaction) -> Grant:
        grant = _find_restorable(transaction, grant_id, undoes)
        names = dict.fromkeys((*grant.granted_by.split(", "), actor))
        if len(granted_by := ", ".join(names)) > MAX_NAMES:
            raise ConflictError("the grant has too many names; approve a request again")
        grant = msgspec.structs.replace(grant, granted_by=granted_by)
        entry = grant_entry("grant.restored", grant, actor, now_in(transaction.connection).wall, undoes)
        write_row(transaction, grants, grant_row(grant), entry, new=False)
        return grant

    return journal.commit(operation)


def _find_restorable(transaction: Transaction, grant_id: str, revocation: int) -> Grant:
    """Return a revoked grant as it was before its revocation, or raise if it cannot be restored."""
    connection = transaction.connection
    row = connection.row("SELECT * FROM interlock_grants WHERE grant_id = :grant_id", grant_id=grant_id)
    if row is None:
        raise MissingApprovalError("the grant was removed with its records; approve a request again")
    check_row(transaction, grants, row)
    require_newest(row, revocation)
    grant = msgspec.structs.replace(read_grant(row), revoked_at=None)
    require_exact_restoration(transaction, grants, grant_row(grant), revocation)
    if grant.state(now_in(connection).wall) != "active":
        raise ConflictError("the grant has expired since; approve a request again")
    run = connection.row("SELECT state FROM interlock_runs WHERE run_id = :run_id", run_id=grant.run_id)
    if grant.scope is GrantScope.RUN and (run is None or run["state"] in CLOSED):
        raise ConflictError("the grant was for one run, which has ended; approve a request again")
    return grant
