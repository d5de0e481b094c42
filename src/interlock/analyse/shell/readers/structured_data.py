"""`yq`: its expressions read files and run commands."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.flow import Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_FILE = late(r"\b(?:strload|load(?:_\w+)?)\(\s*\"([^\"]+)\"")
_COMMAND = late(r"\bsystem\(\s*\"([^\"]+)\"(?:\s*;\s*([^)]*))?\)")


def _yq(call: ShellCall) -> Flow:
    """Report the files that an expression loads and the commands that it runs, then read the call."""
    for word in call.words[1:]:
        for found in _FILE.finditer(word):
            call.scope.reading.file("fs.read", call.site, found[1])
        for found in _COMMAND.finditer(word):
            rest = (found[2] or "").strip("[] ").replace('"', "").replace(",", " ")
            call.scope.reading.nest("shell", f"{found[1]} {rest}".strip(), call.site.behind("yq"))
    return read(call, PROGRAMS["yq"])


STRUCTURED_DATA: dict[str, Callable[[ShellCall], Flow]] = {"yq": _yq}
