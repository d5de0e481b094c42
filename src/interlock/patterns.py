"""Regular expressions: our own, compiled when they are first needed; and those from outside, in bounded time."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from interlock.errors import ConfigError


class Late:
    """A pattern that is compiled when it is first used: most are about something that an action has nothing of."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # of those, a pattern has none that anybody asks for by name
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)  # from now on it is as near as that of a compiled pattern
        return found


if TYPE_CHECKING:
    late = re.compile
else:
    late = Late


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return one of our own patterns that was put together, compiled once."""
    return re.compile(pattern)


Searcher = Callable[[str], bool]

#: How long one search may take, in seconds, where the pattern needs an engine that can be slow.
TIME_LIMIT = 0.05


def searcher(pattern: str, where: str, *, ignore_case: bool = True) -> Searcher:
    """Return a function that searches a text for a pattern.

    A pattern that the linear engine cannot take (look-around, back-references) runs under a time limit, and
    hitting the limit counts as found: a slow pattern must not open the gate.
    """
    import re2

    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    options.never_nl = False
    try:
        linear = re2.compile(pattern, options)
    except re2.error:
        return _limited(pattern, where, ignore_case)
    return lambda text: linear.search(text) is not None


def _limited(pattern: str, where: str, ignore_case: bool) -> Searcher:
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
