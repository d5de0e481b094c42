"""A read-only transaction for rows that have to match the chain. It neither takes locks nor waits for any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from interlock.audit.chain import Head, KnownChain, Signers, Transaction, end_queries, read_end
from interlock.audit.record import Entry, Record
from interlock.store.connection import Connection, Query
from interlock.store.tables import DatabaseTable


class ReadTransaction(Transaction):
    """The chain and the rows as they are at one moment. The end of the chain is checked as it is before writing.

    `reads` are queries that are probably made first: they take one round trip together with the end of the chain.
    """

    is_shared = True

    def __init__(self, connection: Connection, signers: Signers, seen: KnownChain, reads: Sequence[Query] = ()) -> None:
        self._reads = reads
        super().__init__(connection, signers, seen)

    def _read_end(self) -> tuple[Head, list[str], list[str]]:
        return read_end(*self.connection.expect(end_queries(self._seen, lock=False), self._reads))

    def append(self, entry: Entry) -> Record:
        """Raise: nothing can be written."""
        raise AssertionError(f"`{entry.kind}` cannot be recorded while reading")

    def write(self, table: DatabaseTable, row: Mapping[str, Any], key: Mapping[str, Any], *, new: bool) -> None:
        """Raise: nothing can be written."""
        del row, key, new
        raise AssertionError(f"`{table.name}` cannot be written while reading")
