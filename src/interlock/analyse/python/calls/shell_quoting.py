"""Quoting of words for a shell."""

from __future__ import annotations

import shlex

from interlock.analyse.files.paths import HOLE


def quote(word: str) -> str:
    """Return a word as the shell reads it back; its holes stay, inside double quotes.

    >>> quote("a b"), quote("x")
    ("'a b'", 'x')
    """
    if HOLE not in word:
        return shlex.quote(word)
    return '"' + "".join("\\" + char if char in '"\\$`' else char for char in word) + '"'


def split_words(text: str) -> list[str]:
    """Return the words of a command line; one that cannot be split is the code of a shell.

    >>> split_words("psql -c 'SELECT 1'"), split_words("echo 'a")
    (['psql', '-c', 'SELECT 1'], ['sh', '-c', "echo 'a"])
    """
    try:
        return shlex.split(text)
    except ValueError:
        return ["sh", "-c", text]
