"""The tokens of a script: names, strings, numbers, operators, lines. One pass, whatever the text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from interlock.analyse.files.paths import HOLE
from interlock.analyse.reading import Reading
from interlock.analyse.scripts.strings import closing_bracket
from interlock.analyse.scripts.syntax import Quote, Syntax
from interlock.patterns import late


class Token(NamedTuple):
    """One token: `name`, `text` (a string), `run` (a command in quotes), `number`, `pattern`, `hole`, `op`, `line`."""

    kind: str
    text: str
    at: int
    end: int
    quote: Quote | None = None


class Tokens(NamedTuple):
    """A script's tokens, ending in one that is nothing."""

    found: list[Token]
    whole: bool  # whether every string and comment came to its end


_SPACE = late(r"[ \t\r\f\v]+|\\\r?\n")
_NUMBER = late(r"0[xX][0-9a-fA-F]+|0[bB][01]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?")
_OPERATOR = late(
    r"<=>|\*\*=|\|\|=|&&=|\?\?=|===|!==|\.\.\.|<<=|>>=|//=|"
    r"=>|->|::|\?\.|\?\?|\|\||&&|==|!=|<=|>=|=~|!~|\+\+|--|\+=|-=|\*=|/=|%=|\.=|\|=|&=|\^=|\.\.|<<|>>|\*\*|//|\|&|<>|:=|~/|"
    r"\|>|<-|.",
    re.DOTALL,
)


@lru_cache(maxsize=256)
def _end_of_string(close: str, escapes: str) -> re.Pattern[str]:
    mark = re.escape(close)
    if escapes == "double":
        return re.compile(f"(?:(?!{mark}).|{mark}{mark})*+{mark}", re.DOTALL)
    if escapes and len(close) == 1:
        return re.compile(rf"(?:[^\\{mark}]|\\.)*+{mark}", re.DOTALL)
    if escapes:
        return re.compile(rf"(?:\\.|(?!{mark}|\\).)*+{mark}", re.DOTALL)
    return re.compile(f"(?:(?!{mark}).)*+{mark}", re.DOTALL)


