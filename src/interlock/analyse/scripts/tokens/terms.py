"""Terms of a script: values, names, brackets, and what is called on them."""

from __future__ import annotations

from typing import Any

from interlock.analyse.scripts.scope import TooDeep
from interlock.analyse.scripts.tokens.cursor import MAX_DEPTH, TRAILING
from interlock.analyse.scripts.tokens.string_interpolation import Filling
from interlock.analyse.scripts.tokens.tokenizer import Token
from interlock.analyse.scripts.values import ASKED_ENVIRONMENT, Ref, either, unknown

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
_UNARY = frozenset("! - + ~ & * \\ ++ -- ... .. @ % $ # ? ** -> :: ` | || ^ = == > >> << /".split())


#: How many words a loop may have before what it goes through.
MAX_LOOP_NAMES = 10
#: Functions that ask the environment for one name: `get(ENV, "USER", "")`.
_ASKING = frozenset("get haskey keys delete! get! in length".split())


class Terms(Filling):
    """Reads terms."""

    __slots__ = ()

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
            return self._read_bracket(token, start)
        if token.kind in ("end", "line"):
            return ""
        self.at += 1
        if token.kind == "name":
            return self._name(token, start)
        if token.kind == "text":
            text = self.string(token)
            self.held.add(text)
            return self.postfix(text, start)
        if token.kind == "hole":
            return self.postfix(token.text, start)
        if token.kind == "run":
            return self.postfix(self.run_text(self.string(token), start), start)
        if token.kind == "number":
            return self.postfix(_number(token.text), start)
        return self.postfix(unknown("pattern"), start)

    def _read_bracket(self, token: Token, start: int) -> Any:
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
            found = self.items("]")
            if self.syntax.strung and len(found) > 1 and all(isinstance(item, str) for item in found):
                return self.postfix("".join(found), start)
            return self.postfix(found, start)
        if mark == "{":
            self.at += 1
            return self.block("}")
        return ""

    def _name(self, token: Token, start: int) -> Any:
        text = token.text
        word = text.lower() if self.syntax.folds else text
        if word in _PREFIXES and word not in self.names:
            return self._prefix(word)
        if word == "set" and self.syntax.name == "applescript" and self.peek().kind == "name":
            return self._set()
        if word in self.syntax.inputs and word not in self.names:
            return self.postfix(self.taint("input", word), start)
        if word in self.syntax.environment:
            if self.peek(-2).text == "(" and self.peek(-3).text in _ASKING:
                return Ref(ASKED_ENVIRONMENT)
            return self.postfix(Ref("ENV"), start)
        if word in ("using", "import") and self.syntax.name == "julia":
            return self._import()
        held = self.names.get(word)
        value = held if held is not None else Ref(word)
        following = self.peek()
        plain = not (following.kind == "op" and following.text in (*self.syntax.members, "(", "[", "{"))
        value = self.postfix(value, start)
        self.target = word if plain or following.text == "{" else None
        return value

    def _prefix(self, word: str) -> Any:
        self.branches = self.branches or word in _BRANCHES
        if word in self.syntax.definers and self.peek().kind == "name" and self.peek(1).text != "=":
            self.defining = self.peek().text
            self.at += 1  # what is defined is not called
            self.branches = True
            if self.peek().text == "(":
                self.at += 1
                self.items(")")
            return ""
        if word == "for":
            self._bind_loop()
        if word == "return" and self.defining and self.begins_value(self.peek()):
            return self.returns.setdefault(self.defining, self.expression())
        return self.term() if self.begins_value(self.peek()) or self.peek().text in ("(", "{", "[") else ""

    def _import(self) -> Any:
        """Read `using LibPQ, HTTP`."""
        while self.peek().kind == "name" or self.peek().text in (",", ".", ":"):
            self.imported.add(self.peek().text)
            self.at += 1
        return ""

    def _bind_loop(self) -> None:
        """Give the names of `for (k, v) in …` what they go through; nothing else is read here."""
        names: list[str] = []
        ahead = 0
        while ahead < MAX_LOOP_NAMES and self.peek(ahead).text not in ("in", "=", "∈"):
            if self.peek(ahead).kind == "name":
                names.append(self.peek(ahead).text)
            ahead += 1
        value = self.peek(ahead + 1)
        if ahead < MAX_LOOP_NAMES and value.kind == "text":
            for name in names:
                self.names[name] = either(self.names.get(name, unknown(name)), self.string(value))
        if ahead < MAX_LOOP_NAMES and value.kind == "name" and value.text in self.syntax.environment:
            for name in names:
                self.names[name] = self.taint("environment", "environment")

    def _set(self) -> Any:
        """Read `set x to …`."""
        name = self.peek().text.lower()
        self.at += 1
        if self.peek().text.lower() == "to":
            self.at += 1
        return self.assign(name, "=", self.expression())

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
                    value = self.call(value, self.items(")"), start)
                elif mark == "[" and adjacent:
                    self.at += 1
                    value = self.subscript(value, (self.items("]") or [""])[0])
                else:
                    break
            else:
                break
        return self._bare(value, start) if isinstance(value, Ref) else value

    def _is_called(self, value: Any) -> bool:
        return not isinstance(value, int)

    def _bare(self, value: Ref, start: int) -> Any:
        """Call a function that stands there without brackets."""
        if not self.syntax.bare or not self.knows(value):
            return self.property(value, start)
        following = self.peek()
        apart = following.text in ("[", "\\", "<") and following.at > self.peek(-1).end
        if not (self.begins_value(following) or apart) or following.text in TRAILING:
            return self.call(value, [], start)
        found: list[Any] = []
        while self.begins_value(self.peek()) or self.peek().text in ("(", "[", "{", "\\", "-", "<"):
            found.append(self.item())
            while self.peek().kind == "line" and len(found) and self.peek(-1).text == ",":
                self.at += 1
            separated = self.take(",", "=>", ":")
            while separated and self.peek().kind == "line":
                self.at += 1
            if not separated:
                break
        return self.call(value, found, start)


def _number(text: str) -> Any:
    try:
        return int(text.replace("_", "")[:18], 0 if text[:2].lower() in ("0x", "0b") else 10)
    except ValueError:
        return text
