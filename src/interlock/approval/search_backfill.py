"""Fill the search columns of requests that an earlier version has opened."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from interlock.approval.request import ApprovalState
from interlock.approval.rows import find_row, read_approval, without_seq
from interlock.approval.search_fields import search_fields
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, kind_after_pruning, write_row
from interlock.errors import TamperedError
from interlock.store.clock import now
from interlock.store.connection import Connection
from interlock.store.tables import approvals

#: How many requests are filled in one transaction, which is short, and how many transactions in a round.
MAX_AT_ONCE, MAX_STEPS = 25, 10
#: How many requests that were changed outside Interlock are passed over. With more, the store needs a person first.
MAX_SKIPPED = 100
_ENDED = tuple(state for state in ApprovalState if state is not ApprovalState.PENDING)
_LOG = logging.getLogger("interlock.approval")


class SearchBackfill:
    """Fills the columns of requests in some states, a few at a time.

    Unfilled rows are those without the columns, so any process can continue where another one stopped.
    """

    def __init__(self, journal: Journal, states: Sequence[ApprovalState] = _ENDED) -> None:
        self._journal, self._left, self._skipped = journal, list(states), set[str]()

    def run_round(self) -> None:
        """Fill some of the requests that are left; other writers get their turn in between."""
        for _ in range(MAX_STEPS):
            if not self.is_done:
                self.step()

    @property
    def is_done(self) -> bool:
        """Whether no request is left."""
        return not self._left

    def step(self) -> int:
        """Fill the next few requests; return how many were filled."""
        state, skipped = self._left[0], frozenset(self._skipped)
        filled, found = 0, set[str]()
        if self._has_work(state, skipped):
            filled, found = self._journal.commit(lambda transaction: _fill(transaction, state, skipped))
        self._skipped |= found
        for approval_id in found:
            _LOG.warning("request %s was changed outside Interlock; run `interlock audit verify`", approval_id)
        if not filled and (not found or len(self._skipped) >= MAX_SKIPPED):
            self._left.pop(0)
        return filled

    def _has_work(self, state: ApprovalState, skipped: frozenset[str]) -> bool:
        """Whether a request is left in a state. Only then is the store needed alone."""
        with self._journal.database.read() as connection:
            return not skipped.issuperset(_find_unfilled(connection, state, len(skipped) + 1))


def fill_search_fields(journal: Journal) -> int:
    """Fill the columns of all pending requests; return how many had none."""
    backfill, filled = SearchBackfill(journal, [ApprovalState.PENDING]), 0
    while not backfill.is_done:
        filled += backfill.step()
    return filled


def _fill(transaction: Transaction, state: ApprovalState, skipped: frozenset[str]) -> tuple[int, set[str]]:
    """Fill some requests, whose `eligible` is NULL; return how many, and those that do not match the chain."""
    ids = _find_unfilled(transaction.connection, state, MAX_AT_ONCE + len(skipped))
    changed = {one for one in ids if one not in skipped and not _fill_one(transaction, one)}
    return len(set(ids) - skipped - changed), changed


def _find_unfilled(connection: Connection, state: ApprovalState, most: int) -> list[str]:
    query = "SELECT approval_id FROM interlock_approvals WHERE state = :state AND eligible IS NULL LIMIT :most"
    return connection.values(query, state=state.value, most=most)


def _fill_one(transaction: Transaction, approval_id: str) -> bool:
    """Fill the columns of a request; return whether that was possible."""
    row = find_row(transaction.connection, approval_id)
    try:
        check_row(transaction, approvals, row)
        fields = search_fields(read_approval(transaction.connection, row))
    except TamperedError:
        return False  # it keeps being reported by `interlock audit verify`
    entry = Entry(kind=kind_after_pruning(approvals), at=now().wall, actor="interlock", approval_id=approval_id)
    write_row(transaction, approvals, {**without_seq(row), **fields}, entry, new=False)
    return True
