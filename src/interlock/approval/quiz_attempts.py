"""Attempts at the quiz of a request: how often a person has failed it, and when they can take it again.

Each failure is recorded before the next attempt is judged, so that answers sent at the same time count one by one.
"""

from __future__ import annotations

from math import ceil

import msgspec

from interlock.approval.request import ChallengeResult
from interlock.approval.rows import check_pending, find_row, make_entry, read_approval
from interlock.approval.rules import ApprovalRules
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.rows import write_row
from interlock.config.settings import ApprovalSettings
from interlock.errors import NotYoursError, QuizPauseError
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection
from interlock.store.tables import quiz_attempts

#: Each pause is this many times as long as the one before.
PAUSE_GROWTH = 5
_FAILED = "SELECT * FROM interlock_quiz_attempts WHERE approval_id = :approval_id AND person = :person"
#: The same, counted in the chain: removing a row outside Interlock gives nobody another try.
_RECORDED = (
    "SELECT count(*), max(at) FROM interlock_records "
    "WHERE approval_id = :approval_id AND kind = 'approval.quiz_failed' AND name = :person"
)


class QuizAttempts(msgspec.Struct, frozen=True):
    """The failed attempts of a person at the quiz of a request, the tries left, and the seconds until the next one."""

    failures: int = 0
    tries_left: int = 1
    pause: float = 0.0

    def check(self, person: str) -> None:
        """Raise unless the person may take the quiz now."""
        self.check_tries(person)
        if self.pause > 0:
            raise QuizPauseError(f"`{plain(person)}` failed the quiz; it can be taken again in {ceil(self.pause)} s")

    def check_tries(self, person: str) -> None:
        """Raise if the person has no try left."""
        if self.tries_left <= 0:
            who = plain(person)
            raise NotYoursError(f"`{who}` failed the quiz {self.failures} times; another person has to approve this")


FIRST_ATTEMPT = QuizAttempts()


def find_attempts(connection: Connection, settings: ApprovalSettings, approval_id: str, person: str) -> QuizAttempts:
    """Return the attempts of a person at the quiz of a request."""
    failures, newest = _count_failures(connection, approval_id, person)
    if not failures:
        return QuizAttempts(tries_left=settings.quiz_tries)
    passed = (now_in(connection).wall - newest) / MICROSECONDS
    pause = settings.quiz_pause * PAUSE_GROWTH ** (failures - 1)
    # a clock that was set back does not end a pause
    left = float(pause) if passed < 0 else max(0.0, pause - passed)
    return QuizAttempts(failures, max(0, settings.quiz_tries - failures), left)


def _count_failures(connection: Connection, approval_id: str, person: str) -> tuple[int, int]:
    """Return how often a person has failed, and when they last did: the greater of what the row and the chain say."""
    row = connection.row(_FAILED, approval_id=approval_id, person=person)
    recorded, newest = connection.tuples(_RECORDED, approval_id=approval_id, person=person)[0]
    if row is None:
        return recorded, newest or 0
    return max(recorded, row["failures"]), max(newest or 0, row["failed_at"])


def read_attempts(journal: Journal, rules: ApprovalRules, approval_id: str, person: str) -> QuizAttempts:
    """Return the attempts of a person at the quiz of a request."""
    with journal.database.read() as connection:
        return find_attempts(connection, rules.settings, approval_id, person)


def record_failure(
    journal: Journal, rules: ApprovalRules, approval_id: str, person: str, result: ChallengeResult
) -> QuizAttempts:
    """Record that a person failed the quiz of a request; return their attempts. Raise if they could not take it."""

    def operation(transaction: Transaction) -> QuizAttempts:
        connection = transaction.connection
        row = find_row(connection, approval_id)
        check_pending(read_approval(connection, row))
        before = find_attempts(connection, rules.settings, row["approval_id"], person)
        before.check(person)
        at, failures = now_in(connection).wall, before.failures + 1
        data = {"challenge": msgspec.to_builtins(result), "failures": failures}
        entry = make_entry("approval.quiz_failed", row, person, at, data, name=person, outcome="failed")
        failed = {"approval_id": row["approval_id"], "person": person, "failures": failures, "failed_at": at}
        is_new = connection.row(_FAILED, approval_id=row["approval_id"], person=person) is None
        write_row(transaction, quiz_attempts, failed, entry, new=is_new)
        return find_attempts(connection, rules.settings, row["approval_id"], person)

    return journal.commit(operation)
