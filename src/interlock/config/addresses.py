"""Check the URLs of services in a configuration: they must use https or stay on this machine."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import SplitResult, urlsplit

from interlock.patterns import late

_ADDRESS = late(r"[!-~]+")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("127.0.0.1.example.com")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def describe_kind(value: Any) -> str:
    """Describe the type of a value. The value itself may be a key, and is not repeated."""
    kinds = {
        str: "a string",
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "a table",
    }
    return kinds.get(type(value), "something else")


def find_address_problem(name: str, value: Any) -> str:
    """Return the error in the URL of a setting, or an empty string."""
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
        return f"`{name}` must be an ASCII URL, found {describe_kind(value)}; write `https://…`"
    try:
        address = urlsplit(value)
        _ = address.port
    except ValueError:
        return f"`{name}` is not a valid URL; write `https://…`"
    return _find_part_problem(name, address)


def _find_part_problem(name: str, address: SplitResult) -> str:
    if address.scheme not in ("http", "https") or not address.hostname:
        return f"`{name}` must begin with `https://` and a host"
    if "@" in address.netloc or address.query or address.fragment:
        return f"`{name}` must not have a user, a `?` or a `#`; put a key into the variable that `key_variable` names"
    if address.scheme == "http" and not is_loopback(address.hostname):
        return f"`{name}` must use https, as `{address.hostname}` is not this machine; write `https://…`"
    return ""
