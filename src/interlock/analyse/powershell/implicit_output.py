"""Values of the environment that a PowerShell text gives as its output, without a cmdlet that prints."""

from __future__ import annotations

import re

from interlock.analyse.reading import Reading, Site
from interlock.analyse.secrets.disclosure import is_secret_constant
from interlock.patterns import late

_SHOWN = frozenset({"printed", "secret"})
# At the beginning of a statement, what is not assigned is printed.
_ALL = late(
    r"(?:^|[;{\n(])\s*\[(?:System\.)?Environment\]::GetEnvironmentVariables\([^)]*\)(?!\s*\[|\.(?:Keys|Count|Contains|Item))",
    re.IGNORECASE,
)
_ONE = late(r"(?:^|[;\n])\s*\$\{?env:(\w+)\}?\s*(?=[;\n]|$)", re.IGNORECASE)
_ELSEWHERE = late(r"(?i)\|\s*(?:out-null|measure|invoke-\w+|irm|iwr)|\.Keys\b|\.Count\b|-Body\b")


def report_shown(reading: Reading, text: str, site: Site) -> None:
    """Report a text whose output is the environment, or a variable that holds a secret."""
    whole = _ALL.search(text) is not None and _ELSEWHERE.search(text) is None
    if whole or any(is_secret_constant(found[1].upper()) for found in _ONE.finditer(text)):
        reading.emit("secret.read", site, "the environment", _SHOWN)
