"""Checkpoints: signed points of the chain. A copy kept elsewhere proves that the chain was not rewritten before it."""

from __future__ import annotations

from interlock.audit.anchor import ChainPoint
from interlock.audit.chain import Transaction, text_to_sign
from interlock.audit.record import Entry
from interlock.audit.rows import write_row
from interlock.store.clock import now
from interlock.store.tables import checkpoints

#: A checkpoint is made after this many records.
INTERVAL = 1_000


def checkpoint(transaction: Transaction) -> ChainPoint | None:
    """Sign the current end of the chain and return it, or None if the chain is empty."""
    point, last = transaction.end
    if not point:
        return None
    sign_point(transaction, point, last)
    (signed,) = transaction.connection.tuples(
        "SELECT key_id, signature FROM interlock_checkpoints WHERE point = :point", point=point
    )
    return ChainPoint(transaction.store_id, point, last, *signed)


def checkpoint_if_due(transaction: Transaction) -> None:
    """Sign the current end of the chain if a multiple of `INTERVAL` was passed."""
    if transaction.end[0] // INTERVAL > transaction.before.seq // INTERVAL:
        checkpoint(transaction)


def sign_point(transaction: Transaction, point: int, last: str) -> None:
    """Sign a point of the chain, unless there is a checkpoint for it."""
    if transaction.connection.values("SELECT point FROM interlock_checkpoints WHERE point = :point", point=point):
        return
    key, at = transaction.key, now().wall
    signature = key.sign(text_to_sign(transaction.store_id, point, last))
    row = {"point": point, "hash": last, "at": at, "key_id": key.key_id, "signature": signature}
    entry = Entry(kind="checkpoint", at=at, actor="interlock", name=str(point))
    write_row(transaction, checkpoints, row, entry, new=True)
