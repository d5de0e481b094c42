"""Addresses of local files."""

from __future__ import annotations

from interlock.analyse.tools.request_meaning import unquote

#: The flag of a file that a network tool is given by its address.
BY_URL = frozenset({"by_url"})
_THIS_MACHINE = frozenset({"", "localhost", "127.0.0.1", "[::1]"})


def is_file_url(text: str) -> bool:
    """Whether a text is the address of a file."""
    return text[:5].lower() == "file:"


def path_of_file_url(url: str) -> str:
    """Return the path that a `file:` address leads to; one on another machine begins with `//`.

    >>> path_of_file_url("file:///tmp/a%20b.html?x#y"), path_of_file_url("FILE://localhost/tmp\\\\..\\\\etc")
    ('/tmp/a b.html', '/tmp/../etc')
    >>> path_of_file_url("file:/tmp/a.html"), path_of_file_url("file://share/a.html"), path_of_file_url("/tmp/a")
    ('/tmp/a.html', '//share/a.html', '/tmp/a')
    """
    if not is_file_url(url):
        return url
    rest = unquote(url[5:].partition("#")[0].partition("?")[0]).replace("\\", "/")
    if not rest.startswith("//"):
        return rest if rest.startswith("/") else f"//{rest}"
    host, _, path = rest[2:].partition("/")
    return f"/{path}" if host.lower() in _THIS_MACHINE else f"//{host}/{path}"
