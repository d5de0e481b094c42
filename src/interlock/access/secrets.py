"""Random secrets, their hashes, and comparison in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets

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
