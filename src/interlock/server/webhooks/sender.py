"""Send one signed message to a webhook's URL, after checking that the URL may be sent to."""

from __future__ import annotations

import time
from typing import NamedTuple

from interlock.errors import InterlockError
from interlock.http_client import HttpError, post
from interlock.server.webhooks.address_policy import AddressPolicy
from interlock.server.webhooks.signing import sign
from interlock.version import VERSION

#: The status with which a receiver ends its subscription.
GONE = 410
#: This much of a reply is read, so that the receiver is not cut off while it answers; none of it is kept.
MAX_REPLY = 1_024
RECEIVER = "the receiver"


class SendResult(NamedTuple):
    """The status of a response, or the reason that there is none. Without an error, the message arrived.

    `final` says that a retry would be pointless.
    """

    status: int | None
    error: str
    final: bool = False


def send(
    policy: AddressPolicy, url: str, secret: str, message_id: str, body: bytes, *, timeout_seconds: float
) -> SendResult:
    """Send a message and return the result. The address is resolved and checked again for each message."""
    deadline = time.monotonic() + timeout_seconds
    try:
        target = policy.check(url)
    except InterlockError as error:
        return SendResult(None, str(error))
    headers = {"content-type": "application/json", "user-agent": f"interlock/{VERSION}"}
    headers |= sign(secret, message_id, int(time.time()), body)
    try:
        status = post(target, headers, body, deadline=deadline, max_reply=MAX_REPLY).status
    except HttpError as error:
        return SendResult(None, error.failure.describe(RECEIVER))
    return _result(status)


def _result(status: int) -> SendResult:
    if 200 <= status < 300:
        return SendResult(status, "")
    hint = "; redirects are not followed" if 300 <= status < 400 else ""
    return SendResult(status, f"{RECEIVER} answered with status {status}{hint}", status == GONE)
