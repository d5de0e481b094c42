"""Expressions of a script, read leniently: what is constant is computed, and every call is looked at.

No grammar is followed to the letter. What matters is that nothing that is called is missed, that strings and
comments stay what they are, and that any text at all comes to an end.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.changes import change_same
from interlock.analyse.scripts.loops import report_loop
from interlock.analyse.scripts.operators import choose, combine
from interlock.analyse.scripts.scope import TooDeep
from interlock.analyse.scripts.script import MAX_CHARS
from interlock.analyse.scripts.syntax import Syntax
from interlock.analyse.scripts.tokens.cursor import MAX_DEPTH
from interlock.analyse.scripts.tokens.terms import Terms
from interlock.analyse.scripts.values import MAX_ITEMS, Choice, Ref, as_text, join
from interlock.patterns import late

_CAP = frozenset({"cap"})
_CLOSERS = frozenset({")", "]", "}"})
_ASSIGNS = frozenset({"=", ":=", "+=", ".=", "||=", "&&=", "??=", "//=", "<-", "..="})
_OPERATORS = frozenset(
    (
        "- * / % ** == != === !== < > <= >= <=> && || ?? // | & ^ << >> =~ !~ ~ -= *= /= %= |= &= ^= <<= >>= "
        "=> ++ -- ... .. -> ! + . <>"
    ).split()
)


class Expressions(Terms):
    """Reads statements and expressions."""

    __slots__ = ()

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
        named: dict[str, Any] = {}
        stops, self.stops = self.stops, frozenset()
        while (token := self.peek()).kind != "end":
            if token.kind == "line" or token.text in (",", ";"):
                self.at += 1
            elif token.kind == "op" and token.text in _CLOSERS:
                self.at += token.text == close
                break
            else:
                count = len(pairs)
                name = token.text if token.kind == "name" and self.peek(1).text == "=" else ""
                value = self._pair(pairs)
                if len(pairs) == count:
                    found.append(value)
                if name:
                    named[name[:100]] = value
        self.stops = stops
        if pairs or named:
            found.append({**named, **pairs})
        return found[:MAX_ITEMS]

    def item(self) -> Any:
        """Read one expression, and go on whatever it is."""
        before = self.at
        self.reading.spend()
        value = self.expression()
        self.at += self.at == before
        return value

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
                if self.is_word_operator(token):
                    self.at += 1
                    left = choose(self, token.text, left, self.expression())
                    continue
                if self.syntax.juxtaposed and self.begins_value(token):
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
                left = self._assigned(left, target, mark)
            elif mark in self.syntax.joins:
                self.at += 1
                left = combine(self, mark, left, self.term())
            elif mark == "?":
                left = self._ternary()
            elif mark == "|>":
                self.at += 1
                self.given = [left]
                left = self.term()
            elif mark in _OPERATORS:
                self.at += 1
                right = self.term() if mark not in ("||", "&&", "??") else self.expression()
                left = choose(self, mark, left, right)
            else:
                return left

    def _assigned(self, left: Any, target: str | None, mark: str) -> Any:
        """Read what a name, an element or a member is given."""
        value = self.expression()
        if target is None:  # an element or a member
            change_same(self, left, value)
        return self.assign(target, mark, value)

    def operator(self, mark: str, left: Any) -> Any:  # noqa: ARG002 - for languages with operators of their own
        """Read an operator that only one language has; None for all others."""
        return None

    def _ternary(self) -> Any:
        self.at += 1
        first = self.expression()
        return Choice((first, self.expression())) if self.take(":") else first


def read_tokens(reading: Reading, text: str, site: Site, stdin: Flow, syntax: Syntax) -> Flow:
    """Read a script in a language without a grammar."""
    if len(text) > MAX_CHARS:
        reading.unread(f"{syntax.name} text longer than {MAX_CHARS} characters", site, flags=_CAP)
        return UNKNOWN
    return finish(Expressions(reading, text, site, syntax, stdin))


def finish(script: Expressions) -> Flow:
    """Read a script to its end; brackets without end reach a cap, and that is said."""
    first = len(script.reading.effects)
    try:
        script.block()
        if script.syntax.name in _READ_TWICE and _REPEATED.search(script.text):
            _read_again(script)
    except (TooDeep, RecursionError):
        script.reading.unread(f"{script.syntax.name} text nested too deep", script.site, flags=_CAP)
    for found in islice(_LOOP.finditer(script.text), MAX_LOOPS):
        report_loop(script.reading, script.text[found.start() :], first, script.where(0))
    return script.close()


def _read_again(script: Expressions) -> None:
    """Read a script again with what its names stand for in the end: functions and loops may run with that."""
    effects, printed = script.reading.effects, list(script.printed)
    first = len(effects)
    known = {(effect.kind, effect.resource, effect.flags) for effect in effects}
    script.at, script.branches = 0, True
    script.block()
    effects[first:] = [one for one in effects[first:] if (one.kind, one.resource, one.flags) not in known]
    script.printed = printed


#: Languages whose functions are not followed where they are called.
_READ_TWICE = frozenset({"awk", "r"})
_REPEATED = late(r"\b(?:func|function|while|for|repeat)\b")
_LOOP = late(r"\b(?:while|repeat|for)\b|\bloop\s*(?:\{|do\b)")
MAX_LOOPS = 4
