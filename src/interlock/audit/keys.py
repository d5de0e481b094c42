"""Ed25519 keys: the one that this machine signs with, and those whose signatures are accepted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from interlock.errors import StoreError
from interlock.store.files import create_file, make_folder

_PREFIX = "ed25519:"


class SigningKey:
    """The key that this machine signs with. The private key never leaves its file."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw().hex()
        self.key_id = key_id_of(self.public)

    def sign(self, text: bytes) -> str:
        """Return the signature of a text, in hexadecimal."""
        return self._private.sign(text).hex()

    @classmethod
    def at(cls, folder: Path) -> SigningKey:
        """Return the key in a folder. If there is none, create one that only its owner can read."""
        file = folder / "audit.key"
        try:
            if not file.exists():
                _create(file)
            return cls(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(file.read_bytes().decode("ascii").strip())))
        except OSError as error:
            raise StoreError(f"the audit key `{file}` cannot be read or created: {error.strerror}") from None
        except ValueError:
            raise StoreError(f"the audit key `{file}` is damaged; restore it from a backup") from None


def _create(file: Path) -> None:
    """Write a new key. If another process is faster, its key stays."""
    make_folder(file.parent)
    create_file(file, f"{Ed25519PrivateKey.generate().private_bytes_raw().hex()}\n".encode("ascii"))


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
        raise StoreError(
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
