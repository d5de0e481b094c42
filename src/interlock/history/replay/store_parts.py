"""The parts of a store: its runs, found by an index, and read by the processes that replay them."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.history.replay.part import PART_ACTIONS, ReplayPart
from interlock.history.replay.window import ReplayWindow
from interlock.store.database import Database
from interlock.store.where import Where


def split_store(database: Database, window: ReplayWindow) -> list[ReplayPart]:
    """Return the runs of a store in parts of about the same size; a run is never split."""
    where = Where().equals(kind="decision")
    if window.since is not None:
        where.add("at >= :since", since=window.since)
    if window.until is not None:
        where.add("at < :until", until=window.until)
    query = f"SELECT run_id, count(*), max(seq) FROM interlock_records {where} GROUP BY run_id ORDER BY max(seq)"
    with database.read() as connection:
        through = int(connection.value("SELECT max(seq) FROM interlock_records") or 0)
        found = connection.tuples(query, **where.given)
    rows = [(str(run_id), int(count)) for run_id, count, _ in found if run_id is not None]
    return [
        ReplayPart(name=f"{number:06}", actions=sum(counts), runs=tuple(runs), through=through)
        for number, (runs, counts) in enumerate(_groups(rows))
    ]


def _groups(rows: list[tuple[str, int]]) -> Iterator[tuple[list[str], list[int]]]:
    """Yield runs together until they have enough actions."""
    runs: list[str] = []
    counts: list[int] = []
    for run_id, count in rows:
        runs.append(run_id)
        counts.append(count)
        if sum(counts) >= PART_ACTIONS:
            yield runs, counts
            runs, counts = [], []
    if runs:
        yield runs, counts
