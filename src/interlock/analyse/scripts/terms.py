"""Terms of a script: values, names, brackets, and what is called on them."""

from __future__ import annotations

from typing import Any

from interlock.analyse.paths import HOLE
from interlock.analyse.scripts.cursor import MAX_DEPTH, TRAILING, TooDeep
from interlock.analyse.scripts.filling import Filling
from interlock.analyse.scripts.tokens import Token
from interlock.analyse.scripts.values import MAX_ITEMS, Ref, as_text, unknown

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
            self.defining = self.peek().text
            self.at += 1  # what is defined is not called
            self.branches = True
            if self.peek().text == "(":
                self.at += 1
                self.items(")")
            return ""
        if word == "return" and self.defining and self.begins_value(self.peek()):
            return self.returns.setdefault(self.defining, self.expression())
        if word in ("const", "let", "var", "import") and self.peek().text == "{":
            return self._unpacked()
        return self.term() if self.begins_value(self.peek()) or self.peek().text in ("(", "{", "[") else ""

    def _set(self) -> Any:
        """Read `set x to …`."""
        name = self.peek().text.lower()
        self.at += 1
        if self.peek().text.lower() == "to":
            self.at += 1
        return self.assign(name, "=", self.expression())

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
            if not separated and (len(found) > 1 or self.syntax.name != "perl"):
                break
        return self.call(value, found, start)

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


def _number(text: str) -> Any:
    try:
        return int(text.replace("_", "")[:18], 0 if text[:2].lower() in ("0x", "0b") else 10)
    except ValueError:
        return text
