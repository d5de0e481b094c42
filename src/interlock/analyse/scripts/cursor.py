"""A script's tokens and where its reading stands: what the parts of the reader share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from interlock.analyse.paths import HOLE
from interlock.analyse.reading import NOTHING, Flow, Reading, Site
from interlock.analyse.scripts.syntax import Syntax
from interlock.analyse.scripts.tokens import Token, tokenize
from interlock.analyse.scripts.values import Ref, as_text, unknown

MAX_DEPTH = 100


class TooDeep(Exception):  # noqa: N818 - a signal between two functions, never shown
    """Brackets in brackets, further than anybody writes."""


_END = Token("end", "", 0, 0)
_WORD_OPERATORS = frozenset("and or xor is as instanceof in div mod isa".split())
_PERL_OPERATORS = _WORD_OPERATORS | frozenset("eq ne lt gt le ge cmp x".split())
TRAILING = frozenset("if unless while until and or for foreach rescue do then end else with".split())


class Cursor(ABC):
    """A script being read, token by token."""

    __slots__ = (
        "at",
        "branches",
        "defining",
        "depth",
        "given",
        "names",
        "nested",
        "printed",
        "reading",
        "returns",
        "shells",
        "site",
        "sockets",
        "stdin",
        "stops",
        "syntax",
        "target",
        "tokens",
        "whole",
        "words",
    )  # fmt: skip

    def __init__(self, reading: Reading, text: str, site: Site, syntax: Syntax, stdin: Flow = NOTHING) -> None:
        self.reading, self.site, self.syntax, self.stdin = reading, site, syntax, stdin
        self.names: dict[str, Any] = {}
        self.defining = ""  # the function whose body is read
        self.returns: dict[str, Any] = {}  # what functions of the script give
        self.sockets: list[str] = []
        self.printed: list[str] = []
        self.shells = self.branches = False
        self.words = _PERL_OPERATORS if syntax.name == "perl" else _WORD_OPERATORS
        self.target: str | None = None
        self.given: list[Any] = []
        self.stops: frozenset[str] = frozenset()  # operators that end the expression being read
        self.depth = self.nested = self.at = 0
        self.tokens, self.whole = tokenize(text, syntax, reading)
        if syntax.phrases:
            self.tokens = _phrased(self.tokens, syntax.phrases)

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

    def where(self, start: int) -> Site:
        """Return where the tokens since `start` stand."""
        base = self.site.base
        if base < 0 or self.nested or start >= len(self.tokens):
            return self.site._replace(base=-1)
        end = self.tokens[min(max(self.at - 1, start), len(self.tokens) - 1)].end
        return self.site._replace(span=(base + self.tokens[start].at, base + end), base=-1)

    def tainted(self, mark: str, name: str) -> str:
        """Return something unknown that comes from somewhere known."""
        found = unknown(name)
        known = found.strip(HOLE)
        marks = self.stdin.marks | {mark} if mark == "input" else {mark}
        self.reading.taints[known] = self.reading.taints.get(known, frozenset()) | marks
        return found

    def mixed(self, *values: Any) -> str:
        """Return something unknown that is made of values, and comes from where they do."""
        found = unknown()
        for value in values:
            for mark in self.reading.marks(as_text(value)):
                found = self.tainted(mark, "result")
        return found

    def is_environment(self, value: Ref) -> bool:
        """Whether a name stands for the whole environment."""
        return value.name == "ENV" or value.name in self.syntax.environment

    def begins_value(self, token: Token) -> bool:
        """Whether a value begins with a token."""
        if token.kind == "name":
            return token.text not in self.words and token.text not in TRAILING
        return token.kind in ("text", "run", "words", "number", "code", "hole") or (
            token.kind == "op" and token.text == ":" and self.peek(1).kind == "name" and self.syntax.bare
        )

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

    @abstractmethod
    def assign(self, target: str | None, mark: str, value: Any) -> Any:
        """Give a name what it stands for."""

    @abstractmethod
    def knows(self, value: Ref) -> bool:
        """Whether a function is known to do something."""

    @abstractmethod
    def call(self, value: Any, arguments: list[Any], start: int) -> Any:
        """Call a function; return what it gives."""

    @abstractmethod
    def property(self, value: Ref, start: int) -> Any:
        """Return a name that is not called."""

    @abstractmethod
    def variable(self, name: str) -> str:
        """Return a variable of the environment."""

    @abstractmethod
    def run_text(self, text: str, start: int) -> Any:
        """Run a command in quotes; return what it prints."""


def _phrased(tokens: list[Token], phrases: tuple[str, ...]) -> list[Token]:
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
