"""Expressions of PowerShell: variables, strings, types and methods of .NET, computed as far as they can be."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any

from interlock.analyse.paths import HOLE
from interlock.analyse.reading import NOTHING, Flow, Reading, Site
from interlock.analyse.scripts.drives import unix_path
from interlock.analyse.scripts.pure import compute
from interlock.analyse.scripts.scope import TooDeep
from interlock.analyse.scripts.script import Script
from interlock.analyse.scripts.strings import character, matching, unescape
from interlock.analyse.scripts.syntax import Quote
from interlock.analyse.scripts.tables.powershell import POWERSHELL
from interlock.analyse.scripts.values import MAX_TEXT, Ref, as_text, flat, join, unknown
from interlock.patterns import late

MAX_DEPTH = 40
SKIP = late(r"(?:[\s;,]|`\r?\n|#(?!>)[^\n]*|<#(?:(?!#>).)*+(?:#>)?)++", re.DOTALL)
SPACE = late(r"(?:[ \t]|`\r?\n|<#(?:(?!#>).)*+(?:#>)?)++", re.DOTALL)
_NAME = late(r"[$@](?:\{([^}]*)\}|((?:env|global|script|local|using|variable|function):)?(\w+|[?$^_]))", re.IGNORECASE)
_SINGLE = late(r"'((?:[^'’]|'')*+)'?")
_DOUBLE = late(r'"((?:[^"`]|`.|"")*+)"?', re.DOTALL)
_HERE = late(r"@(['\"])[ \t]*\n")
_TYPE = late(r"\[\s*([A-Za-z_][\w.+,\[\] ]*)\]")
_NUMBER = late(r"0[xX][0-9a-fA-F]+|\d+")
WORD = late(r"(?:`.|[^\s;|&(){}\"'`,$@]|\$(?![\w({]))+", re.DOTALL)
_MEMBER = late(r"(?:\?)?(?:\.|::)\s*(?:(\w+)|['\"](\w+)['\"])")
_OPERATOR = late(
    r"\s*(\+=|=(?!=)|\+|-(?:f|join|split|replace|creplace|ireplace|bxor|xor|and|or|eq|ne|like|match|in|notin|contains|gt|lt|ge|le|is|as|not|notmatch|notlike)\b|\.\.|\*)",
    re.IGNORECASE,
)
_FILLED = late(r"`.|(?P<code>\$\()|\$(?:\{(?P<braced>[^}]*)\}|(?P<name>(?:env:)?\w+))", re.DOTALL | re.IGNORECASE)
_TICKS = Quote('"', "tick")


class Block(str):
    """A script block: its text, which was read where it stands."""

    __slots__ = ()


class Values(ABC):
    """A PowerShell text being read: its values."""

    __slots__ = ("at", "depth", "names", "reading", "script", "site", "stdin", "text")

    def __init__(self, reading: Reading, text: str, site: Site, stdin: Flow) -> None:
        self.reading, self.text, self.site, self.stdin = reading, text, site._replace(base=-1), stdin
        self.script = Script(reading, "", self.site, POWERSHELL, stdin)
        self.names: dict[str, Any] = {}
        self.at = self.depth = 0

    @abstractmethod
    def statements(self, close: str = "") -> Any:
        """Read statements up to a closing bracket; return what the last one gives."""

    @abstractmethod
    def pipeline(self) -> Any:
        """Read one pipeline; return what it gives."""

    def space(self) -> str:
        """Go past white space; return the character that follows."""
        found = SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def made(self, name: str, arguments: list[Any]) -> Any:
        """Return a new object: a stream that unpacks gives what was packed, a client is known by its type."""
        ref = Ref(_plain_type(name))
        if self.script.knows(ref):
            return self.script.call(ref, arguments, 0)
        return Ref(ref.name, as_text(arguments) if arguments else None)

    # expressions

    def expression(self) -> Any:
        """Read one expression; return what it is known to be."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep
        target = _NAME.match(self.text, self.at)
        value = self.term()
        while found := _OPERATOR.match(self.text, self.at):
            if "\n" in found[0]:
                break
            self.at = found.end()
            mark = found[1].lower()
            if mark in ("=", "+="):
                value = self._assign(target, mark, value)
                continue
            self.space()
            right = (
                ""
                if mark == "-join" and self._ends()
                else self._items()
                if mark in ("-f", "-replace", "-split", "-creplace", "-ireplace")
                else self.term()
            )
            value = self._operate(mark, value, right)
        if self.space() == ",":
            items = [value]
            while self.space() == ",":
                self.at += 1
                self.space()
                items.append(self.term())
            value = items
            joined = _OPERATOR.match(self.text, self.at)
            if joined and joined[1].lower() == "-join":
                self.at = joined.end()
                self.space()
                value = self._operate("-join", value, self.term())
        self.depth -= 1
        return value

    def _ends(self) -> bool:
        return self.text[self.at : self.at + 1] in ("", ")", ";", "\n", "|", "}")

    def _items(self) -> Any:
        items = [self.term()]
        while self.space() == ",":
            self.at += 1
            self.space()
            items.append(self.term())
        return items

    def _assign(self, target: re.Match[str] | None, mark: str, before: Any) -> Any:
        found = SKIP.match(self.text, self.at)
        self.at = found.end() if found else self.at
        value = self.pipeline()
        if target is not None:
            name = (target[1] or target[3] or "").lower()
            self.names[name] = join(before, value) if mark == "+=" else value
        return value

    def _operate(self, mark: str, left: Any, right: Any) -> Any:
        if mark == "+":
            return [*left, *flat([right])] if isinstance(left, list) else join(left, right)
        if mark == "-join":
            return compute("join", [as_text(right), left if isinstance(left, list) else [left]]) or ""
        if mark == "-f":
            return re.sub(
                r"\{(\d{1,2})[^}]*\}",
                lambda f: as_text(right[int(f[1])]) if int(f[1]) < len(right) else "",
                as_text(left),
            )
        if mark in ("-replace", "-creplace", "-ireplace"):
            text, new = as_text(left), as_text(right[1]) if len(right) > 1 else ""
            plain = re.sub(r"\\(.)", r"\1", as_text(right[0]))
            return compute("replace", [plain, new, text]) if plain and HOLE not in text else left
        if mark == "-split":
            return compute("split", [right[0] if right else " ", left]) or left
        if mark == ".." and isinstance(left, int) and isinstance(right, int) and abs(left - right) < 2_000:
            return list(range(left, right + 1)) if left <= right else list(range(left, right - 1, -1))
        if mark == "*" and isinstance(left, str) and isinstance(right, int) and len(left) * right <= MAX_TEXT:
            return left * right
        if mark in ("-bxor", "-xor") and isinstance(left, int) and isinstance(right, int):
            return left ^ right
        return self.script.result("result", self.reading.marks(as_text(left) + as_text(right)))

    def term(self) -> Any:
        """Read one value with what is called on it."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep
        self.space()
        value = self._members(self._primary())
        self.depth -= 1
        return value

    def _primary(self) -> Any:
        text, at = self.text, self.at
        here = _HERE.match(text, at)
        end = text.find(f"\n{here[1]}@", here.end() - 1) if here else -1
        if here and end >= 0:
            self.at = end + 3
            body = text[here.end() : end]
            return body if here[1] == "'" else self._filled(body)
        char = text[at : at + 1]
        if char == "'":
            found = _SINGLE.match(text, at)
            self.at = found.end() if found else at + 1
            return found[1].replace("''", "'") if found else ""
        if char == '"':
            found = _DOUBLE.match(text, at)
            self.at = found.end() if found else at + 1
            return self._filled(found[1]) if found else ""
        if text.startswith(("$(", "@("), at) or char == "(":
            self.at += 1 + (char != "(")
            value = self.statements(")")
            return value if char != "@" or isinstance(value, list) else [value]
        if char == "{" or text.startswith("@{", at):
            self.at += 1 + (char == "@")
            start = self.at
            self.statements("}")
            return Block(text[start : self.at - 1])
        if char in "$@":
            return self._variable()
        if char == "[":
            return self._type()
        if char in "-+!,":
            self.at += 1
            return self.term() if char != "-" or text[at + 1 : at + 2] not in ("", " ") else ""
        found = _NUMBER.match(text, at)
        if found:
            self.at = found.end()
            return int(found[0][:18], 0) if found[0][:2].lower() == "0x" else int(found[0][:18])
        return self._word_value()

    def _word_value(self) -> Any:
        found = WORD.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else ""

    def _variable(self) -> Any:
        found = _NAME.match(self.text, self.at)
        if found is None:
            self.at += 1
            return ""
        self.at = found.end()
        name = (found[1] or found[3] or "").lower()
        if (found[2] or "").lower() == "env:" or name.startswith("env:"):
            return self._environment(name.removeprefix("env:"))
        if name in self.names:
            return self.names[name]
        if name in ("_", "input", "args"):
            return self.script.tainted("input", name)
        return {"home": "~", "pwd": ".", "null": "", "true": 1, "false": 0, "pshome": "/Windows"}.get(
            name, unknown(name)
        )

    def _environment(self, name: str) -> str:
        places = {
            "temp": "/tmp",
            "tmp": "/tmp",
            "userprofile": "~",
            "appdata": "~/AppData/Roaming",
            "windir": "/Windows",
            "systemroot": "/Windows",
            "comspec": "cmd",
        }
        return places.get(name) or self.script.variable(name.upper())

    def _type(self) -> Any:
        found = _TYPE.match(self.text, self.at)
        if found is None:
            self.at += 1
            return ""
        self.at = found.end()
        name = _plain_type(found[1])
        if self.text.startswith("::", self.at):
            return Ref(name)
        value = self.term()  # a cast
        if name in ("char", "char[]"):
            if isinstance(value, list) and all(isinstance(item, int) for item in value):
                return [character(item) for item in value]
            return character(value) if isinstance(value, int) else value
        if name == "string" and isinstance(value, list):
            return "".join(as_text(item) for item in value)
        return value

    def _members(self, value: Any) -> Any:
        while True:
            found = _MEMBER.match(self.text, self.at)
            if found and self.text[self.at : self.at + 2] != "..":
                self.at = found.end()
                value = self._member(value, (found[1] or found[2]).lower())
            elif self.text[self.at : self.at + 1] == "[" and not isinstance(value, Block):
                self.at += 1
                index = self.statements("]")
                value = self._indexed(value, index)
            else:
                return value

    def _indexed(self, value: Any, index: Any) -> Any:
        indices = flat([index])
        if (
            isinstance(value, (str, list))
            and all(isinstance(at, int) and -len(value) <= at < len(value) for at in indices)
            and (isinstance(value, list) or HOLE not in value)
        ):
            found = [value[at] for at in indices]
            return found[0] if len(found) == 1 else found
        return value

    def _member(self, value: Any, name: str) -> Any:
        arguments = None
        if self.text[self.at : self.at + 1] == "(":
            self.at += 1
            arguments = [unix_path(item) if isinstance(item, str) else item for item in self._arguments()]
        ref = Ref(f"{value.name}.{name}", value.owner) if isinstance(value, Ref) else Ref("." + name, value)
        if arguments is None:
            return ref if isinstance(value, Ref) else value if name not in ("length", "count") else unknown(name)
        if name == "new" and isinstance(value, Ref):
            return self.made(value.name, arguments)
        if name in ("invoke", "invokereturnasis") and isinstance(value, (str, Block)):
            return self.script.code("invoke", "powershell", as_text(value), 0) if isinstance(value, str) else ""
        given = self.script.call(ref, arguments, 0)
        if name == "downloadfile" and len(arguments) > 1:
            path = as_text(arguments[1])
            full = self.reading.places.resolve(path, self.site.cwd) or path
            self.reading.files[full] = Flow(None, frozenset({"download"}), as_text(arguments[0]))
        return given

    def _arguments(self) -> list[Any]:
        found: list[Any] = []
        while self.at < len(self.text):
            skipped = SKIP.match(self.text, self.at)
            self.at = skipped.end() if skipped else self.at
            if self.text[self.at : self.at + 1] in (")", ""):
                self.at += 1
                break
            before = self.at
            value = self.expression()
            if self.at == before:
                self.at += 1
                continue
            found += (
                value if isinstance(value, list) and not found and self.text[self.at : self.at + 1] == ")" else [value]
            )
        return found

    def _filled(self, text: str) -> str:
        """Return a string with its variables filled in."""
        parts, at = [], 0
        while found := _FILLED.search(text, at):
            self.reading.spend()
            parts.append(text[at : found.start()])
            at = found.end()
            if found.lastgroup is None:
                parts.append(unescape(found[0], _TICKS))
            elif found["code"]:
                end = matching(text, at, "(", ")")
                if end < 0:
                    break
                inner = type(self)(self.reading, text[at:end], self.site, NOTHING)
                inner.names, inner.depth, inner.script = self.names, self.depth + 1, self.script
                parts.append(as_text(inner.statements()))
                at = end + 1
            else:
                name = (found["braced"] or found["name"] or "").lower()
                held = self._environment(name[4:]) if name.startswith("env:") else self.names.get(name)
                parts.append(as_text(held) if held is not None else unknown(name))
        return "".join([*parts, text[at:]])[:MAX_TEXT]


def _plain_type(name: str) -> str:
    return name.strip().lower().removeprefix("system.")
