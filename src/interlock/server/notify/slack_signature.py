"""Check that a request comes from Slack: its signature (version 0), its age, and that it has not arrived before."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from interlock.audit.chain import Transaction
from interlock.errors import ForbiddenError
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.tables import chat_requests

TIMESTAMP, SIGNATURE = "x-slack-request-timestamp", "x-slack-signature"
#: How many seconds the timestamp of a request may differ from the clock.
TOLERANCE = 300


def sign(secret: str, at: int, body: bytes) -> dict[str, str]:
    """Return the headers with which Slack signs a body. `at` is in seconds since 1970."""
    return {TIMESTAMP: str(at), SIGNATURE: _signature(secret, str(at), body)}


def verify(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> str:
    """Return the signature of a request if it is valid and recent, or raise."""
    at, given = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    fresh = at.isascii() and at.isdigit() and len(at) < 16 and abs(now - int(at)) <= TOLERANCE
    expected = _signature(secret, at, body)
    if not hmac.compare_digest(expected.encode(), given.encode("utf-8", "surrogatepass")) or not fresh:
        raise ForbiddenError("the signature is invalid or more than five minutes old")
    return expected


def refuse_replay(transaction: Transaction, channel: str, signature: str) -> None:
    """Raise if a request has arrived before, at any server of the store."""
    connection, at = transaction.connection, now_in(transaction.connection).wall
    connection.run("DELETE FROM interlock_chat_requests WHERE expires_at < :at", at=at)
    hashed = hashlib.sha256(f"{channel} {signature}".encode()).hexdigest()
    if connection.value("SELECT 1 FROM interlock_chat_requests WHERE hash = :hash", hash=hashed):
        raise ForbiddenError("this request has arrived before")
    connection.insert(chat_requests, {"hash": hashed, "expires_at": at + 2 * TOLERANCE * MICROSECONDS})


def _signature(secret: str, at: str, body: bytes) -> str:
    text = b"v0:" + at.encode("utf-8", "surrogatepass") + b":" + body
    return "v0=" + hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
