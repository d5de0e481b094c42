"""Checks before a change is undone: it must be the newest one, and the previous row must be known exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.audit.chain import Transaction
from interlock.audit.rows import find_recorded_digest, row_digest
from interlock.errors import ConflictError
from interlock.store.tables import DatabaseTable


def require_newest(found: Mapping[str, Any], undoes: int) -> None:
    """Raise if a row was changed after a record."""
    if found["seq"] != undoes:
        raise ConflictError("this cannot be undone: there is a newer change; undo that one first")


def require_exact_restoration(
    transaction: Transaction, table: DatabaseTable, row: Mapping[str, Any], undoes: int
) -> None:
    """Raise unless a row is exactly as it was before a record.

    Records hold no secrets, so a row cannot always be restored from them.
    """
    before = find_recorded_digest(transaction.connection, table, row, undoes)
    if before != row_digest(row):
        raise ConflictError(
            "this cannot be undone: the previous value is not fully on record, because it may contain a secret; "
            "change it back by hand"
        )
