"""PowerShell: expressions are computed as far as they can be; commands become the shell text that says the same.

So the catalogue describes its commands like any other program's, and pipes carry what runs through them.
"""

from __future__ import annotations

import re
from typing import Any

from interlock.analyse.paths import HOLE
from interlock.analyse.reading import NOTHING, UNKNOWN, Flow, Reading, Site
from interlock.analyse.scripts.cursor import TooDeep
from interlock.analyse.scripts.drives import unix_path
from interlock.analyse.scripts.pure import compute
from interlock.analyse.scripts.script import MAX_CHARS, Script
from interlock.analyse.scripts.strings import character, unescape
from interlock.analyse.scripts.syntax import Quote
from interlock.analyse.scripts.tables.powershell import POWERSHELL
from interlock.analyse.scripts.tokens import matching
from interlock.analyse.scripts.values import MAX_TEXT, Ref, as_text, flat, join, shell_text, unknown

MAX_DEPTH = 40
_SKIP = re.compile(r"(?:[\s;,]|`\r?\n|#(?!>)[^\n]*|<#(?:(?!#>).)*+(?:#>)?)++", re.DOTALL)
_SPACE = re.compile(r"(?:[ \t]|`\r?\n|<#(?:(?!#>).)*+(?:#>)?)++", re.DOTALL)
_NAME = re.compile(
    r"[$@](?:\{([^}]*)\}|((?:env|global|script|local|using|variable|function):)?(\w+|[?$^_]))", re.IGNORECASE
)
_SINGLE = re.compile(r"'((?:[^'’]|'')*+)'?")
_DOUBLE = re.compile(r'"((?:[^"`]|`.|"")*+)"?', re.DOTALL)
_HERE = re.compile(r"@(['\"])[ \t]*\n")
_TYPE = re.compile(r"\[\s*([A-Za-z_][\w.+,\[\] ]*)\]")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|\d+")
_WORD = re.compile(r"(?:`.|[^\s;|&(){}\"'`,$@]|\$(?![\w({]))+", re.DOTALL)
_MEMBER = re.compile(r"(?:\?)?(?:\.|::)\s*(?:(\w+)|['\"](\w+)['\"])")
_OPERATOR = re.compile(
    r"\s*(\+=|=(?!=)|\+|-(?:f|join|split|replace|creplace|ireplace|bxor|xor|and|or|eq|ne|like|match|in|notin|contains|gt|lt|ge|le|is|as|not|notmatch|notlike)\b|\.\.|\*)",
    re.IGNORECASE,
)
_KEYWORDS = frozenset(
    "if else elseif foreach for while do until switch try catch finally return throw param begin process end filter "
    "function class in trap break continue exit using workflow".split()
)
#: Names that PowerShell gives to its own commands, where they are also other programs'.
_ALIASES = {
    **dict.fromkeys("rm del erase rd rmdir ri".split(), "remove-item"),
    **dict.fromkeys("cat type gc".split(), "get-content"),
    **dict.fromkeys("cp copy cpi".split(), "copy-item"),
    **dict.fromkeys("mv move mi".split(), "move-item"),
    **dict.fromkeys("ls dir gci".split(), "get-childitem"),
    **dict.fromkeys("kill spps".split(), "stop-process"),
    **dict.fromkeys("start saps".split(), "start-process"),
    **dict.fromkeys("% foreach".split(), "foreach-object"),
    "?": "where-object",
    "icm": "invoke-command",
    "sc": "set-content",
    "ac": "add-content",
    "ni": "new-item",
    "iwr": "invoke-webrequest",
    "irm": "invoke-restmethod",
    "iex": "invoke-expression",
    "ps": "get-process",
}
_FILLED = re.compile(r"`.|(?P<code>\$\()|\$(?:\{(?P<braced>[^}]*)\}|(?P<name>(?:env:)?\w+))", re.DOTALL | re.IGNORECASE)
#: What another shell took for variables of its own.
_VARIABLES = re.compile(f"{HOLE}([A-Za-z_]\\w*){HOLE}")
_TICKS = Quote('"', "tick")


