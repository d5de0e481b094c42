"""Retention: idle runs are ended, and old records are removed in small steps that free disk space."""

from __future__ import annotations

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.prune import prune
from interlock.audit.runs import OPEN, end_run
from interlock.config.settings import RetentionSettings
from interlock.store.clock import MICROSECONDS, now_in

#: How many runs are ended, and how many records are removed, in one transaction.
MAX_RUNS, MAX_RECORDS = 50, 2_000
#: How many pages of a SQLite file are freed at once.
MAX_PAGES = 500
HOUR, DAY = 3_600 * MICROSECONDS, 86_400 * MICROSECONDS
_IDLE = (
    "SELECT run_id FROM interlock_runs r WHERE state = :state AND started_at < :before AND NOT EXISTS "
    "(SELECT 1 FROM interlock_records WHERE run_id = r.run_id AND at >= :before) "
    f"ORDER BY started_at LIMIT {MAX_RUNS}"
)


def end_idle_runs(journal: Journal, settings: RetentionSettings) -> int:
    """End the runs in which nothing has happened for a while; return how many. A later action continues such a run."""
    if not settings.idle_hours:
        return 0
    with journal.database.read() as connection:
        before = now_in(connection).wall - settings.idle_hours * HOUR
        idle = connection.values(_IDLE, state=OPEN, before=before)
    if not idle:
        return 0

    def operation(transaction: Transaction) -> int:
        still = set(transaction.connection.values(_IDLE, state=OPEN, before=before))
        for run_id in idle:
            if run_id in still:
                end_run(transaction, run_id, "interlock")
        return len(still)

    return journal.commit(operation)


def remove_old_records(journal: Journal, settings: RetentionSettings, *, most: int = MAX_RECORDS) -> int:
    """Remove some of the expired records; return how many."""
    days = max(settings.keep_days, settings.at_least_days)
    if not settings.keep_days:
        return 0
    with journal.database.read() as connection:
        before = now_in(connection).wall - days * DAY
    removed = prune(journal, before, "interlock", most=most)
    if removed:
        free_disk_space(journal)
    return removed


def free_disk_space(journal: Journal, pages: int = MAX_PAGES) -> None:
    """Shrink a SQLite file by some of its free pages. PostgreSQL reuses free space automatically."""
    if journal.database.is_sqlite:
        journal.database.shrink(pages)
