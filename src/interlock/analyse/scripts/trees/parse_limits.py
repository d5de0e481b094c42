"""Parsing in bounded time, by what the text looks like and not by the clock.

Grammars recover from errors, and that may take more than linear time: JavaScript's takes 14 seconds for `->` four
thousand times, and Perl's and Lua's slow down with every error. So what is repeated over and over is given to the
grammar a few times only, a text is parsed up to the first place that is nothing but stray signs, and for the slow
grammars a long text is begun with a part of it.
"""

from __future__ import annotations

import re
import zlib
from itertools import islice

from tree_sitter import Node

from interlock.analyse.grammars import parse
from interlock.patterns import late

_KEPT = 10  # repetitions at either end of a row of them
_REPEATED = late(r"(.{1,16}?)\1{40,}", re.DOTALL)
_WINDOW = 400
_PACKED = 60  # bytes
_PLAIN = late(r"[\w\s]+")
#: Lines that begin with an equals sign, which Ruby's grammar looks at again and again.
_STRAY = late(r"^[ \t]*+=(?!begin\b|end\b)", re.MULTILINE)
MOST_STRAYS = 50
_SLOW = frozenset({"perl", "lua"})
_STAGES = (8_000, 16_000, 32_000)


def parse_bounded(grammar: str, text: str) -> tuple[Node, bool]:
    """Return the tree of a text, or of as much of its beginning as can be parsed; and whether it is all of it."""
    if grammar == "perl" and "<<" in text:
        text = _mask_unterminated(text)
    if len(text) <= _WINDOW:
        return parse(grammar, text), True
    if any(map(_is_monotonous, _windows(text))):
        text = _REPEATED.sub(_shorten_repetition, text)
    strays = list(islice(_STRAY.finditer(text), MOST_STRAYS + 1)) if grammar == "ruby" else []
    if len(strays) > MOST_STRAYS:
        return parse(grammar, text[: strays[-1].start()]), False
    for number, window in enumerate(_windows(text)):
        if _is_rubbish(grammar, window):
            return parse(grammar, text[: number * _WINDOW]), False
    for end in _STAGES if grammar in _SLOW else ():
        root = parse(grammar, text[:end]) if end < len(text) else None
        if root is not None and root.has_error and _count_errors(root) > end // 8:
            return root, False
    return parse(grammar, text), True


_HEREDOC = late(r"<<~?[ \t]*+(?:\"([^\"\n]*)\"|'([^'\n]*)'|`([^`\n]*)`|\\?([A-Za-z_]\w*))")


def _mask_unterminated(text: str) -> str:
    """Return Perl text without the openers of here-documents that never end: its grammar may not return from those.

    Perl itself rejects such a text.

    >>> _mask_unterminated("print <<A, <<B;\\na\\nA\\n")
    'print <<A, xxB;\\na\\nA\\n'
    """
    ends: dict[str, int] = {}
    at = 0
    for line in text.split("\n"):
        ends[line.strip(" \t\r")] = at
        at += len(line) + 1
    masked = list(text)
    for found in _HEREDOC.finditer(text):
        name = next(part for part in found.groups() if part is not None)
        if ends.get(name, -1) <= found.start():
            masked[found.start() : found.start() + 2] = "xx"
    return "".join(masked)


def _windows(text: str) -> list[str]:
    """Return the parts of a text of equal length, without the last one, which is shorter."""
    return [text[at : at + _WINDOW] for at in range(0, len(text) - _WINDOW + 1, _WINDOW)]


def _is_monotonous(window: str) -> bool:
    """Whether a part of a text says much the same all along, so that it packs well."""
    return len(zlib.compress(window.encode("utf-8", "replace"), 1)) < _PACKED


def _shorten_repetition(found: re.Match[str]) -> str:
    """Return something that is repeated with blanks in the middle: what is the same again says nothing new."""
    kept = found[1] * _KEPT
    return kept + " " * (len(found[0]) - 2 * len(kept)) + kept


def _is_rubbish(grammar: str, window: str) -> bool:
    """Whether a part of a text is made of signs that mean nothing together."""
    plain = sum(len(part) for part in _PLAIN.findall(window))
    if plain * 2 > len(window):
        return False
    root = parse(grammar, window)
    signs = len(window) - sum(map(str.isspace, window))
    return root.has_error and _count_errors(root) * 10 > signs * 7


def _count_errors(root: Node) -> int:
    """Return how many signs of a text the grammar has no use for."""
    count = 0
    left = [root]
    while left:
        node = left.pop()
        if node.is_error:
            count += 1 + sum(not child.child_count for child in node.children)
        if node.has_error:
            left += node.children
    return count
