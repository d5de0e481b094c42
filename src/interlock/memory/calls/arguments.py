"""The values of a call that a run may remember by name: all but secrets."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from interlock.memory.calls.words import memory_words
from interlock.patterns import late
from interlock.payload import MAPPINGS, MAX_DEPTH, leaves

_OF_SECRET = late(r"(?i)pass|pwd|secret|token|credential|cookie|auth(?!or)|(?:api|private|access)_?key|jwt|otp|^pin$")


def argument_values(payload: Any) -> list[tuple[str, Any]]:
    """Return the keys and values of a payload, without the values of keys, names and options of secrets.

    >>> list(argument_values({"user": "ann", "apiKey": "k1", "login": {"password": "p1", "name": "shop"}}))
    [('user', 'ann'), ('name', 'shop')]
    >>> list(argument_values({"env": [{"name": "DB_PASSWORD", "value": "p1"}], "args": ["--token", "t1", "x"]}))
    [('name', 'DB_PASSWORD'), ('args', '--token'), ('args', 'x')]
    """
    return leaves(remove_secrets(payload))


def remove_secrets(value: Any, depth: int = 0) -> Any:
    """Return a payload without the values of keys, names and options of secrets."""
    if depth > MAX_DEPTH:
        return value  # which `leaves` cuts off here
    if isinstance(value, MAPPINGS):
        words = memory_words()
        is_secret = any(_OF_SECRET.search(str(value.get(key, ""))) for key in words.secret_naming)
        hidden = words.secret_values if is_secret else ()
        return {
            key: remove_secrets(part, depth + 1)
            for key, part in value.items()
            if not _OF_SECRET.search(str(key)) and str(key).lower() not in hidden
        }
    if isinstance(value, (list, tuple)):
        after = [False, *(_is_option(first) for first, _ in pairwise(value))]
        return (
            [remove_secrets(part, depth + 1) for part, hides in zip(value, after, strict=True) if not hides]
            if value
            else []
        )
    return value


def _is_option(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("-") and _OF_SECRET.search(value) is not None
