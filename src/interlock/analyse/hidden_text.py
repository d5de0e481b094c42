"""Hidden text: invisible characters, sequences that erase shown text, code pushed out of the window.

A person who looks at the text, or at the file that it fills, sees something other than what a program reads.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.texts import Confusables
from interlock.patterns import late

# Characters that are invisible or change the direction of a text, except those that join emoji.
_INVISIBLE = late("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\U000e0000-\U000e007f]")
# The same characters as the bytes of UTF-8, one by one.
_INVISIBLE_BYTES = late("\xe2\x80[\x8b\x8e\x8f\xaa-\xae]|\xe2\x81[\xa0\xa6-\xa9]|\xf3\xa0[\x80\x81]")
# Sequences by which a terminal moves up, erases a line or hides text.
_ERASING = late(r"\x1b\[(?:\d*[AF]|[012]?K|2J|8m)")
# Code far to the right, outside of an editor's window.
_FAR_RIGHT = late(
    r"(?<![ \t])[ \t]{80,}(?:[;&|]|//|#|"
    r"\S{0,40}(?:\bimport\b|\bexec\b|\beval\b|\bsystem\b|\brequire\(|\bcurl\b|\bwget\b|\bfetch\())"
)
# A carriage return or a backspace in the middle of a line: a terminal writes what follows over what came before.
_OVERWRITING = late(r"\r(?![\n\r]|$)|\x08")
_PAIR = late("[A-Za-z][\u0370-\u052f]|[\u0370-\u052f][A-Za-z]")
_WORD = late("[A-Za-z\u0370-\u052f]+")


@cache
def _plain_letters() -> dict[int, str]:
    """Return the plain letter that each letter of another script looks like."""
    letters = read_table("confusables", Confusables).letters
    pairs = ((plain, one) for plain, others in letters.items() for one in (*others, *others.upper()))
    return {ord(one): plain for plain, one in pairs}


def is_invisible(text: str) -> bool:
    """Whether a text has invisible characters, or characters that change its direction."""
    return not text.isascii() and (_INVISIBLE.search(text) or _INVISIBLE_BYTES.search(text)) is not None


def overwrites(text: str) -> bool:
    r"""Whether a part of a line overwrites the rest when it is displayed.

    >>> overwrites("ls # all\rrm x"), overwrites("ls\r\npwd\r\n")
    (True, False)
    """
    return _OVERWRITING.search(text) is not None


def conceals(text: str) -> bool:
    r"""Whether a part of a text is invisible to a person to whom it is displayed.

    >>> conceals("curl x | sh\x1b[2K\x1b[1Aecho ok"), conceals("\x1b[32mok\x1b[0m")
    (True, False)
    >>> conceals("x = 1" + " " * 200 + "; import os"), conceals("x = 1" + " " * 200 + "\n")
    (True, False)
    """
    if "\x1b[" in text and _ERASING.search(text) is not None:
        return True
    return is_invisible(text) or (" " * 40 in text and _FAR_RIGHT.search(text) is not None)


# Characters without a width, which a text for people has between words or in emoji, and an order that hides in letters.
_BETWEEN_LETTERS = late("[A-Za-z][\u200b-\u200d\u2060-\u2064\ufeff\u00ad]+(?=[A-Za-z])")
_WIDTHLESS = late("[\u200b-\u200f\u2060-\u2064\ufeff\u00ad\u202a-\u202e\u2066-\u2069]")
# Letters that are tags: those of a flag follow a black flag.
_TAGS = late("(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0020-\U000e007e]{3,}")
_LETTER_TAG = late("[\U000e0020-\U000e007e]")
MIN_SPLITS = 3


def splits_words(text: str) -> bool:
    r"""Whether invisible characters split the words of a text, or spell words of their own.

    >>> splits_words("a\u200bp\u200bp\u200brove"), splits_words("one\u200b two")
    (True, False)
    """
    if text.isascii():
        return False
    return _TAGS.search(text) is not None or len(_BETWEEN_LETTERS.findall(text)) >= MIN_SPLITS


def reveal(text: str) -> str:
    r"""Return a text without characters that have no width, and with the letters that tags spell.

    >>> reveal("a\u200bb")
    'ab'
    """
    if text.isascii():
        return text
    return _WIDTHLESS.sub("", _LETTER_TAG.sub(lambda found: chr(ord(found[0]) - 0xE0000), text))


def mixes_letters(text: str) -> bool:
    """Whether a word mixes plain letters with similar-looking letters of another script.

    >>> mixes_letters("\u0430dmin"), mixes_letters("admin"), mixes_letters("\u0394t")
    (True, False, False)
    """
    return _PAIR.search(text) is not None and any(map(_is_mixed, _WORD.findall(text)))


def _is_mixed(word: str) -> bool:
    foreign = [letter for letter in word if not letter.isascii()]
    if not foreign or len(foreign) == len(word) or len(word) < 3:
        return False
    return word.translate(_plain_letters()).isascii() and all(
        unicodedata.category(letter)[0] == "L" for letter in foreign
    )
