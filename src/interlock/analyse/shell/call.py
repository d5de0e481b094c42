"""A call: a command's words with where they stand, its scope and its input."""

from __future__ import annotations

from tree_sitter import Node

from interlock.analyse.reading import NOTHING, Flow, Site
from interlock.analyse.shell.scope import Scope
from interlock.model import Span

_SPECIAL = frozenset(" \t\n;&|<>()$`=")


def _is_text(word: str) -> bool:
    """Whether a word is more than a program's name."""
    return not _SPECIAL.isdisjoint(word.strip())


class Call:
    """A command about to be read: its words, where they stand, its scope and its input."""

    __slots__ = ("nodes", "program", "scope", "span", "stdin", "words")

    def __init__(
        self,
        words: list[str],
        nodes: list[Node | None],
        scope: Scope,
        stdin: Flow,
        span: Span,
    ) -> None:
        self.words, self.nodes, self.scope = words, nodes, scope
        self.stdin, self.span = stdin, span
        self.program = words[0].rpartition("/")[2] if words else ""  # without the folder that it stands in

    @property
    def site(self) -> Site:
        """Where this command stands."""
        return self.scope.site(self.span)

    def inner(self, index: int, inner: int = 0) -> Site:
        """Return the site of a text that one of the words carries: exact where it stands there as it is."""
        site = self.scope.site(self.span)
        node = self.nodes[index] if index < len(self.nodes) else None
        if node is None or node.start_byte > node.end_byte:
            return site
        source = self.scope.source
        start, text = node.start_byte, self.words[index]
        if node.type in ("raw_string", "string"):
            start += 1
        if source.slice(start, start + len(text)) != text:
            return site
        base = source.base(start)
        return site if base < 0 else site._replace(base=base + inner)

    def tail(self, index: int, wrapper: str, stdin: Flow | None = None) -> Flow:
        """Run the words from `index` on as a command of their own, behind `wrapper`."""
        if index >= len(self.words):
            return NOTHING
        scope = self.scope
        scope.reading.spend(len(scope.via) + 1)
        before, scope.via = scope.via, (*scope.via, wrapper)
        try:
            if index + 1 == len(self.words) and _is_text(self.words[index]):  # one word that is a whole command
                return scope.reading.nest("shell", self.words[index], self.inner(index), stdin or NOTHING)
            return scope.shell.run(self.with_words(self.words[index:], self.nodes[index:], stdin))
        finally:
            scope.via = before

    def with_words(self, words: list[str], nodes: list[Node | None], stdin: Flow | None = None) -> Call:
        """Return the same call with other words."""
        return Call(words, nodes, self.scope, self.stdin if stdin is None else stdin, self.span)
