"""The shell grammar: text in, syntax tree out, in bounded time."""

from __future__ import annotations

import threading
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any

from tree_sitter import Language, Node, Parser

from interlock.model import Span
from interlock.patterns import late

# The grammar takes quadratic time on thousands of pipes, brackets or redirections, so none may come in such numbers.
MAX_CHARS = 64_000
MAX_PIPES = 1_500
_MOST = {"|": MAX_PIPES, **dict.fromkeys("(){}[]<>", 4_000)}

_local = threading.local()


def _parser() -> Parser:
    parser: Parser | None = getattr(_local, "parser", None)
    if parser is None:
        parser = _local.parser = Parser(Language(_bash().language()))
    return parser


def _bash() -> Any:
    """Return the grammar without the package around it, which takes longer to load than the grammar itself."""
    package = find_spec("tree_sitter_bash")
    spec = package and PathFinder.find_spec("tree_sitter_bash._binding", package.submodule_search_locations)
    if spec is None or spec.loader is None:
        import tree_sitter_bash

        return tree_sitter_bash
    binding = module_from_spec(spec)
    spec.loader.exec_module(binding)
    return binding


_NOT_ASCII = late(r"[^\x00-\x7f]")
# A here-document that begins with a backslash, which the grammar takes for more words of the line before.
_ESCAPED_START = late(r"(<<[^\n]*+\n[ \t]*+)(\\[$`\\]?)")


class Source:
    """A text and where it stands in the action: nested text may stand there letter for letter, or not.

    The grammar is only ever given ASCII, one character for one: its scanner looks characters up in a table that
    ends at 255, and reads past it. To a shell, every other character is an ordinary part of a word anyway. So
    byte offsets in the tree are character offsets in the text.
    """

    __slots__ = ("_fixed", "_offset", "forks", "text")

    def __init__(self, text: str, offset: int = 0, fixed: Span | None = None) -> None:
        self.text = text
        self.forks = "&" in text
        self._offset = offset
        self._fixed = fixed

    def parse(self) -> Node:
        """Return the syntax tree."""
        text = self.text if self.text.isascii() else _NOT_ASCII.sub("x", self.text)
        if "<<" in text:
            text = _ESCAPED_START.sub(lambda found: found[1] + "x" * len(found[2]), text)
        return _parser().parse(text.encode("ascii")).root_node

    def slice(self, start: int, end: int) -> str:
        """Return the text between two offsets of the tree."""
        return self.text[start:end]

    def of(self, node: Node) -> str:
        """Return the text of a node."""
        return self.text[node.start_byte : node.end_byte]

    def span(self, node: Node) -> Span:
        """Return where a node stands in the action's text."""
        if self._fixed is not None:
            return self._fixed
        offset = self._offset
        return (offset + node.start_byte, offset + node.end_byte)

    def base(self, at: int) -> int:
        """Return where in the action a part of this text stands, or -1 if it does not stand there as it is."""
        return -1 if self._fixed is not None else self._offset + at


def accepts(text: str) -> bool:
    """Whether a text is shell. The grammar lets `f(x)` pass, which no shell does."""
    if too_large(text):
        return False
    root = Source(text).parse()
    if root.has_error:
        return False
    left = [root]
    while left:
        node = left.pop()
        children = node.named_children
        if node.type == "command" and any(child.type == "subshell" for child in children):
            return False
        left += children
    return True


def too_large(text: str) -> str:
    """Return why a text is not parsed as a whole, or nothing."""
    if len(text) > MAX_CHARS:
        return f"longer than {MAX_CHARS} characters"
    if len(text) > MAX_PIPES:
        for sign, most in _MOST.items():
            if text.count(sign) > most:
                return f"with more than {most} `{sign}`"
    return ""


def effort(text: str) -> int:
    """Return what parsing a text may cost, in steps: signs count more the more there are of them."""
    signs = sum(text.count(sign) for sign in _MOST) if len(text) > MAX_PIPES else 0
    return len(text) // 64 + signs * signs // 4_000
