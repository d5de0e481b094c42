"""Tables of a package registry: its packages, who may publish them, and its checks."""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site
from interlock.patterns import late

_REGISTRY = frozenset({"registry"})
#: Tables that hold packages, their versions and files.
_PACKAGES = late(
    r"(?i)(?:^|[._])(?:packages?|crates?|gems?|rubygems|artifacts?|dist_?tags?|distributions?|npm_\w+|pypi_\w+"
    r"|(?:package|crate|gem|artifact|module|image|chart|plugin|release)_(?:versions?|files?|releases?|tarballs?|tags?|digests?)"
    r"|registry_\w+|repository_config\w*|versions)$"
)
_OWNERS = late(
    r"(?i)(?:^|[._])(?:package|crate|gem|module|project|registry|org|namespace|artifact|repo(?:sitory)?)s?_"
    r"(?:owners?|maintainers?|collaborators?|publishers?|admins?|members?|permissions?|roles?|ownerships?)$|(?:^|[._])ownerships$"
)
#: Columns whose change makes a registry serve something else, or to somebody else.
_SERVED = late(
    r"(?i)\bset\b.*?\b(?:sha\d*|checksum|digest|integrity|shasum|hash|download_url|tarball(?:_url)?|dist_url|source_url"
    r"|yanked\w*|unpublished\w*|deleted_at|indexed|deprecated|visibility|is_public|public|private|owner_?id|maintainer\w*"
    r"|anonymous_access|allow_redeploy|write_policy|latest\w*)\s*=",
)
_SETTINGS = late(
    r"(?i)(?:^|[._])(?:\w+_)?(?:settings?|configs?|configuration|policies|policy|flags|features?|options)$"
)
_LOOSENED = late(
    r"(?i)(?:sign(?:ature|ing)|verif|checksum|mfa|2fa|two_factor|totp|require_\w*(?:review|approval|auth)|tls|ssl|scan|quarantine"
    r"|anonymous|provenance|attestation|rate_limit|password_policy|ip_allow)"
)
_OFF = late(r"(?i)\bset\b.*?=\s*'?(?:false|off|0|no|none|disabled|write|admin|public)\b")


def report_registry(reading: Reading, kind: str, name: str, text: str, site: Site) -> None:
    """Report a change of the packages of a registry, their owners, or its checks."""
    start = text.lstrip()[:6].lower()
    owned = start != "create" and kind in ("db.write", "db.delete") and _OWNERS.search(name) is not None
    if owned or (start == "update" and _is_serious(name, text[:MAX_TEXT])):
        reading.emit("db.write", site, name, _REGISTRY)


def _is_serious(name: str, text: str) -> bool:
    """Whether an update changes the packages of a registry, or loosens a check."""
    if _PACKAGES.search(name) and _SERVED.search(text):
        return True
    return bool(_SETTINGS.search(name) and _LOOSENED.search(text) and _OFF.search(text))


MAX_TEXT = 2_000
