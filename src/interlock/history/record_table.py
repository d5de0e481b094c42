"""Records as an Arrow table: a row for each, with its canonical JSON and its hash, so that a table can be verified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interlock.audit.read import StoredRecord, parse_record
from interlock.errors import InterlockError

try:
    import pyarrow as pa
except ModuleNotFoundError:
    raise InterlockError("history as a table needs Arrow; run `pip install 'interlock[history]'`") from None

#: The columns before `body` repeat fields of it. `body` and `hash` are those of the chain.
SCHEMA = pa.schema(
    [
        pa.field("seq", pa.int64(), nullable=False),
        pa.field("at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("actor", pa.string(), nullable=False),
        *(
            pa.field(name, pa.string())
            for name in ("name", "run_id", "agent_id", "approval_id", "outcome", "digest", "record_id")
        ),
        pa.field("body", pa.string(), nullable=False),
        pa.field("hash", pa.string(), nullable=False),
    ]
)
_FIELDS = [name for name in SCHEMA.names if name not in ("body", "hash")]


def to_table(lines: Iterable[StoredRecord]) -> pa.Table:
    """Return records as a table.

    >>> to_table([]).num_rows
    0
    """
    rows = list(lines)
    columns = [[getattr(line.record, name) for line in rows] for name in _FIELDS]
    columns += [[line.body for line in rows], [line.hash for line in rows]]
    return pa.Table.from_arrays(
        [pa.array(column, type=field.type) for column, field in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )


def to_records(table: pa.Table) -> Iterator[StoredRecord]:
    """Yield the records of a table in its order; only the columns `body` and `hash` are read."""
    for batch in table.select(["body", "hash"]).to_batches():
        bodies, hashes = batch.columns
        for body, hash_ in zip(bodies.to_pylist(), hashes.to_pylist(), strict=True):
            yield parse_record(body, hash_)
