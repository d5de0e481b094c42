"""Rows of secrets: each is signed by the machine that wrote it, so that none can be added outside Interlock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.audit.chain import Transaction


def signature(transaction: Transaction, what: str, row: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns that sign the given columns of a row; `what` is the kind of secret."""
    text = _text_to_sign(transaction.store_id, what, row)
    return {"key_id": transaction.key.key_id, "signature": transaction.key.sign(text)}


def has_valid_signature(transaction: Transaction, what: str, signed: Mapping[str, Any], row: Mapping[Any, Any]) -> bool:
    """Whether a row's signature covers these columns, and was made by a machine that writes to this store."""
    text = _text_to_sign(transaction.store_id, what, signed)
    return transaction.signers.accepts(transaction.connection, str(row["key_id"]), str(row["signature"]), text)


def _text_to_sign(store_id: str, what: str, row: Mapping[str, Any]) -> bytes:
    fields = " ".join(f"{name}={row[name]}" for name in sorted(row))
    return f"interlock {what} {store_id} {fields}".encode()
