"""Tools that send HTTP requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from interlock.analyse.addresses.attack_texts import find_attack, is_foreign
from interlock.analyse.addresses.file_urls import BY_URL, is_file_url, path_of_file_url
from interlock.analyse.addresses.hosts import host_flags, is_url
from interlock.analyse.code import read_code
from interlock.analyse.flow import NONE
from interlock.analyse.payloads.code import MAX_TEXTS, Read, strings_of
from interlock.analyse.payloads.files import whole_span
from interlock.analyse.payloads.tools import BODY_KEYS, PATH_KEYS, URL_KEYS, plain_name
from interlock.analyse.reading import Reading, Site
from interlock.analyse.secrets.credentials import carries_key
from interlock.analyse.tools.arguments import arguments_of
from interlock.analyse.tools.command_lines import command_lines
from interlock.analyse.tools.operations import operations_of
from interlock.analyse.tools.request_meaning import ServiceRequest, service_of
from interlock.analyse.tools.switches import starts_download
from interlock.analyse.tools.tool_calls import read_tool_call
from interlock.knowledge.tool_names import split_words
from interlock.model import Action
from interlock.patterns import late
from interlock.payload import texts

_BY_TOOL = frozenset({"by_tool"})


def read_http_request(reading: Reading, action: Action) -> Read:
    """Report a request: its destinations, what it does there, whether it sends data, and the file that it saves."""
    payload = action.input_payload
    urls = texts(payload, URL_KEYS) or [text for text in strings_of(payload) if is_url(text)]
    urls = urls or [url for text in texts(payload, ("prompt",)) for url in urls_in(text)]
    lines = command_lines(action.tool_name, payload) if not texts(payload, URL_KEYS) else []
    if lines:  # the arguments of `curl`
        for line in lines:
            read_code(reading, line, "shell")
        return "\n".join(lines), ("shell",)
    arguments = arguments_of(payload)
    inside = operations_of(split_words(action.tool_name), arguments)
    read_tool_call(reading, action, arguments, inside, told=True)
    requests = {one.address: one for one in inside.requests}
    body = any(payload.get(key) for key in BODY_KEYS)
    method = "POST" if body or "post" in plain_name(action.tool_name) else ""
    for url in urls[:MAX_TEXTS]:
        if is_file_url(url) or url.startswith("/"):
            reading.file("fs.read", Site(whole_span(url)), path_of_file_url(url), BY_URL)
        else:
            report_request(
                reading, requests.get(url) or ServiceRequest(method, url), is_read=inside.found and not inside.meanings
            )
    if any(map(starts_download, arguments)):
        for url in urls[:MAX_TEXTS]:
            reading.emit("code.remote", Site(whole_span(url)), url, _BY_TOOL)
    report_attack(reading, urls[:MAX_TEXTS], payload)
    for path in texts(payload, PATH_KEYS[:-1]):
        if not is_url(path):
            reading.file("fs.write", Site(whole_span(path)), path, frozenset({"download"}))
    if not urls or len(urls) > MAX_TEXTS:
        reading.unread("a request whose addresses cannot all be read", Site((0, 0)))
    return (urls[0] if urls else ""), ()


def report_request(reading: Reading, request: ServiceRequest, *, is_read: bool = False) -> None:
    """Report the destination of a request, and whether data is sent there.

    A request to a well-known service does what its path says, so it does not count as a transfer. A key in the address
    is always sent with it.
    """
    url = request.address
    place, service = host_flags(url), service_of(url)
    if not service and carries_key(url):
        sends = True
    elif not request.method:
        sends = "drop" in place  # such a host only receives data
    else:
        sends = request.method not in _READING_METHODS and not is_read and (not service or "collector" in place)
    reading.url("net.send" if sends else "net.fetch", Site(whole_span(url)), url, NONE)


def report_attack(reading: Reading, urls: Iterable[str], payload: Mapping[str, Any]) -> None:
    """Report parameters, headers or a body that attack the application at one of the addresses."""
    target = next((url for url in urls if is_url(url) and is_foreign(url)), "")
    if target and find_attack(text for text in strings_of(payload) if not is_url(text)):
        reading.url("net.fetch", Site(whole_span(target)), target, frozenset({"attack"}))


_IN_PROSE = late(r"\b(?:https?|ftp|file)://[^\s\"'<>]{1,2000}")


def urls_in(text: str) -> list[str]:
    """Return the URLs in prose, since some tools take their URL in a prompt.

    >>> urls_in("Read https://x.example/a, then (https://y.example).")
    ['https://x.example/a', 'https://y.example']
    """
    return [found.rstrip(".,;:!?)]}") for found in _IN_PROSE.findall(text)]


_READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


READERS = {"http": read_http_request}
