"""Tools that send HTTP requests."""

from __future__ import annotations

from interlock.analyse.hosts import host_flags, is_url
from interlock.analyse.payloads.code import MAX_TEXTS, Read, strings_of
from interlock.analyse.payloads.files import whole_span
from interlock.analyse.payloads.payload import texts
from interlock.analyse.payloads.tools import BODY_KEYS, PATH_KEYS, URL_KEYS, plain_name
from interlock.analyse.reading import Reading, Site
from interlock.model import Action
from interlock.patterns import late


def read_http_request(reading: Reading, action: Action) -> Read:
    """Report a request: its destinations, whether it sends data, and the file that it saves."""
    payload = action.input_payload
    urls = texts(payload, URL_KEYS) or [text for text in strings_of(payload) if is_url(text)]
    urls = urls or [url for text in texts(payload, ("prompt",)) for url in addresses_in(text)]
    methods = {text.upper() for text in texts(payload, ("method", "http_method", "verb"))}
    body = any(payload.get(key) for key in BODY_KEYS)
    sends = bool(methods - _READING_METHODS) or "post" in plain_name(action.tool_name) or body
    unknown = not methods and "get" not in plain_name(action.tool_name)
    for url in urls[:MAX_TEXTS]:
        if url.startswith(("file:", "/")):
            reading.file("fs.read", Site(whole_span(url)), url.removeprefix("file://"), _BY_URL)
        else:
            drops = unknown and "drop" in host_flags(url)  # such a host only receives data
            reading.url("net.send" if sends or drops else "net.fetch", Site(whole_span(url)), url)
    for path in texts(payload, PATH_KEYS[:-1]):
        if not is_url(path):
            reading.file("fs.write", Site(whole_span(path)), path, frozenset({"download"}))
    if not urls or len(urls) > MAX_TEXTS:
        reading.unread("a request whose addresses cannot all be read", Site((0, 0)))
    return (urls[0] if urls else ""), ()


_IN_PROSE = late(r"\b(?:https?|ftp|file)://[^\s\"'<>]{1,2000}")


def addresses_in(text: str) -> list[str]:
    """Return the URLs in prose, since some tools take their URL in a prompt.

    >>> addresses_in("Read https://x.example/a, then (https://y.example).")
    ['https://x.example/a', 'https://y.example']
    """
    return [found.rstrip(".,;:!?)]}") for found in _IN_PROSE.findall(text)]


_BY_URL = frozenset({"by_url"})
_READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


READERS = {"http": read_http_request}
