"""Protect forms against cross-site request forgery: a token for each session, and a check of where a form came from."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Request

from interlock.access.roles import Caller
from interlock.server.authentication import Authenticator
from interlock.server.problems import RequestError

CSRF_HEADER, CSRF_FIELD = "x-csrf-token", "csrf"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def csrf_token(authenticator: Authenticator, caller: Caller) -> str:
    """Return the token that every form of this session carries."""
    return authenticator.sign(_text_to_sign(caller))


def _text_to_sign(caller: Caller) -> str:
    return f"csrf {caller.session_id}"


async def check_csrf(request: Request[Any, Any, Any], authenticator: Authenticator, caller: Caller) -> None:
    """Raise if a request with a session's cookie was sent by another site."""
    if request.method in SAFE_METHODS or caller.session_id is None:
        return
    check_same_site(request)
    token = request.headers.get(CSRF_HEADER)
    if token is None and request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        token = str((await request.form()).get(CSRF_FIELD, ""))
    if not await asyncio.to_thread(authenticator.has_signed, _text_to_sign(caller), token or ""):
        raise RequestError(403, f"missing or outdated CSRF token (header `{CSRF_HEADER}`); reload the page")


def check_same_site(request: Request[Any, Any, Any]) -> None:
    """Raise if a form was sent by another site than this one."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    host = request.headers.get("host", "").lower()
    is_foreign_origin = origin is not None and origin.partition("://")[2].lower() != host
    if site not in (None, "same-origin", "none") or is_foreign_origin:
        raise RequestError(403, "this request was sent by another site")
