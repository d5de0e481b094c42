"""The tokens of a script: names, strings, numbers, operators, lines. One pass, whatever the text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from interlock.analyse.paths import HOLE
from interlock.analyse.reading import Reading
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
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_PERL_QUOTE = late(r"(qq|qx|qw|qr|q|m|tr|s|y)(?=\s*[^\w\s,;=)])")
_RUBY_QUOTE = late(r"%([qQwWixrIs]?)(?=[^\w\s=])")
_HEREDOC = late(r"<<([~-]?)(?:(['\"`])([^'\"`\n]{1,60})\2|([A-Za-z_]\w{0,60}))")
_PHP_HEREDOC = late(r"<<<\s*(?:(['\"])(\w{1,60})\1|(\w{1,60}))")
MAX_HEREDOCS = 16

_RAW = Quote("", "quote")
_FILLED = Quote("", "c", fills=True)
_RUN = Quote("", "c", fills=True, runs=True)
_PATTERN = Quote("", "c")


@lru_cache(maxsize=256)
def _end_of_string(close: str, escapes: str) -> re.Pattern[str]:
    mark = re.escape(close)
    if escapes == "double":
        return re.compile(f"(?:(?!{mark}).|{mark}{mark})*+{mark}", re.DOTALL)
    if escapes == "tick":
        return re.compile(f"(?:`.|{mark}{mark}|(?!{mark}|`).)*+{mark}", re.DOTALL)
    if escapes and len(close) == 1:
        return re.compile(rf"(?:[^\\{mark}]|\\.)*+{mark}", re.DOTALL)
    if escapes:
        return re.compile(rf"(?:\\.|(?!{mark}|\\).)*+{mark}", re.DOTALL)
    return re.compile(f"(?:(?!{mark}).)*+{mark}", re.DOTALL)


def matching(text: str, at: int, opener: str, close: str) -> int:
    """Return where the bracket that is open at `at` closes, or -1."""
    depth = 1
    for found in re.compile(rf"\\.|[{re.escape(opener + close)}]", re.DOTALL).finditer(text, at):
        mark = found[0]
        depth += (mark == opener) - (mark == close)
        if not depth:
            return found.start()
    return -1


class Tokenizer:
    """Takes a text apart, once."""

    __slots__ = ("at", "found", "heredocs", "pending", "syntax", "text", "whole", "word")

    def __init__(self, text: str, syntax: Syntax) -> None:
        self.text, self.syntax, self.at = text, syntax, 0
        self.found: list[Token] = []
        self.pending: list[tuple[int, str, bool]] = []  # here-documents whose text is still to come
        self.heredocs = 0
        self.whole = True
        self.word = _word(syntax.word, syntax.sigils)

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
                self._line()
            elif not (char in openers and self._opened(openers[char])):
                step(char)
        return Tokens(self.found, self.whole and not self.pending)

    def _add(self, kind: str, start: int, end: int, text: str | None = None, quote: Quote | None = None) -> None:
        self.found.append(Token(kind, self.text[start:end] if text is None else text, start, end, quote))
        self.at = end

    def _opened(self, marks: tuple[str, ...]) -> bool:
        """Read a comment or a string, if one begins here."""
        text, at, syntax = self.text, self.at, self.syntax
        for mark in marks:
            if not text.startswith(mark, at):
                continue
            start = at + len(mark)
            if mark in syntax.blocks:
                end = text.find(syntax.blocks[mark], start)
                self.whole = self.whole and end >= 0
                self.at = len(text) if end < 0 else end + len(syntax.blocks[mark])
            elif mark in syntax.comments:
                if not self._is_comment(mark):
                    continue
                end = text.find("\n", start)
                self.at = len(text) if end < 0 else end
            else:
                self._string(start, syntax.quotes[mark])
            return True
        return False

    def _is_comment(self, mark: str) -> bool:
        """Whether a mark begins a comment: `$#x` and `a//b` in Perl do not."""
        if self.syntax.quoting != "perl" or mark != "#":
            return True
        return self.at == 0 or self.text[self.at - 1] not in "$@"

    def _string(self, start: int, quote: Quote, opener: str = "") -> None:
        if opener:
            end = matching(self.text, start, opener, quote.close)
        else:
            found = _end_of_string(quote.close, quote.escapes).match(self.text, start)
            end = found.end() - len(quote.close) if found else -1
        if end < 0:
            self.whole, end = False, len(self.text)
        self._add("run" if quote.runs else "text", start, end, None, quote)
        self.at = min(end + len(quote.close), len(self.text))

    def _step(self, char: str) -> None:
        text, at, syntax = self.text, self.at, self.syntax
        if syntax.quoting and self._quoted():
            return None
        if syntax.heredocs and char == "<" and self._heredoc():
            return None
        if syntax.regexes and char == "/" and self._expects_value():
            return self._regex()
        if char == HOLE:
            end = text.find(HOLE, at + 1)
            end = len(text) if end < 0 else end
            return self._add("hole", at, end + 1, HOLE + text[at + 1 : end] + HOLE)
        if char.isdigit() and char.isascii():
            found = _NUMBER.match(text, at)
            return self._add("number", at, found.end() if found else at + 1)
        found = self.word.match(text, at)
        if found and not (char in "%&@" and char in syntax.sigils and not self._expects_value()):
            return self._add("name", at, found.end())
        found = _OPERATOR.match(text, at)
        self._add("op", at, found.end() if found else at + 1)
        return None

    def _line(self) -> None:
        self._add("line", self.at, self.at + 1)
        for index, end, indented in self.pending:
            self._heredoc_text(index, end, indented)
        self.pending.clear()

    def _expects_value(self) -> bool:
        """Whether a value may begin here, so that `/` begins a pattern and `%` a name."""
        if not self.found:
            return True
        last = self.found[-1]
        if last.kind == "name":
            return last.text in _BEFORE_VALUES
        return last.kind == "line" or (last.kind == "op" and last.text not in (")", "]", "}"))

    def _regex(self) -> None:
        found = _REGEX.match(self.text, self.at)
        if found is None:
            return self._add("op", self.at, self.at + 1)
        self._add("pattern", self.at, found.end())
        return None

    def _quoted(self) -> bool:
        """Read `q(…)`, `qx{…}`, `%w[…]` and the like."""
        if self.syntax.quoting == "perl":
            last = self.found[-1].text if self.found and self.found[-1].kind == "op" else ""
            if last == "->" or (last == "{" and self._is_key()) or (last == "-" and self.text[self.at - 1] == "-"):
                return False
            found = _PERL_QUOTE.match(self.text, self.at)
        else:
            found = _RUBY_QUOTE.match(self.text, self.at) if self._expects_value() else None
        if found is None:
            return False
        at = found.end()
        while at < len(self.text) and self.text[at].isspace():
            at += 1
        if at >= len(self.text):
            return False
        self._by_letter(found[1], at)
        return True

    def _is_key(self) -> bool:
        return re.compile(r"\w+\s*\}").match(self.text, self.at) is not None

    def _by_letter(self, letter: str, at: int) -> None:
        opener = self.text[at]
        close = _PAIRS.get(opener, opener)
        kinds = {"q": _RAW, "w": _RAW, "qw": _RAW, "i": _RAW, "x": _RUN, "qx": _RUN}
        patterns = ("m", "qr", "s", "tr", "y", "r")
        kind = _PATTERN if letter in patterns else kinds.get(letter, _FILLED)
        quote = _closed(kind, close, opener == "'" and kind is _FILLED)
        pair = opener if opener in _PAIRS else ""
        self._string(at + 1, quote, pair)
        if letter in ("w", "qw", "W", "i"):
            self.found[-1] = self.found[-1]._replace(kind="words")
        elif letter in patterns:
            self._pattern_rest(letter, quote, pair)

    def _pattern_rest(self, letter: str, quote: Quote, pair: str) -> None:
        """Read the second half of `s…` and `tr…`, and the letters behind it: `s///e` runs what it puts in."""
        first = self.found.pop()
        if letter in ("s", "tr", "y"):
            if pair:
                at = self.at
                while at < len(self.text) and self.text[at].isspace():
                    at += 1
                opener = self.text[at] if at < len(self.text) else quote.close
                pair = opener if opener in _PAIRS else ""
                quote = _closed(_PATTERN, _PAIRS.get(opener, opener), False)
                self.at = min(at + 1, len(self.text))
            self._string(self.at, quote, pair)
            second = self.found.pop()
        flags = _FLAGS.match(self.text, self.at)
        letters = flags[0] if flags else ""
        self.at += len(letters)
        if letter == "s" and "e" in letters:
            self.found.append(Token("code", second.text, second.at, second.end))
        else:
            self.found.append(Token("pattern", first.text, first.at, first.end))

    def _heredoc(self) -> bool:
        found = (_PHP_HEREDOC if self.syntax.name == "php" else _HEREDOC).match(self.text, self.at)
        if found is None or self.heredocs >= MAX_HEREDOCS:
            return False
        if self.syntax.name == "php":
            style, name = found[1], found[2] or found[3]
            indented = True
        else:
            indented, style, name = bool(found[1]), found[2], found[3] or found[4]
            if not style and not name.isupper() and not self._expects_value():
                return False
        self.heredocs += 1
        quote = _RAW if style == "'" else _RUN if style == "`" else _FILLED
        self.pending.append((len(self.found), name, indented))
        self._add("run" if quote.runs else "text", self.at, found.end(), "", quote)
        return True

    def _heredoc_text(self, index: int, name: str, indented: bool) -> None:
        before = "[ \t]*" if indented else ""
        end = re.compile(rf"^{before}{re.escape(name)}\b", re.MULTILINE)
        found = end.search(self.text, self.at)
        if found is None:
            self.whole = False
        stop = found.start() if found else len(self.text)
        self.found[index] = self.found[index]._replace(text=self.text[self.at : stop])
        self.at = found.end() if found else stop


_REGEX = late(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/[a-z]*")
_FLAGS = late(r"[a-z]*")
_BEFORE_VALUES = frozenset(
    (
        "return typeof case in of and or not if elsif unless while until puts print say p match when then else do "
        "await split grep map join push unshift delete keys values each system exec my our local foreach for sort "
        "reverse x"
    ).split()
)


@lru_cache(maxsize=64)
def _closed(kind: Quote, close: str, plain: bool) -> Quote:
    return Quote(close, kind.escapes, kind.fills and not plain, kind.runs)


@lru_cache(maxsize=64)
def _word(word: str, sigils: str) -> re.Pattern[str]:
    if not sigils:
        return re.compile(word)
    mark = re.escape(sigils)
    return re.compile(rf"[{mark}]{{1,3}}(?:{word})|{word}|\$(?:[0-9&`'+!@/\\,;.0]|\^\w)|[{mark}](?=[\$\{{])")


def tokenize(text: str, syntax: Syntax, reading: Reading) -> Tokens:
    """Return the tokens of a text; what that costs is counted."""
    reading.spend(len(text) // 64 + 1)
    tokens = Tokenizer(text, syntax).run()
    reading.spend(len(tokens.found) // 16)
    return tokens
