"""Addresses in code: code and packages that a script loads directly from an address, in any language."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_flags
from interlock.analyse.addresses.package_sources import is_usual_source
from interlock.analyse.reading import Reading, Site
from interlock.patterns import late

# A function that runs or loads what it is given, and an address in its arguments.
_LOADS = late(
    r"(?:(?<![.\w])(?:source|include|load|evaluate|eval|import|require|dofile|load-file|runfile)\b"
    r"|\b(?:sys\.source|instance_eval))"
    r"\s*\(?[^\n;\"'`]{0,60}[\"'`](https?://[^\"'`\s]+)"
)
_REPOSITORY = late(
    r"\b(?:install_(?:github|gitlab|bitbucket|git|svn|url)|pak::pak|pkg_install)\s*\(\s*[\"']([^\"']+)"
    r"|\bPkg\.(?:add|develop)\s*\([^)\n]*\burl\s*=\s*[\"']([^\"']+)"
)
_INDEX = late(r"\brepos\s*=\s*(?:c\()?[\"'](https?://[^\"']+)")


def read_addresses_in_code(reading: Reading, text: str, site: Site) -> None:
    """Report code that a script runs from an address, and packages that it installs from one."""
    if "://" in text:
        for found in _LOADS.finditer(text):
            if "local" not in host_flags(found[1]):
                reading.emit("code.remote", site, found[1])
        for found in _INDEX.finditer(text):
            if not is_usual_source(found[1]) and "local" not in host_flags(found[1]):
                reading.emit("package.install", site, found[1], frozenset({"index"}))
    for found in _REPOSITORY.finditer(text):
        reading.emit("package.install", site, found[1] or found[2], frozenset({"url"}))
