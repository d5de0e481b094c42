"""The parts of an export: its Parquet files are read once, and the records of each run are written to one part."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from interlock.errors import InterlockError
from interlock.history.replay.part import PART_ACTIONS, ReplayPart
from interlock.history.replay.run_replay import KINDS

#: How many parts there are at most: each is an open file.
MAX_PARTS = 256
#: How many bytes of records are held before they are written.
BUFFER_BYTES = 128_000_000
#: Records for each action, about.
_PER_ACTION = 2
_SCHEMA = pa.schema([pa.field("body", pa.string())])
_KINDS = pa.array(sorted(KINDS))


def split_export(place: str, folder: Path, progress: Callable[[int, int], None] = lambda *_: None) -> list[ReplayPart]:
    """Write the runs of an export to parts in a folder; a run is never split."""
    filesystem, files = find_files(place)
    rows = sum(pq.read_metadata(file, filesystem=filesystem).num_rows for file in files)
    count = max(1, min(MAX_PARTS, rows // _PER_ACTION // PART_ACTIONS))
    folder.mkdir(parents=True, exist_ok=True)
    names = [folder / f"{number:06}.parquet" for number in range(count)]
    decided, done = _Parts(names), 0
    with decided:
        for table in _read(filesystem, files):
            decided.add(table)
            done += table.num_rows
            progress(done, rows)
    return [
        ReplayPart(name=file.stem, actions=actions, file=str(file))
        for file, actions in zip(names, decided.actions, strict=True)
        if actions
    ]


def find_files(place: str) -> tuple[Any, list[str]]:
    """Return the filesystem of an export, and its Parquet files in the order of the chain."""
    import fsspec

    try:
        filesystem, path = fsspec.core.url_to_fs(place)
        found = [name for name in filesystem.find(path) if name.endswith(".parquet")]
    except (OSError, ValueError, ImportError) as error:
        raise InterlockError(f"`{place}` cannot be read: {error}") from None
    if not found:
        raise InterlockError(f"there are no Parquet files in `{place}`; `interlock history export {place}` writes them")
    return filesystem, sorted(found)


def _read(filesystem: Any, files: list[str]) -> Iterator[pa.Table]:
    for name in files:
        with pq.ParquetFile(name, filesystem=filesystem) as file:
            for batch in file.iter_batches(batch_size=20_000, columns=["kind", "run_id", "body"]):
                yield pa.Table.from_batches([batch])


class _Parts:
    """The files that are written, and the records that wait to be written."""

    def __init__(self, names: list[Path]) -> None:
        self.actions = [0] * len(names)
        self._writers = [pq.ParquetWriter(name, _SCHEMA, compression="lz4") for name in names]
        self._waiting: list[list[pa.Array]] = [[] for _ in names]
        self._bytes = 0

    def __enter__(self) -> _Parts:
        return self

    def __exit__(self, *_: object) -> None:
        self._write()
        for writer in self._writers:
            writer.close()

    def add(self, table: pa.Table) -> None:
        """Add records to the parts of their runs."""
        table = table.filter(pc.field("kind").isin(_KINDS) & pc.field("run_id").is_valid()).combine_chunks()
        if not table.num_rows:
            return
        parts = self._parts_of(table.column("run_id"))
        decisions = pc.filter(parts, pc.equal(table.column("kind"), "decision")).to_pylist()
        for part, actions in Counter(decisions).items():
            self.actions[part] += actions
        order = pc.sort_indices(parts)  # stable, so that each run stays in order
        bodies, sorted_parts = table.column("body").take(order), parts.take(order)
        self._bytes += table.nbytes
        for part, start, length in _spans(sorted_parts):
            self._waiting[part].append(bodies.slice(start, length))
        if self._bytes > BUFFER_BYTES:
            self._write()

    def _parts_of(self, run_ids: pa.ChunkedArray) -> pa.Array:
        encoded = run_ids.combine_chunks().dictionary_encode()
        count = len(self._writers)
        numbers = [zlib.crc32(run_id.encode()) % count for run_id in encoded.dictionary.to_pylist()]
        return pa.array(numbers, pa.int32()).take(encoded.indices)

    def _write(self) -> None:
        for writer, waiting in zip(self._writers, self._waiting, strict=True):
            if waiting:
                chunks = [chunk for bodies in waiting for chunk in bodies.chunks]
                writer.write_table(pa.Table.from_arrays([pa.chunked_array(chunks)], schema=_SCHEMA))
                waiting.clear()
        self._bytes = 0


def _spans(parts: pa.Array) -> Iterator[tuple[int, int, int]]:
    """Yield each part in a sorted list, with where it begins and how long it is."""
    found = pc.run_end_encode(parts)
    start = 0
    for part, end in zip(found.values.to_pylist(), found.run_ends.to_pylist(), strict=True):
        yield part, start, end - start
        start = end
