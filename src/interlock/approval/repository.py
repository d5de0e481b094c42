"""The approval repository: requests are listed, answered, cancelled and expired, each change in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from interlock.approval.concurrent_operations import change_request
from interlock.approval.eligibility import count_answerable, explain_ineligible, find_locked_requests, find_next
from interlock.approval.grants import remember
from interlock.approval.groups import apply_current_rules
from interlock.approval.lifetime import extend, warn_expiring
from interlock.approval.one_person import allows_one_person
from interlock.approval.quiz_attempts import QuizAttempts, find_attempts, read_attempts, record_failure
from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState, ChallengeResult
from interlock.approval.requirement import check_answer, evaluate_answers
from interlock.approval.rows import (
    CLOCK_COLUMNS,
    check_against_chain,
    check_pending,
    find_row,
    has_expired,
    make_entry,
    read_approval,
    read_approvals,
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
from interlock.store.connection import Connection
from interlock.store.paging import PageCursor
from interlock.store.tables import answers
from interlock.store.where import Where

#: How many expired requests are ended in one transaction.
MAX_AT_ONCE = 100


#: The pending requests whose time may be up by one of the clocks; `has_expired` knows which of them counts.
_DUE = f"""
    SELECT {", ".join(CLOCK_COLUMNS)} FROM interlock_approvals WHERE state = 'pending' AND (
        created_at + lasts <= :wall OR created_at > :wall OR (created_boot = :boot AND created_ticks + lasts <= :ticks)
    )
"""


class ApprovalRepository:
    """The requests for approval in a store."""

    def __init__(self, journal: Journal, rules: ApprovalRules) -> None:
        self._journal, self.rules = journal, rules

    # reading

    def get(self, approval_id: str) -> Approval:
        """Return the request with an id, or with an id that starts like this, or raise."""

        def read(connection: Connection) -> Approval:
            approval = read_approval(connection, find_row(connection, approval_id))
            return apply_current_rules(connection, approval, self.rules)

        return self._journal.database.read_with_retry(read)

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
            return read_approvals(connection, connection.rows(query, most=limit, **where.given))

    def count(self) -> int:
        """Return the number of pending requests."""
        with self._journal.database.read() as connection:
            return int(connection.value("SELECT count(*) FROM interlock_approvals WHERE state = 'pending'"))

    def allows_one_person(self) -> bool:
        """Whether those who started a run may approve its requests."""
        with self._journal.database.read() as connection:
            return allows_one_person(connection, self.rules)

    def explain_ineligible(self, approval: Approval, person: str) -> str:
        """Return why a person cannot approve a request, and who can or what to do; an empty text if they can."""
        with self._journal.database.read() as connection:
            return explain_ineligible(connection, apply_current_rules(connection, approval, self.rules), person)

    def count_for(self, person: str) -> int:
        """Return the number of pending requests that a person can approve."""
        with self._journal.database.read() as connection:
            return count_answerable(connection, self.rules, person)

    def next_for(self, person: str, besides: str = "") -> str | None:
        """Return the pending request that a person can approve and that follows one, by default the oldest."""
        return find_next(self._journal, self.rules, person, besides)

    def find_locked_requests(self, person: str) -> set[str]:
        """Return the pending requests whose quiz a person has failed too often."""
        with self._journal.database.read() as connection:
            return find_locked_requests(connection, self.rules, person)

    def attempts(self, approval_id: str, person: str) -> QuizAttempts:
        """Return the attempts of a person at the quiz of a request."""
        return read_attempts(self._journal, self.rules, approval_id, person)

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
            check_answer(apply_current_rules(transaction, approval, self.rules), answer)
            if answer.verdict is AnswerVerdict.APPROVE and not answer.model:
                find_attempts(connection, self.rules.settings, approval.approval_id, answer.approver).check(
                    answer.approver
                )
            return self._add_answer(transaction, row, approval, answer)

        found = change_request(self._journal, approval_id, operation)
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

    def fail_quiz(self, approval_id: str, person: str, result: ChallengeResult) -> QuizAttempts:
        """Record that a person failed the quiz of a request; return their attempts."""
        return record_failure(self._journal, self.rules, approval_id, person, result)

    def extend(self, approval_id: str, person: str) -> Approval:
        """Keep a pending request open for longer, or raise."""
        return extend(self._journal, self.rules, approval_id, person)

    def warn_expiring(self) -> int:
        """Record which requests are about to expire; return how many are new."""
        return warn_expiring(self._journal, self.rules.settings)

    def end(self, approval_id: str, state: ApprovalState, why: str, actor: str = "interlock") -> Approval:
        """End a request if it is pending; return it as it is afterwards."""
        return change_request(
            self._journal, approval_id, lambda transaction: end_request(transaction, approval_id, state, why, actor)
        )

    def cancel(self, approval_id: str, actor: str) -> Approval:
        """Cancel a request, or raise if it has ended."""

        def operation(transaction: Transaction) -> Approval:
            row = find_row(transaction.connection, approval_id)
            check_pending(read_approval(transaction.connection, row))
            move_request(transaction, row, ApprovalState.CANCELLED, actor, f"cancelled by `{plain(actor)}`")
            return read_approval(transaction.connection, find_row(transaction.connection, approval_id))

        return change_request(self._journal, approval_id, operation)

    def expire_due(self) -> int:
        """End every pending request whose time is up; return how many there were."""
        with self._journal.database.read() as connection:
            at = now_in(connection)
            rows = connection.rows(_DUE, wall=at.wall, boot=at.boot, ticks=at.ticks)
            due = [row["approval_id"] for row in rows if has_expired(row, at)]
        for start in range(0, len(due), MAX_AT_ONCE):
            self._journal.commit(_expire_all(due[start : start + MAX_AT_ONCE]))
        return len(due)


def _expire_all(ids: Sequence[str]) -> Callable[[Transaction], None]:
    """Return the operation that expires some requests."""

    def operation(transaction: Transaction) -> None:
        for approval_id in ids:
            end_request(transaction, approval_id, ApprovalState.EXPIRED, NO_ANSWER_IN_TIME)

    return operation
