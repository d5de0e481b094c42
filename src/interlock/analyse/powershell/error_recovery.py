"""The commands of a text that the grammar does not take, cut apart by quotes, brackets and separators alone."""

from __future__ import annotations

import re

from interlock.patterns import late

_PIECE = late(r"(?:'(?:[^'\n]|'')*'|\"(?:[^\"`\n]|`.)*\"|`.|[^;|&\n{}()'\"`]|['\"])+")
_LEADING = late(r"^(?:\s+|(?:else|do|try|finally|in|return|process|begin|end)\b)+", re.IGNORECASE)
MAX_PIECES = 200


def pieces(text: str) -> list[str]:
    """Return what stands between the separators and brackets of a text.

    >>> pieces("foo )( ; rm 'a;b' | x")
    ['foo', "rm 'a;b'", 'x']
    """
    found = []
    for piece in _PIECE.finditer(text):
        plain = _LEADING.sub("", piece[0]).strip()
        if plain and not plain.startswith("#"):
            found.append(plain)
        if len(found) >= MAX_PIECES:
            break
    return found
