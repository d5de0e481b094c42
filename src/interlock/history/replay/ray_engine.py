"""A replay on a Ray cluster: the records of an export, repartitioned by run, and decided with `decide_table`."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fsspec.implementations.local import LocalFileSystem
from pyarrow.fs import FSSpecHandler, PyFileSystem

from interlock.errors import InterlockError
from interlock.garbage_collector import collect_rarely
from interlock.history.replay.parquet_parts import find_files
from interlock.history.replay.part import PART_ACTIONS
from interlock.history.replay.result import ReplayResult
from interlock.history.replay.result_table import READ_COLUMNS, decide_table
from interlock.history.replay.setup import ReplaySetup
from interlock.history.replay.summary import ReplaySummary, summarise
from interlock.history.replay.window import ReplayWindow

if TYPE_CHECKING:
    import pyarrow as pa

#: Records for each action, about; how many blocks the runs are spread over at most, and at least for each core.
_PER_ACTION, MAX_BLOCKS, _PER_CORE = 3, 1_000, 4


def replay_with_ray(
    history: str, setup: ReplaySetup, window: ReplayWindow, address: str | None = None
) -> ReplaySummary:
    """Replay an export on a cluster, and return the counts."""
    return summarise(
        result for result in read_results(decide_with_ray(history, setup, address)) if window.covers(result)
    )


def decide_with_ray(history: str, setup: ReplaySetup, address: str | None = None) -> Any:
    """Return the results of an export as a Ray dataset.

    Blocks are decided by tasks without state, so that those of a node that is lost run again on another one.
    """
    ray = _load_ray()
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False)
    filesystem, files = find_files(history)
    place = None if isinstance(filesystem, LocalFileSystem) else PyFileSystem(FSSpecHandler(filesystem))
    records = ray.data.read_parquet(files, filesystem=place, columns=list(READ_COLUMNS))
    cores = int(ray.cluster_resources().get("CPU", 1))
    blocks = min(MAX_BLOCKS, max(_PER_CORE * cores, records.count() // _PER_ACTION // PART_ACTIONS))
    runs = records.repartition(blocks, keys=["run_id"])
    given = {"pickled": pickle.dumps(setup)}
    return runs.map_batches(_decide_block, fn_kwargs=given, batch_format="pyarrow", batch_size=None)


def _decide_block(table: pa.Table, pickled: bytes) -> pa.Table:
    """Decide a block, which holds whole runs."""
    return decide_table(table, _load_setup(pickled))


@functools.lru_cache(maxsize=2)
def _load_setup(pickled: bytes) -> ReplaySetup:
    """Return a set-up, the same for every block that a process decides, since it keeps its engine."""
    found: ReplaySetup = pickle.loads(pickled)  # noqa: S301 - our own, from the process that started the replay
    collect_rarely()
    return found


def read_results(data: Any) -> Iterator[ReplayResult]:
    """Yield the results in a Ray dataset."""
    for batch in data.iter_batches(batch_format="pyarrow", batch_size=5_000):
        for row in batch.to_pylist():
            yield ReplayResult(**{**row, "at": round(row["at"].timestamp() * 1_000_000)})


def _load_ray() -> Any:
    try:
        import ray  # type: ignore[import-not-found, unused-ignore]
        import ray.data  # type: ignore[import-not-found, unused-ignore]
    except ModuleNotFoundError:
        raise InterlockError("`--engine ray` needs Ray; run `pip install 'interlock[ray]'`") from None
    return ray
