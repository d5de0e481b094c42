"""The PowerShell grammar: text in, syntax tree out, in bounded time."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.grammars import parse, to_ascii
from interlock.analyse.powershell.masking import MaskedText, mask_arguments
from interlock.analyse.reading import Site
from interlock.model import Span
from interlock.patterns import late

MAX_CHARS = 64_000
_HOLES = late(f"{HOLE}[^{HOLE}]*{HOLE}")
_STAND_IN = late(r"zqhole(\d+)qz")
# The grammar takes quadratic time on thousands of these, so none may come in such numbers.
_MOST = {**dict.fromkeys("|(){}[]<>,;@&$\"'`", 3_000), "\n": 8_000}


def _ends_open(text: str, masked: MaskedText) -> bool:
    """Whether a comment, or a quote or bracket in a word, is open at the end: what stands in it may be code."""
    comment = text.rfind("<#")
    if comment > text.rfind("#>") and not masked.text[comment : comment + 2].strip():
        return True
    end = len(text.rstrip())
    words = [text[at:stop] for at, stop in masked.words.items() if stop >= end and "\n" in text[at:stop]]
    return any(map(_is_open, words))


_PART = late(r"`.|'[^']*+'|\"(?:[^\"`]|`.)*+\"|['\"(){}]", re.DOTALL)


def _is_open(word: str) -> bool:
    """Whether a quote or a bracket in a word does not close.

    >>> _is_open("a'b"), _is_open("a'b'(c)")
    (True, False)
    """
    marks = [found[0] for found in _PART.finditer(word) if len(found[0]) == 1]
    return "'" in marks or '"' in marks or sum((mark in "({") - (mark in ")}") for mark in marks) > 0


class PowerShellSource:
    """A text with its tree. A hole, which the grammar does not know, is written as a name that stands for it."""

    __slots__ = ("_base", "_holes", "_span", "broken", "commas", "root", "text", "words")

    def __init__(self, text: str, site: Site, holes: Mapping[str, str] | None = None) -> None:
        self._holes = dict(holes or {})
        self._base = site.base if HOLE not in text else -1
        self._span = site.span
        self.text = plain_signs(_HOLES.sub(self._stand_in, text) if HOLE in text else text)
        self.words: dict[int, int] = {}  # where words stand that were masked
        self.commas: frozenset[int] = frozenset()
        self.broken = False  # whether the grammar did not take it
        self.root = self._parse()

    def _stand_in(self, found: re.Match[str]) -> str:
        name = f"zqhole{len(self._holes)}qz"
        self._holes[name] = found[0]
        return name

    def _parse(self) -> Node:
        plain = to_ascii("powershell", self.text)
        root = parse("powershell", plain)
        if not root.has_error and "\t" not in plain:  # which the grammar takes for a part of a name
            return root
        masked = mask_arguments(plain)
        self.words, self.commas = masked.words, masked.commas
        root = parse("powershell", masked.text + "\n")
        self.broken = (root.has_error and bool(masked.text.strip())) or _ends_open(plain, masked)
        return root

    def inner(self, text: str) -> PowerShellSource:
        """Return a part of this text as a source of its own."""
        return PowerShellSource(text, Site(self._span, base=-1), self._holes)

    def of(self, node: Node) -> str:
        """Return the text of a node as it was written, holes included."""
        return self.slice(node.start_byte, node.end_byte)

    def slice(self, start: int, end: int) -> str:
        """Return the text between two offsets, holes included."""
        return self.fill(self.text[start:end])

    def fill(self, text: str) -> str:
        """Return a text with its holes in place of the names that stand for them."""
        if not self._holes or "zqhole" not in text:
            return text
        return _STAND_IN.sub(lambda found: self._holes.get(found[0], found[0]), text)

    def span(self, node: Node) -> Span:
        """Return where a node stands in the action's text."""
        return self._span if self._base < 0 else (self._base + node.start_byte, self._base + node.end_byte)


def plain_signs(text: str) -> str:
    """Return a text with the quotes, dashes and spaces of other alphabets as PowerShell takes them."""
    if text.isascii():
        return text
    return "".join(
        sign if sign in _SIGNS else char for sign, char in zip(to_ascii("powershell", text), text, strict=True)
    )


_SIGNS = frozenset("\"'- \n")


def too_large(text: str) -> str:
    """Return why a text is not parsed, or nothing."""
    if len(text) > MAX_CHARS:
        return f"longer than {MAX_CHARS} characters"
    for sign, most in _MOST.items():
        if len(text) > most and text.count(sign) > most:
            return f"with more than {most} `{sign}`"
    return ""


def effort(text: str) -> int:
    """Return what parsing a text may cost, in steps: signs count more the more there are of them."""
    signs = sum(text.count(sign) for sign in "(){}[]|&!$\"'") if len(text) > 1_000 else 0
    return len(text) // 64 + signs * signs // 4_000
