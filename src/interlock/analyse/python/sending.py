"""Requests and connections: where they go, and what they take along."""

from __future__ import annotations

import ipaddress
from typing import Any

from interlock.analyse.hosts import host_of
from interlock.analyse.paths import HOLE
from interlock.analyse.python.arguments import argument
from interlock.analyse.python.library.network import DATA_SECOND, SAVING
from interlock.analyse.python.marks import PRIVATE, marked, marks_of
from interlock.analyse.python.storing import drop
from interlock.analyse.python.values import UNKNOWN, Instance, as_text, words_of
from interlock.analyse.reading import NONE, Reading, Site

_BARE = frozenset({"bare_address"})
_RESOLVERS = frozenset({"1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9"})
_READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
#: Where credentials belong: a single key in them is meant for the server.
_CREDENTIALS = frozenset({"headers", "auth", "cookies", "cert", "username", "password"})


def _carried(reading: Reading, url: Any, others: list[Any], keywords: dict[str, Any]) -> frozenset[str]:
    """Return what a request takes along, from where its data came."""
    marks = marks_of(reading, _after_host(as_text(url)), *others)
    for key, value in keywords.items():
        if key == "url":
            continue
        found = marks_of(reading, value)
        if key in ("data", "json", "files", "params", "content", "body"):
            found |= reading.marks(value) if isinstance(value, str) else NONE
        marks |= found - {"secret"} if key in _CREDENTIALS else found
    return marks & PRIVATE


def bare(url: str) -> frozenset[str]:
    """Return whether a server goes by its number alone: nobody can tell whose it is.

    >>> sorted(bare("http://93.184.216.34/x")), sorted(bare("http://10.0.0.1/x")), sorted(bare("https://example.com"))
    (['bare_address'], [], [])
    """
    try:
        address = ipaddress.ip_address(host_of(url))
    except ValueError:
        return NONE
    return (
        _BARE
        if not address.is_loopback and (address.is_global or address.version == 6) and str(address) not in _RESOLVERS
        else NONE
    )


def _after_host(url: str) -> str:
    """Return what of a URL is not where it goes: a server whose address is a variable is not told anything by it."""
    if url.startswith(HOLE):
        return url[url.find(HOLE, 1) + 1 :]
    scheme, mark, rest = url.partition("://")
    if not mark or scheme == "file":
        return "" if scheme == "file" else url
    if rest.startswith(HOLE):
        return rest[rest.find(HOLE, 1) + 1 :]
    return rest


def request(
    reading: Reading,
    site: Site,
    name: str,
    role: str,
    value: Any,
    arguments: list[Any],
    keywords: dict[str, Any],
    flags: frozenset[str],
) -> Any:
    """Read a request or a connection; return what comes back."""
    words = words_of(value)
    url = as_text(words[0] if words else value)
    marks = _carried(reading, value if words is None else url, arguments[1:], keywords)
    if isinstance(value, Instance):
        marks |= marks_of(reading, value) & PRIVATE
    sends = role == "net.fetch" and (
        ("data" in keywords and keywords["data"] is not None)
        or "json" in keywords
        or (len(arguments) > 1 and name in DATA_SECOND and arguments[1] is not None)
        or (isinstance(value, Instance) and value.mode == "send")
    )
    kind = "net.send" if sends else role
    reading.url(kind, site, url, flags | marks | bare(url))
    if role == "net.connect":
        return None
    fetched = marked(reading, f"response of {url}", "download")
    if name in SAVING:
        target = argument(arguments, keywords, 1)
        target = keywords.get("out", target)
        drop(reading, site, as_text(target) if target is not UNKNOWN else url.rpartition("/")[2], url)
    return fetched


def request_by_method(
    reading: Reading, site: Site, name: str, arguments: list[Any], keywords: dict[str, Any], owner: Any
) -> Any:
    """Read a request whose method is an argument."""
    method = as_text(arguments[0] if arguments else keywords.get("method", UNKNOWN)).upper()
    url = as_text(argument(arguments, keywords, 1))
    if isinstance(owner, Instance) and owner.kind.endswith("HTTPConnection"):
        url = f"http://{owner.text}{url}"
    kind = "net.fetch" if method in _READING_METHODS else "net.send"
    reading.url(kind, site, url, _carried(reading, url, arguments[2:], keywords) | bare(url))
    return marked(reading, f"response of {url}", "download")


def make_request(reading: Reading, site: Site, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Read a request that is made to be sent later."""
    position = 1 if name in ("requests.Request", "httpx.Request") else 0
    url = as_text(arguments[position] if position < len(arguments) else keywords.get("url", UNKNOWN))
    data = keywords.get("data", arguments[1] if len(arguments) > 1 and position == 0 else None)
    method = as_text(keywords.get("method", "POST" if data is not None else "GET")).upper()
    marks = _carried(reading, url, arguments[position + 1 :], keywords)
    sends = method not in _READING_METHODS
    reading.url("net.send" if sends else "net.fetch", site, url, marks | bare(url))
    source = marked(reading, f"request with {'+'.join(sorted(marks))}", *marks).name if marks else ""
    return Instance("urllib.request.Request", url, "send" if sends else "r", source)


def is_request(arguments: list[Any], keywords: dict[str, Any]) -> bool:
    """Whether a call has the shape of a request: an address on the network among its arguments."""
    url = keywords.get("url", arguments[0] if arguments else None)
    return isinstance(url, str) and url.startswith(("http://", "https://"))


def look_up(reading: Reading, site: Site, value: Any) -> Any:
    """Read a name that is looked up: data in front of a domain goes to whoever owns the domain."""
    text = as_text(value)
    marks = marks_of(reading, value) & PRIVATE
    if marks and text.strip(HOLE).count(HOLE):
        reading.url("net.connect", site, text, marks | {"lookup"})
    return None


def carry(reading: Reading, site: Site, values: tuple[Any, ...]) -> Any:
    """Read data that goes over a connection: it matters where it is private."""
    marks = marks_of(reading, *values) & PRIVATE
    if marks:
        reading.url("net.send", site, "socket", marks)
    return None
