"""Keys: what signs the chain, and whose signatures count."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from interlock.errors import StoreError
from interlock.store.files import create_file, make_folder

_PREFIX = "ed25519:"


class Key:
    """A key of this machine: it signs. Its private half never leaves its file."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw().hex()
        self.key_id = key_id_of(self.public)

    def sign(self, text: bytes) -> str:
        """Return the signature of a text."""
        return self._private.sign(text).hex()

    @classmethod
    def at(cls, folder: Path) -> Key:
        """Return the key of a folder; it is made when there is none, and only its owner can read it."""
        file = folder / "audit.key"
        try:
            if not file.exists():
                _create(file)
            return cls(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(file.read_text("ascii").strip())))
        except OSError as error:
            raise StoreError(f"the audit key `{file}` cannot be had: {error.strerror}") from None
        except ValueError:
            raise StoreError(f"the audit key `{file}` is damaged; put it back from a backup") from None


def _create(file: Path) -> None:
    """Write a new key. If another process is faster, its key stays."""
    make_folder(file.parent)
    create_file(file, f"{Ed25519PrivateKey.generate().private_bytes_raw().hex()}\n".encode("ascii"))


def key_id_of(public: str) -> str:
    """Return the short name of a public key."""
    return hashlib.sha256(bytes.fromhex(public)).hexdigest()[:16]


def written(public: str) -> str:
    """Return a public key as it is written in a configuration."""
    return _PREFIX + public


def parse_key(text: str) -> str:
    """Return the public key that a text holds, or raise."""
    found = text.strip().removeprefix(_PREFIX)
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(found))
    except ValueError:
        raise StoreError(f"`{text[:80]}` is no public key; write `{_PREFIX}…`, as `interlock audit key` does") from None
    return found


class Ring:
    """The public keys whose signatures count."""

    def __init__(self, publics: Iterable[str]) -> None:
        self._keys = {
            key_id_of(public): Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)) for public in publics
        }

    def knows(self, key_id: str) -> bool:
        """Whether a key is one of these."""
        return key_id in self._keys

    def signed(self, key_id: str, signature: str, text: bytes) -> bool:
        """Whether a text was signed by a key of these."""
        key = self._keys.get(key_id)
        if key is None:
            return False
        try:
            key.verify(bytes.fromhex(signature), text)
        except (InvalidSignature, ValueError):
            return False
        return True