class PowerShell:
    """A PowerShell text being read."""

    __slots__ = ("at", "depth", "names", "reading", "script", "site", "stdin", "text")

    def __init__(self, reading: Reading, text: str, site: Site, stdin: Flow) -> None:
        self.reading, self.text, self.site, self.stdin = reading, text, site._replace(base=-1), stdin
        self.script = Script(reading, "", self.site, POWERSHELL, stdin)
        self.names: dict[str, Any] = {}
        self.at = self.depth = 0

    def statements(self, close: str = "") -> Any:
        """Read statements up to a closing bracket; return what the last one gives."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep
        value: Any = ""
        while self.at < len(self.text):
            found = _SKIP.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if self.at >= len(self.text):
                break
            if self.text[self.at] in ")}]":
                self.at += 1
                if close:
                    break
                continue
            self.reading.spend()
            before = self.at
            value = self._pipeline()
            self.at += self.at == before
        self.depth -= 1
        return value

    def _space(self) -> str:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    # pipelines and commands

    def _pipeline(self) -> Any:
        parts: list[list[str] | Any] = [self._element()]
        while self._space() == "|" and self.text[self.at : self.at + 2] != "||":
            self.at += 1
            found = _SKIP.match(self.text, self.at)
            self.at = found.end() if found else self.at
            parts.append(self._element())
        if self.text[self.at : self.at + 1] in ("&", "|"):
            self.at += 1 + (self.text[self.at : self.at + 2] in ("&&", "||"))
        if len(parts) == 1 and not isinstance(parts[0], _Command):
            return parts[0]
        spelled = [self._spelled(part) for part in parts]
        text = " | ".join(part for part in spelled if part)
        if not text:
            return unknown()
        flow = self.reading.nest("shell", text, self.site, self.stdin)
        if flow.text is not None:
            return flow.text.rstrip("\n")
        return self.script._result(shown_name(text), flow.marks)

    def _spelled(self, part: Any) -> str:
        if isinstance(part, _Command):
            return shell_text(list(part.words)) if part.words else ""
        return "printf %s " + shell_text([as_text(part)])

    def _element(self) -> Any:
        char = self._space()
        if char in ("&", ".") and re.match(r"[&.]\s*[\"'$(\w\\/]", self.text[self.at : self.at + 40]):
            self.at += 1
            self._space()
            return self._command(self._called())
        if char in "$([\"'@{!+-" or (char.isdigit() and char.isascii()):
            return self._expression()
        found = _WORD.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        word = found[0].replace("`", "")
        if word.lower() in _KEYWORDS and not (word.lower() == "foreach" and self._is_piped(found.start())):
            return self._keyword(word.lower())
        return self._command(word)

    def _is_piped(self, at: int) -> bool:
        return self.text[:at].rstrip()[-1:] == "|"

    def _called(self) -> str:
        """Return the name behind `&`: a word, or what an expression gives."""
        if self.text[self.at : self.at + 1] == "{":
            self._term()
            return ""
        if self.text[self.at : self.at + 1] in "$(\"'[":
            return as_text(self._term())
        found = _WORD.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else ""

    def _keyword(self, word: str) -> Any:
        if word in ("function", "filter", "class", "workflow"):
            self._space()
            found = _WORD.match(self.text, self.at)
            self.at = found.end() if found else self.at
        if self._space() == "(":
            self.at += 1
            self.statements(")")
        if self._space() == "{":
            self.at += 1
            return self.statements("}")
        return (
            self._pipeline() if word in ("return", "throw", "in") and self._space() not in ("", "\n", ";", "}") else ""
        )

    def _command(self, name: str) -> Any:
        """Read a command's words to its end."""
        lower = name.lower()
        known = _ALIASES.get(lower, lower if lower.count("-") == 1 and lower[0].isalpha() else name)
        words: list[str] = []
        values: list[Any] = []
        while self._space() not in ("", "\n", ";", "|", ")", "}", "]", "&"):
            if self.text[self.at] in ",=":
                self.at += 1
                continue
            self.reading.spend()
            before = self.at
            value = self._argument()
            if self.at == before:
                self.at += 1
                continue
            values.append(value)
            words += [as_text(item) for item in flat([value])] if not isinstance(value, Block) else []
        if known == "new-object":
            return self._new_object(values)
        if known in (
            "invoke-command",
            "foreach-object",
            "where-object",
            "measure-command",
            "start-job",
            "start-threadjob",
        ):
            return _Command([])  # what stands in braces was read on the way
        return _Command([known, *words] if known else words)

    def _argument(self) -> Any:
        """Read one argument: a word, a string, an expression, or parts of them side by side."""
        text = self.text
        value: Any = None
        while self.at < len(text) and text[self.at] not in " \t\r\n;|)},&]":
            if value is not None and text[self.at] in "({":
                break
            if text[self.at] in "$(\"'@{[" and not text.startswith("[", self.at):
                part = self._term()
            else:
                found = _WORD.match(text, self.at)
                if found is None:
                    break
                self.at = found.end()
                part = re.sub(r"`(.)", r"\1", found[0])
            value = part if value is None else join(value, part)
        return value if value is not None else ""

    def _new_object(self, values: list[Any]) -> Any:
        plain = [
            value
            for value in values
            if not (
                isinstance(value, str)
                and value.lower().startswith(("-typename", "-argumentlist", "-comobject", "-arg"))
            )
        ]
        name = as_text(plain[0]) if plain else ""
        return self._made(name, flat(plain[1:]))

    def _made(self, name: str, arguments: list[Any]) -> Any:
        """Return a new object: a stream that unpacks gives what was packed, a client is known by its type."""
        ref = Ref(_plain_type(name))
        if self.script.knows(ref):
            return self.script.call(ref, arguments, 0)
        return Ref(ref.name, as_text(arguments) if arguments else None)

    # expressions

    def _expression(self) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep
        target = _NAME.match(self.text, self.at)
        value = self._term()
        while found := _OPERATOR.match(self.text, self.at):
            if "\n" in found[0]:
                break
            self.at = found.end()
            mark = found[1].lower()
            if mark in ("=", "+="):
                value = self._assign(target, mark, value)
                continue
            self._space()
            right = (
                ""
                if mark == "-join" and self._ends()
                else self._items()
                if mark in ("-f", "-replace", "-split", "-creplace", "-ireplace")
                else self._term()
            )
            value = self._operate(mark, value, right)
        if self._space() == ",":
            items = [value]
            while self._space() == ",":
                self.at += 1
                self._space()
                items.append(self._term())
            value = items
            joined = _OPERATOR.match(self.text, self.at)
            if joined and joined[1].lower() == "-join":
                self.at = joined.end()
                self._space()
                value = self._operate("-join", value, self._term())
        self.depth -= 1
        return value

    def _ends(self) -> bool:
        return self.text[self.at : self.at + 1] in ("", ")", ";", "\n", "|", "}")

    def _items(self) -> Any:
        items = [self._term()]
        while self._space() == ",":
            self.at += 1
            self._space()
            items.append(self._term())
        return items

    def _assign(self, target: re.Match[str] | None, mark: str, before: Any) -> Any:
        found = _SKIP.match(self.text, self.at)
        self.at = found.end() if found else self.at
        value = self._pipeline()
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
        return self.script._result("result", self.reading.marks(as_text(left) + as_text(right)))

    def _term(self) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep
        self._space()
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
            return self._term() if char != "-" or text[at + 1 : at + 2] not in ("", " ") else ""
        found = _NUMBER.match(text, at)
        if found:
            self.at = found.end()
            return int(found[0][:18], 0) if found[0][:2].lower() == "0x" else int(found[0][:18])
        return self._word_value()

    def _word_value(self) -> Any:
        found = _WORD.match(self.text, self.at)
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
        value = self._term()  # a cast
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
            return self._made(value.name, arguments)
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
            skipped = _SKIP.match(self.text, self.at)
            self.at = skipped.end() if skipped else self.at
            if self.text[self.at : self.at + 1] in (")", ""):
                self.at += 1
                break
            before = self.at
            value = self._expression()
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
                inner = PowerShell(self.reading, text[at:end], self.site, NOTHING)
                inner.names, inner.depth, inner.script = self.names, self.depth + 1, self.script
                parts.append(as_text(inner.statements()))
                at = end + 1
            else:
                name = (found["braced"] or found["name"] or "").lower()
                held = self._environment(name[4:]) if name.startswith("env:") else self.names.get(name)
                parts.append(as_text(held) if held is not None else unknown(name))
        return "".join([*parts, text[at:]])[:MAX_TEXT]


