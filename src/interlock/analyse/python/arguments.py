"""The arguments of a call: by position, or by one of the names that they usually have."""

from __future__ import annotations

from typing import Any

from interlock.analyse.python.values import UNKNOWN

_KEYWORDS = (
    tuple(
        "path src source url args cmd command file filename name text query statement sql source_dir host address "
        "qname hostname".split()
    ),
    tuple("dst dest destination target url location".split()),
    tuple("root_dir base_dir".split()),
)


def argument(arguments: list[Any], keywords: dict[str, Any], position: int) -> Any:
    """Return an argument by its position, or by one of the names that it usually has."""
    if position < len(arguments):
        return arguments[position]
    names = _KEYWORDS[position] if position < len(_KEYWORDS) else ()
    return next((keywords[name] for name in names if name in keywords), UNKNOWN)
