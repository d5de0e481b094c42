"""Requests that the arguments of a call describe: a method and an address, or the text of a request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.analyse.tools.arguments import Argument, arguments_of
from interlock.analyse.tools.request_meaning import BY_NAME, METHODS, ServiceRequest, unquote
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import RequestWords
from interlock.patterns import late

_WORDS = read_table("tool-requests", RequestWords)
URL_KEYS = _WORDS.address_keys
_RAW_REQUEST = late(r"^\s*(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE) (\S+)(?: HTTP/\d|\s*(?:\r?\n|$))")
_HOST_LINE = late(r"(?im)^host:\s*(\S+)")


def requests_in(words: Sequence[str], arguments: Sequence[Argument]) -> list[ServiceRequest]:
    """Return the requests that arguments describe."""
    methods = [one.text.strip().upper() for one in arguments if one.key in _WORDS.method_keys]
    methods = [one for one in methods if one in METHODS] or [one.upper() for one in words if one in _NAMED_METHODS]
    if not methods and not _WORDS.request_tools.isdisjoint(words) and any(_is_path(one) for one in arguments):
        methods = ["POST" if any(_is_sent(one) for one in arguments) else "GET"]
    named = [one.low for one in arguments if one.key in _WORDS.service_keys and isinstance(one.value, str)]
    service = next(iter([one for one in (*named, *words) if one in BY_NAME]), "")
    other = next(iter([one.text.strip().upper() for one in arguments if one.key in _WORDS.overriding_keys]), "")
    overridden = _requests([other], service, arguments) if methods and METHODS.get(other, "get") != "get" else ()
    return [*_requests(methods, service, arguments), *overridden]


def _is_path(one: Argument) -> bool:
    """Whether an argument is the path of a request: `{"path": "/v2/bot/message/broadcast"}`."""
    return one.key in _WORDS.path_keys and isinstance(one.value, str) and one.value[:1] == "/"


def _is_sent(one: Argument) -> bool:
    return (
        not _WORDS.body_keys.isdisjoint(one.keys)
        and one.value not in (None, "")
        and (one.value != () or len(one.keys) > 1)
    )


_NAMED_METHODS = frozenset({"post", "put", "patch", "delete"})


def _requests(methods: list[str], service: str, arguments: Sequence[Argument]) -> Iterator[ServiceRequest]:
    for one in arguments:
        if not isinstance(one.value, str):
            continue
        raw = _RAW_REQUEST.match(one.value[:4000])
        if raw:
            host = _HOST_LINE.search(one.value[:4000])
            address = f"https://{host[1]}{raw[2]}" if host and raw[2][:1] == "/" else raw[2]
            yield ServiceRequest(raw[1], address, service)
        elif methods and one.key in URL_KEYS and _is_address(one.value):
            yield ServiceRequest(methods[0], one.value.strip(), service)


def endpoints_in(method: str, arguments: Sequence[Argument]) -> Iterator[ServiceRequest]:
    """Yield a request of a method to each address that stands under a key of addresses."""
    for one in arguments:
        if one.key in URL_KEYS and isinstance(one.value, str) and "://" in one.value:
            yield ServiceRequest(method, one.value.strip())


def bodies_in(arguments: Sequence[Argument]) -> list[Argument]:
    """Return the values in the bodies of raw requests among arguments."""
    found = []
    for one in arguments:
        if isinstance(one.value, str) and _RAW_REQUEST.match(one.value[:4000]):
            body = _BLANK_LINE.split(one.value, 1)[-1].strip()
            found += arguments_of({"body": body}) if body[:1] in ("{", "[") else _form(body)
    return found


_BLANK_LINE = late(r"\r?\n\r?\n")


def _form(body: str) -> list[Argument]:
    if "=" not in body or "\n" in body:
        return []
    return arguments_of({name: unquote(value) for name, _, value in (pair.partition("=") for pair in body.split("&"))})


def _is_address(text: str) -> bool:
    return "://" in text or text[:1] == "/" or ("/" in text and " " not in text)
