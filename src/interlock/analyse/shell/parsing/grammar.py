"""The shell grammar: text in, syntax tree out, in bounded time."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from interlock.analyse.grammars import parse
from interlock.model import Span
from interlock.patterns import late

# The grammar takes quadratic time on thousands of pipes, brackets or redirections, so their numbers are limited.
MAX_CHARS = 64_000
MAX_PIPES = 1_500
STEP = 64  # characters that are parsed in one step
_MOST = {"|": MAX_PIPES, **dict.fromkeys("(){}[]<>", 4_000)}

# A here-document that begins with a backslash, which the grammar reads as a continuation of the line before.
_ESCAPED_START = late(r"(<<[^\n]*+\n[ \t]*+)(\\[$`\\]?)")
# A redirection without a target on its line, which the grammar looks for on the next one. Shells reject it, and an
# interactive one goes on with the next line as a command. A carriage return or a form feed is a target to every shell.
_WITHOUT_TARGET = late(r"[<>]{1,3}[&|-]?(?=[ \t\r\f\v]*+(?:#[^\n]*+)?\n)")


class ShellSource:
    """A text and its location in the action: exact offsets, or the fixed span of the command that contains it.

    The grammar gets ASCII only, one character for each character: its scanner looks characters up in a table that
    ends at 255, and reads past the end for others. To a shell they are ordinary parts of words anyway. So byte
    offsets in the tree are character offsets in the text.
    """

    __slots__ = ("_fixed", "_offset", "forks", "parts", "text")

    def __init__(self, text: str, offset: int = 0, fixed: Span | None = None) -> None:
        self.text = text
        self.forks = "&" in text
        self._offset = offset
        self._fixed = fixed

    def replace(self, text: str) -> ShellSource:
        """Return a text of the same length at the same location."""
        return ShellSource(text, self._offset, self._fixed)

    def parse(self) -> Node:
        """Return the syntax tree."""
        self.parts: dict[int, Any] = {}  # id of a node → its parts as a handler takes them, which loops need again
        text = self.text
        if "<<" in text:
            text = _ESCAPED_START.sub(lambda found: found[1] + "x" * len(found[2]), text)
        if "\n" in text and ("<" in text or ">" in text):
            text = _WITHOUT_TARGET.sub(lambda found: " " * len(found[0]), text)
        return parse("bash", text)

    def slice(self, start: int, end: int) -> str:
        """Return the text between two offsets of the tree."""
        return self.text[start:end]

    def of(self, node: Node) -> str:
        """Return the text of a node."""
        return self.text[node.start_byte : node.end_byte]

    def span(self, node: Node) -> Span:
        """Return the span of a node in the action's text."""
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> Span:
        """Return the span in the action's text between two offsets of the tree."""
        if self._fixed is not None:
            return self._fixed
        offset = self._offset
        return (start + offset, end + offset) if offset else (start, end)

    def base(self, at: int) -> int:
        """Return the offset in the action of an offset in this text, or -1 if the text is not there literally."""
        return -1 if self._fixed is not None else self._offset + at


def accepts(text: str) -> bool:
    """Whether a text is valid shell. The grammar accepts `f(x)`, which shells reject."""
    if size_problem(text):
        return False
    root = ShellSource(text).parse()
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


def size_problem(text: str) -> str:
    """Return why a text is too large to parse, or an empty string."""
    if len(text) > MAX_CHARS:
        return f"longer than {MAX_CHARS} characters"
    if len(text) > MAX_PIPES:
        for sign, most in _MOST.items():
            if text.count(sign) > most:
                return f"with more than {most} `{sign}`"
    return ""


def parse_cost(text: str) -> int:
    """Return the estimated steps to parse a text, quadratic in its pipes, brackets and redirections."""
    length = len(text)
    if length <= MAX_PIPES:
        return length // STEP
    signs = sum(text.count(sign) for sign in _MOST)
    return length // STEP + signs * signs // 4_000
