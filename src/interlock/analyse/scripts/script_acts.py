"""What a script does to one thing: a file, an address, a command, code; and what functions without effects give."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, cast

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.files.paths import HOLE, is_hole
from interlock.analyse.flow import NONE, NOTHING
from interlock.analyse.scripts.child_environment import with_environment
from interlock.analyse.scripts.held_texts import CODE, COMMANDS, EVERYTHING
from interlock.analyse.scripts.pure import compute, from_base64
from interlock.analyse.scripts.scope import ScriptScope
from interlock.analyse.scripts.shells import opens_shell
from interlock.analyse.scripts.values import (
    Choice,
    alternatives,
    as_text,
    choices,
    either,
    flat,
    is_unknown,
    shell_text,
    unknown,
)
from interlock.analyse.scripts.written_files import run_written
from interlock.analyse.secrets.disclosure import holds_value, report_printed
from interlock.analyse.shell.output.local_content import path_marks
from interlock.knowledge.function import Function

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

#: The shortest text that counts as hidden once it is decoded.
MIN_HIDDEN = 4
_HIDDEN = _DECODED = frozenset({"decoded"})
#: Functions whose object comes behind their arguments.
_OBJECT_LAST = frozenset({"replace", "replace_first", "split", "translate"})
#: Functions that give back what something else hid.
_DECODERS = frozenset(
    {"base64", "hex", "inflate", "deflated", "rot13", "uu", "pack", "buffer", "url", "form", "utf16", "chr"}
)


class ScriptActs(ScriptScope):
    """A script in one language, and what it does to what a call is given."""

    __slots__ = ()

    def result(self, name: str, marks: frozenset[str]) -> str:
        value = unknown(name)
        for mark in marks:
            self.taint(mark, value.strip(HOLE))
        return value

    def act(self, name: str, role: str, value: Any, found: Function, start: Any) -> Any:
        """Do to one argument what its role says; return what the call gives, where that is known."""
        site, reading = self.where(start), self.reading
        if role == "command":
            return self.command(name, value, start)
        if role == "code":
            return self.code(name, self.syntax.name, as_text(value), start)
        if role.startswith("code:"):
            return self.code(name, role[5:], as_text(value), start)
        text = as_text(value)
        if role == "file_or_url":
            return self.url(text, found, start)
        if role == "host":
            self.sockets.append(text)
            reading.url("net.connect", site, text, found.effect_flags | self.find_sent_marks(text))
            return self.result(f"{name}()", frozenset({"download", "socket"}))
        if role == "host_name":
            return self._look_up(text, start)
        if role.startswith("net."):
            reading.url(role, site, text, found.effect_flags | self.find_sent_marks(text))
            return self.result(f"response of {text}", frozenset({"download"}))
        if role == "fs.read":
            return self._file(text, found.effect_flags, start)
        if role == "code.run" and run_written(cast("Script", self), name, text, start):
            return None
        reading.on(role, site, text, found.effect_flags)
        return None

    def _look_up(self, host: str, start: Any) -> Any:
        """Look up a name; what it is made of reaches whoever answers for it."""
        marks = self.find_sent_marks(host)
        if holds_value(host):
            marks |= {"secret"}
        if marks:
            self.reading.url("net.send", self.where(start), host, marks | {"dns"})
        return self.result(f"addresses of {host}", frozenset({"download"}))

    def url(self, text: str, found: Function, start: Any) -> Any:
        """Read something by a name that is a file's or an address."""
        if text.startswith("data:"):
            body = text.partition(",")[2]
            return from_base64(body) if ";base64," in text[:100] else body
        if is_url(text) and not text.startswith(("file:", "php:", "compress.")):
            carried = self.find_sent_marks(text)
            self.reading.url("net.fetch", self.where(start), text, found.effect_flags | carried)
            return self.result(f"response of {text}", frozenset({"download"}))
        if text.startswith("php:"):
            return self.taint("input", "input")
        return self._file(text.removeprefix("file://"), found.effect_flags, start)

    def _file(self, path: str, flags: frozenset[str], start: Any) -> Any:
        """Read a file; what it holds is known where this action wrote it, and secret where the file is."""
        reading = self.reading
        held = reading.files.get(reading.places.resolve(path, self.site.cwd) or path)
        if path in _INPUTS or (path == "stdin" and self.syntax.name == "r"):
            is_given = self.stdin is not NOTHING and self.stdin.text is not None
            return self.stdin.text if is_given else self.taint("input", "input")
        reading.file("fs.read", self.where(start), path, flags)
        if held is not None and held.text is not None:
            return held.text
        if "names" in flags and not _PATTERN.isdisjoint(path):
            return path  # what matches is affected as the pattern says
        marks = held.marks if held is not None else path_marks(reading, path, self.site.cwd) | _CARRIED
        if "names" in flags:
            marks = _SWEEP if "personal" in marks else NONE
        secret = reading.effects[-1].kind == "secret.read"
        value = self.result(f"contents of {path}", marks | {"secret"} if secret else marks)
        self.private.add(value, self.reading.marks(value))
        return value

    def read_file(self, path: str, start: Any) -> Any:
        """Read a file, as a function does whose name says so."""
        return self._file(path, NONE, start)

    def compute(self, pure: str, name: str, owner: Any, arguments: list[Any]) -> Any:
        """Return what a pure function gives; what cannot be told is unknown, and from where its arguments are."""
        given = arguments if owner is None else [owner, *arguments]
        if pure in _OBJECT_LAST and owner is not None:
            given = [*arguments, owner]
        if pure == "join" and isinstance(owner, str) and self.syntax.name == "ruby":
            pure = "path"  # no text has this method, and `Pathname` does
        self.reading.spend(sum(len(value) for value in given if isinstance(value, (str, list))) // 256)
        return reduce(either, [self._compute_one(pure, name, way) for way in alternatives(given)])

    def _compute_one(self, pure: str, name: str, given: list[Any]) -> Any:
        value = compute(pure, given)
        marks = self.marks(given) | (_DECODED if pure in _DECODERS else NONE)
        if value is None:
            return self.result(f"{name}()", marks)
        if isinstance(value, Choice):  # one of its values is not known
            return Choice(tuple(self.result(f"{name}()", marks) if one is None else one for one in value.values))
        if pure in _DECODERS and isinstance(value, str) and len(value) >= MIN_HIDDEN and value not in given:
            self.decoded.add(value)
        return value

    # commands and code

    def run_text(self, text: Any, start: Any) -> Any:
        """Run a command in quotes; return what it prints."""
        printed: Any = ""
        for one in choices(text):
            printed = self.command("`", one, start)
        return printed

    def command(self, name: str, value: Any, start: Any) -> Any:
        """Run a command, given as a text or as words; return what it prints."""
        words = [
            as_text(word) for word in flat(value if isinstance(value, list) else [value]) if not isinstance(word, dict)
        ]
        text = words[0] if len(words) == 1 else shell_text(words)
        if not text.strip():
            return ""
        if _is_given(words):
            self.steered = True
        if is_hole(words[0]):
            self.held.unfollowed |= EVERYTHING
        self.held.run.add(text)
        if opens_shell(text if len(words) == 1 else " ".join(words)):
            self.shells = True
            self.reading.emit("process.run", self.where(start), text.split()[0], frozenset({"shell_escape"}))
        printed = self.code(
            name, "shell", with_environment(cast("Script", self), text) if self.exported else text, start
        )
        if isinstance(printed, str) and is_hole(printed):
            self.taint("carried", printed.strip(HOLE))
        return printed

    def code(self, name: str, language: str, text: str, start: Any) -> Any:
        """Read code that a call runs: as code if it is known, else say that it is not."""
        reading = self.reading
        if is_unknown(text):
            self.opaque(f"{language} code that `{name}` computes", text, start)
            self.held.unfollowed.add(COMMANDS if language == "shell" else CODE)
            return self.result(f"{name}()", NONE)
        self.held.run.add(text)
        hidden = any(one in text for one in self.decoded)
        if hidden:
            reading.emit("code.eval", self.where(start), name, _HIDDEN)
        elif language != "shell":
            reading.emit("code.eval", self.where(start))
        first = len(reading.effects)
        flow = reading.nest(language, text, self.where(start).behind(name))
        if language == "shell":  # whether the script keeps or prints it is not followed
            report_printed(reading, flow, self.where(start))
        if flow.text is not None and language == "shell":
            return flow.text
        value = self.result(f"{name}()", flow.marks)
        if language == "shell":
            self.private.add(value, flow.marks)
        else:
            self.private.add_effects(reading, first)
        return value

    def opaque(self, why: str, text: str, start: Any) -> None:
        """Say that code is run which the text does not tell, and where it comes from."""
        site, marks = self.where(start), self.reading.marks(text)
        if "download" in marks:
            self.reading.emit("code.remote", site, text.replace(HOLE, ""))
            self.reading.opaque.append("code that is downloaded")
            if "socket" in marks:
                self.shells = True
            return
        self.shells = self.shells or "input" in marks  # with a socket, the input may be its
        flag = "decoded" if "decoded" in marks else "input" if "input" in marks else "computed"
        self.reading.unread(why, site, flags=frozenset({flag}))


def _is_given(words: list[str]) -> bool:
    """Whether a command is whatever somebody gives: all of it, or all that a shell is told to run."""
    command = words[-1] if len(words) == 3 and words[1] in ("-c", "/c", "-lc") else words[0] if len(words) == 1 else ""
    return is_hole(command.strip())


_INPUTS = frozenset({"/dev/stdin", "-", "0"})
_CARRIED = frozenset({"carried"})
_SWEEP = frozenset({"sweep"})
_PATTERN = frozenset("*?[")
