"""The words in names of tools."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from interlock.patterns import late

_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
MAX_NAME = 200


def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a snake, camel, kebab or dotted name, in order and without accents.

    >>> split_words("mcp__bank__doPayout-v2"), split_words("überweisungSenden")
    (('mcp', 'bank', 'do', 'payout', 'v', '2'), ('uberweisung', 'senden'))
    """
    return _split(name[:MAX_NAME])


@lru_cache(maxsize=4096)
def _split(name: str) -> tuple[str, ...]:
    if not name.isascii():
        folded = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
        name = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return tuple(map(str.lower, _WORDS.findall(name)))


def join_words(name: str) -> str:
    """Return a name in the form that is compared.

    >>> join_words("createPaymentLink"), join_words("Create-Payment-Link")
    ('create_payment_link', 'create_payment_link')
    """
    return "_".join(split_words(name))
