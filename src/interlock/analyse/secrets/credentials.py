"""Credentials in texts, besides keys of services: passwords in addresses, variables with secrets, and encoded ones."""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from itertools import islice

from interlock.analyse.secrets.key_shapes import MAX_TEXT, holds_key, longest_word
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.texts import KeyShapes
from interlock.patterns import compile_once, late

#: A variable with a secret in it, as in a file of variables.
_VARIABLE = late(r"\b[A-Z][A-Z0-9_]*(?:SECRET|PASSWORD|PASSWD|TOKEN)[A-Z0-9_]*=(?![<$\[{*x.])[^\s\"']{12,}")
#: What a shorter text encodes is no key.
_ENCODED = late(r"[A-Za-z0-9+/_-]{24,8000}={0,2}")
_SHORTEST_ENCODED = 24
MAX_ENCODED = 16  # words of a text that are decoded


def holds_credentials(text: str) -> bool:
    """Whether a text contains a key, the address of a server with a password in it, or a variable with a secret.

    >>> holds_credentials("postgres://app:Vb7-trout@db1.shop.io/orders"), holds_credentials("postgres://db1.shop.io")
    (True, False)
    """
    text = text[:MAX_TEXT]
    if holds_key(text) or ("=" in text and _VARIABLE.search(text) is not None):
        return True
    return "://" in text and compile_once(_connection()).search(text) is not None


def hides_credentials(text: str) -> bool:
    """Whether a text contains credentials in base64.

    >>> hides_credentials("k=QVBJX1RPS0VOPWExYjJjM2Q0ZTVmNmc3aDg=")
    True
    """
    if len(text) < _SHORTEST_ENCODED or longest_word(text[:MAX_TEXT]) < _SHORTEST_ENCODED:
        return False
    return any(map(holds_credentials, _decode_words(text)))


def carries_key(text: str) -> bool:
    """Whether a text contains a key, or credentials in base64."""
    return holds_key(text) or hides_credentials(text)


def _decode_words(text: str) -> Iterator[str]:
    """Yield the printable texts that words of a text encode."""
    for found in islice(_ENCODED.finditer(text[:MAX_TEXT]), MAX_ENCODED):
        word = found[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            decoded = binascii.a2b_base64(word + "=" * (-len(word) % 4)).decode("ascii")
        except (binascii.Error, UnicodeDecodeError):
            continue  # an ordinary word
        if decoded.replace("\n", "").replace("\t", "").isprintable():
            yield decoded


def _connection() -> str:
    """Return the pattern of an address with a password in it that is not that of a local server."""
    table = read_table("key-shapes", KeyShapes)
    return (
        rf"\b(?:{'|'.join(table.password_schemes)})://[^\s:/@]{{1,60}}:(?!(?:{'|'.join(table.placeholder_passwords)})@)"
        r"[^\s:/@<>{}$*\[\]]{4,100}@(?!(?:localhost|127\.[\d.]+|db|host|(?:[\w-]+\.)*example(?:\.\w+)?)(?![\w.-]))[\w.-]+"
    )
