"""Ed25519 public keys, and the signatures that they accept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from interlock.errors import ConfigError

_PREFIX = "ed25519:"


def key_id_of(public: str) -> str:
    """Return the id of a public key: the beginning of its digest."""
    return hashlib.sha256(bytes.fromhex(public)).hexdigest()[:16]


def format_key(public: str) -> str:
    """Return a public key as it is written in a configuration."""
    return _PREFIX + public


def parse_key(text: str) -> str:
    """Return the public key in a text, or raise."""
    found = text.strip().removeprefix(_PREFIX)
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(found))
    except ValueError:
        raise ConfigError(
            f"`{text[:80]}` is not a public key; write `{_PREFIX}…`, as printed by `interlock audit key`"
        ) from None
    return found


class KeyRing:
    """The public keys whose signatures are accepted."""

    def __init__(self, publics: Iterable[str]) -> None:
        self._keys = {
            key_id_of(public): Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)) for public in publics
        }

    def knows(self, key_id: str) -> bool:
        """Whether a key is one of these."""
        return key_id in self._keys

    def verifies(self, key_id: str, signature: str, text: bytes) -> bool:
        """Whether a signature of a text by one of these keys is valid."""
        key = self._keys.get(key_id)
        if key is None:
            return False
        try:
            key.verify(bytes.fromhex(signature), text)
        except (InvalidSignature, ValueError):
            return False
        return True
