"""Operations on one request, which lock its action and run concurrently with those of other servers."""

from __future__ import annotations

from typing import TypeVar

from interlock.approval.rows import request_queries
from interlock.audit.journal import Journal
from interlock.audit.pending_write import Concurrent, Operation

Result = TypeVar("Result")
_FIND = "SELECT run_id, digest FROM interlock_approvals WHERE approval_id = :approval_id"


def change_request(journal: Journal, approval_id: str, operation: Operation[Result]) -> Result:
    """Run an operation that changes one request and no other shared row; return its result.

    Every transaction that answers, ends or uses a request locks its action. With a prefix or an unknown id, the
    operation takes the exclusive lock of the store instead.
    """
    if journal.database.is_sqlite:
        return journal.commit(operation)
    with journal.database.read() as connection:
        found = connection.tuples(_FIND, approval_id=approval_id)
    if not found:
        return journal.commit(operation)
    ((run_id, digest),) = found
    return journal.commit_beside(Concurrent(operation, run_id, actions=(digest,), reads=request_queries(approval_id)))
