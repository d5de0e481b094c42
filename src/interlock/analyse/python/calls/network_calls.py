"""Network calls: requests, connections and lookups, with the private data that they carry."""

from __future__ import annotations

import ast
import ipaddress
from collections.abc import Iterable, Iterator
from typing import Any

from interlock.analyse.addresses.destinations import CARRIED
from interlock.analyse.addresses.hosts import host_of
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.file_calls import save_download
from interlock.analyse.python.calls.sending import base_address, content_marks, header_marks, report_send
from interlock.analyse.python.clients.service_clients import ANSWERING
from interlock.analyse.python.evaluation.marks import PRIVATE, marks_of, sources, unknown_from
from interlock.analyse.python.evaluation.values import UNKNOWN, Instance, Unknown, as_text, words_of
from interlock.analyse.python.library import find_argument
from interlock.patterns import late

_READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
#: Where credentials belong: a single key in them is meant for the server.
_CREDENTIALS = frozenset({"headers", "auth", "cookies", "cert", "username", "password"})
_DATA = frozenset({"data", "json", "files", "params", "content", "body"})
_SCAN = frozenset({"scan"})
_NETWORK = late(r"^\d{1,3}\.(?:\d{1,3}\.){0,2}")
_BARE = frozenset({"bare_address"})
_CARRIED = frozenset({CARRIED})
_SIGNED = frozenset({"secret", CARRIED, "personal", "records"})
_SENT = PRIVATE | {CARRIED, "personal", "records"}
# Ways by which a library that answers requests in a test lets some of them through.
_REAL = late(r"(?i)pass_?thr(?:u|ough)|real_http|allow_net|record_mode|sys\.modules|__setattr__")
#: HTTP clients whose requests such a library answers.
_ANSWERED = ("requests.", "httpx.", "urllib3.")
_RESOLVERS = frozenset({"1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9"})


def _private_marks(call: PythonCall, url: str, others: list[Any]) -> frozenset[str]:
    """Return the marks of private data that a request carries in its URL, body or parameters."""
    reading = call.reading
    marks = marks_of(reading, _after_host(url), *others)
    for key, value in call.keywords.items():
        if key == "url":
            continue
        found = header_marks(call, value) if key == "headers" else marks_of(reading, value)
        if key in _DATA and isinstance(value, str):
            found |= reading.marks(value)
        marks |= found - _SIGNED if key in _CREDENTIALS and key != "headers" else found
    if "files" in call.keywords:
        marks |= _CARRIED
    return marks & _SENT


def _attack_marks(call: PythonCall, url: str) -> frozenset[str]:
    """Return the mark of a request whose parameters, headers or body attack the application that gets them."""
    found = list(texts_among((*call.arguments, *(value for key, value in call.keywords.items() if key != "url"))))
    if not found:
        return NONE
    from interlock.analyse.addresses.attack_texts import find_attack, is_foreign  # most requests hold no text

    return _ATTACK if is_foreign(url) and find_attack(one for one in found if one != url) else NONE


def texts_among(values: Iterable[Any], depth: int = 3) -> Iterator[str]:
    """Yield the texts among the values of a call, and in the mappings and lists among them."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, bytes):
            yield value.decode("utf-8", "replace")
        elif depth and isinstance(value, dict):
            yield from texts_among(value.values(), depth - 1)
        elif depth and isinstance(value, (list, tuple)):
            yield from texts_among(value, depth - 1)


_ATTACK = frozenset({"attack"})


def _after_host(url: str) -> str:
    """Return the part of a URL behind its host: a host that is a variable receives nothing by that."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        rest = url
    elif scheme == "file":
        return ""
    return rest[rest.find(HOLE, 1) + 1 :] if rest.startswith(HOLE) else rest


def address_flags(url: str) -> frozenset[str]:
    """Return the flag `bare_address` for a host that is a public IP address.

    >>> sorted(address_flags("http://93.184.216.34/x")), sorted(address_flags("http://10.0.0.1/x")), sorted(address_flags("https://example.com"))
    (['bare_address'], [], [])
    """
    try:
        address = ipaddress.ip_address(host_of(url))
    except ValueError:
        return NONE
    known = address.is_loopback or str(address) in _RESOLVERS
    return _BARE if not known and (address.is_global or address.version == 6) else NONE


def request(call: PythonCall, kind: str, value: Any, flags: frozenset[str]) -> Any:
    """Emit a request or a connection; return the response."""
    words = words_of(value)
    url = as_text(words[0] if words else value)
    if call.host.state.answered and call.name.startswith(_ANSWERED) and not _REAL.search(call.host.state.text):
        return unknown_from(call.reading, f"response of {url}", "download")
    marks = _private_marks(call, url, call.arguments[1:])
    if isinstance(value, Instance):
        marks |= marks_of(call.reading, value) & _SENT
    if kind == "net.fetch" and _has_body(call, value):
        kind = "net.send"
    if kind == "net.connect" and _counts_through(call):
        flags |= _SCAN
    if kind == "net.fetch" and CARRIED in marks and _takes_settings(call):
        marks -= _CARRIED
    call.reading.url(
        kind, call.site, url, flags | marks | address_flags(url) | _attack_marks(call, url), base_address(call, url)
    )
    if kind == "net.connect":
        return None
    if kind == "net.send" and _STORE_PORT.search(url):
        from interlock.analyse.stores.requests import read_store_request

        read_store_request(call.reading, call.site, call.method.upper(), url, as_text(call.keywords.get("data", "")))
    saved = find_argument(call.reading, call.name, "saved_file")
    if saved is not None:
        target = call.argument(saved)
        save_download(call, url.rpartition("/")[2] if target is UNKNOWN else as_text(target), url)
    return unknown_from(call.reading, f"response of {url}", "download")


