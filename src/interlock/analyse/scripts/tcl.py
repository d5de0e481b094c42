"""Tcl and expect: every command is a list of words."""

from __future__ import annotations

from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.paths import HOLE, hole, is_hole
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.shells import opens_shell
from interlock.analyse.scripts.strings import closing_bracket
from interlock.analyse.scripts.values import shell_text
from interlock.analyse.scripts.whole_scripts import report_whole
from interlock.patterns import late

MAX_CHARS = 64_000
MAX_DEPTH = 20
_NAME = late(r"\$(?:\{([^}]{0,100})\}|(\w+))")


class Tcl:
    """A Tcl script being read."""

    __slots__ = ("connected", "depth", "names", "reading", "shells", "site", "whole")

    def __init__(self, reading: Reading, site: Site) -> None:
        self.reading, self.site = reading, site.replace(base=-1)
        self.names: dict[str, str] = {}
        self.depth = 0
        self.connected: list[str] = []
        self.shells = False
        self.whole = True  # whether every bracket and quote was closed

    def run(self, text: str) -> str:
        """Read a script, command by command; return what the last one gives."""
        if self.depth >= MAX_DEPTH:
            self.reading.unread("tcl text nested too deep", self.site, flags=frozenset({"cap"}))
            return ""
        self.depth += 1
        at, value = 0, ""
        while at < len(text):
            words, at = self._words(text, at)
            self.reading.spend(1 + len(words) // 4)
            if words:
                value = self._command(words)
        self.depth -= 1
        return value

    def _words(self, text: str, at: int) -> tuple[list[str], int]:
        words: list[str] = []
        while at < len(text):
            char = text[at]
            if char in " \t" or text.startswith("\\\n", at):
                at += 1 + (char == "\\")
            elif char in "\n;":
                return words, at + 1
            elif char == "#" and not words:
                end = text.find("\n", at)
                at = len(text) if end < 0 else end
            elif char == "{":
                end = self._past(closing_bracket(text, at + 1, "{", "}"), text)
                words.append(text[at + 1 : end])
                at = end + 1
            else:
                word, at = self._word(text, at)
                words.append(word)
        return words, at

    def _word(self, text: str, at: int) -> tuple[str, int]:
        quoted = text[at] == '"'
        at += quoted
        open_quote = quoted
        parts: list[str] = []
        while at < len(text):
            char = text[at]
            if (quoted and char == '"') or (not quoted and char in " \t\n;"):
                at += quoted
                open_quote = False
                break
            if char == "[":
                end = self._past(closing_bracket(text, at + 1, "[", "]"), text)
                parts.append(self.run(text[at + 1 : end]))
                at = end + 1
            elif char == "$" and (found := _NAME.match(text, at)):
                name = found[1] or found[2] or ""
                parts.append(self.names.get(name, hole(name.replace(HOLE, ""))))
                at = found.end()
            else:
                escaped = char == "\\" and at + 1 < len(text)
                at += escaped
                parts.append(_ESCAPES.get(text[at], text[at]) if escaped else text[at])
                at += 1
        self.whole = self.whole and not open_quote
        return "".join(parts)[:65_536], at

    def _past(self, end: int, text: str) -> int:
        """Return where a bracket closes; one that never does ends with the text, which is then not whole."""
        self.whole = self.whole and end >= 0
        return len(text) if end < 0 else end

    def _command(self, words: list[str]) -> str:
        name, rest = words[0], words[1:]
        reading, site = self.reading, self.site
        reading.call += 1
        if name in ("exec", "spawn", "system"):
            plain = [word for word in rest if word not in ("-ignorestderr", "-keepnewline", "--", "-noecho")]
            text = " ".join(plain)
            self.shells = self.shells or opens_shell(text) or HOLE in text or "<@" in text
            flow = reading.nest(
                "shell", " ".join(plain) if name == "system" else _pipeline_text(plain), site.behind(name)
            )
            return flow.text if flow.text is not None else hole("exec")
        if name == "open" and rest and rest[0].startswith("|"):
            reading.nest("shell", rest[0][1:], site.behind("open"))
        elif name == "open" and rest:
            writes = len(rest) > 1 and bool(set(rest[1]) & set("wa+"))
            reading.file("fs.write" if writes else "fs.read", site, rest[0])
            if not writes and reading.effects[-1].kind == "secret.read":
                reading.taints["secret file"] = frozenset({"secret"})
                return hole("secret file")
        elif name == "file" and rest[:1] in (["delete"], ["rename"], ["copy"], ["mkdir"]):
            self._file(rest)
        elif name == "socket" and rest and "-server" not in rest:
            self.connected.append(":".join(rest[-2:]))
            reading.url("net.connect", site, self.connected[-1])
            return hole("socket")
        elif name in ("gets", "read") and rest:
            return self._gets(rest)
        elif name == "set" and len(rest) > 1:
            self.names[rest[0]] = rest[1]
        elif name in ("send", "exp_send") and rest:  # typed into the program that was spawned
            reading.nest("shell", rest[-1], site.behind("send"))
        elif name not in _DATA:
            return self._read_nested(name, rest)
        return rest[1] if name == "set" and len(rest) > 1 else hole("result")

    def _fetch(self, rest: list[str]) -> str:
        """Fetch something, or send what an option holds."""
        sends = any(word in ("-query", "-querychannel", "-querydata") for word in rest)
        marks = self.reading.marks(" ".join(rest)) & _SENT
        self.reading.url("net.send" if sends else "net.fetch", self.site, rest[0], marks)
        self.reading.taints["response"] = frozenset({"download"})
        return hole("response")

    def _gets(self, rest: list[str]) -> str:
        """Read a line of a channel: what comes from a socket comes from the network."""
        if rest[0].strip(HOLE) == "secret file":
            return rest[0]
        name = rest[1] if len(rest) > 1 else "line"
        value = hole(name.replace(HOLE, ""))
        self.reading.taints[value.strip(HOLE)] = frozenset({"download"} if self.connected else {"input"})
        self.names[name] = value
        return value

    def _file(self, rest: list[str]) -> None:
        kind = {"delete": "fs.delete", "rename": "fs.move", "copy": "fs.write", "mkdir": "fs.write"}[rest[0]]
        flags = frozenset({"recursive", "force"}) if "-force" in rest else frozenset[str]()
        for word in rest[1:]:
            if not word.startswith("-"):
                self.reading.file(kind, self.site, word, flags)

    def _read_nested(self, name: str, rest: list[str]) -> str:
        if name.endswith("http::geturl") and rest:
            return self._fetch(rest)
        if name.endswith(("http::data", "http::body")) and rest:
            return rest[0]
        if name == "source" and rest:
            self.reading.file("code.run", self.site, rest[0])
            self.reading.opaque.append("a tcl script")
            return ""
        value = ""
        for word in rest if name != "eval" else [" ".join(rest)]:
            if is_hole(word) and name in _RUNNING:
                if "download" in self.reading.marks(word):
                    self.reading.emit("code.remote", self.site, word.replace(HOLE, ""))
                self.reading.unread("tcl code that is computed", self.site, flags=frozenset({"computed"}))
            elif "\n" in word or " " in word:
                value = self.run(word)
        return value


_RUNNING = frozenset({"eval", "uplevel", "namespace", "interp", "after", "apply"})
_SENT = frozenset({"secret", "environment", "carried"})
#: Commands that run nothing of what they are given. Every other command may run a body in braces.
_DATA = frozenset(
    "puts set append lappend list lindex string regexp regsub format expr error return incr split join package unset "
    "global variable exp_send send log_user exit binary encoding clock info array lsort lrange llength concat".split()
)
_ESCAPES = {"n": "\n", "r": "\n", "t": "\t"}


def _pipeline_text(words: list[str]) -> str:
    """Return `exec`'s words as a shell text: `|` and `<@` are its own."""
    return " ".join(
        word if word in ("|", "&", ">", ">>", "<", "2>@1", "|&") else shell_text([word])
        for word in words
        if "@" not in word[:3]
    )


def read_tcl(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Read a Tcl script."""
    if len(text) > MAX_CHARS:
        reading.unread(f"tcl text longer than {MAX_CHARS} characters", site, flags=frozenset({"cap"}))
        return UNKNOWN
    reading.spend(len(text) // 16)
    script = Tcl(reading, site)
    first = len(reading.effects)
    script.run(text)
    report_whole(reading, text, first, script.site)
    if not script.whole:
        reading.reject("tcl", site)
    if script.shells:
        for host in script.connected[:4]:
            reading.url("net.connect", script.site, host, frozenset({"shell", "socket"}))
    return UNKNOWN
