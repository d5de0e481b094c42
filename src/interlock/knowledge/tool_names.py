"""The words in names of tools."""

from __future__ import annotations

from interlock.patterns import late

_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
MAX_NAME = 200


def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a snake, camel, kebab or dotted name, in order.

    >>> split_words("mcp__bank__doPayout-v2")
    ('mcp', 'bank', 'do', 'payout', 'v', '2')
    """
    return tuple(word.lower() for word in _WORDS.findall(name[:MAX_NAME]))


def join_words(name: str) -> str:
    """Return a name in the form that is compared.

    >>> join_words("createPaymentLink"), join_words("Create-Payment-Link")
    ('create_payment_link', 'create_payment_link')
    """
    return "_".join(split_words(name))