def _counts_through(call: PythonCall) -> bool:
    """Whether the host that is connected to is an address with a part that is counted: `f"203.0.113.{i}"`."""
    node = call.place
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Tuple):
        return False
    first = node.args[0].elts[0] if node.args[0].elts else None
    start = first.values[0] if isinstance(first, ast.JoinedStr) and first.values else None
    if isinstance(first, ast.BinOp):
        start = first.left
    text = start.value if isinstance(start, ast.Constant) and isinstance(start.value, str) else ""
    return _NETWORK.match(text) is not None and not text.startswith("127.")


_STORE_PORT = late(r"^https?://[^/]+:\d{4,5}/")
_SETTINGS = late(r"(?i)\.(?:json|toml|ya?ml|ini|cfg|conf|properties)$")


def _takes_settings(call: PythonCall) -> bool:
    """Whether all local content of a request comes from files of settings, of which it uses a value."""
    names = [name for name in sources(call.reading, *call.values) if CARRIED in call.reading.taints[name]]
    return all(
        _SETTINGS.search(name.partition(" and ")[0]) and "records" not in call.reading.taints[name] for name in names
    )


def _has_body(call: PythonCall, value: Any) -> bool:
    """Whether a call that usually fetches sends a body."""
    if call.keywords.get("data") is not None or "json" in call.keywords:
        return True
    body = find_argument(call.reading, call.name, "body")
    if body is not None and len(call.arguments) > body and call.arguments[body] is not None:
        return True
    return isinstance(value, Instance) and value.mode == "send"


def request_by_method(call: PythonCall) -> Any:
    """Emit a request whose HTTP method is an argument; return the response."""
    method = as_text(call.option("method", 0, UNKNOWN)).upper()
    url = call.text(1)
    if isinstance(call.owner, Instance) and call.owner.kind.endswith("HTTPConnection"):
        url = f"http://{call.owner.text}{url}"
    kind = "net.fetch" if method in _READING_METHODS else "net.send"
    marks = _private_marks(call, url, call.arguments[2:]) | _attack_marks(call, url)
    call.reading.url(kind, call.site, url, marks | address_flags(url))
    return unknown_from(call.reading, f"response of {url}", "download")


def make_request(call: PythonCall) -> Any:
    """Emit a request object that is sent later; return it."""
    position = 1 if call.name in ("requests.Request", "httpx.Request") else 0
    url = as_text(call.option("url", position, UNKNOWN))
    data = call.option("data", 1) if position == 0 else call.keywords.get("data")
    method = as_text(call.keywords.get("method", "POST" if data is not None else "GET")).upper()
    marks = _private_marks(call, url, call.arguments[position + 1 :])
    sends = method not in _READING_METHODS
    flags = marks | address_flags(url) | _attack_marks(call, url)
    call.reading.url("net.send" if sends else "net.fetch", call.site, url, flags)
    source = unknown_from(call.reading, f"request with {'+'.join(sorted(marks))}", *marks).name if marks else ""
    return Instance("urllib.request.Request", url, "send" if sends else "r", source)


def is_request(call: PythonCall) -> bool:
    """Whether a call has the shape of a request: an address on the network among its arguments."""
    url = call.option("url", 0)
    if call.name.startswith(ANSWERING):  # it says what is answered
        return False
    return isinstance(url, str) and url.startswith(("http://", "https://"))


def look_up(call: PythonCall, value: Any) -> None:
    """Emit a send for a host name that is looked up with private data in it: its DNS server receives it."""
    text = as_text(value)
    marks = marks_of(call.reading, value) & _SENT
    if CARRIED in marks and _takes_settings(call):
        marks -= _CARRIED
    if marks and HOLE in text.strip(HOLE):
        call.reading.url("net.send", call.site, text, marks | {"dns"})


def send_data(call: PythonCall) -> None:
    """Emit a send for private data that goes over an open connection."""
    marks = content_marks(call, paths=False) & _SENT
    if marks or _sends_archive(call):
        report_send(call, marks or _CARRIED)


def _sends_archive(call: PythonCall) -> bool:
    """Whether data of unknown content is sent after files were put into an archive in memory."""
    if not any(isinstance(value, Unknown) for value in call.arguments):
        return False
    named = [(effect.kind, effect.resource.name) for effect in call.reading.effects if effect.resource is not None]
    kept = any(kind == "fs.write" and name[:1] == "$" for kind, name in named)
    return kept and any(kind in ("fs.read", "secret.read") for kind, _ in named)