class _Command:
    """A command's words, to be run."""

    __slots__ = ("words",)

    def __init__(self, words: list[str]) -> None:
        self.words = words


class Block(str):
    """A script block: its text, which was read where it stands."""

    __slots__ = ()


def _plain_type(name: str) -> str:
    return name.strip().lower().removeprefix("system.")


def shown_name(text: str) -> str:
    """Return what to call the output of a command."""
    return text.replace(HOLE, "")[:30]


def read_powershell(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read a PowerShell text."""
    if len(text) > MAX_CHARS:
        reading.unread(f"powershell text longer than {MAX_CHARS} characters", site, flags=frozenset({"cap"}))
        return UNKNOWN
    reading.spend(len(text) // 32)
    text = _VARIABLES.sub(lambda found: f"${found[1]}" if found[1] not in reading.taints else found[0], text)
    shell = PowerShell(reading, text, site, stdin)
    first = len(reading.effects)
    value: Any = ""
    try:
        value = shell.statements()
    except (TooDeep, RecursionError):
        reading.unread("powershell text nested too deep", site, flags=frozenset({"cap"}))
    ran = any(effect.kind in ("code.eval", "code.opaque") for effect in reading.effects[first:])
    shell.script.shells = shell.script.shells or ran
    shell.script.close()
    printed = as_text(value)
    return Flow(printed + "\n" if printed and HOLE not in printed else None, reading.marks(printed))
