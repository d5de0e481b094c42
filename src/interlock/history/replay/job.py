"""A replay job: splits the history into parts, replays them, resumes after an interruption, joins the results."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Protocol

import msgspec

from interlock.audit.record import digest_of
from interlock.history.replay.local import LocalReplay
from interlock.history.replay.part import ReplayPart
from interlock.history.replay.store_parts import split_store
from interlock.history.replay.summary import ReplaySummary, join_summaries
from interlock.history.replay.work_folder import WorkFolder
from interlock.history.replay.worker import SetupMessage
from interlock.store.database import Database


class ReplayProgress(Protocol):
    """Shows the progress of a replay."""

    def note(self, text: str) -> None:
        """Show a message."""

    def show(self, done: int, total: int, what: str) -> None:
        """Show how much is done."""


class ReplayJob(msgspec.Struct, frozen=True, kw_only=True):
    """What to replay, and how. `history` is an export; without it, the store in `message` is replayed."""

    message: SetupMessage
    work: Path
    history: str | None = None
    jobs: int = 0
    python: str | None = None

    def run(self, progress: ReplayProgress) -> tuple[ReplaySummary, str]:
        """Return the result of the replay, and the stamp of the set-up that decided."""
        with closing(LocalReplay(self.message, self.jobs or count_cores(), self.python)) as replay:
            return self._run(replay, progress), replay.stamp

    def _run(self, replay: LocalReplay, progress: ReplayProgress) -> ReplaySummary:
        folder = WorkFolder(self.work)
        plan, is_anew = folder.plan(self._identity(replay.stamp), self._split(progress))
        if is_anew:
            progress.note("the set-up or the selection has changed since the interrupted replay; starting again")
        finished = folder.read_summaries(plan)
        if finished:
            progress.note(f"continuing: {len(finished):,} of {len(plan.parts):,} parts were finished before")
        total = sum(part.actions for part in plan.parts)

        def keep(part: ReplayPart, summary: ReplaySummary) -> None:
            folder.keep(part, summary)
            finished[part.name] = summary
            progress.show(sum(one.actions for one in plan.parts if one.name in finished), total, "actions")

        replay.run([part for part in plan.parts if part.name not in finished], keep)
        found = join_summaries([finished[part.name] for part in plan.parts])
        folder.remove()
        return found

    def _identity(self, stamp: str) -> str:
        """Return a digest of everything that the result depends on, besides the records."""
        message = msgspec.to_builtins(self.message)
        return digest_of([stamp, message, self.history])

    def _split(self, progress: ReplayProgress) -> Callable[[Path], list[ReplayPart]]:
        def split(folder: Path) -> list[ReplayPart]:
            if self.history is not None:
                from interlock.history.replay.parquet_parts import split_export

                return split_export(self.history, folder, lambda done, all_: progress.show(done, all_, "records read"))
            database = Database(self.message.store)
            try:
                return split_store(database, self.message.window)
            finally:
                database.close()

        return split


def count_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
