"""Regular expressions: our own, compiled on first use; and those from a configuration, run in bounded time."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from interlock.errors import ConfigError


class Late:
    """A pattern that is compiled on first use: one process needs few of the many that are declared."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # `copy` and `pickle` look for special methods that a pattern does not have
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)  # later lookups do not come here
        return found


if TYPE_CHECKING:
    late = re.compile
else:
    late = Late


@cache
def compile_once(pattern: str) -> re.Pattern[str]:
    """Return a pattern of ours that is built from parts, compiled on the first call."""
    return re.compile(pattern)


Searcher = Callable[[str], bool]


def screen(*patterns: str) -> Searcher:
    """Return a function that says whether a text may match one of several patterns of ours, regardless of case.

    One pass of the linear engine answers for all patterns together. It never says no to a text that matches: where that
    engine knows less than the other one, the patterns are loosened. Texts beyond ASCII, and those with characters that
    only one of the engines takes for white space, may match anything.
    """
    linear = cache(lambda: _compile_screen(patterns))
    return lambda text: not text.isascii() or linear()(text.encode()) is not None


def _compile_screen(patterns: tuple[str, ...]) -> Callable[[bytes], Any]:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    compiled = re2.compile("|".join((_ODD_SPACE, *map(loosen, patterns))).encode(), options)
    search: Callable[[bytes], Any] = compiled.search
    return search


_ODD_SPACE = r"[\x0b\x1c-\x1f]"
_PIECE = re.compile(
    r"(?P<escaped>\\.)|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<look>\(\?<?[=!])|(?P<flags>\(\?[a-z]+\))"
    r"|(?P<count>\{\d+\})|(?P<any>\*|\{0,\d*\})|(?P<some>\+|\{\d+,\d*\})|(?P<end>\$)|(?P<open>\()|(?P<close>\))"
    r"|(?P<bar>\|)|.",
    re.DOTALL,
)


def loosen(pattern: str) -> str:
    """Return a pattern for the linear engine that matches wherever another one does, and has few states.

    It has no looks ahead and no counts, and ends before the first gap of any length that is not in a group.

    >>> loosen("(?i)a{4}b(?! (?:b|c))$"), loosen("send .{0,30}pounds"), loosen("keys? [a-f]{20,}x|[(?!]{0,9}[$]")
    ('a+b', 'send ', 'keys? [a-f]|[(?!]*[$]')
    """
    return "|".join(map(_loosen_alternative, _split_alternatives(pattern)))


def _split_alternatives(pattern: str) -> list[list[re.Match[str]]]:
    """Return the pieces of each alternative of a pattern, without those that only narrow it."""
    found: list[list[re.Match[str]]] = [[]]
    depth = looking = 0
    for piece in _PIECE.finditer(pattern):
        depth += (piece["look"] or piece["open"]) is not None
        if piece["look"] and not looking:
            looking = depth
        if piece["bar"] and not depth:
            found.append([])
        elif not (looking or piece["end"] or piece["flags"]):
            found[-1].append(piece)
        if piece["close"]:
            looking = 0 if depth == looking else looking
            depth -= 1
    return found


def _loosen_alternative(pieces: list[re.Match[str]]) -> str:
    """Return an alternative up to its first gap, or all of it if little stands before that."""
    kept: list[str] = []
    depth = last = 0  # where the last part begins, which can be a group
    for piece in pieces:
        if piece["any"] or piece["some"]:
            before = kept[:last] if piece["any"] else kept
            if not depth and sum(map(str.isalnum, before)) >= SHORTEST_BEGINNING:
                return "".join(before)
            kept.append("*" if piece["any"] else "+")
            continue
        if not (depth or piece["count"] or piece[0] == "?"):
            last = len(kept)
        depth += (piece["open"] is not None) - (piece["close"] is not None)
        kept.append("+" if piece["count"] else piece[0])
    return "".join(kept)


#: Letters before a gap by which most other texts are told apart.
SHORTEST_BEGINNING = 3


#: The time limit for one search, in seconds, for a pattern that needs a backtracking engine.
TIME_LIMIT = 0.05
#: How many alternatives a plain pattern has at most: each can double the time of a search that tries all of them.
MAX_ALTERNATIVES = 8


def searcher(pattern: str, where: str, *, ignore_case: bool = True) -> Searcher:
    """Return a function that says whether a pattern occurs in a text. `where` names the pattern in errors.

    A pattern that the linear engine does not support (look-around, back-references) runs under a time limit, and
    hitting the limit counts as a match: a slow pattern must not let an action through.
    """
    if _is_plain(pattern):
        return _plain_searcher(pattern, where, ignore_case)
    return _bounded_searcher(pattern, where, ignore_case)


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- ^$|()")


def _is_plain(pattern: str) -> bool:
    """Whether a pattern has letters, anchors, groups and few alternatives: valid, and quick in every engine."""
    depth = 0
    for char in pattern:
        depth += (char == "(") - (char == ")")
        if depth < 0 or char not in _PLAIN:
            return False
    return not depth and pattern.count("|") <= MAX_ALTERNATIVES


def _plain_searcher(pattern: str, where: str, ignore_case: bool) -> Searcher:
    """Return the search for a plain pattern, compiled on first use and without loading the linear engine.

    That engine still searches texts beyond ASCII: for some of their letters, the engines disagree about the case.
    """
    quick = cache(lambda: re.compile(pattern.replace("$", r"\Z"), re.IGNORECASE if ignore_case else 0))
    linear = cache(lambda: _bounded_searcher(pattern, where, ignore_case))
    return lambda text: quick().search(text) is not None if text.isascii() else linear()(text)


def _bounded_searcher(pattern: str, where: str, ignore_case: bool) -> Searcher:
    import re2

    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    options.never_nl = False
    try:
        linear = re2.compile(pattern, options)
    except re2.error:
        return _searcher_with_limit(pattern, where, ignore_case)
    # re2 reads UTF-8, which half of a surrogate pair is not.
    return lambda text: linear.search(text.encode("utf-8", "replace").decode()) is not None


def _searcher_with_limit(pattern: str, where: str, ignore_case: bool) -> Searcher:
    import regex

    try:
        compiled = regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
    except regex.error as error:
        raise ConfigError(f"{where}: the pattern `{pattern}` does not compile: {error}") from None

    def search(text: str) -> bool:
        try:
            return compiled.search(text, timeout=TIME_LIMIT) is not None
        except TimeoutError:
            return True

    return search
