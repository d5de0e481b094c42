"""The Ed25519 key that this machine signs with."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from interlock.config.public_keys import KeyRing, format_key, key_id_of, parse_key
from interlock.errors import StoreError
from interlock.store.files import create_file, make_folder

__all__ = ["KeyRing", "SigningKey", "format_key", "key_id_of", "parse_key"]


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
