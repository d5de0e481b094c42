"""Post a request to a model's endpoint and return the body of its reply, or raise with the reason there is none."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from interlock.approval.reviewer.reply_parser import NoVerdictError
from interlock.http_client import HttpError, HttpFailure, HttpReply, HttpTarget, post

#: How long a reply may be, in bytes.
MAX_BODY = 65_536
_ENDPOINT = "the endpoint"


def post_to_endpoint(url: str, headers: Mapping[str, str], body: bytes, deadline: float) -> bytes:
    """Return the body of the reply to a request, or raise `NoVerdictError`. `deadline` is on the monotonic clock."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    target = HttpTarget(secure, parts.hostname or "", parts.port or (443 if secure else 80), parts.path)
    try:
        reply = post(target, headers, body, deadline=deadline, max_reply=MAX_BODY)
    except HttpError as error:
        raise NoVerdictError(error.failure.describe(_ENDPOINT)) from None
    _check_status(reply.status)
    return _complete_body(reply)


def _check_status(status: int) -> None:
    if 300 <= status < 400:
        raise NoVerdictError(f"{_ENDPOINT} redirects (status {status}); redirects are not followed", status)
    if status in (401, 403):
        raise NoVerdictError(f"{_ENDPOINT} rejected the API key (status {status})", status)
    if status != 200:
        raise NoVerdictError(f"{_ENDPOINT} answered with status {status}", status)


def _complete_body(reply: HttpReply) -> bytes:
    if reply.failure is HttpFailure.TOO_LONG:
        raise NoVerdictError(f"the reply is longer than {MAX_BODY} bytes")
    if reply.failure is not None:
        raise NoVerdictError(reply.failure.describe(_ENDPOINT))
    return reply.body
