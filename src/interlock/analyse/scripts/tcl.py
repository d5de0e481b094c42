"""Tcl and expect: every command is a list of words."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.files.paths import HOLE, hole, is_hole
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.loading import report_loading
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.shells import opens_shell
from interlock.analyse.scripts.strings import closing_bracket
from interlock.analyse.scripts.tcl_variables import (
    COMPUTED,
    LIST_COMMANDS,
    MAX_TEXT,
    VARIABLE_COMMANDS,
    TclVariables,
    plain_name,
)
from interlock.analyse.scripts.tcl_words import format_list, read_escape, split_list
from interlock.analyse.scripts.values import shell_text
from interlock.analyse.scripts.whole_scripts import report_whole
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.texts import StatementWords
from interlock.patterns import late

MAX_CHARS = 64_000
MAX_DEPTH = 20
MAX_TURNS = 8
_NAME = late(r"\$(?:\{([^}]{0,100})\}|((?:::)?\w+(?:::\w+)*))")
_COMMAND_NAME = late(rf"[\w:.<>?!*+/%&=~|^,\-{HOLE}…]+")
_KNOWN = frozenset(read_table("statement-words", StatementWords).tcl)
_SHELL_PIPE = hole("pipe to a shell")


class Tcl:
    """A Tcl script being read."""

    __slots__ = (
        "aliases",
        "calls",
        "connected",
        "depth",
        "known",
        "names",
        "procedures",
        "reading",
        "shells",
        "site",
        "variables",
        "whole",
    )

    def __init__(self, reading: Reading, site: Site) -> None:
        self.reading, self.site = reading, site.replace(base=-1)
        self.variables = TclVariables()
        self.names = self.variables.names
        self.aliases: dict[str, list[str]] = {}  # what `rename` and `interp alias` call by another name
        self.procedures: dict[str, tuple[list[str], str]] = {}  # the parameters and the body of each
        self.calls: dict[str, int] = {}  # how often each was read for a call
        self.depth = 0
        self.connected: list[str] = []
        self.shells = False
        self.whole = True  # whether every bracket and quote was closed
        self.known = False  # whether there is a command that Tcl or the script itself has

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
            else:
                found, at = self._expand_word(text, at)
                words += found
        return words, at

    def _expand_word(self, text: str, at: int) -> tuple[list[str], int]:
        """Read one word, or the words of a list behind `{*}`."""
        expands = text.startswith("{*}", at) and text[at + 3 : at + 4].strip() not in ("", ";")
        at += 3 if expands else 0
        if text[at] == "{":
            end = self._find_bracket_end(closing_bracket(text, at + 1, "{", "}"), text)
            word, at = text[at + 1 : end], end + 1
        else:
            word, at = self._word(text, at)
        return split_list(word) if expands else [word], at

    def _word(self, text: str, at: int) -> tuple[str, int]:
        quoted = text[at] == '"'
        at += quoted
        open_quote = quoted
        start = at
        while at < len(text):
            char = text[at]
            if (quoted and char == '"') or (not quoted and char in " \t\n;"):
                open_quote = False
                break
            if char == "[":
                at = self._find_bracket_end(closing_bracket(text, at + 1, "[", "]"), text) + 1
            else:
                at += 2 if char == "\\" else 1
        self.whole = self.whole and not open_quote
        return self.substitute(text[start:at]), at + quoted

    def substitute(self, text: str) -> str:
        """Return a text with its commands run, its variables filled in and its escapes read."""
        parts: list[str] = []
        at = 0
        while at < len(text):
            char = text[at]
            if char == "[":
                end = self._find_bracket_end(closing_bracket(text, at + 1, "[", "]"), text)
                parts.append(self.run(text[at + 1 : end]))
                at = end + 1
            elif char == "$" and (found := _NAME.match(text, at)):
                name = plain_name(found[1] or found[2] or "")
                parts.append(self.names.get(name, hole(name.replace(HOLE, ""))))
                at = found.end()
            elif char == "\\":
                part, at = read_escape(text, at)
                parts.append(part)
            else:
                parts.append(char)
                at += 1
        return "".join(parts)[:MAX_TEXT]

    def _find_bracket_end(self, end: int, text: str) -> int:
        """Return where a bracket closes; one that never does ends with the text, which is then not whole."""
        self.whole = self.whole and end >= 0
        return len(text) if end < 0 else end

    def _command(self, words: list[str]) -> str:
        name, rest = plain_name(words[0]), words[1:]
        if name in self.aliases:
            name, rest = self.aliases[name][0], [*self.aliases[name][1:], *rest]
        self.reading.call += 1
        self.known = self.known or name in _KNOWN or name in self.procedures or "::" in name or HOLE in name
        if _COMMAND_NAME.fullmatch(name) is None and self.depth <= 1:
            self.whole = False
            if " " in name:
                self.run(name)  # a piece of what does not parse
        if COMPUTED in name or self.reading.marks(name) & _GIVEN:
            self._report_computed(name)
        own = name.rpartition("::")[2]
        handler = _COMMANDS.get(name)
        value = handler(self, rest) if handler is not None else None
        if value is None:
            value = COMPUTED if name in _TEXTS else hole("result") if name in _DATA else ""
            if name not in _DATA and handler is None and own not in self.procedures:
                value = self._read_nested(name, rest)
        return self._call_procedure(own, rest) if own in self.procedures else value

    def _call_procedure(self, name: str, rest: list[str]) -> str:
        """Read a procedure with what it is given, a few times; where it is defined it was read with anything."""
        parameters, body = self.procedures[name]
        self.calls[name] = self.calls.get(name, 0) + 1
        if self.calls[name] > MAX_TURNS:
            return hole("result")
        for at, parameter in enumerate(parameters):
            parts = split_list(parameter) or [""]
            if parts[0] == "args" and at == len(parameters) - 1:
                self.names["args"] = format_list(rest[at:])
            elif at < len(rest):
                self.names[parts[0]] = rest[at]
        return self._run_words([body])

    def _report_computed(self, text: str) -> None:
        if "download" in self.reading.marks(text):
            self.reading.emit("code.remote", self.site, text.replace(HOLE, ""))
        self.reading.unread("tcl code that is computed", self.site, flags=frozenset({"computed"}))

    def _run_words(self, words: list[str]) -> str:
        """Run words that are joined to a script, as `eval` does."""
        text = " ".join(words)
        if is_hole(text.strip()) or COMPUTED in text:
            self._report_computed(text)
            return ""
        return self.run(text)

    # commands

    def _exec(self, rest: list[str]) -> str:
        return self._start("exec", rest)

    def _spawn(self, rest: list[str]) -> str:
        return self._start("spawn", rest)

    def _system(self, rest: list[str]) -> str:
        return self._start("system", rest)

    def _start(self, name: str, rest: list[str]) -> str:
        plain = [word for word in rest if word not in ("-ignorestderr", "-keepnewline", "--", "-noecho")]
        text = " ".join(plain)
        self.shells = self.shells or opens_shell(text) or HOLE in text or "<@" in text
        flow = self.reading.nest("shell", text if name == "system" else _pipeline_text(plain), self.site.behind(name))
        return flow.text if flow.text is not None else COMPUTED

    def _open(self, rest: list[str]) -> str | None:
        reading = self.reading
        if rest and rest[0].startswith("|"):
            text = _pipeline_text(split_list(rest[0][1:]))
            reading.nest("shell", text, self.site.behind("open"))
            if opens_shell(text.replace("'", "")):
                return _SHELL_PIPE
        elif rest:
            writes = len(rest) > 1 and bool(set(rest[1]) & set("wa+"))
            reading.file("fs.write" if writes else "fs.read", self.site, rest[0])
            if not writes and reading.effects[-1].kind == "secret.read":
                reading.taints["secret file"] = frozenset({"secret"})
                return hole("secret file")
        return hole("result")

    def _puts(self, rest: list[str]) -> str:
        """`puts $pipe "command"`: what is written to a shell runs there."""
        if len(rest) > 1 and rest[-2] == _SHELL_PIPE:
            self.reading.nest("shell", rest[-1], self.site.behind("puts"))
        return ""

    def _file(self, rest: list[str]) -> None:
        kind = _FILE_EFFECTS.get(rest[0]) if rest else None
        flags = frozenset({"recursive", "force"}) if "-force" in rest else frozenset[str]()
        for word in rest[1:] if kind else ():
            if not word.startswith("-"):
                self.reading.file(kind or "", self.site, word, flags)

    def _socket(self, rest: list[str]) -> str | None:
        if "-server" in rest:
            self._run_words([rest[rest.index("-server") + 1 :][0] if rest[-1] != "-server" else ""])
        elif rest:
            self.connected.append(":".join(rest[-2:]))
            self.reading.url("net.connect", self.site, self.connected[-1])
        return hole("socket")

    def _gets(self, rest: list[str]) -> str:
        """Read a line of a channel: what comes from a socket comes from the network."""
        if rest and "secret" in self.reading.marks(rest[0]):
            return rest[0]
        name = rest[1] if len(rest) > 1 else "line"
        value = hole(name.replace(HOLE, ""))
        self.reading.taints[value.strip(HOLE)] = frozenset({"download"} if self.connected else {"input"})
        self.names[name] = value
        return value

    def _loop(self, rest: list[str]) -> str:
        """`foreach name list body`, `lmap`, `dict for`: the body with each element, as far as they are known."""
        names, words = (split_list(one) if HOLE not in one else [] for one in (*rest, "", "")[:2])
        turns = (
            [words[at : at + len(names)] for at in range(0, len(words), len(names))] if len(rest) == 3 and names else []
        )
        for turn in turns[:MAX_TURNS] if len(turns) <= MAX_TURNS else []:
            self.names |= dict(zip(names, turn, strict=False))
            self._run_words(rest[-1:])
        if not turns or len(turns) > MAX_TURNS:
            self.names |= {name: hole(name.replace(HOLE, "")) for name in names}
            self._run_words(rest[-1:])
        return hole("result")

    def _dict(self, rest: list[str]) -> str | None:
        if rest[:1] in (["set"], ["append"], ["lappend"], ["incr"], ["unset"], ["update"]):
            self.variables.forget(rest[1:2])
        return self._loop(rest[1:]) if rest[:1] in (["for"], ["map"]) else None

    def _cd(self, rest: list[str]) -> None:
        if rest and HOLE not in rest[0]:
            self.site = self.site.replace(cwd=self.reading.places.resolve(rest[0], self.site.cwd) or rest[0])

    def _expr(self, rest: list[str]) -> str:
        text = " ".join(rest)
        self._check_expression(text)
        self.substitute(text)
        return hole("number")

    def _check_expression(self, text: str) -> None:
        if '"' not in text and "[" not in text and text.count("(") != text.count(")"):
            self.whole = False

    def _subst(self, rest: list[str]) -> str:
        return self.substitute(rest[-1]) if rest else ""

    def _send(self, rest: list[str]) -> None:  # typed into the program that was spawned
        if rest:
            self.reading.nest("shell", rest[-1], self.site.behind("send"))

    def _source(self, rest: list[str]) -> str:
        if rest:
            report_loading(self.reading, self.site, rest[-1])
            self.reading.file("code.run", self.site, rest[-1])
            self.reading.opaque.append("a tcl script")
        return ""

    def _rename(self, rest: list[str]) -> None:
        if len(rest) == 2 and rest[1]:
            self.aliases[plain_name(rest[1])] = self.aliases.get(plain_name(rest[0]), [plain_name(rest[0])])

    def _interp(self, rest: list[str]) -> str | None:
        if rest[:1] == ["alias"] and len(rest) >= 5:
            self.aliases[plain_name(rest[2])] = [plain_name(rest[4]), *rest[5:]]
        elif rest[:1] in (["eval"], ["invokehidden"]):
            return self._run_words(rest[2:])
        return hole("result")

    def _namespace(self, rest: list[str]) -> str | None:
        return self._run_words(rest[2:]) if rest[:1] in (["eval"], ["inscope"]) else hole("result")

    def _uplevel(self, rest: list[str]) -> str:
        has_level = len(rest) > 1 and rest[0].lstrip("#").isdigit()
        return self._run_words(rest[has_level:])

    def _after(self, rest: list[str]) -> str | None:
        return self._run_words(rest[1:]) if len(rest) > 1 and rest[0] not in ("cancel", "info") else hole("result")

    def _coroutine(self, rest: list[str]) -> str:
        return self._run_words([format_list(rest[1:])])

    def _tailcall(self, rest: list[str]) -> str:
        return self._run_words([format_list(rest)])

    def _time(self, rest: list[str]) -> str:
        return self._run_words(rest[:1])

    def _apply(self, rest: list[str]) -> str:
        """`apply {names body} values`."""
        parts = split_list(rest[0]) if rest else []
        for name, value in zip(split_list(parts[0]) if parts else [], rest[1:], strict=False):
            self.names[name] = value
        return self._run_words(parts[1:2])

    def _proc(self, rest: list[str]) -> str:
        if len(rest) > 2:
            self.procedures[rest[0].rpartition("::")[2]] = (split_list(rest[1]), rest[2])
        for parameter in split_list(rest[1]) if len(rest) > 1 else []:
            parts = split_list(parameter) or [""]
            self.names[parts[0]] = parts[1] if len(parts) > 1 else hole(parts[0].replace(HOLE, ""))
        return self._run_words(rest[2:3])

    def _sort(self, rest: list[str]) -> None:
        """`lsort -command`, `regsub -command`: a command that is called with more words."""
        if "-command" in rest[:-1]:
            self._run_words([rest[rest.index("-command") + 1], hole("items")])

    def _regsub(self, rest: list[str]) -> None:
        if "-command" in rest:
            for words in (rest[-2:-1], rest[-1:]):
                self._run_words([*words, hole("match")])
        self.variables.forget([one for one in rest if one[:1] != "-"][3:])

    def _load(self, rest: list[str]) -> None:
        if rest:
            report_loading(self.reading, self.site, rest[0])
            self.reading.file("code.run", self.site, rest[0])
            self.reading.opaque.append("a library that tcl loads")

    def _fetch(self, rest: list[str]) -> str:
        """Fetch something, or send what an option holds."""
        sends = any(word in ("-query", "-querychannel", "-querydata") for word in rest)
        marks = self.reading.marks(" ".join(rest)) & _SENT
        self.reading.url("net.send" if sends else "net.fetch", self.site, rest[0], marks)
        self.reading.taints["response"] = frozenset({"download"})
        return hole("response")

    def _read_nested(self, name: str, rest: list[str]) -> str:
        """Read a command that may run any of its words: `if`, `foreach`, `catch`, or one that is not known."""
        if name.endswith("http::geturl") and rest:
            return self._fetch(rest)
        if name.endswith(("http::data", "http::body")) and rest:
            return rest[0]
        if name in ("if", "while") and rest:
            self._check_expression(rest[0])
        value = ""
        for word in rest if name != "eval" else [" ".join(rest)]:
            is_run = name in _RUNNING or (name in _LOOPS and word is rest[-1])
            if (is_hole(word) or COMPUTED in word) and is_run:
                self._report_computed(word)
            elif "\n" in word or " " in word or "[" in word:
                value = self.run(word)
        return value or hole("result")


def _on_variables(command: Callable[[TclVariables, list[str]], str | None]) -> Callable[[Tcl, list[str]], str | None]:
    return lambda script, rest: command(script.variables, rest)


def _on_words(command: Callable[[list[str]], str | None]) -> Callable[[Tcl, list[str]], str | None]:
    return lambda _, rest: command(rest)


_FILE_EFFECTS = {"delete": "fs.delete", "rename": "fs.move", "copy": "fs.write", "mkdir": "fs.write"}
_COMMANDS: dict[str, Callable[[Tcl, list[str]], str | None]] = {
    **{name: _on_variables(command) for name, command in VARIABLE_COMMANDS.items()},
    **{name: _on_words(command) for name, command in LIST_COMMANDS.items()},
    "exec": Tcl._exec,
    **dict.fromkeys(("spawn", "exp_spawn", "overlay"), Tcl._spawn),
    "system": Tcl._system,
    "open": Tcl._open,
    "file": Tcl._file,
    "puts": Tcl._puts,
    "socket": Tcl._socket,
    **dict.fromkeys(("gets", "read"), Tcl._gets),
    **dict.fromkeys(("foreach", "lmap"), Tcl._loop),
    "dict": Tcl._dict,
    "cd": Tcl._cd,
    "expr": Tcl._expr,
    "subst": Tcl._subst,
    **dict.fromkeys(("send", "exp_send"), Tcl._send),
    "source": Tcl._source,
    "rename": Tcl._rename,
    "interp": Tcl._interp,
    "namespace": Tcl._namespace,
    "uplevel": Tcl._uplevel,
    "after": Tcl._after,
    "coroutine": Tcl._coroutine,
    "tailcall": Tcl._tailcall,
    **dict.fromkeys(("time", "timerate"), Tcl._time),
    "apply": Tcl._apply,
    "proc": Tcl._proc,
    **dict.fromkeys(("lsort", "lsearch"), Tcl._sort),
    "regsub": Tcl._regsub,
    "load": Tcl._load,
}
_RUNNING = frozenset({"eval", "catch", "try", "trace", "bind", "fileevent", "trap"})
_LOOPS = frozenset({"if", "while", "for", "foreach", "lmap"})  # which run their last word
_GIVEN = frozenset({"input", "download", "decoded"})
_SENT = frozenset({"secret", "environment", "carried"})
#: Commands that give a text which is not followed.
_TEXTS = frozenset("string format regsub split binary encoding lrange lreverse lindex info array dict".split())
#: Commands that run nothing of what they are given. Every other command may run a body in braces.
_DATA = frozenset(
    "puts string regexp format error return incr split package unset global variable log_user exit binary encoding "
    "clock info array lrange llength lreverse".split()
)


def _pipeline_text(words: list[str]) -> str:
    """Return `exec`'s words as a shell text: `|` and `<@` are its own."""
    return " ".join(
        _OPERATORS.get(word) or (word if word in ("|", "&", ">", ">>", "<", "2>@1", "|&") else shell_text([word]))
        for word in words
        if "@" not in word[:3]
    )


_OPERATORS = {"<<": "<<<"}  # operators that the shell writes otherwise


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
    if not script.whole or (text.strip() and not script.known and HOLE not in text):
        reading.reject("tcl", site)
    if script.shells:
        for host in script.connected[:4]:
            reading.url("net.connect", script.site, host, frozenset({"shell", "socket"}))
    return UNKNOWN
