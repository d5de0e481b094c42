"""One-time secrets in a chat: stored as hashes, signed by the machine that made them, valid for a while and once."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from interlock.access.secrets import secret_hash
from interlock.access.signed_rows import has_valid_signature, signature
from interlock.audit.chain import Transaction
from interlock.model import Struct
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.tables import chat_tokens

_BY_HASH = "SELECT * FROM interlock_chat_tokens WHERE hash = :hash AND purpose = :purpose"
_USE = "UPDATE interlock_chat_tokens SET used_at = :at WHERE hash = :hash AND used_at IS NULL"
#: A used or expired secret is kept for this long, so that a late press gets an explanation.
KEPT_SECONDS = 86_400


class SecretState(Enum):
    """Whether a secret can be used."""

    VALID = "valid"
    USED = "used"
    EXPIRED = "expired"


class OneTimeSecret(Struct, frozen=True, kw_only=True):
    """The meaning of a secret: a link code stands for a person, and a button for one answer to one action."""

    purpose: str
    channel: str
    person: str
    approval_id: str = ""
    digest: str = ""
    verdict: str = ""
    created_at: int = 0
    expires_at: int = 0
    used_at: int | None = None

    def state_at(self, at: int) -> SecretState:
        """Return whether the secret can be used at a time."""
        if self.used_at is not None:
            return SecretState.USED
        return SecretState.EXPIRED if self.expires_at <= at else SecretState.VALID


_SIGNED = tuple(name for name in OneTimeSecret.__struct_fields__ if name != "used_at")


def keep_secret(transaction: Transaction, secret: str, meaning: OneTimeSecret) -> None:
    """Store a new secret; those that expired long ago are deleted."""
    at = now_in(transaction.connection).wall
    old = "DELETE FROM interlock_chat_tokens WHERE expires_at < :at"
    transaction.connection.run(old, at=at - KEPT_SECONDS * MICROSECONDS)
    row = {name: getattr(meaning, name) for name in _SIGNED} | {"hash": secret_hash(secret), "created_at": at}
    transaction.connection.insert(chat_tokens, {**row, **signature(transaction, "chat", row)})


def find_secret(transaction: Transaction, purpose: str, secret: str) -> OneTimeSecret | None:
    """Return what a secret stands for, used and expired ones included, or None if Interlock did not make it."""
    row = transaction.connection.row(_BY_HASH, hash=secret_hash(secret), purpose=purpose)
    if row is None or not has_valid_signature(transaction, "chat", _signed_columns(row), row):
        return None
    return OneTimeSecret(**{name: row[name] for name in OneTimeSecret.__struct_fields__})


def use_secret(transaction: Transaction, secret: str) -> bool:
    """Use up a secret; return False if it was used before."""
    at = now_in(transaction.connection).wall
    return transaction.connection.run(_USE, at=at, hash=secret_hash(secret)) == 1


def _signed_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("hash", *_SIGNED)}
