"""Random secrets, their hashes, and comparison in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from interlock.audit.chain import Transaction
from interlock.store import tables

KEY_PREFIX = "ilk_"
_BYTES = 32


def new_secret(prefix: str = "") -> str:
    """Return a new random secret."""
    return prefix + secrets.token_urlsafe(_BYTES)


def secret_hash(secret: str) -> str:
    """Return the hash that is stored for a secret. With 256 random bits, a fast hash is safe."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def equal_in_constant_time(one: str, other: str) -> bool:
    """Whether two texts are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def shared_secret(transaction: Transaction, name: str) -> str:
    """Return a secret that all servers of a store share, and create it if there is none yet."""
    found = transaction.connection.value("SELECT value FROM interlock_secrets WHERE name = :name", name=name)
    if found is None:
        found = secrets.token_hex(_BYTES)
        transaction.connection.insert(tables.secrets, {"name": name, "value": found})
    return str(found)
