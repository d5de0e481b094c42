"""Disclosure: the value of a secret is printed, or written to a file that is not made for secrets."""

from __future__ import annotations

from interlock.analyse.files.paths import HOLE, holes
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.secrets.keys import shows_secret
from interlock.patterns import late

_CONSTANT = late(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+|PG(?:PASSWORD|PASS)|[A-Z0-9]*(?:TOKEN|SECRET|PASSWORD|APIKEY)")
_PRINTED = frozenset({"printed", "secret"})
#: The mark of data that holds the value of a secret.
VALUE = frozenset({"variable"})


def holds_value(text: str) -> bool:
    """Whether a text with holes holds the value of a secret variable: `token: $API_TOKEN`."""
    return HOLE in text and any(is_secret_constant(name) for name in holes(text))


def is_secret_constant(name: str) -> bool:
    """Whether a name has the usual form of an environment variable, and says that it holds a secret.

    >>> is_secret_constant("STRIPE_SECRET_KEY"), is_secret_constant("token"), is_secret_constant("NODE_ENV")
    (True, False, False)
    """
    return _CONSTANT.fullmatch(name) is not None and shows_secret(name)


def is_disclosed(flow: Flow) -> bool:
    """Whether data holds the value of a secret."""
    if "variable" in flow.marks:
        return True
    text = flow.text
    return text is not None and HOLE in text and holds_value(text)


def report_printed(reading: Reading, printed: Flow, site: Site) -> None:
    """Report an action whose output shows the value of a secret."""
    if is_disclosed(printed):
        reading.emit("secret.read", site, "a secret", _PRINTED)
