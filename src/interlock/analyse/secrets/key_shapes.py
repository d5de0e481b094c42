"""Keys in texts: keys of services by their shape (`knowledge/tables/key-shapes.toml`), and private keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.texts import KeyShape, KeyShapes
from interlock.patterns import compile_once, late

MAX_TEXT = 20_000
#: Every key contains a run of such characters: most texts have none, and are not looked at further.
_RUN = late(r"[\w+/=.:~$@-]{14}")
SHORTEST_KEY = 14
_PRIVATE_KEY = late(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?:\\[nr]|[\w\s+/=:,.-]){0,20000}?"
    r"-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?:\\[nr]|[\w\s+/=:,.]){0,20000})"
    r"|PuTTY-User-Key-File-\d"
)
#: A shorter beginning is found in ordinary words when somebody searches for them.
_SHORTEST_SEARCHED = 5


def holds_key(text: str) -> bool:
    """Whether a text contains a complete key.

    >>> holds_key("Authorization: Bearer ghp_" + "a" * 36), holds_key("see ghp_ tokens")
    (True, False)
    """
    if len(text) < SHORTEST_KEY:
        return False
    text = text[:MAX_TEXT]
    if _may_hold_private_key(text) and _PRIVATE_KEY.search(text):
        return True
    if longest_word(text) < SHORTEST_KEY or not _RUN.search(text):
        return False
    return any(shape.search(text) for shape in _shapes_in(text, _telling_shapes()))


def longest_word(text: str) -> int:
    """Return the length of the longest part of a text without white space: few texts have one as long as a key."""
    return max(map(len, text.split()), default=0)


def _may_hold_private_key(text: str) -> bool:
    return "PRIVATE KEY" in text or "PuTTY-User-Key-File" in text


def is_key_beginning(text: str) -> bool:
    """Whether a text has the beginning of a key in it, as a search for keys does.

    >>> is_key_beginning("glsa_"), is_key_beginning("secret_name")
    (True, False)
    """
    return any(begin in text for begin in _searched_beginnings())


def mask_keys(text: str, mask: Callable[[str], str]) -> str:
    """Return a text in which each key is masked."""
    if _may_hold_private_key(text):
        text = _PRIVATE_KEY.sub(lambda found: mask(found[0]), text)
    for shape in _shapes_in(text, _masked_shapes()):
        text = shape.sub(lambda found: mask(found[0]), text)
    return text


def _shapes_in(text: str, shapes: tuple[tuple[str, str], ...]) -> Iterator[re.Pattern[str]]:
    """Yield the patterns of the shapes whose beginning is in a text; only these are compiled."""
    return (compile_once(pattern) for begin, pattern in shapes if begin in text)


def _patterns_of(shape: KeyShape) -> Iterator[tuple[str, str]]:
    edge = r"\b" if shape.before or shape.begins[0][0].isalnum() else ""
    return ((begin, f"{edge}{shape.before}{re.escape(begin)}{shape.then}") for begin in shape.begins)


@cache
def _telling_shapes() -> tuple[tuple[str, str], ...]:
    shapes = read_table("key-shapes", KeyShapes).keys
    return tuple(pair for shape in shapes if not shape.masked_only for pair in _patterns_of(shape))


@cache
def _masked_shapes() -> tuple[tuple[str, str], ...]:
    shapes = read_table("key-shapes", KeyShapes).keys
    return tuple(pair for shape in shapes if not shape.common for pair in _patterns_of(shape))


@cache
def _searched_beginnings() -> tuple[str, ...]:
    shapes = [shape for shape in read_table("key-shapes", KeyShapes).keys if not (shape.common or shape.masked_only)]
    return tuple(begin for shape in shapes for begin in shape.begins if len(begin) >= _SHORTEST_SEARCHED)
