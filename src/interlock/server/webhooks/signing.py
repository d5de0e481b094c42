"""Sign and verify messages as the Standard Webhooks convention says.

>>> secret = new_secret()
>>> headers = sign(secret, "message-1", 1_700_000_000, b"{}")
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
#: How many seconds a message's timestamp may differ from the clock.
TOLERANCE = 300
_BYTES = 32
_VERSION = "v1,"


def new_secret() -> str:
    """Return a new random secret in the convention's form."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def sign(secret: str, message_id: str, at: int, body: bytes) -> dict[str, str]:
    """Return the headers that sign a message. `at` is in seconds since 1970."""
    return {ID: message_id, TIMESTAMP: str(at), SIGNATURE: _signature(secret, message_id, str(at), body)}


def verify(
    secret: str,
    headers: Mapping[str, str],
    body: bytes | str,
    *,
    now: float | None = None,
    tolerance: float = TOLERANCE,
) -> str:
    """Return the id of a message if its signature is valid and recent, or raise.

    `body` must be the raw body: JSON that was parsed and written again may differ. A retried message has the same id,
    so receivers can skip messages that they have seen.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id, at, signatures = (_header(given, name) for name in (ID, TIMESTAMP, SIGNATURE))
    _check_fresh(at, time.time() if now is None else now, tolerance)
    raw = body.encode() if isinstance(body, str) else body
    expected = _signature(secret, message_id, at, raw).encode()
    candidates = (one.encode("utf-8", "surrogatepass") for one in signatures.split())
    if not any(hmac.compare_digest(one, expected) for one in candidates):
        raise InterlockError(
            "invalid signature: the message was not signed with this secret, or was changed in transit; ignore it"
        )
    return message_id


def _header(headers: Mapping[str, str], name: str) -> str:
    if not headers.get(name):
        raise InterlockError(f"the message has no header `{name}`; it does not come from Interlock")
    return headers[name]


def _check_fresh(at: str, now: float, tolerance: float) -> None:
    if not (at.isascii() and at.isdigit() and len(at) <= 15):
        raise InterlockError(f"`{TIMESTAMP}` must be a number of seconds since 1970, found `{ascii(at)[1:40]}`")
    if int(at) < now - tolerance:
        raise InterlockError(f"the message is older than {tolerance:g} seconds; it may be a replay")
    if int(at) > now + tolerance:
        raise InterlockError("the message's timestamp is in the future; check the clocks of both machines")


def _signature(secret: str, message_id: str, at: str, body: bytes) -> str:
    text = f"{message_id}.{at}.".encode("utf-8", "surrogatepass") + body
    return _VERSION + base64.b64encode(hmac.digest(_key(secret), text, "sha256")).decode()


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise InterlockError(f"a secret is `{PREFIX}` followed by base64, as shown when it was created") from None
