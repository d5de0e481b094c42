"""A part of a history: some whole runs, which one process replays at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import msgspec

from interlock.audit.record import Record
from interlock.audit.run_state import MAX_SNAPSHOT
from interlock.history.replay.run_replay import KINDS
from interlock.store.connection import sql_list
from interlock.store.database import Database

#: About how many actions a part has: few enough that the last parts end together.
PART_ACTIONS = 1_000
#: How many records are read at a time.
_PAGE = 500
_RECORDS = (
    "SELECT seq, body FROM interlock_records WHERE run_id = :run_id AND seq > :after AND seq <= :through "
    f"AND kind IN {sql_list(sorted(KINDS))} ORDER BY seq LIMIT {_PAGE}"
)
_BATCH = max(1, 64_000_000 // MAX_SNAPSHOT)  # records of a file that are decoded at a time


class ReplayPart(msgspec.Struct, frozen=True, kw_only=True):
    """Some whole runs, of a store up to a record, or in a Parquet file. `actions` is how many were decided in them."""

    name: str
    actions: int
    runs: tuple[str, ...] = ()
    through: int = 0
    file: str = ""

    def read(self, store: str = "") -> Iterator[Record]:
        """Yield the records of its runs, from its file or from a store; those of each run are in order."""
        return self._read_file() if self.file else self._read_store(store)

    def _read_store(self, store: str) -> Iterator[Record]:
        decoder = msgspec.json.Decoder(Record)
        with closing(Database(store)) as database:
            for run_id in self.runs:
                after = 0
                while True:
                    with database.read() as connection:
                        rows = connection.tuples(_RECORDS, run_id=run_id, after=after, through=self.through)
                    for after, body in rows:  # noqa: B007 - the last one is where the next page begins
                        yield decoder.decode(body)
                    if len(rows) < _PAGE:
                        break

    def _read_file(self) -> Iterator[Record]:
        import pyarrow.parquet as pq

        from interlock.history.replay.result_table import decode_record

        last: int = -1
        with pq.ParquetFile(self.file) as file:
            for batch in file.iter_batches(batch_size=_BATCH, columns=["body"]):
                for body in batch.column(0).to_pylist():
                    record = decode_record(body)
                    if record.seq > last:  # an export may hold a record twice
                        last = record.seq
                        yield record
