"""Endless input: commands that read a device or a command without an end, and what becomes of it."""

from __future__ import annotations

from interlock.analyse.flow import Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.output.provenance import ENDLESS
from interlock.knowledge.catalogue import programs_in
from interlock.patterns import late

#: Programs that print what they read as they read it.
_SPREADING = programs_in("streaming-filters")
#: Programs that keep all they read until its end.
_HOLDING = programs_in("collecting-filters")
#: Programs that read to the end and print a line.
_COUNTING = programs_in("end-readers")
#: Options by which some programs stop before the end.
_LIMITED = late(
    r"^(?:-[nNlcSsm]\S*|--(?:bytes|lines|length|read-bytes|limit|max-count|head-count|stop-at-size|size)\S*)$"
)
#: Programs in which these options mean something else.
_NEVER_LIMITED = frozenset("cat gcat tail gtail tr sort gsort cut grep".split())
_COPIES_NODE = late(r"^-[a-zA-Z]*[aRrdP]|^--(?:archive|recursive|no-dereference)")
_LARGE = late(r"(?:\d{3,}\s*G|\d+\s*[TPE]|\d{6,}\s*M|\d{12,})i?B?$")
_MARK = frozenset({"endless"})


def is_large(size: str) -> bool:
    """Whether a size is one that fills an ordinary disk: a hundred gigabytes or more.

    >>> is_large("900G"), is_large("2T"), is_large("10G"), is_large("512M")
    (True, True, False, False)
    """
    return _LARGE.search(size.strip().upper()) is not None


def read_endless(call: ShellCall, printed: Flow) -> Flow:
    """Report a command that an input without an end keeps busy for good; return what it prints."""
    program, words = call.program, call.words
    named = [word for word in words[1:] if word in ENDLESS]
    if not named and "endless" not in call.stdin.marks and program != "yes":
        return printed if program in _SPREADING else _unmark(printed)
    if program in ("head", "ghead"):
        large = any(is_large(word) for word in words[1:])
        return printed.replace(marks=printed.marks | _MARK) if large else _unmark(printed)
    if program not in _NEVER_LIMITED and any(_LIMITED.match(word) for word in words[1:]):
        return _unmark(printed)
    _report(call, named)
    if program in _SPREADING and program != "dd":
        return printed.replace(marks=printed.marks | _MARK)
    return _unmark(printed)


def _unmark(printed: Flow) -> Flow:
    return printed.replace(marks=printed.marks - _MARK)


def _report(call: ShellCall, named: list[str]) -> None:
    """Report what a program does with all that it reads: keep it, count it, or write it to a file."""
    reading, site, program, words = call.scope.reading, call.site, call.program, call.words
    if program in _HOLDING and not any(word.startswith("--random-source") for word in words):
        reading.emit("machine.exhaust", site, f"{program} of an endless input")
    elif program in _COUNTING:
        reading.emit("process.spawn", site, f"{program} of an endless input", _MARK)
    elif (program in ("cp", "gcp") and named and not any(_COPIES_NODE.match(word) for word in words[1:])) or (
        program == "tee" and any(word[:1] != "-" and not word.startswith("/dev/") for word in words[1:])
    ):
        reading.emit("disk.fill", site, words[-1])
