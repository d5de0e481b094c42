"""The cookie of a session: no script reads it, and no other site sends it along with a form."""

from __future__ import annotations

from interlock.access.sessions import LONGEST_SECONDS
from interlock.server.authentication import Doors


def cookie(doors: Doors, secret: str, *, gone: bool = False) -> str:
    """Return the cookie that carries a session's secret, or the one that takes it away."""
    parts = [f"{doors.cookie}={secret}", "Path=/", "HttpOnly", "SameSite=Lax"]
    parts += ["Secure"] if doors.secure else []
    parts += ["Max-Age=0"] if gone else [f"Max-Age={LONGEST_SECONDS}"]
    return "; ".join(parts)
