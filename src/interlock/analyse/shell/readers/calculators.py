"""`dc`: a calculator whose `!` runs the rest of the line as a command."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.flow import Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import apply
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_COMMAND = late(r"!(?![<>=])[ \t]*([^\n]+)")  # `!<x` compares two numbers


def _dc(call: ShellCall) -> Flow:
    """Analyse the commands in the expressions and the input of `dc`."""
    spec = PROGRAMS["dc"]
    parsed = parse(call.words, spec)
    texts = [value.text for value in parsed.values if value.role == "code:other"]
    parsed.values = [value for value in parsed.values if value.role != "code:other"]
    for text in (*texts, call.stdin.text or ""):
        for found in _COMMAND.finditer(text):
            call.scope.reading.nest("shell", found[1], call.site.behind("dc"))
    return apply(call, spec, parsed)


CALCULATORS: dict[str, Callable[[ShellCall], Flow]] = {"dc": _dc}
