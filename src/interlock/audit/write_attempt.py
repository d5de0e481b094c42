"""One attempt to run several operations in a single transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interlock.audit.chain import Head, Signers, Transaction
from interlock.audit.checkpoint import checkpoint_if_due
from interlock.audit.pending_write import PendingWrite
from interlock.audit.rows import register_key
from interlock.errors import StoreError, TamperedError
from interlock.store.database import Database


class OperationError(Exception):
    """An operation raised; the others of its batch are run again without it. Never shown to users."""

    def __init__(self, write: PendingWrite[Any], error: Exception) -> None:
        self.write, self.error = write, error


class WriteAttempt:
    """One transaction for several operations.

    `trusted` is the end of the chain as this process left it, `known` the sequence number and hash of the last record
    that this machine has seen. `last_id` and `before` are set by `run`.
    """

    def __init__(self, database: Database, signers: Signers, trusted: Head | None, known: tuple[int, str]) -> None:
        self._database, self._signers, self._trusted, self._known = database, signers, trusted, known
        self.last_id: str | None = None
        self.before: Head | None = None

    def run(self, batch: Sequence[PendingWrite[Any]], doubtful: str | None, *, wait: bool) -> Head:
        """Run the operations and commit; return the new end of the chain.

        If the connection broke during an earlier commit, `doubtful` is the id of that attempt's last record: if it is
        in the store, the commit succeeded, and nothing is left to do.
        """
        with self._database.write(wait=wait) as connection:
            transaction = Transaction(connection, self._signers, self._trusted, self._known)
            self.before = transaction.before
            if doubtful and transaction.has(doubtful):
                return transaction.before
            if self._trusted is None:
                register_key(transaction, self._signers.key)
            for write in batch:
                self._run_operation(transaction, write)
            checkpoint_if_due(transaction)
            end = transaction.finish()
            self.last_id = transaction.last_id
        return end

    def _run_operation(self, transaction: Transaction, write: PendingWrite[Any]) -> None:
        try:
            write.value = write.operation(transaction)
        except Exception as error:
            if self._fails_all(error):
                raise
            raise OperationError(write, error) from error

    def _fails_all(self, error: Exception) -> bool:
        """Whether an error is the store's, so that it fails the whole batch."""
        if isinstance(error, StoreError):
            return not isinstance(error, TamperedError)
        return self._database.is_database_error(error)
