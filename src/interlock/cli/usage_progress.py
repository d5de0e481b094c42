"""Count usage before a report, with a progress bar if that takes a while."""

from __future__ import annotations

from rich.console import Console
from rich.progress import Progress

from interlock.audit.journal import Journal
from interlock.learning.usage import count_new_usage, count_unread

#: How many records are counted between two steps of the bar; fewer in all need none.
STEP = 20_000


def count_usage(journal: Journal) -> None:
    """Count the usage of all records; it goes on from where it was, if it is interrupted."""
    total = count_unread(journal)
    if total <= STEP:
        count_new_usage(journal)
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("counting records", total=total)
        while left := count_new_usage(journal, STEP):
            bar.update(task, completed=total - left)
