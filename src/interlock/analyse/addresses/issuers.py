"""Issuers of keys: a key belongs to the service in the name of its variable, and may only be sent there."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.files.paths import HOLE
from interlock.analyse.secrets.keys import is_secret_name
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.commands import Hosts

_ISSUERS = {word: frozenset(hosts) for word, hosts in read_table("hosts", Hosts).issuers.items()}
_NEAR = frozenset({"local", "private", "trusted"})


def leaves_issuer(variable: str, url: str) -> bool:
    """Whether a key goes to a host that is not its issuer's: `$GITHUB_TOKEN` to `github-status.example.net`.

    >>> urls = ("https://api.github.com/user", "https://github.acme.io/api", "https://github-status.example.net")
    >>> [leaves_issuer("GITHUB_TOKEN", url) for url in urls], leaves_issuer("API_TOKEN", "https://example.net")
    ([False, False, True], False)
    """
    words = variable.lower().split("_")
    issuer = next((word for word in words[:2] if word in _ISSUERS), "")
    if not issuer or not is_secret_name(variable) or HOLE in url:
        return False
    host = host_of(url)
    if not host or "." not in host or not _NEAR.isdisjoint(host_flags(url)):
        return False
    hosts = _ISSUERS[issuer]
    if any(host == known or host.endswith(f".{known}") for known in hosts):
        return False
    return issuer not in host.split(".")[:-2]  # an installation of one's own: `gitlab.acme.io`
