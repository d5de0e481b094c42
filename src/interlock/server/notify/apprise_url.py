"""The Apprise URLs that people may enter: services on the network alone, no local programs, devices or files."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from interlock.errors import InterlockError, near_miss
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.options import NotificationServices
from interlock.patterns import late
from interlock.sanitise import plain

_WORDS = read_table("notification-services", NotificationServices)

MAX_URL = 2_000
#: Services that are reached over TLS.
SECURE = _WORDS.secure
#: The same services without TLS, which are allowed inside the network alone.
PLAIN = _WORDS.plain
#: Parameters by which a URL could read files, follow redirects, or accept any certificate.
_REFUSED = _WORDS.refused_parameters
_SCHEME = late(r"([a-z0-9]{2,20})://.+")


def check_service(url: str) -> bool:
    """Return whether the service of an Apprise URL is a secure one, or raise if it is not allowed."""
    if not (0 < len(url) <= MAX_URL and url.isascii() and url.isprintable()) or " " in url:
        raise InterlockError(f"an Apprise URL has up to {MAX_URL:,} printable ASCII characters and no spaces")
    found = _SCHEME.fullmatch(url)
    if found is None:
        raise InterlockError("an Apprise URL has the form `ntfys://ntfy.sh/topic`; see docs/notifications.md")
    scheme = found[1]
    if scheme not in SECURE and scheme not in PLAIN:
        hint = near_miss(scheme, sorted(SECURE)) or "; docs/notifications.md lists them"
        raise InterlockError(f"`{scheme}://` is not one of the services that can be used here{hint}")
    return scheme in SECURE


def check_apprise_url(url: str) -> bool:
    """Return whether a URL that a person entered is a secure one, or raise if it is not allowed."""
    secure = check_service(url)
    try:
        names = [name.lower().lstrip("+-:") for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)]
    except ValueError:
        raise InterlockError("the URL cannot be read; percent-encode special characters in it") from None
    refused = sorted(_REFUSED.intersection(names))
    if refused:
        raise InterlockError(f"the parameter `{plain(refused[0])}` cannot be used here; remove it")
    return secure
