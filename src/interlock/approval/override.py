"""Override the rejection by a model: reopen the request for a person to answer."""

from __future__ import annotations

import msgspec

from interlock.approval.request import AnswerVerdict, Approval, ApprovalState
from interlock.approval.rows import find_row, make_entry, read_approval
from interlock.approval.transitions import open_request
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.errors import ApprovalError
from interlock.ids import new_id
from interlock.store.clock import MICROSECONDS, now_in

#: How long a person has to answer the request that is opened.
OVERRIDE_SECONDS = 3_600
_OVERRIDDEN = "SELECT count(*) FROM interlock_records WHERE approval_id = :approval_id AND kind = 'approval.overridden'"


def reopen_refused(journal: Journal, approval_id: str, person: str) -> Approval:
    """Reopen a request that a model has rejected, or raise. Each can be reopened once."""

    def operation(transaction: Transaction) -> Approval:
        row = find_row(transaction.connection, approval_id)
        refused = read_approval(transaction.connection, row)
        _check(transaction, refused)
        at = now_in(transaction.connection)
        needs = msgspec.structs.replace(
            refused.needs,
            human=True,
            liftable=False,
            model=bool((refused.decision.get("needs") or {}).get("model")),
        )
        opened = msgspec.structs.replace(
            refused,
            approval_id=new_id(),
            needs=needs,
            state=ApprovalState.PENDING,
            created_at=at.wall,
            expires_at=at.wall + OVERRIDE_SECONDS * MICROSECONDS,
            answers=(),
            used_at=None,
            why="",
        )
        data = {"opened": opened.approval_id}
        transaction.append(make_entry("approval.overridden", row, person, at.wall, data))
        open_request(transaction, opened, at)
        return opened

    return journal.commit(operation)


def is_refused_by_model(approval: Approval) -> bool:
    """Whether a model has rejected a request, and no person has."""
    if approval.state is not ApprovalState.REJECTED:
        return False
    rejections = [answer for answer in approval.answers if answer.verdict is AnswerVerdict.REJECT]
    return bool(rejections) and all(answer.model for answer in rejections)


def _check(transaction: Transaction, refused: Approval) -> None:
    name = refused.approval_id[:8]
    if refused.state is not ApprovalState.REJECTED:
        raise ApprovalError(f"request `{name}` is {refused.state.value}; only a model's rejection can be overridden")
    if not is_refused_by_model(refused):
        raise ApprovalError(f"no model has rejected request `{name}`, so it cannot be overridden")
    if transaction.connection.value(_OVERRIDDEN, approval_id=refused.approval_id):
        raise ApprovalError(f"request `{name}` was overridden once already; its agent has to ask again")
