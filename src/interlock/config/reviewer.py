"""The model that reviews: where it is asked, by which protocol, and which variable holds its key."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from interlock.documents import Document
from interlock.errors import ConfigError, nearest
from interlock.patterns import late

PROTOCOLS = ("openai", "anthropic")
MAX_SECONDS = 600
CHARS = (500, 200_000)

#: What people call the key itself. It must not stand in a file, under any of these names.
_KEYS_THEMSELVES = frozenset("key api_key apikey token api_token auth_token secret password bearer".split())
_CALLS = ("/chat/completions", "/messages")
_NAME = late(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MODEL = late(r"[!-~]{1,200}")
_ADDRESS = late(r"[!-~]+")
# Upper case only: most keys have a small letter or a dash, so that a key in the variable's place is noticed.
_VARIABLE = late(r"[A-Z_][A-Z0-9_]{0,63}")


class ReviewerSettings(msgspec.Struct, frozen=True):
    """How a model is asked to review. The key is never in here, only the name of the variable that holds it."""

    name: str
    protocol: str
    endpoint: str
    model: str
    key_variable: str | None = None
    timeout_seconds: float = 20
    max_chars: int = 20_000

    def __post_init__(self) -> None:
        for key, problem_of in _CHECKS.items():
            problem = problem_of(getattr(self, key))
            if problem:
                raise ConfigError(problem)


def reviewer_of(document: Document, key: str, value: Any) -> ReviewerSettings:
    """Return the reviewer of the table `[reviewer]`, or raise with the line and what to write instead."""
    if not isinstance(value, dict):
        raise document.error(f"`{key}` must be a table, found {_kind(value)}; write `[{key}]`", key)
    for name, given in value.items():
        _check(document, key, name, given)
    for name in _NEEDED:
        if name not in value:
            raise document.error(f"a reviewer needs `{name}`", key)
    return ReviewerSettings(**value)


def _check(document: Document, key: str, name: str, given: Any) -> None:
    if name.lower().replace("-", "_") in _KEYS_THEMSELVES:
        raise document.error(
            f"`{name}` must not stand in a file; put the key into an environment variable, and write the "
            "variable's name as `key_variable`",
            key,
            name,
        )
    if name not in _CHECKS:
        raise document.error(f"unknown key `{name}` in a reviewer{nearest(name, _CHECKS)}", key, name)
    problem = _CHECKS[name](given)
    if problem:
        raise document.error(problem, key, name)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("127.0.0.1.example.com")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _kind(value: Any) -> str:
    """Return what kind of value was found. The value itself may be a key, and is not repeated."""
    kinds = {str: "a text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return kinds.get(type(value), "something else")


def _name(value: Any) -> str:
    if isinstance(value, str) and _NAME.fullmatch(value):
        return ""
    return f"`name` must be up to 64 letters, digits, `.`, `_` or `-`, found `{value!r}`"


def _protocol(value: Any) -> str:
    return "" if value in PROTOCOLS else f"unknown protocol `{value}`{nearest(value, PROTOCOLS)}"


def _endpoint(value: Any) -> str:
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
        return f"`endpoint` must be an address in plain letters, found {_kind(value)}; write `https://…`"
    try:
        address = urlsplit(value)
        _ = address.port
    except ValueError:
        return "`endpoint` is no address that can be read; write `https://…`"
    return _address(address)


def _address(address: SplitResult) -> str:
    if address.scheme not in ("http", "https") or not address.hostname:
        return "`endpoint` must begin with `https://` and a host"
    if "@" in address.netloc or address.query or address.fragment:
        return "`endpoint` must not hold a user, a `?` or a `#`; a key goes into the variable of `key_variable`"
    if address.scheme == "http" and not is_loopback(address.hostname):
        return f"`endpoint` must use https, as `{address.hostname}` is not this machine; write `https://…`"
    for call in _CALLS:
        if address.path.rstrip("/").endswith(call):
            return f"`endpoint` is the address before `{call}`; leave `{call}` off"
    return ""


def _model(value: Any) -> str:
    if isinstance(value, str) and _MODEL.fullmatch(value):
        return ""
    return f"`model` must be the name of a model, without spaces, found `{value!r}`"


def _key_variable(value: Any) -> str:
    if value is None or (isinstance(value, str) and _VARIABLE.fullmatch(value)):
        return ""
    return "`key_variable` must be the name of a variable in capital letters, as `REVIEWER_KEY`; never the key itself"


def _timeout_seconds(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= MAX_SECONDS:
        return ""
    return f"`timeout_seconds` must be a number above zero and up to {MAX_SECONDS}, found `{value!r}`"


def _max_chars(value: Any) -> str:
    low, high = CHARS
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return ""
    return f"`max_chars` must be a whole number from {low} to {high}, found `{value!r}`"


#: What is wrong with the value of each key, or nothing. A file and a library call are held to the same.
_CHECKS: dict[str, Callable[[Any], str]] = {
    "name": _name,
    "protocol": _protocol,
    "endpoint": _endpoint,
    "model": _model,
    "key_variable": _key_variable,
    "timeout_seconds": _timeout_seconds,
    "max_chars": _max_chars,
}
_NEEDED = ("name", "protocol", "endpoint", "model")
