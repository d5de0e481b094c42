"""An attempt: one transaction for several operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interlock.audit.chain import Head, Signers, Transaction
from interlock.audit.checkpoint import checkpoint_if_due
from interlock.audit.rows import introduce
from interlock.audit.ticket import Ticket
from interlock.errors import StoreError, TamperedError
from interlock.store.database import Database


class Refused(Exception):  # noqa: N818 - a signal between two functions, never shown
    """An operation that raised, so that the others are carried out without it."""

    def __init__(self, ticket: Ticket[Any], error: Exception) -> None:
        self.ticket, self.error = ticket, error


class Attempt:
    """One transaction for several operations. `trusted` and `known` are where the chain ended when we last looked."""

    def __init__(self, database: Database, signers: Signers, trusted: Head | None, known: tuple[int, str]) -> None:
        self._database, self._signers, self._trusted, self._known = database, signers, trusted, known
        self.last_id: str | None = None
        self.before: Head | None = None

    def run(self, tickets: Sequence[Ticket[Any]], doubtful: str | None, *, patient: bool) -> Head:
        """Carry the operations out; return where the chain ends afterwards.

        When the connection was lost while it was being committed, nobody told whether it was. The last record of
        that attempt, `doubtful`, does.
        """
        with self._database.write(patient=patient) as connection:
            transaction = Transaction(connection, self._signers, self._trusted, self._known)
            self.before = transaction.before
            if doubtful and transaction.has(doubtful):
                return transaction.before
            if self._trusted is None:
                introduce(transaction, self._signers.key)
            for ticket in tickets:
                self._carry_out(transaction, ticket)
            checkpoint_if_due(transaction)
            end = transaction.finish()
            self.last_id = transaction.last_id
        return end

    def _carry_out(self, transaction: Transaction, ticket: Ticket[Any]) -> None:
        try:
            ticket.given = ticket.operation(transaction)
        except Exception as error:
            if self._is_of_database(error):
                raise
            raise Refused(ticket, error) from error

    def _is_of_database(self, error: Exception) -> bool:
        """Whether an error is the database's own, so that it is everybody's who waits."""
        if isinstance(error, StoreError):
            return not isinstance(error, TamperedError)
        return self._database.is_own(error)
