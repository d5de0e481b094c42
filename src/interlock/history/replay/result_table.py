"""`decide_table` decides the runs in a table of records again, and returns a table with one row per decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from interlock.audit.record import Record
from interlock.errors import InterlockError, TamperedError
from interlock.history.replay.result import ReplayResult
from interlock.history.replay.run_replay import KINDS, replay_records
from interlock.history.replay.setup import ReplaySetup, load_setup

try:
    import pyarrow as pa
    import pyarrow.compute as pc
except ModuleNotFoundError:
    raise InterlockError("history as a table needs Arrow; run `pip install 'interlock[history]'`") from None

_TYPES = {
    "seq": pa.int64(),
    "at": pa.timestamp("us", tz="UTC"),
    "observed": pa.bool_(),
    "score_before": pa.int64(),
    "score_after": pa.int64(),
    **dict.fromkeys(("rules_before", "rules_after", "policies_before", "policies_after"), pa.list_(pa.string())),
}
#: The columns of a result: those of `ReplayResult`.
RESULT_SCHEMA = pa.schema([pa.field(name, _TYPES.get(name, pa.string())) for name in ReplayResult.__struct_fields__])
#: The columns of a table of records that are read.
READ_COLUMNS = ("seq", "kind", "run_id", "body")
_DECODER = msgspec.json.Decoder(Record)
_KINDS = pa.array(sorted(KINDS))


def decide_table(table: pa.Table, setup: ReplaySetup | str | Path | None = None) -> pa.Table:
    """Decide the actions in a table of records again, and return one row for each.

    The table holds whole runs, with the columns of an export. `setup` is the path of an `interlock.toml`, what
    `load_setup` returns, or None for the configuration in force here.

    >>> from interlock.history.record_table import to_table
    >>> decide_table(to_table([])).num_rows
    0
    """
    made = setup if isinstance(setup, ReplaySetup) else load_setup(setup)
    return result_table(replay_records(read_records(table), made))


def read_records(table: pa.Table) -> Iterator[Record]:
    """Yield the records of a table that a replay reads, in the order of the chain, and each of them once."""
    table = table.select(READ_COLUMNS).filter(pc.field("kind").isin(_KINDS) & pc.field("run_id").is_valid())
    seqs = table.column("seq").combine_chunks()
    if len(seqs) > 1 and not pc.all(pc.less(seqs.slice(0, len(seqs) - 1), seqs.slice(1))).as_py():
        table = table.sort_by("seq")
    last = -1
    for batch in table.select(["body"]).to_batches():
        for body in batch.column(0).to_pylist():
            record = decode_record(body)
            if record.seq > last:
                last = record.seq
                yield record


def decode_record(body: str | bytes) -> Record:
    """Return a record from its canonical JSON."""
    try:
        return _DECODER.decode(body)
    except (msgspec.DecodeError, TypeError, ValueError):
        raise TamperedError("a record cannot be read; run `interlock audit verify`") from None


def result_table(results: Iterable[ReplayResult]) -> pa.Table:
    """Return results as a table."""
    rows = list(results)
    columns = [
        pa.array([getattr(row, field.name) for row in rows], type=field.type)  # lists are built by column, not by row
        for field in RESULT_SCHEMA
    ]
    return pa.Table.from_arrays(columns, schema=RESULT_SCHEMA)
