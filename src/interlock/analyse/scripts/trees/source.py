"""A script's text and its syntax tree, in bounded time; where the text does not parse, the pieces of it that do."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from tree_sitter import Node

from interlock.analyse.grammars import Parsed, parse_in_time
from interlock.analyse.paths import HOLE
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.trees.walker import Language

MAX_CHARS = 64_000
MAX_HEAD = 2_000  # of a text that is too long, only the beginning is read
MAX_PIECES = 100
MAX_ERRORS = 100
MAX_SECONDS = 0.1
#: Steps that a second of parsing costs beyond what it should take.
_STEPS_A_SECOND = 20_000

_HOLES = late(rf"{HOLE}[^{HOLE}]*{HOLE}|{HOLE}")
_SEPARATORS = late(r"[;\n{}]+")
_WORD = late(r"\w+")
_QUIET = ("string", "comment", "pod", "heredoc", "template", "regex", "data_section", "text")


class Source:
    """A text and its tree. Byte offsets in the tree are character offsets in the text.

    Parts of the text that are not known (holes) are given to the grammar as names of the same length.
    """

    def __init__(self, text: str, language: Language, *, is_whole: bool = True) -> None:
        self.text = text
        self.is_whole = is_whole  # whether the text stands in the action letter for letter
        self._grammars, self._hole, self._heredocs = language.grammars, language.hole, language.heredocs
        self.seconds = 0.0

    @property
    def too_large(self) -> str:
        """Why the text was not parsed to its end, or nothing."""
        if len(self.text) > MAX_CHARS:
            return f"longer than {MAX_CHARS} characters"
        return "" if self._parsed.complete else "too difficult to parse"

    @property
    def root(self) -> Node:
        """The tree of the first grammar that takes the text, else that of the first one."""
        return self._parsed.root

    @cached_property
    def _parsed(self) -> Parsed:
        text = self.text[:MAX_HEAD] if len(self.text) > MAX_CHARS else self.text
        text = _HOLES.sub(self._spell_hole, text) if HOLE in text else text
        first = self._parse(self._grammars[0], text)
        if not first.root.has_error or not first.complete:
            return first
        for grammar in self._grammars[1:]:
            again = self._parse(grammar, text)
            if not again.root.has_error:
                return again
        return first

    def _parse(self, grammar: str, text: str) -> Parsed:
        parsed = parse_in_time(grammar, text, MAX_SECONDS)
        self.seconds += parsed.seconds
        return parsed

    def _spell_hole(self, found: re.Match[str]) -> str:
        size = len(found[0])
        return self._hole + "h" * (size - len(self._hole)) if size > 1 else " "

    def effort(self) -> int:
        """Return what parsing the text cost, in steps."""
        usual = len(self.text) / 100_000
        return len(self.text) // 64 + 1 + int(max(self.seconds - usual - 0.01, 0) * _STEPS_A_SECOND)

    def errors(self) -> list[Node]:
        """Return the outermost parts of the text that the grammar does not take."""
        found: list[Node] = []
        left = [self.root]
        while left and len(found) < MAX_ERRORS:
            node = left.pop()
            if node.is_error or node.is_missing:
                found.append(node)
            elif node.has_error:
                left += reversed(node.children)
        return found

    def pieces(self) -> list[str]:
        """Return what stands between the separators of the parts that the grammar does not take."""
        found: list[str] = []
        for node in self.errors():
            text = self.text[node.start_byte : node.end_byte]
            found += [piece for part in _SEPARATORS.split(text, MAX_PIECES) if (piece := part.strip())]
        return list(dict.fromkeys(found))[:MAX_PIECES]

    def heredoc(self, token: Node) -> Node | None:
        """Return the text of a here-document, which stands below the line that announces it."""
        return self._texts.get(token.start_byte)

    @cached_property
    def _texts(self) -> dict[int, Node]:
        """The texts of here-documents by where they are announced: in the same order."""
        tokens: list[Node] = []
        texts: list[Node] = []
        left = [self.root]
        while left:
            node = left.pop()
            kind = node.type
            if kind == self._heredocs[0]:
                tokens.append(node)
            elif kind == self._heredocs[1]:
                texts.append(node)
            left += reversed(node.named_children)
        tokens.sort(key=lambda node: node.start_byte)
        texts.sort(key=lambda node: node.start_byte)
        return {token.start_byte: text for token, text in zip(tokens, texts, strict=False)}

    def words(self) -> set[str]:
        """Return the names and keywords of the text, without those in strings and comments."""
        found: set[str] = set()
        left = [self.root]
        while left:
            node = left.pop()
            if node.is_named and node.type.startswith(_QUIET):
                continue
            if node.child_count:
                left += node.children
            else:
                found.update(_WORD.findall(self.text[node.start_byte : node.end_byte]))
        return found
