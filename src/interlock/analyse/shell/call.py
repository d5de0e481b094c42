"""A call of a command: its words with their syntax nodes, its scope and its standard input."""

from __future__ import annotations

from tree_sitter import Node

from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.reading import Site
from interlock.analyse.shell.scope import ShellScope
from interlock.model import Span

_SPECIAL = frozenset(" \t\n;&|<>()$`=")


def _is_text(word: str) -> bool:
    """Whether a word is shell text rather than the name of a program."""
    return not _SPECIAL.isdisjoint(word.strip())


class ShellCall:
    """A command about to be analysed: its expanded words, their nodes, its scope, standard input and span."""

    __slots__ = ("nodes", "program", "scope", "span", "stdin", "words")

    def __init__(
        self,
        words: list[str],
        nodes: list[Node | None],
        scope: ShellScope,
        stdin: Flow,
        span: Span,
    ) -> None:
        self.words, self.nodes, self.scope = words, nodes, scope
        self.stdin, self.span = stdin, span
        name = words[0] if words else ""
        self.program = name.rpartition("/")[2] if "/" in name else name  # without its folder

    @property
    def site(self) -> Site:
        """The location of this command."""
        scope = self.scope
        return Site(self.span, scope.via, scope.cwd)

    def inner(self, index: int, inner: int = 0) -> Site:
        """Return the location of program text in one of the words.

        It is exact if the word is written as it expands, else it is the location of the whole command.
        """
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
        return site if base < 0 else site.replace(base=base + inner)

    def tail(self, index: int, wrapper: str, stdin: Flow | None = None) -> Flow:
        """Analyse the words from `index` on as a command that `wrapper` runs."""
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

    def with_words(self, words: list[str], nodes: list[Node | None], stdin: Flow | None = None) -> ShellCall:
        """Return a copy of this call with other words, and other standard input if it is given."""
        return ShellCall(words, nodes, self.scope, self.stdin if stdin is None else stdin, self.span)
