"""Bundles of a server that tests sign themselves, and a laptop's folder that has one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from interlock.audit.keys import SigningKey, format_key
from interlock.audit.record import canonical, digest_of
from interlock.central.cache import keep_bundle, keep_pull
from interlock.config.bundle import Bundle, SignedBundle, open_bundle, text_to_sign
from interlock.config.central import CentralSettings
from interlock.config.central_cache import LastPull
from interlock.store.clock import now

URL = "http://127.0.0.1:9"
SETTINGS = CentralSettings(url=URL, key_variable="INTERLOCK_CENTRAL_KEY")
TABLE = f'[central]\nurl = "{URL}"\nkey_variable = "INTERLOCK_CENTRAL_KEY"\n'
BLOCK = {"policyId": "no-cows", "action": "block", "when": "toolName == 'cow'"}


def make_key(folder: Path) -> SigningKey:
    """Return the key of a server that lives in a folder."""
    return SigningKey.at(folder)


def sign(key: SigningKey, sequence: int = 7, *, keys: tuple[str, ...] = (), **content: Any) -> bytes:
    """Return a signed bundle with these settings and policies, as a server sends it."""
    policies = content.pop("policies", [BLOCK])
    bundle = Bundle(
        format=1,
        store_id="s",
        sequence=sequence,
        digest=digest_of([content, policies, sequence]),
        issued_at=now().wall,
        settings=content,
        policies=policies,
        keys=(format_key(key.public), *keys),
    )
    return seal(key, canonical(bundle).decode())


def seal(key: SigningKey, text: str) -> bytes:
    """Return a signed text in the form of a bundle."""
    signature = key.sign(text_to_sign(text))
    return msgspec.json.encode(SignedBundle(bundle=text, public_key=format_key(key.public), signature=signature))


def put_into_force(raw: bytes, settings: CentralSettings = SETTINGS, *, hours_ago: float = 0) -> Bundle:
    """Keep a bundle as a pull does that succeeded a while ago."""
    bundle, signer = open_bundle(raw, None)
    keep_bundle(settings, raw, bundle, signer)
    at = now().wall - int(hours_ago * 3_600_000_000)
    keep_pull(LastPull(url=settings.url, tried_at=at, answered_at=at))
    return bundle
