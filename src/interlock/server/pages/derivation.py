"""Derived data of pages: each page indexes some of the newest records, and the background the rest."""

from __future__ import annotations

from interlock.audit.journal import Journal
from interlock.learning import usage
from interlock.learning.usage import count_new_usage
from interlock.metrics import action_index, counters
from interlock.metrics.action_index import index_new_actions
from interlock.metrics.counters import count_new_records


def catch_up(journal: Journal) -> int:
    """Index and count new actions before a page answers; return how many records are left for the background."""
    indexed = index_new_actions(journal, action_index.MAX_FOR_A_PAGE)
    return max(indexed, count_new_records(journal, counters.MAX_FOR_A_PAGE))


def catch_up_on_usage(journal: Journal) -> int:
    """Index and count new actions and their usage before a report answers; return how many records are left."""
    return max(catch_up(journal), count_new_usage(journal, usage.MAX_FOR_A_PAGE))
