"""A bundle: the policies and settings of a server, with a version, signed by the server's key."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from interlock.config.public_keys import KeyRing, format_key, key_id_of, parse_key
from interlock.errors import ConfigError

#: How long a bundle may be, in bytes.
MAX_BUNDLE = 4_000_000
FORMAT = 1
#: The settings that a server shares. The others are about the server itself: its address, storage and access.
SHARED = (
    "mode",
    "modes",
    "rules",
    "rules_off",
    "second_opinion",
    "memory",
    "sensitive_paths",
    "trusted_hosts",
    "organisation",
    "tools",
    "timeouts",
    "approvals",
    "roles",
)
_MALFORMED = "the bundle is malformed"


class BundleError(ConfigError):
    """A bundle is rejected: it is malformed, not signed by an accepted key, or older than the one in force."""


class ForeignKeyError(BundleError):
    """A bundle is signed by a key that this machine does not accept."""


class Bundle(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The shared configuration of a server. `sequence` grows with every change; `keys` may sign its bundles."""

    format: int
    store_id: str
    sequence: int
    digest: str
    issued_at: int
    settings: dict[str, Any]
    policies: list[dict[str, Any]]
    keys: tuple[str, ...]

    @property
    def version(self) -> str:
        """The displayed version: the beginning of the digest."""
        return self.digest[:8]

    @property
    def etag(self) -> str:
        """The entity tag of this bundle: its sequence number and its content."""
        return f'"{self.sequence}-{self.digest}"'


class SignedBundle(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A bundle as a text, and the signature of that text."""

    bundle: str
    public_key: str
    signature: str


class _Format(msgspec.Struct):
    format: int


def text_to_sign(text: str) -> bytes:
    """Return the signed bytes of a bundle. No other signature of Interlock covers this prefix."""
    return b"interlock bundle " + text.encode()


def open_bundle(raw: bytes, accepted: Collection[str] | None) -> tuple[Bundle, str]:
    """Return the bundle in a reply or a file, and the public key that signed it, or raise `BundleError`.

    `accepted` are the public keys that may sign; None accepts any.
    """
    if len(raw) > MAX_BUNDLE:
        raise BundleError(f"the bundle is longer than {MAX_BUNDLE:,} bytes")
    try:
        signed = msgspec.json.decode(raw, type=SignedBundle)
        public = parse_key(signed.public_key)
        text = text_to_sign(signed.bundle)
    except (msgspec.DecodeError, RecursionError, UnicodeError, ConfigError):
        raise BundleError(_MALFORMED) from None
    if accepted is not None and public not in accepted:
        known = ", ".join(map(format_key, sorted(accepted)))
        raise ForeignKeyError(f"the bundle is signed by {format_key(public)}, and this machine accepts {known}")
    if not KeyRing([public]).verifies(key_id_of(public), signed.signature, text):
        raise BundleError("the signature of the bundle is not valid")
    return _decode(signed.bundle), public


def _decode(text: str) -> Bundle:
    try:
        found = msgspec.json.decode(text, type=_Format).format
        if found != FORMAT:
            raise BundleError(f"the bundle has format {found}; this version of Interlock reads {FORMAT}, so upgrade it")
        bundle = msgspec.json.decode(text, type=Bundle)
        keys = tuple(parse_key(key) for key in bundle.keys)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BundleError(f"{_MALFORMED}: {str(error)[:100]}") from None
    if bundle.sequence < 1 or len(bundle.digest) < 8:
        raise BundleError(f"{_MALFORMED}: it has no version")
    return msgspec.structs.replace(bundle, keys=keys)
