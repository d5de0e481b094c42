"""sed: addresses and commands. Only a few of them do more than turn text: `e`, `w`, `r` and `s///e`."""

from __future__ import annotations

import re

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.shells import opens_shell
from interlock.patterns import late

#: What most scripts are: one substitution that only turns text, or lines that are printed or deleted.
_BRACKET = r"\[\^?\]?(?:\[([:.=])[^\n]*?\%d\]|[^\]\n])*+\]"  # in which a delimiter and a backslash are characters
_PLAIN = late(r"s([/|#,@:;!~%])(?:(?!\1)[^\\\[]|\\.)*+\1(?:(?!\1)[^\\]|\\.)*+\1[gpIi0-9]*|[\d$,]*[pdq]", re.DOTALL)
_PATTERN = rf"(?:/(?:{_BRACKET % 1}|[^/\\\[\n]|\\.)*+/|\\(.)(?:{_BRACKET % 3}|(?!\2)[^\\\[\n]|\\.)*+\2)[IM]*"
_ADDRESS = late(rf"[\s;]*+(?:{_PATTERN}|\d+(?:~\d+)?|\$)?")
_RANGE = late(rf"\s*+,\s*+(?:{_PATTERN}|[+~]?\d+|\$)")
_LINE = late(r"[^\n]*")
_TEXT = late(r"(?:[^\\\n]|\\.)*+", re.DOTALL)
_SUBSTITUTE_FLAGS = late(r"[gpIiMm0-9]*+(e?)[gpIiMm0-9e]*+(?:w[ \t]*+([^\n]*))?")


class SedCommand:
    """One command of a sed script, taken apart."""

    __slots__ = ("flags", "name", "text")

    def __init__(self, name: str, text: str = "", flags: str = "") -> None:
        self.name, self.text, self.flags = name, text, flags


def commands(text: str) -> list[SedCommand] | None:
    """Return the commands of a script, or None for what is none."""
    found: list[SedCommand] = []
    at, size = 0, len(text)
    while at < size:
        address = _ADDRESS.match(text, at)
        at = address.end() if address else at
        behind = _RANGE.match(text, at)
        at = behind.end() if behind else at
        while at < size and text[at] in " \t!\n;":
            at += 1
        if at >= size:
            break
        name, at = text[at], at + 1
        if name in "sy":
            at = _substitution(text, at, name, found)
            if at < 0:
                return None
        elif name in "aic":
            line = _TEXT.match(text, at)
            found.append(SedCommand(name, line[0] if line else ""))
            at = line.end() if line else size
        elif name in "ewrWR#":
            line = _LINE.match(text, at)
            found.append(SedCommand(name, line[0].strip() if line else ""))
            at = line.end() if line else size
        elif name in "btT:":
            label = re.compile(r"[^\n;}]*").match(text, at)
            at = label.end() if label else size
        elif name in "qQlL":
            code = re.compile(r"\s*\d*").match(text, at)
            at = code.end() if code else at
        elif name not in "{}=dDgGhHnNpPxzFv":
            return None
    return found


def _substitution(text: str, at: int, name: str, found: list[SedCommand]) -> int:
    """Read `s/a/b/flags`; the delimiter may be any character."""
    if at >= len(text) or text[at] in "\\\n":
        return -1
    mark = re.escape(text[at])
    bracket = rf"{_BRACKET % 2}|(?!{mark})[^\\\[]" if name == "s" and text[at] != "[" else rf"(?!{mark})[^\\]"
    parts = re.compile(rf"(?P<old>(?:{bracket}|\\.)*+){mark}(?P<new>(?:(?!{mark})[^\\]|\\.)*+){mark}", re.DOTALL).match(
        text, at + 1
    )
    if parts is None:
        return -1
    flags = _SUBSTITUTE_FLAGS.match(text, parts.end())
    end = flags.end() if flags else parts.end()
    found.append(SedCommand(name, text[at + 1 : parts.end()], text[parts.end() : end]))
    if name == "s" and flags and flags[1]:
        found.append(SedCommand("e", _replacement(parts["new"])))
    if name == "s" and flags and flags[2]:
        found.append(SedCommand("w", flags[2]))
    return end


def _replacement(text: str) -> str:
    """Return what `s///e` runs: what it puts in, with the parts that come from the input as holes."""
    return re.sub(
        r"\\(.)|&", lambda f: f[1] if f[1] and not f[1].isdigit() else f"{HOLE}input{HOLE}", text, flags=re.DOTALL
    )


_SEVERAL_WORDS = late(r"[ ;|(`]|\\n|\$\(")
_LEADING = late(r"^[\s\\]+")


def find_inserted_text(text: str) -> str:
    """Return the lines that a script puts into a file, as far as they can be code: of `a`, `i`, `c` and `s`.

    >>> find_inserted_text("1i import os"), find_inserted_text("s/x/y/")
    ('import os', '')
    """
    found = []
    for command in commands(text) or ():
        if command.name in "aic":
            found.append(_LEADING.sub("", command.text))
        elif command.name == "s" and _SEVERAL_WORDS.search(put := _put_in(command.text)):
            found.append(put.replace("\\n", "\n").replace("\\", ""))
    return "\n".join(found)


def _put_in(text: str) -> str:
    """Return the replacement of a substitution `a/b/`, whose delimiter is its last character."""
    mark = text[-1:]
    parts = re.split(rf"(?<!\\){re.escape(mark)}", text[:-1], maxsplit=1) if mark else []
    return parts[1] if len(parts) > 1 else ""


def read_sed(reading: Reading, text: str, site: Site, stdin: Flow = NOTHING) -> Flow:
    """Read a sed script."""
    if _PLAIN.fullmatch(text):
        return Flow(None, stdin.marks)
    reading.spend(len(text) // 64)
    found = commands(text)
    if found is None:
        reading.reject("sed", site)
        return Flow(None, stdin.marks)
    site = site.replace(base=-1)
    for command in found:
        if command.name in "wW" and command.text not in ("/dev/stdout", "/dev/stderr"):
            reading.file("fs.write", site, command.text)
        elif command.name in "rR" and command.text != "/dev/stdin":
            reading.file("fs.read", site, command.text)
        elif command.name == "e":
            _run(reading, command.text, site)
    return Flow(None, stdin.marks)


def _run(reading: Reading, text: str, site: Site) -> None:
    if text.replace(HOLE, "").strip() in ("", "input"):  # `e` alone, or `s/x/&/e`: whatever the line says
        reading.unread("what sed's input says, run as a command", site, flags=frozenset({"input"}))
    else:
        if opens_shell(text):
            reading.emit("process.run", site, "sh", frozenset({"shell_escape"}))
        reading.nest("shell", text, site.behind("sed"))
