"""A script's text and its syntax tree, in bounded time; where the text does not parse, the pieces of it that do."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from tree_sitter import Node

from interlock.analyse.grammars import parse
from interlock.analyse.paths import HOLE
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.trees.walker import Language

MAX_CHARS = 64_000
MAX_PIECES = 200
MAX_ERRORS = 100
#: Grammars take more than linear time on great numbers of these, so none may come in such numbers.
_MOST = dict.fromkeys("(){}[]<>", 4_000)
_SMALL = 1_500

_HOLES = late(rf"{HOLE}[^{HOLE}]*(?:{HOLE}|\Z)", re.DOTALL)
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
        self.too_large = _excess(text)

    @cached_property
    def root(self) -> Node:
        """The tree of the first grammar that takes the text, else that of the first one."""
        text = _HOLES.sub(self._spell_hole, self.text) if HOLE in self.text else self.text
        first = parse(self._grammars[0], text)
        if not first.has_error:
            return first
        for grammar in self._grammars[1:]:
            root = parse(grammar, text)
            if not root.has_error:
                return root
        return first

    def _spell_hole(self, found: re.Match[str]) -> str:
        return self._hole + "h" * (len(found[0]) - len(self._hole))

    def effort(self) -> int:
        """Return what parsing the text may cost, in steps."""
        return len(self.text) // 64 + 1

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


def _excess(text: str) -> str:
    """Return why a text is not parsed, or nothing."""
    if len(text) > MAX_CHARS:
        return f"longer than {MAX_CHARS} characters"
    if len(text) > _SMALL:
        for sign, most in _MOST.items():
            if text.count(sign) > most:
                return f"with more than {most} `{sign}`"
    return ""
