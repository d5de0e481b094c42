"""The approval repository: requests are listed, answered, cancelled and expired, each change in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from interlock.approval.grants import remember
from interlock.approval.request import Answer, Approval, ApprovalState
from interlock.approval.requirement import check_answer, evaluate_answers
from interlock.approval.rows import (
    CLOCK_COLUMNS,
    check_against_chain,
    check_pending,
    find_row,
    has_expired,
    make_entry,
    read_approval,
    seconds_left,
)
from interlock.approval.rules import ApprovalRules
from interlock.approval.transitions import NO_ANSWER_IN_TIME, end_request, move_request
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import canonical
from interlock.audit.rows import write_row
from interlock.errors import EndedError, MissingApprovalError
from interlock.sanitise import plain
from interlock.store.clock import now_in
from interlock.store.paging import PageCursor
from interlock.store.tables import answers
from interlock.store.where import Where

#: How many expired requests are ended in one transaction.
MAX_AT_ONCE = 100


class ApprovalRepository:
    """The requests for approval in a store."""

    def __init__(self, journal: Journal, rules: ApprovalRules) -> None:
        self._journal, self.rules = journal, rules

    # reading

    def get(self, approval_id: str) -> Approval:
        """Return the request with an id, or with an id that starts like this, or raise."""
        with self._journal.database.read() as connection:
            return self._apply_rules(read_approval(connection, find_row(connection, approval_id)))

    def get_state(self, approval_id: str) -> tuple[ApprovalState, float | None]:
        """Return the state of a request, and the seconds until it expires, or None if it does not."""
        query = "SELECT * FROM interlock_approvals WHERE approval_id = :approval_id"
        with self._journal.database.read() as connection:
            row = connection.row(query, approval_id=approval_id)
            if row is None:
                raise MissingApprovalError(f"request `{plain(approval_id)[:80]}` no longer exists")
            return ApprovalState(row["state"]), seconds_left(row, now_in(connection))

    def list(
        self,
        state: ApprovalState | None = ApprovalState.PENDING,
        limit: int = 100,
        *,
        after: PageCursor | None = None,
        run_id: str | None = None,
        agent_id: str | None = None,
    ) -> list[Approval]:
        """Return requests, the newest first; `after` is the cursor of the previous page."""
        self.expire_due()
        where = Where().equals(state=None if state is None else state.value, run_id=run_id, agent_id=agent_id)
        if after is not None:
            after.narrow(where, "created_at", "approval_id")
        query = f"SELECT * FROM interlock_approvals {where} ORDER BY created_at DESC, approval_id DESC LIMIT :most"
        with self._journal.database.read() as connection:
            return [read_approval(connection, row) for row in connection.rows(query, most=limit, **where.given)]

    def count(self) -> int:
        """Return the number of pending requests."""
        with self._journal.database.read() as connection:
            return int(connection.value("SELECT count(*) FROM interlock_approvals WHERE state = 'pending'"))

    def _apply_rules(self, approval: Approval) -> Approval:
        return approval.under(one_person=self.rules.one_person)

    # changing

    def answer(self, approval_id: str, answer: Answer) -> Approval:
        """Add an answer, or raise; return the request as it is afterwards. Concurrent answers are taken in turn."""

        def operation(transaction: Transaction) -> Approval | None:
            connection = transaction.connection
            row = find_row(connection, approval_id)
            approval = read_approval(connection, row)
            if approval.state is ApprovalState.PENDING and has_expired(row, now_in(connection)):
                return None
            check_pending(approval)
            check_against_chain(transaction, row)
            check_answer(self._apply_rules(approval), answer)
            return self._add_answer(transaction, row, approval, answer)

        found = self._journal.commit(operation)
        if found is None:
            self.end(approval_id, ApprovalState.EXPIRED, NO_ANSWER_IN_TIME)
            raise EndedError(f"request `{approval_id}` has expired; nothing was changed")
        return found

    def _add_answer(
        self, transaction: Transaction, row: dict[str, Any], approval: Approval, answer: Answer
    ) -> Approval:
        at = now_in(transaction.connection).wall
        answer = msgspec.structs.replace(answer, at=at)
        answer_row = {
            "approval_id": approval.approval_id,
            "approver": answer.approver,
            "answer": canonical(answer).decode(),
        }
        data = {"answer": msgspec.to_builtins(answer)}
        entry = make_entry("approval.answered", row, answer.approver, at, data, answer.approver, answer.verdict.value)
        write_row(transaction, answers, answer_row, entry, new=True)
        approval = msgspec.structs.replace(approval, answers=(*approval.answers, answer))
        outcome = evaluate_answers(approval, reviewer=approval.reviewer)
        if outcome is None:
            return approval
        state, why = outcome
        move_request(transaction, row, state, answer.approver, why)
        if state is ApprovalState.APPROVED:
            remember(transaction, approval, self.rules.settings, at)
        return msgspec.structs.replace(approval, state=state, why=why)

    def end(self, approval_id: str, state: ApprovalState, why: str, actor: str = "interlock") -> Approval:
        """End a request if it is pending; return it as it is afterwards."""
        return self._journal.commit(lambda transaction: end_request(transaction, approval_id, state, why, actor))

    def cancel(self, approval_id: str, actor: str) -> Approval:
        """Cancel a request, or raise if it has ended."""

        def operation(transaction: Transaction) -> Approval:
            row = find_row(transaction.connection, approval_id)
            check_pending(read_approval(transaction.connection, row))
            move_request(transaction, row, ApprovalState.CANCELLED, actor, f"cancelled by `{plain(actor)}`")
            return read_approval(transaction.connection, find_row(transaction.connection, approval_id))

        return self._journal.commit(operation)

    def expire_due(self) -> int:
        """End every pending request whose time is up; return how many there were."""
        query = f"SELECT {', '.join(CLOCK_COLUMNS)} FROM interlock_approvals WHERE state = 'pending'"
        with self._journal.database.read() as connection:
            at = now_in(connection)
            due = [row["approval_id"] for row in connection.rows(query) if has_expired(row, at)]
        for start in range(0, len(due), MAX_AT_ONCE):
            self._journal.commit(_expire_all(due[start : start + MAX_AT_ONCE]))
        return len(due)


def _expire_all(ids: Sequence[str]) -> Callable[[Transaction], None]:
    """Return the operation that expires some requests."""

    def operation(transaction: Transaction) -> None:
        for approval_id in ids:
            end_request(transaction, approval_id, ApprovalState.EXPIRED, NO_ANSWER_IN_TIME)

    return operation
