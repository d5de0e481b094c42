"""A program in a compiled language, read like a script, with objects, walks over folders and applied functions."""

from __future__ import annotations

from typing import Any

from interlock.analyse.files.paths import HOLE, is_hole
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.literals import read_literals
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.compiled.notation import Notation
from interlock.analyse.scripts.compiled.token_normaliser import normalise
from interlock.analyse.scripts.script import MAX_CHARS
from interlock.analyse.scripts.tokens.expressions import Expressions, finish
from interlock.analyse.scripts.values import Ref, as_text, unknown
from interlock.knowledge.function import Function
from interlock.patterns import late

_CAP = frozenset({"cap"})
_EVERYTHING = frozenset({"recursive", "library"})
_ASSIGNS = frozenset({"=", "+=", ":="})
# A line for the shell among those that an interpreter of Haskell is given.
_SHELL_LINE = late(r"(?m)^[ \t]*:!(.*)$")
_BRACKETS = {"(": ")", "[": "]"}
#: Members that stand for the home folder.
_HOMES = frozenset({"homeDirectoryForCurrentUser", "homeDirectory"})
# Something that starts programs, under whatever name.
_RUNS = late(r"(?i)exec|system|popen|spawn|command|process|shell|\brun")


class CompiledProgram(Expressions):
    """Reads a program."""

    __slots__ = ("address", "commands", "deletions", "libraries", "notation", "walked")

    def __init__(self, reading: Reading, text: str, site: Site, notation: Notation, stdin: Flow = NOTHING) -> None:
        super().__init__(reading, text, site, notation, stdin)
        self.notation = notation
        self.tokens = normalise(self.tokens, notation)
        self.libraries: Any = None  # of clients that the program names
        self.walked = ""  # the folder whose files a loop goes through
        self.deletions: list[tuple[Site, Function, str]] = []  # of files whose names are not known
        self.commands: set[str] = set()  # texts that the program runs
        self.address = ""  # where the request goes that is being put together

    def lookup(self, value: Ref) -> tuple[str, Function | None]:
        """Return a function's name and what it does: by its class, as a method of any object, or by its name alone."""
        name = value.name.replace("::", ".")
        parts = name.split(".")
        spellings = [name]
        if len(parts) > 1:
            spellings += [".".join(parts[-3:]), ".".join(parts[-2:]), f".{parts[-1]}"]
            if self.notation.modules and value.owner is None:
                spellings.append(parts[-1])
        own, shipped = self.reading.knowledge.functions, self.syntax.functions
        for spelling in spellings:
            found = own.get((self.syntax.name, spelling)) if own else None
            found = shipped.get(spelling) if found is None else found
            if found is not None:
                return name, found
        return name, None

    def member(self, value: Any, name: str) -> Any:
        """Return a member of a value; some stand for the home folder."""
        if name in _HOMES:
            return self.reading.places.home or "~"
        return super().member(value, name)

    def operator(self, mark: str, left: Any) -> Any:
        """Keep what a field of an object is given: `process.arguments = […]`."""
        if mark == "|" and isinstance(left, Ref):  # flags: `O_WRONLY | O_CREAT`
            self.at += 1
            right = self.term()
            return Ref(f"{left.name}|{right.name}") if isinstance(right, Ref) else left
        if mark not in _ASSIGNS or not isinstance(left, Ref) or not isinstance(left.owner, dict):
            return None
        self.at += 1
        value = left.owner[left.name.rpartition(".")[2]] = self.expression()
        return value if value is not None else ""

    def _arguments(self, argument: str, role: str, owner: Any, arguments: list[Any]) -> list[Any]:
        """Return the values of an argument; a method of something unknown has no object that could be named."""
        if argument != "object":
            return super()._arguments(argument, role, owner, arguments)
        if owner is None or isinstance(owner, (dict, int)) or is_hole(as_text(owner)):
            return [HOLE + "…" + HOLE] if role == "fs.delete" else []
        return [owner]

    def perform(self, name: str, found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
        """Put the effects of a call into the reading, and of functions that it is handed: `each(File::delete)`."""
        for argument in arguments:
            if isinstance(argument, Ref):
                handed = self.lookup(argument)[1]
                if handed is not None and "fs.delete" in handed.arguments.values():
                    self.deletions.append((self.where(start), handed, ""))
        return super().perform(name, found, owner, arguments, start)

    def describe_unknown(self, name: str, owner: Any, arguments: list[Any], start: Any) -> Any:
        """Return what a function gives that nobody described; it may be a method of a client."""
        if self.libraries is None:
            from interlock.analyse.scripts.compiled.libraries import Libraries

            self.libraries = Libraries(self.text)
        found = self.libraries.call(self, name, arguments, start) if self.libraries.texts else None
        return super().describe_unknown(name, owner, arguments, start) if found is None else found

    def compute(self, pure: str, name: str, owner: Any, arguments: list[Any]) -> Any:
        """Compute what a function gives; a method of something unknown gives something unknown."""
        if owner is None and not arguments:
            return unknown(name)
        return super().compute(pure, name, owner, arguments)

    def act(self, name: str, role: str, value: Any, found: Function, start: Any) -> Any:
        """Do to one argument what its role says. Which files a walk finds is known when all of the text is read."""
        text = as_text(value)
        if role == "fs.delete" and (not text or is_hole(text)):
            self.deletions.append((self.where(start), found, "" if "object" in found.arguments else text))
            return None
        return super().act(name, role, value, found, start)

    def close(self) -> Flow:
        """Say what only the whole program shows: deleting what a walk finds deletes the folder that is walked."""
        absolute = self.walked[:1] in ("/", "~") or self.walked[1:2] == ":"
        for site, found, text in self.deletions:
            if self.walked and absolute:
                self.reading.file("fs.delete", site, self.walked, found.effect_flags | _EVERYTHING)
            elif self.walked or text:
                self.reading.file("fs.delete", site, f"{self.walked or '.'}/{text}", found.effect_flags)
        return super().close()

    def command(self, name: str, value: Any, start: Any) -> Any:
        """Run a command, and remember its words."""
        self.commands.update(as_text(word) for word in (value if isinstance(value, list) else [value]))
        return super().command(name, value, start)

    def _file(self, path: str, flags: frozenset[str], start: Any) -> Any:
        """Read a file, and remember its name."""
        self.commands.add(path)
        return super()._file(path, flags, start)

    def _bare(self, value: Ref, start: int) -> Any:
        """Call a function whose arguments stand behind it: `readProcess "sh" ["-c", x] ""`."""
        if not self.notation.applied or not self.knows(value):
            return super()._bare(value, start)
        found: list[Any] = []
        while True:
            token = self.peek()
            if token.kind == "op" and token.text in ("$", "<|", "@@"):
                self.at += 1
                found.append(self.expression())
                break
            if not (self.begins_value(token) or (token.kind == "op" and token.text in ("(", "["))):
                break
            before = self.at
            found.append(self._atom())
            if self.at == before:
                break
        return self.call(value, found, start)

    def _atom(self) -> Any:
        """Read one argument that stands by itself."""
        token = self.peek()
        if token.kind == "text":
            self.at += 1
            return self.string(token)
        if token.kind == "op" and token.text in _BRACKETS:
            self.at += 1
            found = self.items(_BRACKETS[token.text])
            return found[0] if token.text == "(" and len(found) == 1 else found
        if token.kind == "name" and not (self.peek(1).kind == "op" and self.peek(1).text in self.syntax.members):
            self.at += 1
            held = self.names.get(token.text)
            if held is None and self.knows(Ref(token.text)):
                return self.call(Ref(token.text), [], self.at - 1)
            return held if held is not None else Ref(token.text)
        return self.term()


def read_program(reading: Reading, text: str, site: Site, stdin: Flow, notation: Notation) -> Flow:
    """Read a program in a compiled language, and the commands in its literals if it starts any."""
    if len(text) > MAX_CHARS:
        reading.unread(f"{notation.name} text longer than {MAX_CHARS} characters", site, flags=_CAP)
        return UNKNOWN
    for found in _SHELL_LINE.finditer(text) if notation.name == "haskell" else ():
        reading.nest("shell", found[1], site.behind("ghci"))
        text = text.replace(found[0], "")
    program = CompiledProgram(reading, text, site, notation, stdin)
    flow = finish(program)
    if _RUNS.search(text):
        read_literals(reading, text, site.replace(base=-1), program.commands)
    return flow
