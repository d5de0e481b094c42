"""Literals: commands and secret files in the text of a program in a language without a reader."""

from __future__ import annotations

from collections.abc import Container

from interlock.analyse.files.traits import traits
from interlock.analyse.reading import Reading, Site
from interlock.analyse.settings import find_command
from interlock.patterns import late

_LITERAL = late(r'"((?:[^"\\\n]|\\.){3,600})"')
_LINE = late(r"(?m)^[ \t]*//go:generate[ \t]+(.+)$")
_APPLIED = late(r"\bapply\s*\(?\s*from\s*[:=]\s*[\"']((?:https?)://[^\"']+)")
# What programs that start others have in their text, whatever their language.
_RUNS = late(
    r"exec|[Ss]ystem\b|popen|[Pp]rocess|[Ss]pawn|Command\s*[(:.<]|\.command\b|[Cc]allCommand|Runtime|[Rr]un-?[Pp]rogram"
    r"|[Rr]unCommand|[Ss]hell|Child\b|commandLine|syscall|dlopen|asm\b|unsafe"
)
MAX_LITERALS, MAX_ESCAPES = 256, 4_000
_CAP = frozenset({"cap"})


def read_literals(reading: Reading, text: str, site: Site, known: Container[str] = ()) -> None:
    """Read the string literals of a program for commands, files that hold secrets, and addresses of code.

    `known` are literals that have been read before.
    """
    for found in _LINE.finditer(text):
        reading.nest("shell", found[1], site.behind("go:generate"))
    for found in _APPLIED.finditer(text):
        reading.emit("code.remote", site, found[1])
    if text.count("\\") > MAX_ESCAPES:
        reading.unread("a text with more escapes than are read", site, flags=_CAP)
        return
    runs = _RUNS.search(text) is not None
    for count, found in enumerate(_LITERAL.finditer(text)):
        if count >= MAX_LITERALS:
            return
        literal = found[1].replace('\\"', '"')
        if literal in known:
            continue
        command = find_command(literal, telling=False) if runs and (" " in literal or "|" in literal) else ""
        if command:
            reading.nest("shell", command, site.behind("literal"))
        elif literal[:1] in ("/", "~") and "secret" in traits(literal):
            reading.file("fs.read", site, literal)
