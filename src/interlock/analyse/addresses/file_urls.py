"""Addresses of local files."""

from __future__ import annotations

from interlock.analyse.tools.request_meaning import unquote
from interlock.patterns import late

#: The flag of a file that a network tool is given by its address.
BY_URL = frozenset({"by_url"})
_THIS_MACHINE = frozenset({"", "localhost", "127.0.0.1", "[::1]"})
#: How browsers read an address: they skip blanks before it and line ends in it, and show what other schemes wrap.
_BLANKS = late(r"[\t\r\n]+")
_FILE = late(r"(?i)(?:(?:view-source|filesystem|jar|feed):)*file:")


def is_file_url(text: str) -> bool:
    """Whether a text is the address of a file.

    >>> is_file_url(" view-source:fi\\tle:///etc/hosts"), is_file_url("https://example.com/?x=file:///etc/hosts")
    (True, False)
    """
    return _FILE.match(_normalise(text)) is not None


def _normalise(text: str) -> str:
    return _BLANKS.sub("", text).lstrip("".join(map(chr, range(33))))


def path_of_file_url(url: str) -> str:
    """Return the path that a `file:` address leads to; one on another machine begins with `//`.

    >>> path_of_file_url("file:///tmp/a%20b.html?x#y"), path_of_file_url("FILE://localhost/tmp\\\\..\\\\etc")
    ('/tmp/a b.html', '/tmp/../etc')
    >>> path_of_file_url("file:/tmp/a.html"), path_of_file_url("file://share/a.html"), path_of_file_url("/tmp/a")
    ('/tmp/a.html', '//share/a.html', '/tmp/a')
    """
    plain = _normalise(url)
    found = _FILE.match(plain)
    if found is None:
        return url
    rest = unquote(plain[found.end() :].partition("#")[0].partition("?")[0]).replace("\\", "/")
    if not rest.startswith("//"):
        return rest if rest.startswith("/") else f"//{rest}"
    host, _, path = rest[2:].partition("/")
    return f"/{path}" if host.lower() in _THIS_MACHINE else f"//{host}/{path}"
