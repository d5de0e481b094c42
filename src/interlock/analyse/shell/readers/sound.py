"""SoX: its inputs, each of which may be a command, the file that it writes, and then effects."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

#: The name of a file, told from the name of an effect and its numbers.
_FILE = late(r"(?=.*[./~])(?!-?[\d.:]+%?$)")


def sound(call: ShellCall) -> Flow:
    """Analyse the files of `sox` and `play` as they stand, up to the first effect."""
    reading, files = call.scope.reading, list[str]()
    for operand in parse(call.words, PROGRAMS[call.program]).operands:
        if operand.text[:1] == "|":
            reading.nest("shell", operand.text[1:].strip(), call.inner(operand.at).behind(call.program))
        elif _FILE.match(operand.text):
            files.append(operand.text)
        elif files:
            break
    written = files.pop() if files and call.program == "sox" else ""
    for path in files:
        reading.file("fs.read", call.site, path)
    if written:
        reading.file("fs.write", call.site, written)
    read(call, PROGRAMS[call.program])
    return UNKNOWN


SOUND: dict[str, Callable[[ShellCall], Flow]] = dict.fromkeys(("sox", "play"), sound)
