"""Methods of texts and lists that change nothing: computed where everything is known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from interlock.analyse.powershell.values import is_known, text_of
from interlock.analyse.scripts.values import MAX_ITEMS, MAX_TEXT

_ERRORS = (ValueError, TypeError, LookupError, ArithmeticError)


def compute_method(owner: Any, name: str, arguments: list[Any]) -> Any:
    """Return what a method of a text or a list gives, or None where that cannot be told.

    >>> compute_method("a-b", "split", ["-"]), compute_method("a", "kill", [])
    (['a', 'b'], None)
    """
    method = _METHODS.get(name)
    if method is None or not is_known(owner) or not all(is_known(one) for one in arguments):
        return None
    try:
        value = method(owner, arguments)
    except _ERRORS:
        return None
    return value if not isinstance(value, (str, list)) or len(value) <= MAX_TEXT else None


def _split(owner: Any, given: list[Any]) -> list[str]:
    if not given:
        return text_of(owner).split()
    marks = given[0] if isinstance(given[0], list) else [given[0]]
    pattern = "|".join(re.escape(text_of(mark)) for mark in marks if text_of(mark))
    return re.split(pattern, text_of(owner))[:MAX_ITEMS] if pattern else [text_of(owner)]


def _substring(owner: Any, given: list[Any]) -> str:
    text, start = text_of(owner), int(given[0])
    return text[start : start + int(given[1])] if len(given) > 1 else text[start:]


def _replace(owner: Any, given: list[Any]) -> str:
    old, new = text_of(given[0]), text_of(given[1]) if len(given) > 1 else ""
    text = text_of(owner)
    if not old or len(text) + text.count(old) * len(new) > MAX_TEXT:
        raise ValueError(old)
    return text.replace(old, new)


def _remove(owner: Any, given: list[Any]) -> str:
    text, start = text_of(owner), int(given[0])
    return text[:start] + (text[start + int(given[1]) :] if len(given) > 1 else "")


def _insert(owner: Any, given: list[Any]) -> str:
    text, at = text_of(owner), int(given[0])
    return text[:at] + text_of(given[1]) + text[at:]


def _pad(owner: Any, given: list[Any]) -> str:
    return text_of(owner).rjust(min(int(given[0]), MAX_TEXT), text_of(given[1])[:1] if len(given) > 1 else " ")


_METHODS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "replace": _replace,
    "split": _split,
    "substring": _substring,
    "remove": _remove,
    "insert": _insert,
    "padleft": _pad,
    "tolower": lambda owner, _given: text_of(owner).lower(),
    "tolowerinvariant": lambda owner, _given: text_of(owner).lower(),
    "toupper": lambda owner, _given: text_of(owner).upper(),
    "toupperinvariant": lambda owner, _given: text_of(owner).upper(),
    "trim": lambda owner, given: text_of(owner).strip(text_of(given) or None),
    "trimstart": lambda owner, given: text_of(owner).lstrip(text_of(given) or None),
    "trimend": lambda owner, given: text_of(owner).rstrip(text_of(given) or None),
    "tochararray": lambda owner, _given: list(text_of(owner)[:MAX_ITEMS]),
    "tostring": lambda owner, given: text_of(owner) if not given else None,
    "normalize": lambda owner, _given: text_of(owner),
    "indexof": lambda owner, given: text_of(owner).find(text_of(given[0])),
    "startswith": lambda owner, given: text_of(owner).startswith(text_of(given[0])),
    "endswith": lambda owner, given: text_of(owner).endswith(text_of(given[0])),
    "contains": lambda owner, given: text_of(given[0]) in (owner if isinstance(owner, list) else text_of(owner)),
    "getenumerator": lambda owner, _given: owner,
    "clone": lambda owner, _given: owner,
}
