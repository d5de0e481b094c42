"""How a script language is written: the marks of its comments, strings, names and calls, as data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from interlock.knowledge.catalogue import read_functions

if TYPE_CHECKING:
    from interlock.knowledge.function import Function


class Quote(msgspec.Struct, frozen=True):
    """How one kind of string is written.

    `escapes` is `c` (`\\n`, `\\x41`, …), `quote` (a backslash before the quote or itself), `decimal` (as `c`, but
    `\\65` is decimal), `double` (the quote twice), `tick` (a back tick before it) or nothing. `fills` says that
    variables are filled in, `runs` that the text is run as a command.
    """

    close: str
    escapes: str = "c"
    fills: bool = False
    runs: bool = False


class Syntax(msgspec.Struct, frozen=True, dict=True):
    """How a language is written. What its functions do stands in `knowledge/functions`."""

    name: str
    comments: tuple[str, ...] = ()
    blocks: Mapping[str, str] = {}  # comments with an end
    quotes: Mapping[str, Quote] = {}
    members: tuple[str, ...] = (".",)  # what joins a name to what it belongs to
    joins: frozenset[str] = frozenset({"+"})  # what joins two texts
    juxtaposed: bool = False  # two texts side by side are joined
    strung: bool = False  # texts in square brackets are joined
    bare: bool = False  # functions may be called without brackets
    lines: bool = False  # a line's end ends a statement
    nests: bool = False  # comments with an end may stand in such comments
    regexes: str = ""  # a pattern of `/…/`, which may stand where a value is expected
    characters: str = ""  # a pattern of what stands for one character: `'"'`, `?"`
    transposes: bool = False  # a quote behind a value turns a matrix, and begins no text
    fills: str = ""  # a pattern that finds what is filled into a string
    unclear: str = ""  # a pattern of what may begin a comment or not, so that the text cannot be read
    folds: bool = False  # upper and lower case are the same
    word: str = r"[A-Za-z_]\w*"
    definers: frozenset[str] = frozenset({"function", "def", "sub", "func"})
    inputs: frozenset[str] = frozenset()  # names that stand for what comes in
    environment: frozenset[str] = frozenset()  # names that stand for the environment
    phrases: tuple[str, ...] = ()  # names of several words
    strays: str = ""  # characters that stand nowhere but in strings and comments
    prefixes: frozenset[str] = frozenset()  # operators that begin a value, though they join two elsewhere
    side_by_side: int = 0  # how many names may stand side by side; any number if it is 0

    @cached_property
    def openers(self) -> dict[str, tuple[str, ...]]:
        """The marks of comments and strings by their first character, the longest first."""
        marks = sorted({*self.comments, *self.blocks, *self.quotes}, key=len, reverse=True)
        return {mark[0]: tuple(other for other in marks if other[0] == mark[0]) for mark in marks}

    @cached_property
    def functions(self) -> Mapping[str, Function]:
        """The functions of its library, by each of their names."""
        return read_functions(self.name)

    @cached_property
    def deleting_modules(self) -> frozenset[str]:
        """The modules of its library that have functions which delete files."""
        return frozenset(
            name.rpartition(".")[0]
            for name, function in self.functions.items()
            if "." in name.strip(".") and "fs.delete" in function.arguments.values()
        )

    @cached_property
    def running_modules(self) -> frozenset[str]:
        """The modules of its library that have functions which run or load something."""
        found: set[str] = set()
        for name, function in self.functions.items():
            while function.may_run and "." in name.strip("."):
                name = name.rpartition(".")[0]
                found.add(name)
        return frozenset(found)
