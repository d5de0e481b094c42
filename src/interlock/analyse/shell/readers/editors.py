"""Editors, pagers and debuggers that run commands of their own."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.catalogue import PROGRAMS
from interlock.analyse.reading import NOTHING, UNKNOWN, Flow
from interlock.analyse.shell.call import Call, apply, read, run_file

_BANG = re.compile(
    r"^[:\s]*(?:silent!?\s+)?(?:[\d,.%$]*|r(?:ead)?|w(?:rite)?|exe?c?u?t?e?|terminal|te?r?m?)\s*!(.*)$", re.DOTALL
)
_TERMINAL = re.compile(r"^[:\s]*te(?:r|rm|rmi|rmin|rmina|rminal)?\s+(.*)$")
_SYSTEM = re.compile(r"""\b(?:system|systemlist|jobstart|termopen|os\.execute|io\.popen)\s*\(\s*(["'])(.*?)(?<!\\)\1""")
_PYTHON = re.compile(r"^[:\s]*(?:py|py3|python|python3|pyx)\s+(.*)$", re.DOTALL)
_WRITE = re.compile(r"^[:\s]*(?:w|write|wq|x|saveas|sav)!?\s+([^!\s]\S*)$")


def _vim(call: Call) -> Flow:
    """`vim`: `-c` and `+` give it lines as if they were typed after `:`."""
    name = call.words[0].rpartition("/")[2]
    spec = PROGRAMS[name]
    parsed = parse(call.words, spec)
    lines = [value.text for value in parsed.values if value.role == "code:vim"]
    lines += [value.text[1:] for value in parsed.operands if value.text.startswith("+")]
    parsed.operands = [value for value in parsed.operands if not value.text.startswith("+")]
    parsed.values = [value for value in parsed.values if value.role != "code:vim"]
    if name in ("ex", "ed") or "script" in parsed.flags:
        lines += (call.stdin.text or "").splitlines()[:256] if call.stdin is not NOTHING else []
    for line in lines:
        for part in line.split("|") if "!" not in line else [line]:
            _vim_line(call, part, name)
    return apply(call, spec, parsed)


def _vim_line(call: Call, line: str, name: str) -> None:
    reading, site = call.scope.reading, call.site.behind(name)
    shell = _BANG.match(line) or _TERMINAL.match(line)
    if shell:
        reading.nest("shell", shell[1], site)
    python = _PYTHON.match(line)
    if python:
        reading.nest("python", python[1], site)
    for found in _SYSTEM.finditer(line):
        reading.nest("shell", found[2].replace('\\"', '"'), site)
    written = _WRITE.match(line)
    if written:
        reading.file("fs.write", site, written[1])


_LISP = r'"((?:[^"\\]|\\.)*)"'
_LISP_SHELL = re.compile(
    rf"\((?:async-)?(?:shell-command(?:-to-string)?|call-process-shell-command|compile|start-process-shell-command)\s+(?:{_LISP}\s+\S+\s+)?{_LISP}"
)
_LISP_PROCESS = re.compile(rf"\((?:call-process|start-process|make-process|process-lines)\s+((?:{_LISP}|\S+|\s)+?)\)")
_LISP_DELETE = re.compile(rf"\((?:delete-file|delete-directory)\s+{_LISP}")
_LISP_WRITE = re.compile(rf"\((?:write-file|write-region\s+\S+\s+\S+|with-temp-file)\s+{_LISP}")


def _emacs(call: Call) -> Flow:
    """`emacs --eval`: the calls that run a command, delete or write."""
    spec = PROGRAMS["emacs"]
    parsed = parse(call.words, spec)
    reading, site = call.scope.reading, call.site.behind("emacs")
    for value in parsed.values:
        if value.role != "code:lisp":
            continue
        known = False
        for found in _LISP_SHELL.finditer(value.text):
            reading.nest("shell", (found[2] or found[1]).replace('\\"', '"'), site)
            known = True
        for found in _LISP_PROCESS.finditer(value.text):
            words = re.findall(_LISP, found[1])
            reading.nest("shell", " ".join(words), site)
            known = True
        for pattern, kind in ((_LISP_DELETE, "fs.delete"), (_LISP_WRITE, "fs.write")):
            for found in pattern.finditer(value.text):
                reading.file(kind, site, found[1], frozenset({"recursive"} if "directory" in found[0] else ()))
                known = True
        if not known:
            reading.unread("lisp code", site)
    parsed.values = [value for value in parsed.values if value.role != "code:lisp"]
    return apply(call, spec, parsed)


_DEBUGGER_SHELL = re.compile(r"^\s*(?:shell|!|make|platform\s+shell|process\s+handle|command\s+script)\s*(.*)$")
_DEBUGGER_PYTHON = re.compile(r"^\s*(?:python|script|py|pi|python-interactive)\s+(.*)$", re.DOTALL)


def _debugger(call: Call) -> Flow:
    """`gdb` and `lldb`: `-ex` and `-o` are lines for the debugger, `--args` a program to be run."""
    reading, words = call.scope.reading, call.words
    name = words[0].rpartition("/")[2]
    site = call.site.behind(name)
    for at, word in enumerate(words[1:], 1):
        option, equals, value = word.partition("=")
        value = value if equals else next(iter(words[at + 1 : at + 2]), "")
        if option in ("-ex", "--ex", "-iex", "--eval-command", "-eval-command", "-o", "-O", "--one-line"):
            _debugger_line(call, value, name)
        elif option in ("-x", "--command", "-s", "--source"):
            run_file(call, value)
        elif option in ("-p", "--pid", "--attach-pid", "-n", "--attach-name"):
            reading.emit("process.attach", site, value)
            return UNKNOWN
        elif word in ("--args", "--"):
            return call.tail(at + 1, name, NOTHING)
    if call.stdin.text:
        for line in call.stdin.text.splitlines()[:64]:
            _debugger_line(call, line, name)
    reading.emit("process.spawn", call.site, name)
    return UNKNOWN


def _debugger_line(call: Call, line: str, name: str) -> None:
    site = call.site.behind(name)
    shell, python = _DEBUGGER_SHELL.match(line), _DEBUGGER_PYTHON.match(line)
    if shell:
        call.scope.reading.nest("shell", shell[1], site)
    elif python:
        call.scope.reading.nest("python", python[1], site)


_PAGERS = ("PAGER", "MANPAGER", "LESSOPEN", "LESSCLOSE", "BAT_PAGER", "SYSTEMD_PAGER", "BROWSER")


def _pager(call: Call) -> Flow:
    """`less`, `man`: the pager that the environment names is run, and `LESSOPEN` too."""
    carried = [(name, call.scope.variables.get(name)) for name in _PAGERS]
    for at, word in enumerate(call.words[1:], 1):
        if word == "-P" and at + 1 < len(call.words):
            carried.append(("man -P", call.words[at + 1]))
        elif word.startswith("--pager="):
            carried.append(("man -P", word.partition("=")[2]))
    for wrapper, text in carried:
        if isinstance(text, str) and text.strip("| -"):
            call.scope.reading.nest("shell", text.lstrip("| -"), call.site.behind(wrapper))
    return read(call, PROGRAMS[call.words[0].rpartition("/")[2]])


EDITORS: dict[str, Callable[[Call], Flow]] = {
    **dict.fromkeys("vim vi nvim vimdiff nvimdiff gvim rvim view ex ed".split(), _vim),
    "emacs": _emacs,
    **dict.fromkeys(("gdb", "lldb"), _debugger),
    **dict.fromkeys(("less", "more", "man"), _pager),
}
