"""Expressions of a script, read leniently: what is constant is computed, and every call is looked at.

No grammar is followed to the letter. What matters is that nothing that is called is missed, that strings and
comments stay what they are, and that any text at all comes to an end.
"""

from __future__ import annotations

import re
from typing import Any

from interlock.analyse.paths import HOLE
from interlock.analyse.reading import NOTHING, Flow, Reading, Site
from interlock.analyse.scripts.strings import unescape
from interlock.analyse.scripts.syntax import Syntax
from interlock.analyse.scripts.tokens import Token, matching, tokenize
from interlock.analyse.scripts.values import (
    MAX_CHOICES,
    MAX_ITEMS,
    MAX_TEXT,
    Choice,
    Ref,
    as_text,
    join,
    unknown,
)

MAX_DEPTH = 100


class TooDeep(Exception):  # noqa: N818 - a signal between two functions, never shown
    """Brackets in brackets, further than anybody writes."""


_END = Token("end", "", 0, 0)
_CLOSERS = frozenset({")", "]", "}"})
_ASSIGNS = frozenset({"=", ":=", "+=", ".=", "||=", "&&=", "??=", "//=", "<-", "..="})
#: Words that stand before a statement or a value and say nothing by themselves.
_PREFIXES = frozenset(
    (
        "my our local var let const new return await async yield else then begin do try static public private "
        "export default throw typeof void not end fi done final in of function def sub func fn "
        "if elsif elseif elif unless while until for foreach case when switch catch rescue ensure finally "
        "repeat BEGIN END"
    ).split()
)
#: Words after which it is not certain what happens.
_BRANCHES = frozenset(
    "if elsif elseif elif unless while until for foreach case when switch catch rescue repeat and or".split()
)
_WORD_OPERATORS = frozenset("and or xor is as instanceof in div mod isa".split())
_PERL_OPERATORS = _WORD_OPERATORS | frozenset("eq ne lt gt le ge cmp x".split())
_TRAILING = frozenset("if unless while until and or for foreach rescue do then end else with".split())


