"""Expressions of a script, read leniently: what is constant is computed, and every call is looked at.

No grammar is followed to the letter. What matters is that nothing that is called is missed, that strings and
comments stay what they are, and that any text at all comes to an end.
"""

from __future__ import annotations

from typing import Any

from interlock.analyse.paths import HOLE
from interlock.analyse.scripts.cursor import MAX_DEPTH, TooDeep
from interlock.analyse.scripts.terms import Terms
from interlock.analyse.scripts.values import MAX_CHOICES, MAX_ITEMS, MAX_TEXT, Choice, Ref, as_text, join

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
        stops, self.stops = self.stops, frozenset()
        while (token := self.peek()).kind != "end":
            if token.kind == "line" or token.text in (",", ";") or (token.text == "=>" and self.syntax.name == "perl"):
                self.at += 1
            elif token.kind == "op" and token.text in _CLOSERS:
                self.at += token.text == close
                break
            else:
                count = len(pairs)
                value = self._pair(pairs) if self.syntax.name != "perl" else self.item()
                if len(pairs) == count:
                    found.append(value)
        self.stops = stops
        if pairs:
            found.append(pairs)
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
                if token.kind == "name" and token.text in self.words:
                    self.at += 1
                    left = self._either(left, self.expression(), token.text)
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
                left = self.assign(target, mark, self.expression())
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

    def assign(self, target: str | None, mark: str, value: Any) -> Any:
        """Give a name what it stands for."""
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


def _arithmetic(mark: str, left: Any, right: Any) -> int | None:
    if not (isinstance(left, int) and isinstance(right, int)) or max(abs(left), abs(right)) > 1 << 40:
        return None
    if mark == "^":
        return left ^ right
    return left + right if mark == "+" else left - right if mark == "-" else left * right if mark == "*" else None
