"""Editors, pagers and debuggers that run commands of their own."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.languages import language_of
from interlock.analyse.loading import report_loading
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import apply, read
from interlock.analyse.shell.execution import STANDARD_INPUT, run_file, run_flow
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late


def _vim(call: ShellCall) -> Flow:
    """`vim`: `-c` and `+` are commands as typed after `:`."""
    name = call.program
    spec = PROGRAMS[name]
    parsed = parse(call.words, spec)
    lines = [value.text for value in parsed.values if value.role == "code:vim"]
    lines += [value.text[1:] for value in parsed.operands if value.text.startswith("+")]
    parsed.operands = [value for value in parsed.operands if not value.text.startswith("+")]
    parsed.values = [value for value in parsed.values if value.role != "code:vim"]
    language = "ed" if name in ("ed", "red") else "vim"
    for value in [value for value in parsed.values if value.role == "script"]:
        parsed.values.remove(value)
        _run_editor_script(call, value.text, language)
    for option, given in parsed.options.items():
        known = spec.option_table.get(option)
        if given in STANDARD_INPUT and known is not None and known.value in ("script", "loaded"):
            _run_editor_script(call, "-", language)
    if name in ("ex", "ed") or "script" in parsed.flags:
        if call.stdin is not NOTHING and call.stdin.text is None:
            call.scope.reading.unread(f"commands of {name} that are not in the text", call.site.behind(name))
        lines += (call.stdin.text or "").splitlines()[:256]
    for line in lines:
        for part in line.split("|") if _WHOLE.search(line) is None else [line]:
            call.scope.reading.nest(language, part, call.site.behind(name))
    flow = apply(call, spec, parsed)
    if not _EMPTYING.isdisjoint(line.strip() for line in lines):
        for value in parsed.operands:
            call.scope.reading.files[call.scope.reading.places.resolve(value.text, call.scope.cwd) or value.text] = (
                Flow("")
            )
    return flow


def _run_editor_script(call: ShellCall, path: str, language: str) -> None:
    """Analyse a script of an editor, by whichever name standard input has."""
    if path in STANDARD_INPUT and call.stdin is not NOTHING:
        run_flow(call, call.stdin, language, call.program)
    else:
        run_file(call, path, language_of(path, "") or language)


#: Commands that take the rest of the line, `|` included, and functions with a text.
_WHOLE = late(r"!|^[:\s]*(?:py\w*|lua|perl|ruby|tcl|mz\w*)\s|\(\s*['\"]")
#: Commands that leave nothing of a text.
_EMPTYING = frozenset({"%d", "%d_", "%d _", "1,$d", ",d", "g/^/d", "%delete", "normal ggdG", "norm ggdG"})


def _debugger(call: ShellCall) -> Flow:
    """`gdb` and `lldb`: `-ex` and `-o` are debugger commands, `--args` is a program to run."""
    reading, words = call.scope.reading, call.words
    name = words[0].rpartition("/")[2]
    site = call.site.behind(name)
    for at, word in enumerate(words[1:], 1):
        option, equals, value = word.partition("=")
        value = value if equals else next(iter(words[at + 1 : at + 2]), "")
        if option in _LINES:
            _debugger_line(call, value, name)
        elif option in ("-x", "--command", "-command", "-ix", "--init-command", "-s", "--source", "-S"):
            run_file(call, value, "python" if value.endswith(".py") else "gdb")
        elif option in ("-D", "-data-directory", "--data-directory", "-s", "--source-before-file"):
            report_loading(reading, site, value)
        elif option in ("-p", "--pid", "--attach-pid", "-n", "--attach-name"):
            reading.emit("process.attach", site, value)
            return UNKNOWN
        elif word in ("--args", "--"):
            return call.tail(at + 1, name, NOTHING)
    _debug_input(call, name)
    reading.emit("process.spawn", call.site, name)
    return UNKNOWN


def _debug_input(call: ShellCall, name: str) -> None:
    """Analyse the commands on standard input of a debugger."""
    if call.stdin.text is None and call.stdin is not NOTHING:
        call.scope.reading.unread(f"commands of {name} that are not in the text", call.site.behind(name))
    for line in (call.stdin.text or "").splitlines()[:64]:
        _debugger_line(call, line, name)


#: Options whose value is a command of the debugger.
_LINES = frozenset(
    (
        "-ex --ex -iex --iex --eval-command -eval-command --init-eval-command -o -O -k -K --one-line "
        "--one-line-before-file --one-line-on-crash"
    ).split()
)


def _debugger_line(call: ShellCall, line: str, name: str) -> None:
    call.scope.reading.nest("gdb", line, call.site.behind(name))


_PAGERS = ("PAGER", "MANPAGER", "LESSOPEN", "LESSCLOSE", "BAT_PAGER", "SYSTEMD_PAGER", "BROWSER")


def _pager(call: ShellCall) -> Flow:
    """`less`, `man`: analyse the commands in `PAGER`, `LESSOPEN` and `-P`, which they run."""
    carried = [(name, call.scope.variables.get(name)) for name in _PAGERS]
    for at, word in enumerate(call.words[1:], 1):
        if word == "-P" and at + 1 < len(call.words) and call.program == "man":
            carried.append(("man -P", call.words[at + 1]))
        elif word[:2] == "+!" or word[:3] in ("++!", "+|$"):  # a command of `less` when it starts
            carried.append(("less", word.lstrip("+|$!")))
    for wrapper, text in carried:
        if isinstance(text, str) and text.strip("| -"):
            call.scope.reading.nest("shell", text.lstrip("| -"), call.site.behind(wrapper))
    return read(call, PROGRAMS[call.program])


EDITORS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys("vim vi nvim vimdiff nvimdiff gvim rvim view ex ed".split(), _vim),
    **dict.fromkeys(("gdb", "lldb"), _debugger),
    **dict.fromkeys(("less", "more", "man"), _pager),
}
