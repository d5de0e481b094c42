"""PowerShell: expressions are computed as far as they can be; commands become the shell text that says the same.

So the catalogue describes its commands like any other program's, and pipes carry what runs through them.
"""

from __future__ import annotations

import re
from typing import Any

from interlock.analyse.paths import HOLE
from interlock.analyse.reading import UNKNOWN, Flow, Reading, Site
from interlock.analyse.scripts.dotnet import MAX_DEPTH, SKIP, WORD, Block, Values
from interlock.analyse.scripts.scope import TooDeep
from interlock.analyse.scripts.script import MAX_CHARS
from interlock.analyse.scripts.values import as_text, flat, join, shell_text, unknown
from interlock.patterns import late

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
#: What another shell took for variables of its own.
_VARIABLES = late(f"{HOLE}([A-Za-z_]\\w*){HOLE}")


class PowerShell(Values):
    """A PowerShell text being read: its statements and commands."""

    __slots__ = ()

    def statements(self, close: str = "") -> Any:
        """Read statements up to a closing bracket; return what the last one gives."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep
        value: Any = ""
        while self.at < len(self.text):
            found = SKIP.match(self.text, self.at)
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
            value = self.pipeline()
            self.at += self.at == before
        self.depth -= 1
        return value

    # pipelines and commands

    def pipeline(self) -> Any:
        """Read one pipeline; return what it gives."""
        parts: list[list[str] | Any] = [self._element()]
        while self.space() == "|" and self.text[self.at : self.at + 2] != "||":
            self.at += 1
            found = SKIP.match(self.text, self.at)
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
        return self.script.result(shown_name(text), flow.marks)

    def _spelled(self, part: Any) -> str:
        if isinstance(part, _Command):
            return shell_text(list(part.words)) if part.words else ""
        return "printf %s " + shell_text([as_text(part)])

    def _element(self) -> Any:
        char = self.space()
        if char in ("&", ".") and re.match(r"[&.]\s*[\"'$(\w\\/]", self.text[self.at : self.at + 40]):
            self.at += 1
            self.space()
            return self._command(self._called())
        if char in "$([\"'@{!+-" or (char.isdigit() and char.isascii()):
            return self.expression()
        found = WORD.match(self.text, self.at)
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
            self.term()
            return ""
        if self.text[self.at : self.at + 1] in "$(\"'[":
            return as_text(self.term())
        found = WORD.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else ""

    def _keyword(self, word: str) -> Any:
        if word in ("function", "filter", "class", "workflow"):
            self.space()
            found = WORD.match(self.text, self.at)
            self.at = found.end() if found else self.at
        if self.space() == "(":
            self.at += 1
            self.statements(")")
        if self.space() == "{":
            self.at += 1
            return self.statements("}")
        return self.pipeline() if word in ("return", "throw", "in") and self.space() not in ("", "\n", ";", "}") else ""

    def _command(self, name: str) -> Any:
        """Read a command's words to its end."""
        lower = name.lower()
        known = _ALIASES.get(lower, lower if lower.count("-") == 1 and lower[0].isalpha() else name)
        words: list[str] = []
        values: list[Any] = []
        while self.space() not in ("", "\n", ";", "|", ")", "}", "]", "&"):
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
                part = self.term()
            else:
                found = WORD.match(text, self.at)
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
        return self.made(name, flat(plain[1:]))


class _Command:
    """A command's words, to be run."""

    __slots__ = ("words",)

    def __init__(self, words: list[str]) -> None:
        self.words = words


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
