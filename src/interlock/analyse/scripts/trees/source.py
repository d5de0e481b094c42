"""A script's text and its syntax tree, in bounded time; where the text does not parse, the pieces of it that do."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.trees.parse_limits import parse_bounded
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.trees.language import Language

MAX_CHARS = 64_000
MAX_HEAD = 2_000  # of a text that is too long, only the beginning is read
MAX_PIECES = 100
MAX_ERRORS = 100
MAX_BROKEN = 4

_HOLES = late(rf"{HOLE}[^{HOLE}]*{HOLE}|{HOLE}")
_SEPARATORS = late(r"[;\n{}]+")
_WORD = late(r"\w+")
_QUIET = ("string", "comment", "pod", "heredoc", "template", "regex", "data_section", "text")


class ScriptSource:
    """A text and its tree. Byte offsets in the tree are character offsets in the text.

    Parts of the text that are not known (holes) are given to the grammar as names of the same length.
    """

    def __init__(self, text: str, language: Language, *, is_whole: bool = True) -> None:
        self.text = text
        self.is_whole = is_whole  # whether the text stands in the action letter for letter
        self.seen: set[int] = set()  # the nodes that were read
        self._grammars, self._hole, self._heredocs = language.grammars, language.hole, language.heredocs

    @property
    def too_large(self) -> str:
        """Why the text was not parsed to its end, or nothing."""
        if len(self.text) > MAX_CHARS:
            return f"longer than {MAX_CHARS} characters"
        return "" if self._parse[1] else "too difficult to parse"

    @property
    def root(self) -> Node:
        """The tree of the first grammar that takes the text, else that of the first one."""
        return self._parse[0]

    @cached_property
    def _parse(self) -> tuple[Node, bool]:
        text = self.text[:MAX_HEAD] if len(self.text) > MAX_CHARS else self.text
        text = _HOLES.sub(self._spell_hole, text) if HOLE in text else text
        first, complete = parse_bounded(self._grammars[0], text)
        if not first.has_error or not complete:
            return first, complete
        for grammar in self._grammars[1:]:
            again, _ = parse_bounded(grammar, text)
            if not again.has_error:
                return again, True
        return first, True

    @property
    def ends_open(self) -> bool:
        """Whether the text ends before a bracket is closed, and the grammar has closed it in its place."""
        node = self.root
        while node.child_count:
            node = node.children[-1]
        return node.start_byte == node.end_byte and node.type in (")", "]", "}")

    def _spell_hole(self, found: re.Match[str]) -> str:
        size = len(found[0])
        return self._hole + "h" * (size - len(self._hole)) if size > 1 else " "

    def effort(self) -> int:
        """Return what parsing the text may cost, in steps: more where it does not parse."""
        return len(self.text) // (16 if self.root.has_error else 64) + 1

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

    def broken_lines(self) -> list[str]:
        """Return the lines in which something stands that the grammar does not take, or that it had to close itself."""
        found: list[str] = []
        end = -1
        for node in self.errors():
            part = node.parent if node.is_missing and node.parent is not None else node
            first = self.text.rfind("\n", 0, part.start_byte) + 1
            if first >= end:
                end = self.text.find("\n", part.end_byte)
                end = len(self.text) if end < 0 else end
                found.append(self.text[first:end][:MAX_HEAD])
        return found[:MAX_BROKEN]

    def heredoc(self, token: Node) -> Node | None:
        """Return the text of a here-document, which stands below the line that announces it."""
        return self._texts.get(token.start_byte)

    def is_announced(self, text: Node) -> bool:
        """Whether the text of a here-document is read where it is announced."""
        return any(text.start_byte == one.start_byte for one in self._texts.values())

    @cached_property
    def _texts(self) -> dict[int, Node]:
        """The texts of here-documents by where they are announced: in the same order."""
        tokens: list[Node] = []
        texts: list[Node] = []
        left = [self.root]
        while left:
            node = left.pop()
            kind = node.type
            if kind in self._heredocs[0]:
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
