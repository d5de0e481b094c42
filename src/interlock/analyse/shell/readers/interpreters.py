"""Programs that run program text."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.argv import Parsed, parse
from interlock.analyse.catalogue import PROGRAMS
from interlock.analyse.paths import HOLE
from interlock.analyse.reading import NOTHING, UNKNOWN, Flow
from interlock.analyse.shell.call import Call, feed, run_file


def _shell(call: Call) -> Flow:
    """A shell: `-c` makes the first operand its text; else a script, else whatever comes in."""
    words = call.words
    name = words[0].rpartition("/")[2]
    index, code, stdin = 1, False, False
    while index < len(words) and words[index][:1] in ("-", "+") and words[index] != "-":
        word = words[index]
        if word == "--":
            index += 1
            break
        if not word.startswith("--"):
            code, stdin = code or "c" in word, stdin or "s" in word
            index += word.endswith(("o", "O"))
        elif word in ("--rcfile", "--init-file"):
            index += 1
        index += 1
    if code and index < len(words):
        return _shell_code(call, index, name)
    if index < len(words) and not stdin and words[index] not in ("-", "/dev/stdin"):
        return run_file(call, words[index])
    if call.stdin is NOTHING:
        call.scope.reading.emit("process.run", call.site, name)
        return _OBEYING
    flow = feed(call, call.stdin, "shell", name)
    return flow if call.stdin.text is not None else _OBEYING


#: What a shell prints that does as whoever writes to it says.
_OBEYING = Flow(None, frozenset({"shell"}))


def _shell_code(call: Call, index: int, name: str) -> Flow:
    text = call.words[index]
    if text.startswith(HOLE) and text.count(HOLE) == 2 and text.endswith(HOLE):
        marks = call.scope.reading.marks(text)
        return feed(call, Flow(None, marks), "shell", name)
    return call.scope.reading.nest("shell", text, call.inner(index).behind(f"{name} -c"), call.stdin)


def _python(call: Call) -> Flow:
    parsed = parse(call.words, PROGRAMS["python"])
    name = call.words[0].rpartition("/")[2]
    if "-c" in parsed.options:
        value = next((v for v in parsed.values if v.role == "code:python"), None)
        if value is None:
            return UNKNOWN
        if value.text.startswith(HOLE) and value.text.count(HOLE) == 2:
            return feed(call, Flow(None, call.scope.reading.marks(value.text)), "python", name)
        return call.scope.reading.nest(
            "python", value.text, call.inner(value.at, value.inner).behind(f"{name} -c"), call.stdin
        )
    if "-m" in parsed.options:
        return _python_module(call, parsed)
    if parsed.operands and parsed.operands[0].text not in ("-", "/dev/stdin"):
        return run_file(call, parsed.operands[0].text, "python")
    if {"-V", "--version", "-h", "--help"} & parsed.options.keys():
        call.scope.reading.emit("system.read", call.site, name)
        return UNKNOWN
    if call.stdin is NOTHING:
        call.scope.reading.emit("process.run", call.site, name)
        return UNKNOWN
    return feed(call, call.stdin, "python", name)


def _python_module(call: Call, parsed: Parsed) -> Flow:
    module = parsed.options["-m"]
    index = call.words.index(module) if module in call.words else len(call.words) - 1
    if module in PROGRAMS:
        return call.tail(index, "python -m")
    call.scope.reading.emit("process.run", call.site, module)
    return UNKNOWN


INTERPRETERS: dict[str, Callable[[Call], Flow]] = {
    **dict.fromkeys("sh bash zsh dash ksh ash mksh rbash fish csh tcsh".split(), _shell),
    **dict.fromkeys(["python", "python2", "python3", "pypy3"], _python),
}
