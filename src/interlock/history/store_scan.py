"""A store as a source of SQL: its records as a stream of Arrow batches, read anew for each scan of a query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from interlock.audit.chain import read_head
from interlock.store.connection import sql_list
from interlock.store.database import Database

BATCH_ROWS = 2_000
_COLUMNS = "seq record_id at kind name run_id approval_id body hash".split()
_TYPES = {"seq": pa.int64(), "at": pa.timestamp("us", tz="UTC")}
_SCHEMA = pa.schema([(name, _TYPES.get(name, pa.string())) for name in _COLUMNS])
#: The columns that a store does not have come from the record itself.
COLUMNS_SQL = """
    seq, "at", CAST("at" AS DATE) AS day, kind, body->>'$.actor' AS actor, name, run_id, body->>'$.agentId' AS agent_id,
    approval_id, body->>'$.outcome' AS outcome, body->>'$.digest' AS digest, record_id, body, hash
"""


class StoreScan:
    """The records of some kinds, up to the one that was the last when the scan was made; all scans see the same.

    DuckDB calls `__arrow_c_stream__` for each scan, so a query can read it more than once, and takes a batch at a
    time, so it never has to be in memory as a whole.
    """

    def __init__(self, database: Database, last: int, kinds: Sequence[str]) -> None:
        self._database, self._last = database, last
        self._where = f" AND kind IN {sql_list(kinds)}" if kinds else ""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        reader = pa.RecordBatchReader.from_batches(_SCHEMA, self._batches())
        return reader.__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        after = 0
        query = (
            f"SELECT {', '.join(_COLUMNS)} FROM interlock_records "
            f"WHERE seq > :after AND seq <= :last{self._where} ORDER BY seq LIMIT :most"
        )
        while True:
            with self._database.read() as connection:
                rows = connection.tuples(query, after=after, last=self._last, most=BATCH_ROWS)
            if not rows:
                return
            after = rows[-1][0]
            columns = zip(*rows, strict=True)
            yield pa.record_batch(
                [pa.array(column, type=field.type) for column, field in zip(columns, _SCHEMA, strict=True)],
                schema=_SCHEMA,
            )


def last_record(database: Database) -> int:
    """Return the number of the last record of a store."""
    with database.read() as connection:
        return read_head(connection).seq
