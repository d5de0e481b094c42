"""Quoting of words for a shell."""

from __future__ import annotations

import shlex

from interlock.analyse.paths import HOLE


def quote(word: str) -> str:
    """Return a word as the shell reads it back; its holes stay, inside double quotes.

    >>> quote("a b"), quote("x")
    ("'a b'", 'x')
    """
    if HOLE not in word:
        return shlex.quote(word)
    return '"' + "".join("\\" + char if char in '"\\$`' else char for char in word) + '"'
