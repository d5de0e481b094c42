"""Decide where webhooks may be sent: to public addresses, and to internal ones only if the settings allow them."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from interlock.errors import InterlockError
from interlock.http_client import HttpTarget
from interlock.patterns import late
from interlock.sanitise import plain

IpAddress = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
#: Returns the addresses of a host, or raises `OSError`.
Resolve = Callable[[str, int], list[str]]
MAX_URL = 2_000
PORTS = {"https": 443, "http": 80}
_HOST = late(r"[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_])?")
_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
#: Reserved networks that not every Python version knows: for protocols, relays, carriers and examples.
_SPECIAL = tuple(
    ip_network(text) for text in "100.64.0.0/10 192.0.0.0/24 192.88.99.0/24 2001::/23 2001:db8::/32 3fff::/20".split()
)


def resolve_host(host: str, port: int) -> list[str]:
    """Return the addresses of a host, as this machine resolves it."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


class AddressPolicy:
    """Which addresses requests may be sent to. `inside` lists the internal hosts and networks that are allowed, and
    `setting` is the name of that list in the configuration.
    """

    def __init__(
        self, inside: Iterable[str] = (), resolve: Resolve = resolve_host, setting: str = "server.webhooks_inside"
    ) -> None:
        self.inside, self._setting = tuple(inside), setting
        parts = [_parse_allowed(text, setting) for text in self.inside]
        self._hosts = frozenset(one for one in parts if isinstance(one, str))
        self._networks = tuple(one for one in parts if not isinstance(one, str))
        self._resolve = resolve

    def check(self, url: str) -> HttpTarget:
        """Resolve a URL and return its checked addresses, or raise if nothing may be sent there."""
        parts = parse_webhook_url(url)
        host, port = str(parts.hostname).rstrip("."), parts.port or PORTS[parts.scheme]
        addresses = tuple(self._addresses(host, port))
        inside = [self._is_inside(host, ip_address(one)) for one in addresses]
        for address, allowed in zip(addresses, inside, strict=True):
            if not allowed and not is_global(ip_address(address)):
                raise InterlockError(
                    f"`{host}` resolves to {address}, which is not a public address; to allow it, add it to "
                    f"`{self._setting}`"
                )
        if parts.scheme == "http" and not all(inside):
            raise InterlockError(
                f"requests to `http://{host}` can be read and changed in transit; use `https://`, or add the host to "
                f"`{self._setting}`"
            )
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return HttpTarget(parts.scheme == "https", host, port, path, addresses)

    def permits(self, address: str, *, secure: bool) -> bool:
        """Whether a connection to an address is allowed: to public ones if it is secure, and to those inside."""
        try:
            given = ip_address(address)
        except ValueError:
            return False
        named = (one for host in self._hosts for one in self._addresses(host, 0))
        return (secure and is_global(given)) or self._is_inside("", given) or address in named

    def _is_inside(self, host: str, address: IpAddress) -> bool:
        """Whether the settings allow a host or an address explicitly."""
        return host in self._hosts or any(extract_ipv4(address) in network for network in self._networks)

    def _addresses(self, host: str, port: int) -> list[str]:
        try:
            found = self._resolve(host, port)
        except (OSError, UnicodeError):
            found = []
        if not found:
            raise InterlockError(f"could not resolve host `{host}`")
        return found


def parse_webhook_url(url: str) -> SplitResult:
    """Return the parts of a webhook's URL, or raise if it is not valid."""
    if not (0 < len(url) <= MAX_URL and url.isascii() and url.isprintable()) or " " in url or "\\" in url:
        raise InterlockError(
            f"a URL has at most {MAX_URL} printable ASCII characters and no spaces; percent-encode the others"
        )
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        raise InterlockError(f"a webhook's URL has the form `https://host/path`, found `{plain(url)[:80]}`") from None
    if "@" in parts.netloc:
        raise InterlockError("credentials in a URL end up in logs; remove the part before the `@`")
    if parts.scheme not in PORTS or not _is_host(host) or port == 0 or parts.fragment:
        raise InterlockError(f"a webhook's URL has the form `https://host/path`, found `{plain(url)[:80]}`")
    return parts


def origin(url: str) -> str:
    """Return the scheme, host and port of a URL: the parts that hold no secret.

    >>> origin("https://hooks.example:8443/T00/B00/XXXX?token=1")
    'https://hooks.example:8443'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def is_global(address: IpAddress) -> bool:
    """Whether an address is public.

    >>> [is_global(ip_address(text)) for text in ("8.8.8.8", "10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1")]
    [True, False, False, False]
    """
    address = extract_ipv4(address)
    if isinstance(address, IPv6Address) and address not in _UNICAST:
        return False
    local = address.is_unspecified or address.is_link_local or address.is_loopback
    special = address.is_multicast or address.is_reserved or any(address in network for network in _SPECIAL)
    return address.is_global and not local and not special


def extract_ipv4(address: IpAddress) -> IpAddress:
    """Return the IPv4 address that an IPv6 address embeds, or the address itself."""
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


def _parse_allowed(text: str, setting: str) -> str | Network:
    """Return an entry of the allowed hosts and networks as a network or a host."""
    try:
        return ip_network(text.strip(), strict=False)
    except ValueError:
        host = text.strip().lower().rstrip(".")
    if not _HOST.fullmatch(host):
        raise InterlockError(
            f"`{setting}` lists hosts and networks, as `hooks.lan` or `10.1.0.0/16`, found `{plain(text)}`"
        )
    return host
