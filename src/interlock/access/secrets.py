"""Secrets that are handed out once: only a hash of each is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from interlock.audit.chain import Transaction
from interlock.store import tables

KEY_PREFIX = "ilk_"
_BYTES = 32


def new_secret(prefix: str = "") -> str:
    """Return a secret that nobody can guess."""
    return prefix + secrets.token_urlsafe(_BYTES)


def secret_hash(secret: str) -> str:
    """Return what is kept of a secret. It holds 256 bits of chance, so a fast hash is as good as a slow one."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two texts are the same, in a time that does not tell how far they are."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def shared_secret(transaction: Transaction, name: str) -> str:
    """Return a secret that all servers on a store share; the first one makes it."""
    found = transaction.connection.value("SELECT value FROM interlock_secrets WHERE name = :name", name=name)
    if found is None:
        found = secrets.token_hex(_BYTES)
        transaction.connection.insert(tables.secrets, {"name": name, "value": found})
    return str(found)
