"""`ar`: its first argument is a word of letters that say whether the archive is read or written."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_LETTERS = late(r"-?[dmpqrstxabcDfilNoOPsSTuUvV]+")


def _ar(call: ShellCall) -> Flow:
    """`ar rcs libx.a x.o` writes the archive, `ar x` its members, and `ar t` only reads."""
    spec = PROGRAMS["ar"]
    letters = next((word for word in call.words[1:] if _LETTERS.fullmatch(word)), "")
    if not letters:
        return read(call, spec)
    at = call.words.index(letters, 1)
    parsed = parse(call.words, spec, at + 1)
    operands = [value.text for value in parsed.operands]
    operands = operands[int(any(letter in letters for letter in "abi")) :]  # the name of a member
    archive, members = operands[:1], operands[1:]
    reading, site = call.scope.reading, call.site
    writes = any(letter in letters for letter in "rqdms") and not any(letter in letters for letter in "tpx")
    for path in archive:
        reading.file("fs.write" if writes else "fs.read", site, path)
    for path in members if "r" in letters or "q" in letters else ():
        reading.file("fs.read", site, path)
    if "x" in letters:
        reading.file("fs.write", site, parsed.options.get("--output") or ".")
    reading.emit("process.spawn", site, "ar")
    return UNKNOWN


OBJECT_ARCHIVES: dict[str, Callable[[ShellCall], Flow]] = dict.fromkeys(PROGRAMS["ar"].names, _ar)
