"""Parsing in bounded time, by what the text looks like and not by the clock.

Grammars recover from errors, and that may take more than linear time: JavaScript's takes 14 seconds for `->` four
thousand times, and Perl's and Lua's a quarter of a second for each ten thousand characters of rubbish, squared. What
hurts is the same few signs again and again, so such places are found first, and the text is parsed up to each.
"""

from __future__ import annotations

import zlib

from tree_sitter import Node

from interlock.analyse.grammars import parse

_WINDOW = 500
_REPEATED = 45  # bytes that a window is packed into if it is the same few signs again and again
_MOST_ERRORS = 200
_QUADRATIC = frozenset({"perl", "lua"})
_STAGES = (8_000, 16_000, 32_000)


def parse_bounded(grammar: str, text: str) -> tuple[Node, bool]:
    """Return the tree of a text, or of as much of its beginning as can be parsed; and whether it is all of it."""
    for end in _stages(grammar, text):
        root = parse(grammar, text[:end])
        if root.has_error and _count_errors(root) > max(_MOST_ERRORS, end // 8 if end in _STAGES else 0):
            return root, False
    return parse(grammar, text), True


def _stages(grammar: str, text: str) -> list[int]:
    """Return the places up to which a text is parsed first, to see whether it is worth going on."""
    if len(text) <= _WINDOW:
        return []
    found = []
    run = 0
    for at in range(0, len(text), _WINDOW):
        run = run + 1 if _is_repeated(text[at : at + _WINDOW]) else 0
        if run and not run & (run - 1):  # the first window of a row of them, the second, the fourth, …
            found.append(at + _WINDOW)
    if grammar in _QUADRATIC:
        found += [end for end in _STAGES if end < len(text)]
    return sorted(found)


def _is_repeated(window: str) -> bool:
    return len(window) == _WINDOW and len(zlib.compress(window.encode("utf-8", "replace"), 1)) < _REPEATED


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
