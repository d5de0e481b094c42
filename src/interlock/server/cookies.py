"""The session cookie: unreadable for scripts, and not sent with forms of other sites."""

from __future__ import annotations

from interlock.access.sessions import LONGEST_SECONDS
from interlock.server.authentication import Authenticator


def session_cookie(authenticator: Authenticator, secret: str) -> str:
    """Return the `Set-Cookie` header that carries a session's secret."""
    return _cookie(authenticator, secret, LONGEST_SECONDS)


def expired_cookie(authenticator: Authenticator) -> str:
    """Return the `Set-Cookie` header that deletes the session cookie."""
    return _cookie(authenticator, "", 0)


def _cookie(authenticator: Authenticator, value: str, max_age: int) -> str:
    parts = [f"{authenticator.cookie_name}={value}", "Path=/", "HttpOnly", "SameSite=Lax"]
    parts += ["Secure"] if authenticator.secure else []
    return "; ".join([*parts, f"Max-Age={max_age}"])
