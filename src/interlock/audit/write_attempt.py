"""One attempt to run several operations in a single transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interlock.audit.chain import Head, KnownChain, Signers, Transaction
from interlock.audit.checkpoint import checkpoint_if_due
from interlock.audit.pending_write import Concurrent, PendingWrite
from interlock.audit.rows import register_key
from interlock.errors import StoreError, TamperedError
from interlock.store.connection import Connection
from interlock.store.database import Database


class OperationError(Exception):
    """An operation raised; the others of its batch are run again without it. Never shown to users."""

    def __init__(self, write: PendingWrite[Any], error: Exception) -> None:
        self.write, self.error = write, error


class WriteAttempt:
    """One transaction for several operations. `last_id` and `transaction` are set by `run`."""

    def __init__(self, database: Database, signers: Signers, store_id: str, seen: KnownChain) -> None:
        self._database, self._signers, self._store_id, self._seen = database, signers, store_id, seen
        self.last_id: str | None = None
        self.transaction: Transaction | None = None

    def run(self, batch: Sequence[PendingWrite[Any]], doubtful: str | None, *, wait: bool) -> Head:
        """Run the operations and commit; return the new end of the chain.

        If the connection broke during an earlier commit, `doubtful` is the id of that attempt's last record: if it is
        in the store, the commit succeeded, and nothing is left to do.
        """
        with self._database.write(wait=wait) as connection:
            transaction = self.transaction = self._begin(connection, batch, doubtful)
            if doubtful and transaction.has(doubtful):
                return transaction.before
            if self._seen.head is None:
                register_key(transaction, self._signers.key)
            for write in batch:
                self._run_operation(transaction, write)
            transaction.place_records()
            checkpoint_if_due(transaction)
            end = transaction.finish()
            self.last_id = transaction.last_id
        return end

    def _begin(self, connection: Connection, batch: Sequence[PendingWrite[Any]], doubtful: str | None) -> Transaction:
        """Return a transaction: beside others if all operations allow it, else alone.

        The first one of a process is alone, and so is one after a failure: the transaction that failed may still be
        committed, and this one waits until that is known.
        """
        if connection.is_sqlite:
            return Transaction(connection, self._signers, self._seen)
        from interlock.audit.concurrent_transaction import ConcurrentTransaction, lock_store, read_state

        operations = [write.operation for write in batch if isinstance(write.operation, Concurrent)]
        if len(operations) == len(batch) and self._seen.head is not None and doubtful is None:
            return ConcurrentTransaction(connection, self._signers, self._seen, self._store_id, operations)
        lock_store(connection, self._store_id)
        transaction = Transaction(connection, self._signers, self._seen)
        if operations:
            read_state(transaction, operations)
        return transaction

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
