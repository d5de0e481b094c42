"""Hosts: classification of destinations. Loopback and bare service names are local; metadata services are flagged."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from interlock.analyse.files.paths import HOLE
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.commands import Hosts
from interlock.patterns import late

if TYPE_CHECKING:  # few commands name an address
    from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

_TABLE = read_table("hosts", Hosts)
_METADATA = frozenset(_TABLE.metadata)
_HOSTS = {
    **dict.fromkeys(_TABLE.collectors, "collector"),
    **dict.fromkeys(_TABLE.drops, "drop"),
    **dict.fromkeys(_TABLE.shorteners, "shortened"),
}
#: Addresses of private networks. Those that documents use as examples stand for public ones.
_PRIVATE = (
    "0.0.0.0/8",
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "100.64.0.0/10",
    "169.254.0.0/16",
    "fc00::/7",
    "fe80::/10",
)
#: Hosts of the usual model providers.
MODEL_HOSTS = _TABLE.models
_ROOT_PORTS = frozenset(_TABLE.root_ports)
_PORT = late(r"^(?:[a-zA-Z][a-zA-Z0-9+.\-]*://)?[^/?#]*:(\d+)(?:[/?#]|$)")
# Paths at which services expose secrets, memory or administration.
_EXPOSED = late(
    r"/actuator/(?:env|heapdump|configprops|threaddump|mappings|shutdown|jolokia|gateway)|/api/v1/(?:namespaces/[^/]+/)?secrets|/v1/(?:secret|kv|sys)/(?!health|seal-status|leader|ha-status|metadata/)"
    r"|/\.env(?:\.\w+)?$|/\.git/(?:config|HEAD)|/\.aws/credentials|/server-status$|/debug/pprof|/phpinfo\.php|/wp-config\.php|/\.htpasswd"
    r"|/manager/html|/jmx-console|/solr/admin|/console/login|/etc/passwd"
    r"|/(?:projects|groups|services|apps|sites|accounts)/[^/]+/"
    r"(?:env\?[^ ]*decrypt=true|(?:env-vars|config-vars|variables)(?:[/?]|$))"
    r"|/(?:listKeys|listSecrets|listCredentials|listConnectionStrings|listClusterAdminCredential|appsettings/list)\b"
    r"|/secrets/[^/]+/versions/[^/:]+:access|:(?:generateAccessToken|generateIdToken|signBlob|signJwt)\b"
)
#: Endpoints with profiles of time and memory and lists of routes; none shows a setting or a value.
_FIGURES = late(
    r"/actuator/(?:mappings|threaddump)(?:\?|$)|/server-status$|/debug/pprof/?(?:\?|$)"
    r"|/debug/pprof/(?:allocs|block|goroutine|heap|mutex|profile|symbol|threadcreate|trace)(?:\?|$)"
    r"|/solr/admin/(?:info/|metrics|ping|(?:cores|collections)\?(?:wt=\w+&)?action=(?:STATUS|LIST|CLUSTERSTATUS)(?:&|$))"
)
_LOOPBACK = late(r"localhost|127(?:\.\d{1,3}){3}|::1")
_AUTHORITY = late(r"^(?:[a-zA-Z][a-zA-Z0-9+.\-]*:)?//(?:[^/@?#]*@)?(\[[^\]]*\]|[^:/?#]*)")
_BARE = late(r"^(?:[^/@\s]*@)?(\[[^\]]*\]|[^:/?#\s]+)")
_URL = late(r"^[a-zA-Z][a-zA-Z0-9+.\-]*://")


def is_url(text: str) -> bool:
    """Whether a text is a URL with a scheme."""
    return _URL.match(text) is not None


def host_of(url: str) -> str:
    """Return the host of a URL, or of `host:port/path` without a scheme.

    >>> host_of("https://user@api.example.com:8443/v1"), host_of("localhost:8000/x")
    ('api.example.com', 'localhost')
    """
    return _known_host(url) if len(url) <= MAX_URL else _find_host(url)


def _find_host(url: str) -> str:
    found = _AUTHORITY.match(url) or _BARE.match(url)
    return found.group(1).strip("[]").lower() if found else ""


_known_host = lru_cache(maxsize=1024)(_find_host)


MAX_URL = 1_024


def host_flags(url: str) -> frozenset[str]:
    """Return the flags of a destination: `local`, `private`, `metadata`, `drop`, …; none for an ordinary public host.

    >>> sorted(host_flags("http://api:8000/v1")), sorted(host_flags("https://example.com"))
    (['local'], [])
    """
    return _flags(url[:MAX_URL])


def is_root_socket(path: str) -> bool:
    """Whether a socket belongs to a daemon that acts as root.

    >>> is_root_socket("/var/run/docker.sock"), is_root_socket("/tmp/app.sock")
    (True, False)
    """
    return path.endswith(_TABLE.root_sockets)


@lru_cache(maxsize=1024)
def _flags(url: str) -> frozenset[str]:
    """Return the flags of a destination, cached."""
    if url[:1] == ":":  # some clients write `:8000/path` for this machine
        return frozenset({"local"})
    found = set(_place(url))
    port = _PORT.match(url)
    if port and port[1] in _ROOT_PORTS:
        found.add("root_daemon")
    exposed = _EXPOSED.search(url)
    if exposed and not (_FIGURES.match(url, exposed.start()) and _LOOPBACK.fullmatch(host_of(url))):
        found.add("telling")
    if url.startswith(_TABLE.raw_schemes):
        found.add("raw_scheme")
    host = name = host_of(url).rstrip(".")
    found |= _deception(url, host, found)
    while name:
        if name in _HOSTS:
            found.add(_HOSTS[name])
        name = name.partition(".")[2]
    return frozenset(found)


def _deception(url: str, host: str, found: set[str]) -> frozenset[str]:
    """Return whether an address with these other flags is deceptive."""
    if found & _NEAR:
        return frozenset()
    from interlock.analyse.addresses.deception import imitates, is_deceptive  # most commands name no address

    if "local" in found and "@" not in url:  # this machine, in whichever notation
        return frozenset()
    if HOLE not in host and is_deceptive(url, host):
        return frozenset({"deceptive"})
    return frozenset({"imitation"}) if not found and "-" in host and imitates(host) else frozenset()


def _place(url: str) -> frozenset[str]:
    """Return whether a host is local, private, a metadata service, unknown or public (no flag)."""
    if url.startswith(HOLE):
        return frozenset({"unknown_host"})
    host = host_of(url).rstrip(".")
    address = _address(host)
    if host in _METADATA or (address is not None and str(address) in _METADATA):
        return frozenset({"private"}) if _FACTS.search(url) else frozenset({"metadata"})
    if address is not None:
        if address.is_loopback or address.is_unspecified:
            return frozenset({"local"})
        return frozenset({"private"}) if _is_private(address) else frozenset()
    if host == "localhost" or host.endswith(_TABLE.local_endings):
        return frozenset({"local"})
    bare = bool(host) and host.replace("-", "").replace("_", "").isalnum()
    return frozenset({"local"}) if bare and HOLE not in host and not _ODD.match(url) else frozenset()


def _is_private(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to a private network."""
    return any(address in network for network in _private_networks() if network.version == address.version)


