"""A script's tokens and where its reading stands: what the parts of the reader share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.script import Script
from interlock.analyse.scripts.syntax import Syntax
from interlock.analyse.scripts.tokens.syntax_check import is_formed
from interlock.analyse.scripts.tokens.tokenizer import Token, tokenize

MAX_DEPTH = 100

_END = Token("end", "", 0, 0)
_WORD_OPERATORS = frozenset("and or xor is as instanceof in div mod isa".split())
TRAILING = frozenset("if unless while until and or for foreach rescue do then end else with".split())


class Cursor(Script, ABC):
    """A script being read, token by token."""

    __slots__ = ("at", "defining", "depth", "given", "nested", "stops", "target", "tokens")

    def __init__(self, reading: Reading, text: str, site: Site, syntax: Syntax, stdin: Flow = NOTHING) -> None:
        super().__init__(reading, text, site, syntax, stdin)
        self.defining = ""  # the function whose body is read
        self.target: str | None = None
        self.given: list[Any] = []  # what `|>` hands to the next call
        self.stops: frozenset[str] = frozenset()  # operators that end the expression being read
        self.depth = self.nested = self.at = 0
        self.tokens, self.whole = tokenize(text, syntax, reading)
        self.whole = self.whole and is_formed(self.tokens, syntax)
        if syntax.phrases:
            self.tokens = _join_phrases(self.tokens, syntax.phrases)

    def peek(self, ahead: int = 0) -> Token:
        """Return the token that comes next."""
        index = self.at + ahead
        return self.tokens[index] if index < len(self.tokens) else _END

    def take(self, *operators: str) -> bool:
        """Go past an operator, if it is the one that comes next."""
        token = self.peek()
        if token.kind == "op" and token.text in operators:
            self.at += 1
            return True
        return False

    @property
    def beginning(self) -> int:
        """Return the number of the first token."""
        return 0

    def where(self, start: int) -> Site:
        """Return where the tokens since `start` stand."""
        base = self.site.base
        if base < 0 or self.nested or start >= len(self.tokens):
            return self.site.replace(base=-1)
        end = self.tokens[min(max(self.at - 1, start), len(self.tokens) - 1)].end
        return self.site.replace(span=(base + self.tokens[start].at, base + end), base=-1)

    def words(self) -> set[str]:
        """Return the names and keywords of the text."""
        return {token.text for token in self.tokens if token.kind == "name"}

    def is_uncertain(self) -> bool:
        """Whether it depends on something that what is being read happens."""
        return self.branches or self.depth > 2

    def is_word_operator(self, token: Token) -> bool:
        """Whether a word stands between two values."""
        return token.kind == "name" and token.text in _WORD_OPERATORS

    def begins_value(self, token: Token) -> bool:
        """Whether a value begins with a token."""
        if token.kind == "name":
            return token.text not in _WORD_OPERATORS and token.text not in TRAILING
        return token.kind in ("text", "run", "number", "hole") or (
            token.kind == "op" and token.text == ":" and self.peek(1).kind == "name" and self.syntax.bare
        )

    def call(self, value: Any, arguments: list[Any], start: Any) -> Any:
        """Call a function, with what a pipe hands to it first; return what it gives."""
        arguments, self.given = [*self.given, *arguments], []
        return super().call(value, arguments, start)

    # what the parts ask of each other, whichever of them stands above

    @abstractmethod
    def expression(self) -> Any:
        """Read one expression; return what it is known to be."""

    @abstractmethod
    def item(self) -> Any:
        """Read one expression, and go on whatever it is."""

    @abstractmethod
    def items(self, close: str) -> list[Any]:
        """Read what stands in brackets, between commas."""

    @abstractmethod
    def block(self, close: str = "") -> dict[str, Any]:
        """Read statements up to a closing bracket; return what is written there as `key: value`."""


def _join_phrases(tokens: list[Token], phrases: tuple[str, ...]) -> list[Token]:
    """Return tokens with names of several words made one."""
    found: list[Token] = []
    for token in tokens:
        found.append(token)
        for size in (3, 2):
            words = [part.text.lower() for part in found[-size:] if part.kind == "name"]
            if len(words) == size and " ".join(words) in phrases:
                first = found[-size]
                found[-size:] = [Token("name", "_".join(words), first.at, token.end)]
    return found