class Expressions:
    """A script being read, token by token."""

    __slots__ = (
        "at",
        "branches",
        "depth",
        "given",
        "names",
        "nested",
        "printed",
        "reading",
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

    # moving along

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

    # statements

    def block(self, close: str = "") -> dict[str, Any]:
        """Read statements up to a closing bracket; return what is written there as `key: value`."""
        pairs: dict[str, Any] = {}
        while (token := self.peek()).kind != "end":
            if token.kind == "line" or token.text in (";", ","):
                self.at += 1
            elif token.kind == "op" and token.text in _CLOSERS and (close or not self.nested):
                if close and token.text != close:
                    break
                self.at += 1
                if close:
                    break
            else:
                self._pair(pairs)
        return pairs

    def _pair(self, pairs: dict[str, Any]) -> Any:
        before = self.at
        self.reading.spend()
        value = self.expression()
        if self.at == before:
            self.at += 1
        elif self.take(":", "=>"):
            key = value.name if isinstance(value, Ref) else as_text(value)
            value = pairs[key[:100]] = self.expression()
        return value

    def items(self, close: str) -> list[Any]:
        """Read what stands in brackets, between commas."""
        found: list[Any] = []
        pairs: dict[str, Any] = {}
        stops, self.stops = self.stops, frozenset()
        while (token := self.peek()).kind != "end":
            if token.kind == "line" or token.text in (",", ";") or (token.text == "=>" and self.syntax.name == "perl"):
                self.at += 1
            elif token.kind == "op" and token.text in _CLOSERS:
                self.at += token.text == close
                break
            else:
                count = len(pairs)
                value = self._pair(pairs) if self.syntax.name != "perl" else self._item()
                if len(pairs) == count:
                    found.append(value)
        self.stops = stops
        if pairs:
            found.append(pairs)
        return found[:MAX_ITEMS]

    def _item(self) -> Any:
        before = self.at
        self.reading.spend()
        value = self.expression()
        self.at += self.at == before
        return value

    # expressions

    def expression(self) -> Any:
        """Read one expression; return what it is known to be."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep
        try:
            return self._operators(self.term())
        finally:
            self.depth -= 1

    def _operators(self, left: Any) -> Any:
        while True:
            target, token = self.target, self.peek()
            self.target = None
            if token.kind != "op":
                if token.kind == "name" and token.text in self.words:
                    self.at += 1
                    left = self._either(left, self.expression(), token.text)
                    continue
                if self.syntax.juxtaposed and self._begins_value(token):
                    left = join(left, self.term())
                    continue
                return left
            mark = token.text
            if mark in self.stops:
                return left
            special = self.operator(mark, left)
            if special is not None:
                left = special
            elif mark in _ASSIGNS:
                self.at += 1
                left = self._assign(target, mark, self.expression())
            elif mark in self.syntax.joins:
                self.at += 1
                right = self.term()
                number = _arithmetic(mark, left, right)
                left = join(left, right) if number is None else number
            elif mark == "?":
                left = self._ternary()
            elif mark == "|>":
                self.at += 1
                self.given = [left]
                left = self.term()
            elif mark in _OPERATORS:
                self.at += 1
                left = self._either(left, self.term() if mark not in ("||", "&&", "??") else self.expression(), mark)
            else:
                return left

    def operator(self, mark: str, left: Any) -> Any:  # noqa: ARG002 - for languages with operators of their own
        """Read an operator that only one language has; None for all others."""
        return None

    def _ternary(self) -> Any:
        self.at += 1
        first = self.expression()
        return Choice((first, self.expression())) if self.take(":") else first

    def _either(self, left: Any, right: Any, mark: str) -> Any:
        """Return what an operator gives that does not join: one side or the other, or something unknown."""
        if mark == "x" and isinstance(left, str) and isinstance(right, int) and len(left) * right <= MAX_TEXT:
            return left * max(right, 0)
        if mark in ("||", "??", "or", "//", "&&", "and"):
            return right if not isinstance(left, (str, list)) or HOLE in as_text(left) else left
        if mark in ("<<", "=>", "=~", "->"):
            return join(left, right) if mark == "<<" else right
        number = _arithmetic(mark, left, right)
        return number if number is not None else self.mixed(left, right)

    def _assign(self, target: str | None, mark: str, value: Any) -> Any:
        if target is None:
            return value
        before = self.names.get(target)
        if mark in (".=", "+=", "..="):
            value = join(before if before is not None else "", value)
        elif mark in ("||=", "??=", "//="):
            value = before if before is not None else value
        elif before is not None and before != value and (self.branches or self.depth > 2):
            ways = (*(before.values if isinstance(before, Choice) else (before,)), value)
            value = Choice(ways[-MAX_CHOICES:]) if not isinstance(value, Choice) else value
        self.names[target] = value
        return value

    # terms

    def term(self) -> Any:
        """Read one value with what is called on it."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep
        try:
            return self._term()
        finally:
            self.depth -= 1

    def _term(self) -> Any:
        self.target = None
        token = self.peek()
        start = self.at
        if token.kind == "op":
            return self._bracketed(token, start)
        if token.kind in ("end", "line"):
            return ""
        self.at += 1
        if token.kind == "name":
            return self._name(token, start)
        if token.kind == "text":
            return self.postfix(self.string(token), start)
        if token.kind == "hole":
            return self.postfix(token.text, start)
        if token.kind == "words":
            return self.postfix([*token.text.split()][:MAX_ITEMS], start)
        if token.kind == "run":
            return self.postfix(self.run_text(self.string(token), start), start)
        if token.kind == "number":
            return self.postfix(_number(token.text), start)
        if token.kind == "code":
            self.inner(token.text)
        return self.postfix(unknown("pattern"), start)

    def _bracketed(self, token: Token, start: int) -> Any:
        mark = token.text
        while mark in _UNARY and self.peek().kind == "op":
            self.at += 1
            token = self.peek()
            mark = token.text if token.kind == "op" else ""
            if mark in ("(", "[", "{") or token.kind != "op":
                return self.term() if token.kind != "end" else ""
        if mark == ":" and self.peek(1).kind in ("name", "text"):  # a symbol
            self.at += 1
            name = self.peek()
            self.at += 1
            return self.postfix(Ref(name.text) if self.syntax.name == "elixir" else name.text, start)
        if mark == "(":
            self.at += 1
            found = self.items(")")
            return self.postfix(found[0] if len(found) == 1 else found, start)
        if mark == "[":
            self.at += 1
            return self.postfix(self.items("]"), start)
        if mark == "{":
            self.at += 1
            return self.block("}")
        if mark == "<" and self.syntax.name == "perl":  # `<STDIN>`, `<$fh>`
            return self._read_line()
        return ""

    def _read_line(self) -> Any:
        self.at += 1
        name = self.peek().text.strip("$")
        while self.peek().kind != "end" and self.peek().kind != "line" and not self.take(">"):
            self.at += 1
        held = self.names.get(name)
        return as_text(held) if held is not None else self.tainted("input", "input")

    def _name(self, token: Token, start: int) -> Any:
        text = token.text
        word = text.lower() if self.syntax.folds else text
        if word in _PREFIXES and word not in self.names:
            return self._prefix(word)
        if word == "set" and self.syntax.name == "applescript" and self.peek().kind == "name":
            return self._set()
        if word == "import" and self.syntax.name == "javascript" and self.peek().text not in ("(", "."):
            return self._import()
        sigil = self.syntax.sigils and text[0] in self.syntax.sigils
        name = text.lstrip(self.syntax.sigils) if sigil else word
        if (name in self.syntax.inputs or text in self.syntax.inputs) and name not in self.names:
            return self.postfix(self.tainted("input", text.strip("$@%")), start)
        if name in self.syntax.environment:
            return self.postfix(Ref("ENV"), start)
        held = self.names.get(name)
        value = held if held is not None else unknown(name) if sigil else Ref(word)
        following = self.peek()
        plain = not (following.kind == "op" and following.text in (*self.syntax.members, "(", "[", "{"))
        value = self.postfix(value, start)
        self.target = name if plain or following.text == "{" else None
        return value

    def _prefix(self, word: str) -> Any:
        self.branches = self.branches or word in _BRANCHES
        if word in self.syntax.definers and self.peek().kind == "name":
            self.at += 1  # what is defined is not called
            self.branches = True
            if self.peek().text == "(":
                self.at += 1
                self.items(")")
            return ""
        if word in ("const", "let", "var", "import") and self.peek().text == "{":
            return self._unpacked()
        return self.term() if self._begins_value(self.peek()) or self.peek().text in ("(", "{", "[") else ""

    def _unpacked(self) -> Any:
        """Read `const {a, b: c} = require('x')`."""
        self.at += 1
        wanted: list[tuple[str, str]] = []
        while self.peek().kind in ("name", "line") or self.peek().text in (",", ":"):
            token = self.peek()
            self.at += 1
            if token.text == ":" and wanted and self.peek().kind == "name":
                wanted[-1] = (wanted[-1][0], self.peek().text)
                self.at += 1
            elif token.kind == "name":
                wanted.append((token.text, token.text))
        self.take("}")
        value = self.expression() if self.take("=") else ""
        if isinstance(value, Ref):
            self.names |= {name: Ref(f"{value.name}.{member}", value.owner) for member, name in wanted}
        return value

    def _set(self) -> Any:
        """Read `set x to …`."""
        name = self.peek().text.lower()
        self.at += 1
        if self.peek().text.lower() == "to":
            self.at += 1
        return self._assign(name, "=", self.expression())

    def _import(self) -> Any:
        """Read `import a, {b as c} from 'x'` and `import * as a from 'x'`."""
        wanted: list[tuple[str, str]] = []
        braces = False
        while (token := self.peek()).kind in ("name", "op", "line") and token.text != ";":
            self.at += 1
            braces = (braces or token.text == "{") and token.text != "}"
            if token.text == "as" and self.peek().kind == "name":
                wanted = [*wanted[:-1], (wanted[-1][0] if wanted else "", self.peek().text)]
                self.at += 1
            elif token.kind == "name" and token.text not in ("from", "type"):
                wanted.append((token.text if braces else "", token.text))
        if token.kind != "text":
            return ""
        self.at += 1
        module = token.text.removeprefix("node:").replace("/", ".")
        self.names |= {name: Ref(f"{module}.{member}" if member else module) for member, name in wanted}
        return ""

    # what follows a value

    def postfix(self, value: Any, start: int) -> Any:
        """Read members, subscripts and calls behind a value."""
        while True:
            token, last = self.peek(), self.peek(-1)
            adjacent = token.at == last.end or last.kind in ("text", "run")
            if token.kind == "op":
                mark = token.text
                if mark in self.syntax.members and self.peek(1).kind == "name":
                    self.at += 2
                    value = self.member(value, self.peek(-1).text)
                elif mark in ("->", ".", "?.") and mark in self.syntax.members and self.peek(1).text in ("(", "[", "{"):
                    self.at += 1
                elif mark == "(" and self._is_called(value):
                    self.at += 1
                    self._awaited(value)
                    value = self.call(value, self.items(")"), start)
                elif mark == "[" and adjacent:
                    self.at += 1
                    value = self._subscript(value, self.items("]"))
                elif mark == "{" and adjacent and self.syntax.name == "perl" and not self._is_function(value):
                    self.at += 1
                    value = self._subscript(value, self.items("}"))
                else:
                    break
            elif token.kind in ("text", "words") and isinstance(value, Ref) and self._takes_text(adjacent):
                self.at += 1
                value = self.call(value, [self.string(token)], start)
            else:
                break
        return self._bare(value, start) if isinstance(value, Ref) else value

    def _is_function(self, value: Any) -> bool:
        return isinstance(value, Ref) and self.knows(value)

    def _awaited(self, value: Any) -> None:
        """Give the parameter of `x.then(m => …)` what it will be."""
        if not isinstance(value, Ref) or not value.name.endswith(".then"):
            return
        bracket = self.peek().text == "("
        name, arrow = self.peek(bracket), self.peek(3 if bracket else 1)
        if name.kind == "name" and arrow.text == "=>":
            self.names[name.text] = value.owner if value.name == ".then" else Ref(value.name[:-5], value.owner)

    def _is_called(self, value: Any) -> bool:
        return not isinstance(value, int)

    def _takes_text(self, adjacent: bool) -> bool:
        """Whether a string behind a name is what it is called with, as in Lua, or a tagged template."""
        return self.syntax.name == "lua" or (self.syntax.name == "javascript" and adjacent)

    def _bare(self, value: Ref, start: int) -> Any:
        """Call a function that stands there without brackets."""
        if not self.syntax.bare or not self.knows(value):
            return self.property(value, start)
        if self.syntax.name == "perl" and self.take("{"):  # `exec {"program"} words`, `print {$handle} text`
            self.items("}")
        following = self.peek()
        apart = following.text in ("[", "\\", "<") and following.at > self.peek(-1).end
        if not (self._begins_value(following) or apart) or following.text in _TRAILING:
            return self.call(value, [], start)
        found: list[Any] = []
        while self._begins_value(self.peek()) or self.peek().text in ("(", "[", "{", "\\", "-", "<"):
            found.append(self._item())
            while self.peek().kind == "line" and len(found) and self.peek(-1).text == ",":
                self.at += 1
            separated = self.take(",", "=>", ":")
            while separated and self.peek().kind == "line":
                self.at += 1
            if not separated and (len(found) > 1 or self.syntax.name != "perl"):
                break
        return self.call(value, found, start)

    def _begins_value(self, token: Token) -> bool:
        if token.kind == "name":
            return token.text not in self.words and token.text not in _TRAILING
        return token.kind in ("text", "run", "words", "number", "code", "hole") or (
            token.kind == "op" and token.text == ":" and self.peek(1).kind == "name" and self.syntax.bare
        )

    def _subscript(self, value: Any, index: list[Any]) -> Any:
        key = index[0] if index else ""
        if isinstance(value, Ref):
            if self.is_environment(value):
                return self.variable(key.name if isinstance(key, Ref) else as_text(key))
            return self.member(value, as_text(key)) if isinstance(key, str) and HOLE not in key else value
        if isinstance(value, dict):
            return value.get(key.name if isinstance(key, Ref) else as_text(key), unknown())
        if isinstance(value, (list, str)) and isinstance(key, int) and -len(value) <= key < len(value):
            return value[key] if HOLE not in as_text(value[key]) or isinstance(value, list) else value
        return value if isinstance(value, str) else self.mixed(value)

    def member(self, value: Any, name: str) -> Any:
        """Return a member of a value."""
        if isinstance(value, dict) and name in value:
            return value[name]
        if isinstance(value, Ref):
            if f"{value.name}.{name}" in self.syntax.inputs:
                return self.tainted("input", name)
            if self.is_environment(value) and name not in ("to_h", "to_a", "to_hash", "map", "each", "get", "fetch"):
                return self.variable(name)
            return Ref(f"{value.name}.{name}"[:200], value.owner)
        return Ref("." + name, value)

    def is_environment(self, value: Ref) -> bool:
        """Whether a name stands for the whole environment."""
        return value.name == "ENV" or value.name in self.syntax.environment

    # strings

    def string(self, token: Token) -> str:
        """Return what a string stands for, with its variables filled in."""
        quote, text = token.quote, token.text
        if quote is None:
            return text
        if not quote.fills or not self.syntax.fills:
            return unescape(text, quote)
        parts, at = [], 0
        pattern = re.compile(self.syntax.fills)
        while found := pattern.search(text, at):
            self.reading.spend()
            parts.append(unescape(text[at : found.start()], quote))
            at = found.end()
            kind = found.lastgroup
            if kind is None:  # an escape
                parts.append(unescape(found[0], quote))
            elif kind == "name":
                parts.append(self._filled(found["name"], found[0]))
            else:
                opener = found[0].rstrip("$")[-1]
                start = at - found[0].endswith("$")
                end = matching(text, start, opener, {"{": "}", "(": ")"}.get(opener, "}"))
                if end < 0:
                    break
                parts.append(as_text(self.inner(text[start:end])))
                at = end + 1
        parts.append(unescape(text[at:], quote))
        return "".join(parts)[:MAX_TEXT]

    def _filled(self, name: str, written: str) -> str:
        if name in self.syntax.environment:
            return self.variable(re.sub(r"\W", "", written[len(name) + 1 :]))
        if name in self.syntax.inputs and name not in self.names:
            return self.tainted("input", name)
        held = self.names.get(name)
        return as_text(held) if held is not None else unknown(name)

    def inner(self, text: str) -> Any:
        """Read code that stands inside a string."""
        tokens, at, self.at = self.tokens, self.at, 0
        self.tokens, whole = tokenize(text, self.syntax, self.reading)
        self.nested += 1
        self.depth += 2
        if self.depth > MAX_DEPTH:
            raise TooDeep
        value: Any = ""
        try:
            while self.peek().kind != "end":
                value = self._item()
        finally:
            self.tokens, self.at = tokens, at
            self.nested -= 1
            self.depth -= 2
            self.whole = self.whole and whole
        return value

    def mixed(self, *values: Any) -> str:
        """Return something unknown that is made of values, and comes from where they do."""
        found = unknown()
        for value in values:
            for mark in self.reading.marks(as_text(value)):
                found = self.tainted(mark, "result")
        return found

    def tainted(self, mark: str, name: str) -> str:
        """Return something unknown that comes from somewhere known."""
        found = unknown(name)
        known = found.strip(HOLE)
        marks = self.stdin.marks | {mark} if mark == "input" else {mark}
        self.reading.taints[known] = self.reading.taints.get(known, frozenset()) | marks
        return found

    # what a language's functions do: see `Script`

    def knows(self, value: Ref) -> bool:
        """Whether a function is known to do something."""
        raise NotImplementedError

    def call(self, value: Any, arguments: list[Any], start: int) -> Any:
        """Call a function; return what it gives."""
        raise NotImplementedError

    def property(self, value: Ref, start: int) -> Any:
        """Return a name that is not called."""
        raise NotImplementedError

    def variable(self, name: str) -> str:
        """Return a variable of the environment."""
        raise NotImplementedError

    def run_text(self, text: str, start: int) -> Any:
        """Run a command in quotes; return what it prints."""
        raise NotImplementedError


_OPERATORS = frozenset(
    (
        "- * / % ** == != === !== < > <= >= <=> && || ?? // | & ^ << >> =~ !~ ~ -= *= /= %= |= &= ^= <<= >>= "
        "=> ++ -- ... .. -> ! + . <>"
    ).split()
)
_UNARY = frozenset("! - + ~ & * \\ ++ -- ... .. @ % $ # ? ** -> :: ` | || ^ = == > >> << /".split())


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


def _number(text: str) -> Any:
    try:
        return int(text.replace("_", "")[:18], 0 if text[:2].lower() in ("0x", "0b") else 10)
    except ValueError:
        return text


def _arithmetic(mark: str, left: Any, right: Any) -> int | None:
    if not (isinstance(left, int) and isinstance(right, int)) or max(abs(left), abs(right)) > 1 << 40:
        return None
    if mark == "^":
        return left ^ right
    return left + right if mark == "+" else left - right if mark == "-" else left * right if mark == "*" else None