@cache
def _private_networks() -> tuple[IPv4Network | IPv6Network, ...]:
    from ipaddress import ip_network

    return tuple(map(ip_network, _PRIVATE))


#: Plain names of this machine; a number that stands for it is written to deceive.
_NEAR = frozenset({"metadata"})
# Paths of the metadata service without credentials.
_FACTS = late(
    r"/(?:latest|\d{4}-\d\d-\d\d)/meta-data/(?:instance-(?:type|id|life-cycle)|ami-id|placement/[\w-]+|hostname"
    r"|local-(?:ipv4|hostname)|public-(?:ipv4|hostname)|mac|tags/instance/[\w-]+|services/[\w-]+)/?$"
    r"|/computeMetadata/v1/instance/(?:zone|id|name|hostname|machine-type|cpu-platform|image|preempted)$"
    r"|/computeMetadata/v1/project/(?:project-id|numeric-project-id)$"
)
_ODD = late(r"^[a-zA-Z][a-zA-Z0-9+.\-]*:(?!//|\d)")  # `http:host`: clients differ in how they parse it


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the IP address of a host written as one: dotted, a single number, hex, octal or mapped; else None."""
    if ":" not in host and not host[:1].isdecimal():
        return None
    from ipaddress import IPv4Address, ip_address

    try:
        found = ip_address(host)
        return getattr(found, "ipv4_mapped", None) or found
    except ValueError:
        pass
    parts = host.split(".")
    if not 1 <= len(parts) <= 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    numbers = [
        int(part, 16 if part[:2] in ("0x", "0X") else 8 if part[:1] == "0" and part != "0" else 10) for part in parts
    ]
    total = numbers[-1] + sum(number << (24 - 8 * index) for index, number in enumerate(numbers[:-1]))
    return IPv4Address(total) if 0 <= total < 2**32 else None


_NUMBER = late(r"0[xX][0-9a-fA-F]{1,8}|0[0-7]{0,11}|[1-9][0-9]{0,9}")
