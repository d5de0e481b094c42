"""Paths on this site, for redirects after a sign-in."""

from __future__ import annotations

MAX_PATH = 500


def local_path(text: str) -> str:
    """Return a path on this site as it is, and `/` for anything that could redirect elsewhere.

    >>> local_path("/runs?state=open"), local_path("//evil.example"), local_path("/\\\\evil.example")
    ('/runs?state=open', '/', '/')
    """
    is_plain = text.isascii() and text.isprintable() and "\\" not in text and len(text) <= MAX_PATH
    return text if is_plain and text.startswith("/") and not text.startswith("//") else "/"
