"""Signatures after the Standard Webhooks convention: made here, and proved by whoever receives a message.

>>> secret = new_secret()
>>> headers = signed(secret, "message-1", 1_700_000_000, b"{}")
>>> verify(secret, headers, b"{}", now=1_700_000_060)
'message-1'
"""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
import time
from collections.abc import Mapping

from interlock.errors import InterlockError

PREFIX = "whsec_"
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
#: How many seconds a message may be old, or seem to come from the future.
TOLERANCE = 300
_BYTES = 32
_VERSION = "v1,"


def new_secret() -> str:
    """Return a secret that nobody can guess, in the convention's form."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def signed(secret: str, message_id: str, at: int, body: bytes) -> dict[str, str]:
    """Return the headers that prove a message. `at` is in seconds since 1970."""
    return {ID: message_id, TIMESTAMP: str(at), SIGNATURE: _signature(secret, message_id, str(at), body)}


def verify(
    secret: str,
    headers: Mapping[str, str],
    body: bytes | str,
    *,
    now: float | None = None,
    tolerance: float = TOLERANCE,
) -> str:
    """Return the id of a message that is ours, unchanged and fresh, or raise with why it is not.

    `body` is what came, byte for byte: JSON that was read and written again is another text. A message that is sent
    again has the same id, so whoever has seen it already can leave it at that.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id, at, signatures = (_header(given, name) for name in (ID, TIMESTAMP, SIGNATURE))
    _check_fresh(at, time.time() if now is None else now, tolerance)
    whole = body.encode() if isinstance(body, str) else body
    expected = _signature(secret, message_id, at, whole).encode()
    given_ones = (one.encode("utf-8", "surrogatepass") for one in signatures.split())
    if not any(hmac.compare_digest(one, expected) for one in given_ones):
        raise InterlockError("the message was not signed with this secret, or was changed on the way; do not act on it")
    return message_id


def _header(headers: Mapping[str, str], name: str) -> str:
    if not headers.get(name):
        raise InterlockError(f"the message has no header `{name}`; it is not one of ours")
    return headers[name]


def _check_fresh(at: str, now: float, tolerance: float) -> None:
    if not (at.isascii() and at.isdigit() and len(at) <= 15):
        raise InterlockError(f"`{TIMESTAMP}` is a number of seconds since 1970, found `{ascii(at)[1:40]}`")
    if int(at) < now - tolerance:
        raise InterlockError(f"the message is older than {tolerance:g} seconds; somebody may have kept and repeated it")
    if int(at) > now + tolerance:
        raise InterlockError("the message comes from the future; set the clock of this machine, or the sender's")


def _signature(secret: str, message_id: str, at: str, body: bytes) -> str:
    text = f"{message_id}.{at}.".encode("utf-8", "surrogatepass") + body
    return _VERSION + base64.b64encode(hmac.digest(_key(secret), text, "sha256")).decode()


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise InterlockError(f"a secret is `{PREFIX}` and then base64, as it was shown when it was made") from None
