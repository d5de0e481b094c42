"""Checkpoints: signed points of the chain, which prove it against a copy that was kept elsewhere."""

from __future__ import annotations

from interlock.audit.anchor import Anchored
from interlock.audit.chain import Transaction, signed_text
from interlock.audit.record import Entry
from interlock.audit.rows import write_row
from interlock.store.clock import now
from interlock.store.tables import checkpoints

#: How many records lie between two checkpoints.
EVERY = 1_000


def checkpoint(transaction: Transaction) -> Anchored | None:
    """Sign where the chain ends now; return that, for keeping elsewhere, or None where there is nothing yet."""
    point, last = transaction.end
    if not point:
        return None
    sign_point(transaction, point, last)
    (signed,) = transaction.connection.tuples(
        "SELECT key_id, signature FROM interlock_checkpoints WHERE point = :point", point=point
    )
    return Anchored(transaction.before.store_id, point, last, *signed)


def checkpoint_if_due(transaction: Transaction) -> None:
    """Sign where the chain ends now, if it has grown enough since the last time."""
    if transaction.end[0] // EVERY > transaction.before.seq // EVERY:
        checkpoint(transaction)


def sign_point(transaction: Transaction, point: int, last: str) -> None:
    """Sign a point of the chain, unless it is signed already."""
    if transaction.connection.values("SELECT point FROM interlock_checkpoints WHERE point = :point", point=point):
        return
    key, at = transaction.key, now().wall
    signature = key.sign(signed_text(transaction.before.store_id, point, last))
    row = {"point": point, "hash": last, "at": at, "key_id": key.key_id, "signature": signature}
    entry = Entry(kind="checkpoint", at=at, actor="interlock", name=str(point))
    write_row(transaction, checkpoints, row, entry, new=True)
