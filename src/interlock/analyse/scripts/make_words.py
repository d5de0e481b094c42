"""Functions of make on words: computed where their arguments are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest

MAX_WORDS = 256
MAX_PATTERNS = 16


def _join(given: list[str]) -> str:
    """`$(join a b,1 2)` is `a1 b2`."""
    left, right = given[0].split()[:MAX_WORDS], given[1].split()[:MAX_WORDS]
    return " ".join(one + other for one, other in zip_longest(left, right, fillvalue=""))


def _compare(given: list[str]) -> str:
    """`$(intcmp 1,2,less,equal,greater)`; without all of them, the last one counts for the rest."""
    left, right = int(given[0]), int(given[1])
    ways = given[2:]
    if not ways:
        return given[0] if left == right else ""
    if left < right:
        return ways[0]
    if left == right:
        return ways[1] if len(ways) > 1 else ""
    return ways[2] if len(ways) > 2 else ways[1] if len(ways) > 1 else ""


def _word_list(given: list[str]) -> str:
    first, last = int(given[0]), int(given[1])
    return " ".join(given[2].split()[first - 1 : last])


def _filter(given: list[str]) -> list[str]:
    """Return the words that one of several patterns matches; `%` stands for anything."""
    patterns = [re.escape(one).replace("%", ".*", 1) for one in given[0].split()[:MAX_PATTERNS]]
    return [word for word in given[1].split()[:MAX_WORDS] if any(re.fullmatch(one, word) for one in patterns)]


def _leave(given: list[str]) -> str:
    matched = set(_filter(given))
    return " ".join(word for word in given[1].split()[:MAX_WORDS] if word not in matched)


WORDS: dict[str, Callable[[list[str]], str]] = {
    "filter": lambda given: " ".join(_filter(given)),
    "filter-out": _leave,
    "firstword": lambda given: (given[0].split() or [""])[0],
    "intcmp": _compare,
    "join": _join,
    "lastword": lambda given: (given[0].split() or [""])[-1],
    "notdir": lambda given: " ".join(word.rpartition("/")[2] for word in given[0].split()[:MAX_WORDS]),
    "sort": lambda given: " ".join(sorted(set(given[0].split()[:MAX_WORDS]))),
    "strip": lambda given: " ".join(given[0].split()),
    "word": lambda given: given[1].split()[int(given[0]) - 1],
    "wordlist": _word_list,
    "words": lambda given: str(len(given[0].split())),
}


def compute_words(name: str, given: list[str]) -> str | None:
    """Return what a function of make gives, or None where that cannot be told."""
    if any("$" in one for one in given):
        return None
    try:
        return WORDS[name](given)
    except (ValueError, IndexError):
        return None
