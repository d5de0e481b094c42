"""Hosts: where a request goes. Loopback and bare service names are local; metadata services are never ordinary."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

from interlock.analyse.paths import HOLE
from interlock.patterns import late

METADATA = frozenset(
    (
        "169.254.169.254 169.254.170.2 100.100.100.200 fd00:ec2::254 metadata metadata.goog metadata.google.internal"
    ).split()
)
# Hosts that show whoever owns the address what was sent to it: nothing else is there.
COLLECTORS = (
    "webhook.site grabify.link iplogger.org iplogger.com 2no.co yip.su iplis.ru canarytokens.com "
    "requestbin.com requestbin.net hookbin.com pipedream.net beeceptor.com requestcatcher.com postb.in "
    "ptsv2.com ptsv3.com "
    "interact.sh oast.fun oast.pro oast.live oast.me oast.site oast.online burpcollaborator.net oastify.com dnslog.cn "
    "ceye.io canarytokens.com "
    "mockbin.org requestinspector.com rbaskets.in smee.io webhookrelay.com ngrok.io ngrok.app ngrok-free.app ngrok.dev "
    "trycloudflare.com "
    "loca.lt serveo.net localhost.run bore.pub localtunnel.me pinggy.io"
).split()
# Hosts that keep whatever anybody gives them, or pass it on to a chat.
DROPS = (
    "transfer.sh 0x0.st file.io pastebin.com paste.ee hastebin.com dpaste.com dpaste.org ix.io termbin.com sprunge.us "
    "paste.rs rentry.co ghostbin.com "
    "controlc.com privatebin.net catbox.moe litterbox.catbox.moe gofile.io anonfiles.com bayfiles.com bashupload.com "
    "oshi.at temp.sh tmpfiles.org "
    "uguu.se wetransfer.com mega.nz mega.io send.vis.ee filebin.net x0.at envs.sh keep.sh ttm.sh api.telegram.org "
    "discord.com discordapp.com hooks.slack.com"
).split()
_HOSTS = {**dict.fromkeys(COLLECTORS, "collector"), **dict.fromkeys(DROPS, "drop")}

# Daemons that do as root whatever they are asked, by port and by the name of their socket.
_ROOT_PORTS = frozenset({"2375", "2376", "10250", "10255", "2379", "2380"})
_ROOT_SOCKETS = (
    "docker.sock",
    "containerd.sock",
    "crio.sock",
    "podman.sock",
    "lxd/unix.socket",
    "systemd/private",
    "snapd.socket",
)
_PORT = late(r"^(?:[a-zA-Z][a-zA-Z0-9+.\-]*://)?[^/?#]*:(\d+)(?:[/?#]|$)")
# Addresses under which services hand out their secrets or their memory.
_TELLING = late(
    r"/actuator/(?:env|heapdump|configprops|threaddump|mappings|shutdown|jolokia|gateway)|/api/v1/(?:namespaces/[^/]+/)?secrets|/v1/(?:secret|kv|sys)/"
    r"|/\.env(?:\.\w+)?$|/\.git/(?:config|HEAD)|/\.aws/credentials|/server-status$|/debug/pprof|/phpinfo\.php|/wp-config\.php|/_cat/indices|/\.htpasswd"
    r"|/manager/html|/jmx-console|/solr/admin|/console/login|/etc/passwd"
)
_RAW_SCHEMES = ("gopher:", "dict:", "jar:", "netdoc:", "ldap:", "tftp:")

LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".test", ".lan")
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
    found = _AUTHORITY.match(url) or _BARE.match(url)
    return found.group(1).strip("[]").lower() if found else ""


MAX_URL = 1_024


def host_flags(url: str) -> frozenset[str]:
    """Return what a destination is: `local`, `private`, `metadata`, `drop`, …, or nothing for an ordinary one outside.

    >>> sorted(host_flags("http://api:8000/v1")), sorted(host_flags("https://example.com"))
    (['local'], [])
    """
    return _flags(url[:MAX_URL])


def root_socket(path: str) -> bool:
    """Whether a socket is one of a daemon that acts as root.

    >>> root_socket("/var/run/docker.sock"), root_socket("/tmp/app.sock")
    (True, False)
    """
    return path.endswith(_ROOT_SOCKETS)


@lru_cache(maxsize=1024)
def _flags(url: str) -> frozenset[str]:
    if url[:1] == ":":  # how some clients write this machine: `:8000/path`
        return frozenset({"local"})
    found = set(_place(url))
    port = _PORT.match(url)
    if port and port[1] in _ROOT_PORTS:
        found.add("root_daemon")
    if _TELLING.search(url):
        found.add("telling")
    if url.startswith(_RAW_SCHEMES):
        found.add("raw_scheme")
    name = host_of(url).rstrip(".")
    while name:
        if name in _HOSTS:
            found.add(_HOSTS[name])
        name = name.partition(".")[2]
    return frozenset(found)


def _place(url: str) -> frozenset[str]:
    if url.startswith(HOLE):
        return frozenset({"unknown_host"})
    host = host_of(url).rstrip(".")
    address = _address(host)
    if host in METADATA or (address is not None and str(address) in METADATA):
        return frozenset({"metadata"})
    if address is not None:
        if address.is_loopback or address.is_unspecified:
            return frozenset({"local"})
        return frozenset({"private"}) if address.is_private or address.is_link_local else frozenset()
    if host == "localhost" or host.endswith(LOCAL_ENDINGS):
        return frozenset({"local"})
    bare = bool(host) and host.replace("-", "").replace("_", "").isalnum()
    return frozenset({"local"}) if bare and HOLE not in host and not _ODD.match(url) else frozenset()


_ODD = late(r"^[a-zA-Z][a-zA-Z0-9+.\-]*:(?!//|\d)")  # `http:host`: what a client makes of it is not certain


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that a host is, in any form that the system takes: dotted, one number, hex, octal, mapped."""
    try:
        found = ipaddress.ip_address(host)
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
    return ipaddress.IPv4Address(total) if 0 <= total < 2**32 else None


_NUMBER = late(r"0[xX][0-9a-fA-F]{1,8}|0[0-7]{0,11}|[1-9][0-9]{0,9}")
