"""Miller (`mlr`): a chain of verbs, some of which take an expression, and then files."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.flow import Flow
from interlock.analyse.loading import report_loading
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_COMPUTING = frozenset({"put", "filter"})
_WITH_VALUE = frozenset({"-s", "-f", "-e"})
_IN_PLACE = frozenset({"in_place"})
#: The name of a file, told from the name of a field and from an option.
_FILE = late(r"^(?!-)(?=.*[./~*])(?!\d+(?:\.\d+)?$)")


def miller(call: ShellCall) -> Flow:
    """Analyse the expressions of the verbs, and the files that they write; then the options and the other words."""
    operands = parse(call.words, PROGRAMS[call.program]).operands
    at = operands[0].at if operands else len(call.words)
    taken: set[int] = set()
    while at < len(call.words):
        taken.add(at)
        if call.words[at] in _COMPUTING:
            taken.update(_read_expressions(call, at + 1))
        elif call.words[at] == "tee":
            taken.update(_read_tee(call, at + 1))
        then = next((index for index in range(at, len(call.words)) if call.words[index] == "then"), None)
        if then is None:
            taken.update(index for index in range(at, len(call.words)) if not _FILE.search(call.words[index]))
            break
        taken.update(range(at, then + 1))
        at = then + 1
    if "-I" in call.words[: operands[0].at if operands else 0]:
        for index in range(at, len(call.words)):
            if index not in taken:
                call.scope.reading.file("fs.write", call.site, call.words[index], _IN_PLACE)
    kept = [index for index in range(len(call.words)) if index not in taken]
    words, nodes = [call.words[index] for index in kept], [call.nodes[index] for index in kept]
    return read(call.with_words(words, nodes), PROGRAMS[call.program])


def _read_expressions(call: ShellCall, at: int) -> set[int]:
    """Analyse the expressions of `put` or `filter`, whose arguments begin at `at`; return the indexes of its words."""
    taken: set[int] = set()
    given = False
    while at < len(call.words) and call.words[at][:1] == "-" and len(call.words[at]) > 1:
        option = call.words[at]
        taken.add(at)
        at += 1
        if option not in _WITH_VALUE or at >= len(call.words):
            continue
        taken.add(at)
        if option == "-e":
            call.scope.reading.nest("miller", call.words[at], call.inner(at))
        elif option == "-f":
            report_loading(call.scope.reading, call.site, call.words[at])
            call.scope.reading.file("code.run", call.site, call.words[at])
        given = given or option in ("-e", "-f")
        at += 1
    if not given and at < len(call.words):
        taken.add(at)
        call.scope.reading.nest("miller", call.words[at], call.inner(at))
    return taken


def _read_tee(call: ShellCall, at: int) -> set[int]:
    """Analyse the verb `tee`, which writes its records to a file or, with `-p`, to a command."""
    options = [index for index in range(at, len(call.words)) if call.words[index][:1] == "-"]
    taken: set[int] = set()
    while at in options:
        taken.add(at)
        at += 1
    if at >= len(call.words):
        return taken
    if any(call.words[index] == "-p" for index in taken):
        call.scope.reading.nest("shell", call.words[at], call.inner(at))
    else:
        call.scope.reading.file("fs.write", call.site, call.words[at])
    return taken | {at}


MILLER: dict[str, Callable[[ShellCall], Flow]] = {"mlr": miller}
