"""`xargs` and `parallel`: commands built from standard input."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from itertools import islice, product

from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE, hole
from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.loading import report_loading
from interlock.analyse.repetition import CROWD, FLOOD, report_crowd, report_mailing
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.execution import run_flow
from interlock.analyse.shell.output.local_content import input_marks
from interlock.analyse.shell.readers.find import mark_sweep
from interlock.knowledge.arguments import ParsedArguments
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_ITEM = late("(?:\0[^\0]*\0|[^\0\\s])+")
_FOUND = late("\0(found|input)\0")
MAX_ITEMS = 64
MAX_RUNS = 16
MAX_DIGITS = 7


def _input_items(call: ShellCall, parsed: ParsedArguments, by_line: bool) -> list[str]:
    """Return the words or lines of standard input, or one hole if they are unknown."""
    marks = input_marks(call.stdin, call.scope.reading)
    if marks:
        call.scope.reading.taints["input"] = marks
    given, source = call.stdin, parsed.options.get("-a") or parsed.options.get("--arg-file")
    if source:
        files, places = call.scope.reading.files, call.scope.reading.places
        given = files.get(source) or files.get(places.resolve(source, call.scope.cwd) or source) or NOTHING
    text = given.text
    if text is None or given is NOTHING:
        return [hole("input")]
    delimiter = parsed.options.get("-d") or parsed.options.get("--delimiter")
    if {"-0", "--null"} & parsed.options.keys() and not _FOUND.search(text):
        delimiter = HOLE  # the null byte, which also marks holes
    if delimiter and len(delimiter) == 1:
        found = text.strip("\n").split(delimiter)
    else:
        found = text.splitlines() if by_line else [item.strip("'\"") for item in _ITEM.findall(text)]
    return [item for item in found if item.strip()][:MAX_ITEMS]


def _xargs(call: ShellCall) -> Flow:
    """`xargs`: run a command on the items of standard input."""
    parsed = parse(call.words, PROGRAMS["xargs"])
    for value in parsed.values:
        call.scope.reading.file("fs.read", call.site, value.text)
    index = parsed.operands[0].at if parsed.operands else len(call.words)
    words, nodes = call.words[index:] or ["echo"], call.nodes[index:] or [None]
    mark = parsed.options.get("-I") or parsed.options.get("-J")
    for option in ("-i", "--replace"):
        if option in parsed.options:
            mark = parsed.options[option] or "{}"
    given = _input_items(call, parsed, bool(mark))
    flow, first = NOTHING, len(call.scope.reading.effects)
    if not mark:
        words, nodes = words + given, nodes + [None] * len(given)
        flow = call.with_words(words, nodes, NOTHING).tail(0, "xargs")
    else:
        for item in given[:MAX_RUNS]:
            flow = call.with_words([word.replace(mark, item) for word in words], nodes, NOTHING).tail(0, "xargs")
    if "sweep" in call.stdin.marks:
        mark_sweep(call.scope.reading, first)
    report_mailing(call.scope.reading, first)
    at_once = parsed.options.get("-P") or parsed.options.get("--max-procs") or ""
    if at_once.isdecimal() and len(at_once) < MAX_DIGITS:
        report_crowd(call.scope.reading, first, "", int(at_once) * FLOOD // CROWD)
    return flow


_SOURCES = frozenset({":::", "::::", ":::+", "::::+"})
_PLACE = late(r"\{(?:[#%]|[-+]?\d*(?:/?\.|//|/)?)\}")
_SHELL_MARKS = frozenset(";|&<>`$()")


def _parallel(call: ShellCall) -> Flow:
    """`parallel`: run a command on the values after `:::`, or on input lines; without a command, run each line."""
    parsed = parse(call.words, PROGRAMS["parallel"])
    index = parsed.operands[0].at if parsed.operands else len(call.words)
    words = call.words[index:]
    _read_parallel_options(call, parsed)
    end = next((at for at, word in enumerate(words) if word in _SOURCES), len(words))
    command, sources = words[:end], _parse_sources(words[end:])
    if not sources:
        sources = [_input_items(call, parsed, by_line=True)]
    if not command:
        return _run_lines(call, sources[0])
    flow, first = NOTHING, len(call.scope.reading.effects)
    for values in islice(product(*sources), MAX_RUNS):
        flow = _run_once(call, command, values)
    report_mailing(call.scope.reading, first)
    return flow


def _read_parallel_options(call: ShellCall, parsed: ParsedArguments) -> None:
    """Report the files that `parallel` writes, and other machines that it runs commands on."""
    reading = call.scope.reading
    for value in parsed.values:
        if value.role == "fs.write":
            reading.file("fs.write", call.site, value.text)
        elif value.role == "loaded":
            report_loading(reading, call.site, value.text)
        elif value.role == "net.connect":
            for host in value.text.split(","):
                if host.rpartition("/")[2] != ":":
                    reading.on("net.connect", call.site, host.rpartition("/")[2])
    if {"-a", "--arg-file"} & parsed.options.keys() and not parsed.operands:
        reading.unread("commands in a file", call.site, flags=frozenset({"unread"}))


def _parse_sources(words: list[str]) -> list[list[str]]:
    """Return the values of each `:::` list; those of a `::::` file are unknown."""
    found: list[list[str]] = []
    from_files = False
    for word in words:
        if word in _SOURCES:
            from_files = word.startswith("::::")
            found.append([])
        elif not from_files:
            found[-1].append(word)
        elif not found[-1]:
            found[-1].append(hole("input"))
    return [source for source in found if source]


def _run_lines(call: ShellCall, lines: list[str]) -> Flow:
    """Analyse each input line as a command."""
    if call.stdin is NOTHING and lines == [hole("input")]:  # it waits for what is typed
        call.scope.reading.emit("process.run", call.site, "parallel")
        return NOTHING
    flow = NOTHING
    for line in lines[:MAX_RUNS]:
        flow = run_flow(call, Flow(None if line == hole("input") else line, call.stdin.marks), "shell", "parallel")
    return flow


def _run_once(call: ShellCall, command: list[str], values: tuple[str, ...]) -> Flow:
    """Analyse one run of the command: as words, and as a line for a shell if it has shell syntax."""

    def fill(text: str) -> str:
        def value(found: re.Match[str]) -> str:
            number = re.sub(r"\D", "", found[0])
            known = number.isdigit() and 1 <= int(number) <= len(values)
            return values[int(number) - 1] if known else " ".join(values)

        return _PLACE.sub(value, text)

    words = [fill(word) for word in command]
    if words == command:
        words += values
    inner = call.with_words(words, [None] * len(words), NOTHING)
    flow = inner.tail(0, "parallel")
    if len(words) > 1 and (" " in command[0] or any(not _SHELL_MARKS.isdisjoint(word) for word in command)):
        text = " ".join(fill(word) for word in command) + "".join(f" {shlex.quote(v)}" for v in words[len(command) :])
        call.scope.reading.nest("shell", text, call.site.behind("parallel"))
    return flow


XARGS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys(("xargs", "gxargs"), _xargs),
    "parallel": _parallel,
}
