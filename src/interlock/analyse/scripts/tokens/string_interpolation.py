"""Strings of a script: what they stand for, with their variables and the code inside them."""

from __future__ import annotations

import re
from typing import Any

from interlock.analyse.scripts.scope import TooDeep
from interlock.analyse.scripts.strings import closing_bracket, unescape
from interlock.analyse.scripts.tokens.cursor import MAX_DEPTH, Cursor
from interlock.analyse.scripts.tokens.tokenizer import Token, tokenize
from interlock.analyse.scripts.values import MAX_TEXT, as_text, unknown


class Filling(Cursor):
    """Reads strings."""

    __slots__ = ()

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
                parts.append(self._fill(found["name"], found[0]))
            else:
                opener = found[0].rstrip("$")[-1]
                start = at - found[0].endswith("$")
                end = closing_bracket(text, start, opener, {"{": "}", "(": ")"}.get(opener, "}"))
                if end < 0:
                    break
                parts.append(as_text(self.inner(text[start:end])))
                at = end + 1
        parts.append(unescape(text[at:], quote))
        return "".join(parts)[:MAX_TEXT]

    def _fill(self, name: str, written: str) -> str:
        if name in self.syntax.environment:
            return self.variable(re.sub(r"\W", "", written[len(name) + 1 :]))
        if name in self.syntax.inputs and name not in self.names:
            return self.taint("input", name)
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
                value = self.item()
        finally:
            self.tokens, self.at = tokens, at
            self.nested -= 1
            self.depth -= 2
            self.whole = self.whole and whole
        return value
