"""awk: patterns and actions, commands in pipes, files behind `>`."""

from __future__ import annotations

from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.loading import is_foreign_code
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.script import MAX_CHARS
from interlock.analyse.scripts.syntax import Quote, Syntax
from interlock.analyse.scripts.tokens.expressions import Expressions, finish
from interlock.analyse.scripts.tokens.syntax_check import is_program
from interlock.analyse.scripts.tokens.tokenizer import Token
from interlock.analyse.scripts.values import Ref, as_text, either, join, unknown
from interlock.analyse.scripts.written_files import append_written, is_open, open_written
from interlock.patterns import late

AWK = Syntax(
    "awk",
    comments=("#",),
    quotes={'"': Quote('"')},
    members=(),
    joins=frozenset(),
    juxtaposed=True,
    lines=True,
    regexes=r"/(?:[^/\\\[\n]|\\.|\[\^?\]?(?:\[:\w+:\]|[^\]\\\n]|\\.)*+\])*+/",
    word=r"\$\w+|[A-Za-z_]\w*",
    definers=frozenset({"func", "function"}),
    environment=frozenset({"ENVIRON"}),
    strays="'`",
)

#: What an ordinary one-liner has none of.
_NOTABLE = late(r"system|getline|[|>@]|ENVIRON|BEGIN\s*\{\s*print")
_LINES = 8
#: `@include "file"` and `@load "library"`, which load code.
_INCLUDE = late(r'(?m)^\s*@(?:include|load)\s+"([^"\n]+)"')
_FOREIGN = frozenset({"foreign"})
#: Where what is printed goes.
_GOES = frozenset({">", ">>", "|", "|&"})


class Awk(Expressions):
    """An awk program."""

    __slots__ = ()

    def _name(self, token: Token, start: int) -> Any:
        word = token.text
        if word in ("print", "printf"):
            return self._prints(word, start)
        if word == "getline":
            return self._getline(start)
        if word == "sub":  # elsewhere it begins a definition
            return self.postfix(Ref(word), start)
        if word[0] == "$" and word not in self.names:
            return self.taint("input", word[1:])
        return super()._name(token, start)

    def term(self) -> Any:
        """Read a term; `@name(…)` calls the function that a variable names."""
        if self.peek().text == "@" and self.peek(1).kind == "name" and self.peek(2).text == "(":
            named = self.names.get(self.peek(1).text)
            self.at += 1
            if isinstance(named, str) and HOLE not in named:
                self.tokens[self.at] = self.peek()._replace(text=named)
            else:
                self.opaque("a function whose name is not known", as_text(named or unknown("function")), self.at)
        return super().term()

    def call(self, value: Any, arguments: list[Any], start: Any) -> Any:
        """Call a function; `sub` and `gsub` change the variable that they are given."""
        if isinstance(value, Ref) and value.name in ("gsub", "sub") and len(arguments) > 1:
            before = arguments[2] if len(arguments) > 2 else self.names.get("$0")
            changed = self.mix(*arguments)
            for name in [name for name, held in self.names.items() if before is not None and held == before]:
                self.names[name] = either(before, changed)
        return super().call(value, arguments, start)

    def _prints(self, word: str, start: int) -> Any:
        """Read `print a, b > "file"` and `print | "command"`."""
        found: list[Any] = []
        self.stops = _GOES
        while self.peek().kind not in ("end", "line") and self.peek().text not in (";", "}", *_GOES):
            before = self.at
            found.append(self.expression())
            self.take(",")
            if self.at == before:
                break
        self.stops = frozenset()
        if len(found) == 1 and isinstance(found[0], list):
            found = found[0]
        values = [as_text(value) for value in found]
        text = " ".join(values) + "\n" if values else as_text(self.names.get("$0", self.taint("input", "0"))) + "\n"
        if word == "printf":
            text = as_text(self.compute("format", word, None, found)) if found else ""
        mark = self.peek().text
        if self.peek().kind != "op" or mark not in _GOES:
            self.printed.append(text)
            return ""
        self.at += 1
        self._goes(mark, as_text(self.join_terms()), text, start)
        return ""

    def join_terms(self) -> Any:
        """Read terms side by side: where output goes, or a command."""
        value = self.term()
        while self.begins_value(self.peek()):
            value = join(value, self.term())
        return value

    def _goes(self, mark: str, to: str, text: str, start: int) -> None:
        """Read where something printed goes: a file, a command, or a socket."""
        if "/inet" in to[:8]:
            self._socket(to, self.reading.marks(text), start)
        elif mark in (">", ">>"):
            if to not in ("/dev/stderr", "/dev/stdout", "-"):
                self.reading.file("fs.write", self.where(start), to)
                handle = unknown(to)
                append_written(self, handle if is_open(self, handle) else open_written(self, to), [text])
        elif _is_shell(to) and HOLE not in text:
            self.reading.nest("shell", text, self.where(start).behind("awk"))
        else:
            self.command("|", to, start)

    def _socket(self, name: str, marks: frozenset[str], start: int) -> None:
        host = ":".join(name.split("/")[4:6])
        if host not in self.sockets:
            self.sockets.append(host)
            self.reading.url("net.connect", self.where(start), host, frozenset({"socket"}) | marks - {"input"})

    def operator(self, mark: str, left: Any) -> Any:
        """Read `"command" | getline` and `socket |& getline`."""
        if mark in ("|", "|&") and self.peek(1).text == "getline":
            start = self.at
            self.at += 2
            text = as_text(left)
            if "/inet" in text[:8]:
                self._socket(text, frozenset(), start)
                value: Any = self.result("socket", frozenset({"download", "socket"}))
            else:
                value = self.command("getline", text, start)
            return self._into(value)
        return None

    def _into(self, value: Any) -> Any:
        if self.peek().kind == "name" and self.peek().text not in ("while", "if"):
            self.names[self.peek().text] = value if value is not None else unknown()
            self.at += 1
        return value

    def _getline(self, start: int) -> Any:
        value = self._into(self.taint("input", "input"))
        if self.take("<"):
            path = as_text(self.term())
            if path not in ("-", "/dev/stdin"):
                self.reading.file("fs.read", self.where(start), path)
        return value