class Tokenizer:
    """Takes a text apart, once."""

    __slots__ = (
        "_brackets",
        "_is_condition",
        "at",
        "character",
        "found",
        "regex",
        "syntax",
        "text",
        "whole",
        "word",
    )

    def __init__(self, text: str, syntax: Syntax) -> None:
        self.text, self.syntax, self.at = text, syntax, 0
        self.found: list[Token] = []
        self.whole = not (syntax.unclear and re.search(syntax.unclear, text))
        self.word = _compile(syntax.word)
        self.character = _compile(syntax.characters) if syntax.characters else None
        self.regex = _compile(syntax.regexes) if syntax.regexes else None
        self._brackets: list[bool] = []  # for each open bracket, whether it holds the condition of a statement
        self._is_condition = False

    def run(self) -> Tokens:
        """Return every token."""
        text, size = self.text, len(self.text)
        openers, step = self.syntax.openers, self._step
        while self.at < size:
            char = text[self.at]
            space = _SPACE.match(text, self.at) if char in " \t\r\f\v\\" else None
            if space:
                self.at = space.end()
            elif char == "\n":
                self._add("line", self.at, self.at + 1)
            elif self.character is not None and (one := self.character.match(text, self.at)) and not self._is_behind():
                self._add("text", self.at, one.end())
            elif not (char in openers and self._open(openers[char])):
                step(char)
        return Tokens(self.found, self.whole)

    def _add(self, kind: str, start: int, end: int, text: str | None = None, quote: Quote | None = None) -> None:
        self.found.append(Token(kind, self.text[start:end] if text is None else text, start, end, quote))
        self.at = end

    def _open(self, marks: tuple[str, ...]) -> bool:
        """Read a comment or a string, if one begins here."""
        text, at, syntax = self.text, self.at, self.syntax
        for mark in marks:
            if not text.startswith(mark, at):
                continue
            start = at + len(mark)
            if mark in syntax.blocks:
                self.at = self._find_comment_end(mark, start)
            elif mark in syntax.comments:
                end = text.find("\n", start)
                self.at = len(text) if end < 0 else end
            elif mark == "'" and syntax.transposes and self._is_behind():
                return False
            else:
                self._string(start, syntax.quotes[mark])
            return True
        return False

    def _find_comment_end(self, mark: str, at: int) -> int:
        """Return where a comment ends; in some languages comments stand in comments."""
        text, close, depth = self.text, self.syntax.blocks[mark], 1
        while depth:
            end = text.find(close, at)
            if end < 0:
                self.whole = False
                return len(text)
            inner = text.find(mark, at, end) if self.syntax.nests else -1
            depth += 1 if inner >= 0 else -1
            at = inner + len(mark) if inner >= 0 else end + len(close)
        return at

    def _is_behind(self) -> bool:
        """Whether what comes next stands directly behind a value."""
        if not self.found or self.found[-1].end + (self.found[-1].kind == "text") < self.at:
            return False
        last = self.found[-1]
        return last.kind in ("name", "number", "text") or last.text in (")", "]", "}", "'")

    def _string(self, start: int, quote: Quote) -> None:
        found = _end_of_string(quote.close, quote.escapes).match(self.text, start)
        end = found.end() - len(quote.close) if found else -1
        if end < 0:
            self.whole, end = False, len(self.text)
        if quote.fills and self.syntax.fills:
            self._check_filled(start, end)
        self._add("run" if quote.runs else "text", start, end, None, quote)
        self.at = min(end + len(quote.close), len(self.text))

    def _check_filled(self, start: int, end: int) -> None:
        """Look whether the code in a string ends before the string does: it may hold quotes itself."""
        text = self.text[start:end]
        for found in _compile(self.syntax.fills).finditer(text):
            opener = found[0][-1]
            if (
                found.lastgroup == "code"
                and closing_bracket(text, found.end(), opener, {"(": ")"}.get(opener, "}")) < 0
            ):
                self.whole = False

    def _step(self, char: str) -> None:
        text, at = self.text, self.at
        if self.regex is not None and char == "/" and self._expects_value() and (found := self.regex.match(text, at)):
            return self._add("pattern", at, found.end())
        if char == HOLE:
            end = text.find(HOLE, at + 1)
            end = len(text) if end < 0 else end
            return self._add("hole", at, end + 1, HOLE + text[at + 1 : end] + HOLE)
        if char.isdigit() and char.isascii():
            found = _NUMBER.match(text, at)
            return self._add("number", at, found.end() if found else at + 1)
        found = self.word.match(text, at)
        if found:
            return self._add("name", at, found.end())
        found = _OPERATOR.match(text, at)
        self._bracket(char)
        self._add("op", at, found.end() if found else at + 1)
        return None

    def _bracket(self, char: str) -> None:
        """Note whether a bracket closes the condition of a statement: a value may follow that."""
        if char == "(":
            self._brackets.append(bool(self.found) and self.found[-1].text in ("if", "while", "for"))
        self._is_condition = char == ")" and bool(self._brackets) and self._brackets.pop()

    def _expects_value(self) -> bool:
        """Whether a value may begin here, so that `/` begins a pattern."""
        if not self.found:
            return True
        last = self.found[-1]
        if last.kind == "name":  # `println /x/`, but not `a / b`
            apart = last.end < self.at and not self.text[self.at + 1 : self.at + 2].isspace()
            return last.text in _BEFORE_VALUES or (self.syntax.bare and apart)
        if last.text == ")" and last.kind == "op":
            return self._is_condition
        return last.kind == "line" or (last.kind == "op" and last.text != "]")


_BEFORE_VALUES = frozenset("return case in if while print printf else do delete split match".split())


@lru_cache(maxsize=64)
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


def tokenize(text: str, syntax: Syntax, reading: Reading) -> Tokens:
    """Return the tokens of a text; what that costs is counted."""
    reading.spend(len(text) // 64 + 1)
    tokens = Tokenizer(text, syntax).run()
    reading.spend(len(tokens.found) // 16)
    return tokens
