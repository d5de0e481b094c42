"""Attempts at the quiz of a request: how often a person has failed it, and when they can take it again.

Failures are records of the chain, so nothing but time lets a person try again, and no one can try without end.
"""

from __future__ import annotations

from math import ceil

import msgspec

from interlock.approval.request import ChallengeResult
from interlock.approval.rows import check_pending, find_row, make_entry, read_approval
from interlock.approval.rules import ApprovalRules
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.config.settings import ApprovalSettings
from interlock.errors import NotYoursError, QuizPauseError
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection

#: Each pause is this many times as long as the one before.
PAUSE_GROWTH = 5
_FAILURES = (
    "SELECT count(*), max(at) FROM interlock_records "
    "WHERE approval_id = :approval_id AND kind = 'approval.quiz_failed' AND name = :person"
)


class QuizAttempts(msgspec.Struct, frozen=True):
    """How often a person has failed the quiz of a request, how many tries are left, and for how long they must wait."""

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
    failures, newest = connection.tuples(_FAILURES, approval_id=approval_id, person=person)[0]
    if not failures:
        return QuizAttempts(tries_left=settings.quiz_tries)
    passed = (now_in(connection).wall - newest) / MICROSECONDS
    pause = settings.quiz_pause * PAUSE_GROWTH ** (failures - 1)
    # a clock that was set back does not end a pause
    left = float(pause) if passed < 0 else max(0.0, pause - passed)
    return QuizAttempts(failures, max(0, settings.quiz_tries - failures), left)


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
        find_attempts(connection, rules.settings, row["approval_id"], person).check(person)
        data = {"challenge": msgspec.to_builtins(result)}
        at = now_in(connection).wall
        transaction.append(make_entry("approval.quiz_failed", row, person, at, data, name=person, outcome="failed"))
        return find_attempts(connection, rules.settings, row["approval_id"], person)

    return journal.commit(operation)