def _load(reading: Reading, path: str, site: Site) -> None:
    """Report a file that a program includes: code of this run, or a file at a foreign path."""
    held = reading.files.get(reading.places.resolve(path, site.cwd) or path)
    if held is not None and held.text is not None:
        reading.nest("awk", held.text, site.behind("@include"))
    elif held is not None and "download" in held.marks:
        reading.emit("code.remote", site, path)
    elif is_foreign_code(reading, path, site.cwd):
        reading.file("code.run", site, path, _FOREIGN)


def _is_shell(text: str) -> bool:
    return text.strip().rpartition("/")[2] in ("sh", "bash", "dash", "zsh", "ksh")


def read_awk(
    reading: Reading, text: str, site: Site, stdin: Flow = NOTHING, names: dict[str, Any] | None = None
) -> Flow:
    """Read an awk program; what it is given line by line is known where its input is."""
    known = stdin.text if stdin is not NOTHING and stdin.text and HOLE not in stdin.text else None
    if len(text) > MAX_CHARS:
        reading.unread(f"awk text longer than {MAX_CHARS} characters", site, flags=frozenset({"cap"}))
        return UNKNOWN
    for found in _INCLUDE.finditer(text):
        _load(reading, found[1], site)
    if "SYMTAB" in text:
        reading.unread("variables that are set by their names", site, flags=frozenset({"computed"}))
    if not _NOTABLE.search(text) and known is None:
        if not is_program(reading, text, AWK):
            reading.reject("awk", site)
        return Flow(None, stdin.marks)
    lines = known.splitlines()[:_LINES] if known is not None else [None]
    printed: list[str] = []
    for line in lines or [None]:
        script = Awk(reading, text, site, AWK, stdin)
        script.names |= names or {}
        if line is not None:
            fields = line.split()
            script.names |= {
                "$0": line,
                "$NF": fields[-1] if fields else "",
                **{f"${at + 1}": word for at, word in enumerate(fields)},
            }
        flow = finish(script)
        if flow.text is None and script.printed:
            return Flow(None, stdin.marks | flow.marks)
        printed.append(flow.text or "")
    whole = "".join(printed)
    return Flow(whole if whole and (known is not None or "BEGIN" in text) else None, stdin.marks)
