"""Where webhooks may go: to addresses that everybody can reach, and inside the network only where that is allowed."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from interlock.errors import InterlockError
from interlock.patterns import late
from interlock.sanitise import plain

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
#: Returns the addresses of a host; raises `OSError` where there is none.
Resolve = Callable[[str, int], list[str]]
MAX_URL = 2_000
PORTS = {"https": 443, "http": 80}
_HOST = late(r"[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_])?")
_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
#: Networks that not every Python knows to be nobody's: for protocols, for relays, for carriers, for examples.
_SPECIAL = tuple(
    ip_network(text) for text in "100.64.0.0/10 192.0.0.0/24 192.88.99.0/24 2001::/23 2001:db8::/32 3fff::/20".split()
)


class Target(NamedTuple):
    """Where a message goes: the parts of its URL, and the addresses that were looked up and checked, once."""

    secure: bool
    host: str
    port: int
    path: str
    addresses: tuple[str, ...]


def looked_up(host: str, port: int) -> list[str]:
    """Return the addresses of a host, as this machine knows them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


class Reach:
    """How far webhooks reach. `inside` names the hosts and networks that they may go to inside of ours."""

    def __init__(self, inside: Iterable[str] = (), resolve: Resolve = looked_up) -> None:
        parts = [_inside(text) for text in inside]
        self._hosts = frozenset(one for one in parts if isinstance(one, str))
        self._networks = tuple(one for one in parts if not isinstance(one, str))
        self._resolve = resolve

    def target(self, url: str) -> Target:
        """Return where a URL leads, or raise where nothing may be sent there."""
        parts = parsed(url)
        host, port = str(parts.hostname).rstrip("."), parts.port or PORTS[parts.scheme]
        addresses = tuple(self._addresses(host, port))
        inside = [self._is_inside(host, ip_address(one)) for one in addresses]
        for address, allowed in zip(addresses, inside, strict=True):
            if not allowed and not is_global(ip_address(address)):
                raise InterlockError(
                    f"`{host}` is at {address}, which is not on the open internet; if webhooks shall go there, name "
                    "it in `server.webhooks_inside`"
                )
        if parts.scheme == "http" and not all(inside):
            raise InterlockError(
                f"what is sent to `http://{host}` can be read and changed on the way; write `https://`, or name the "
                "host in `server.webhooks_inside`"
            )
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return Target(parts.scheme == "https", host, port, path, addresses)

    def _is_inside(self, host: str, address: Address) -> bool:
        """Whether the settings allow a host or an address, wherever it is."""
        return host in self._hosts or any(unwrapped(address) in network for network in self._networks)

    def _addresses(self, host: str, port: int) -> list[str]:
        try:
            found = self._resolve(host, port)
        except (OSError, UnicodeError):
            found = []
        if not found:
            raise InterlockError(f"nobody knows the host `{host}`")
        return found


def parsed(url: str) -> SplitResult:
    """Return the parts of a webhook's URL, or raise with what is wrong with it."""
    if not (0 < len(url) <= MAX_URL and url.isascii() and url.isprintable()) or " " in url or "\\" in url:
        raise InterlockError(f"a URL has at most {MAX_URL} printable ASCII characters, and no space; encode the others")
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        raise InterlockError(f"a webhook's URL is `https://host/path`, found `{plain(url)[:80]}`") from None
    if "@" in parts.netloc:
        raise InterlockError("a name or a password in a URL ends up in logs; leave out what stands before the `@`")
    if parts.scheme not in PORTS or not _is_host(host) or port == 0 or parts.fragment:
        raise InterlockError(f"a webhook's URL is `https://host/path`, found `{plain(url)[:80]}`")
    return parts


def origin(url: str) -> str:
    """Return the part of a URL that holds no secret: how, to whom, and to which door.

    >>> origin("https://hooks.example:8443/T00/B00/XXXX?token=1")
    'https://hooks.example:8443'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def is_global(address: Address) -> bool:
    """Whether an address is one that everybody can reach.

    >>> [is_global(ip_address(text)) for text in ("8.8.8.8", "10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1")]
    [True, False, False, False]
    """
    found = unwrapped(address)
    if isinstance(found, IPv6Address) and found not in _UNICAST:
        return False
    odd = found.is_multicast or found.is_reserved or found.is_unspecified or found.is_link_local or found.is_loopback
    return found.is_global and not odd and not any(found in network for network in _SPECIAL)


def unwrapped(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 one stands for, or else the address itself."""
    if not isinstance(address, IPv6Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _is_host(host: str) -> bool:
    if _HOST.fullmatch(host.removesuffix(".")):
        return True
    try:
        return "%" not in host and bool(IPv6Address(host))
    except ValueError:
        return False


def _inside(text: str) -> str | Network:
    """Return a host, or a network, that the settings name."""
    try:
        return ip_network(text.strip(), strict=False)
    except ValueError:
        host = text.strip().lower().rstrip(".")
    if not _HOST.fullmatch(host):
        raise InterlockError(
            f"`server.webhooks_inside` names hosts and networks, as `hooks.lan` or `10.1.0.0/16`, found `{plain(text)}`"
        )
    return host
