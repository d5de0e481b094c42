"""Hosts: where a request goes. Loopback and bare service names are local; metadata services are never ordinary."""

from __future__ import annotations

import re
from functools import lru_cache

from interlock.analyse.paths import HOLE

METADATA = frozenset(
    (
        "169.254.169.254 169.254.170.2 100.100.100.200 fd00:ec2::254 metadata metadata.goog metadata.google.internal"
    ).split()
)
LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".test", ".lan")
_AUTHORITY = re.compile(r"^(?:[a-zA-Z][a-zA-Z0-9+.\-]*:)?//(?:[^/@?#]*@)?(\[[^\]]*\]|[^:/?#]*)")
_BARE = re.compile(r"^(?:[^/@\s]*@)?(\[[^\]]*\]|[^:/?#\s]+)")
_URL = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.\-]*://")
_PRIVATE = re.compile(r"^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)")


def is_url(text: str) -> bool:
    """Whether a text is a URL with a scheme."""
    return _URL.match(text) is not None


def host_of(url: str) -> str:
    """Return the host of a URL, or of `host:port/path` without a scheme.

    >>> host_of("https://user@api.example.com:8443/v1"), host_of("localhost:8000/x")
    ('api.example.com', 'localhost')
    """
    found = _AUTHORITY.match(url) or _BARE.match(url)
    return found.group(1).strip("[]").lower() if found else ""


MAX_URL = 1_024


def host_flags(url: str) -> frozenset[str]:
    """Return what a destination is: `local`, `private`, `metadata`, or nothing for an ordinary one outside.

    >>> sorted(host_flags("http://api:8000/v1")), sorted(host_flags("https://example.com"))
    (['local'], [])
    """
    return _flags(url[:MAX_URL])


@lru_cache(maxsize=1024)
def _flags(url: str) -> frozenset[str]:
    if url.startswith(HOLE):
        return frozenset({"unknown_host"})
    host = _numeric(host_of(url))
    if host in METADATA:
        return frozenset({"metadata"})
    if host in ("localhost", "::1", "0.0.0.0") or host.startswith("127.") or host.endswith(LOCAL_ENDINGS):  # noqa: S104 - compared, not bound
        return frozenset({"local"})
    if _PRIVATE.match(host):
        return frozenset({"private"})
    if host and "." not in host and ":" not in host and HOLE not in host:
        return frozenset({"local"})
    return frozenset()


def _numeric(host: str) -> str:
    """Return the dotted form of a host written as one number (`2852039166`, `0xA9FEA9FE`)."""
    try:
        number = int(host, 0)
    except ValueError:
        return host
    if not 0 <= number < 2**32:
        return host
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))
