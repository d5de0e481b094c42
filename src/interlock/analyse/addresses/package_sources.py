"""Package sources: indexes, registries and mirrors that are usual for their ecosystem."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.projects import Packages

_USUAL = frozenset(read_table("packages", Packages).sources)


def is_usual_source(url: str) -> bool:
    """Whether packages usually come from the host of a URL.

    >>> is_usual_source("https://download.pytorch.org/whl/cpu"), is_usual_source("https://example.com/simple")
    (True, False)
    """
    url = url.removeprefix("sparse+").removeprefix("git+").removeprefix("registry+")
    if url.startswith("http://") and host_of(url) not in _PLAIN:
        return False  # over a plain connection anyone could answer
    host = host_of(url)
    while host:
        if host in _USUAL:
            return True
        host = host.partition(".")[2]
    return False


def index_flags(address: str) -> frozenset[str]:
    """Return the flags of a package index: `index` unless it is a usual one, a local one or a folder.

    >>> sorted(index_flags("https://example.com/simple")), sorted(index_flags("./wheels"))
    (['index'], [])
    """
    if address.startswith(_SCRATCH):
        return _INDEX
    usual = address[:1] in (".", "/", "~") or address in _NAMES or {"local"} & host_flags(address)
    return frozenset() if usual or is_usual_source(address) or _is_name(address) else _INDEX


def _is_name(address: str) -> bool:
    """Whether an index is given by a name that a configuration file explains: `-c conda-forge`, `--registry acme`."""
    return "." not in address and "/" not in address and ":" not in address


_INDEX = frozenset({"index"})
_SCRATCH = ("/tmp/", "/var/tmp/", "/dev/shm/", "file:///tmp/")  # where anyone can put packages
_NAMES = frozenset({"direct", "off", "default", "defaults"})
_PLAIN = frozenset({"archive.ubuntu.com", "security.ubuntu.com", "deb.debian.org", "ports.ubuntu.com"})  # signed
