"""Folders that compilers and generators fill from files of the project: the run may use what is in them later."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from interlock.analyse.files.paths import HOLE
from interlock.analyse.loading import is_downloaded, is_foreign_code
from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.projects import Generators
from interlock.model import Place
from interlock.patterns import late

#: Program → the options whose value is the file or folder for its output.
_OUTPUTS = {
    program: frozenset(one.options)
    for one in read_table("generators", Generators).generators
    for program in one.programs
}
_PLUGIN = late(r"^--\w+_out=(?:[^/~]*:)?(?=[/~])")
_ATTACHED = late(r"^(-[A-Za-z]{1,2})[=:]?(?=[/~])")
_FILLED = frozenset({"checkout"})


def report_generated(call: ShellCall, program: str, first: int) -> None:
    """Report what a generator writes outside the project: `grcc -o /tmp/flow flow.grc`, `cmake -B /tmp/build`."""
    reading, cwd = call.scope.reading, call.scope.cwd
    if program not in _OUTPUTS or reading.places.locate(".", cwd)[0] is not Place.WORKSPACE:
        return
    found = [path for path in _outputs(call.words, program) if HOLE not in path]
    if not found or any(_is_from_elsewhere(call, word, found) for word in call.words[1:]):
        return
    for path in found:
        place, _, full = reading.places.locate(path, cwd)
        if place is Place.SCRATCH and full:
            _report_filled(call, path, full, first)


def _report_filled(call: ShellCall, path: str, full: str, first: int) -> None:
    """Report that a file or folder is made from the project, or say so of the effect that is reported already."""
    effects = call.scope.reading.effects
    for at in range(first, len(effects)):
        effect = effects[at]
        if effect.kind == "fs.write" and effect.resource and effect.resource.name.rstrip("/") == full.rstrip("/"):
            effects[at] = msgspec.structs.replace(effect, flags=effect.flags | _FILLED)
            return
    call.scope.reading.file("fs.write", call.site, path, _FILLED)


def _outputs(words: list[str], program: str) -> Iterator[str]:
    """Yield the absolute paths that options name for the output."""
    options = _OUTPUTS[program]
    for at, word in enumerate(words[1:], 1):
        plugin = _PLUGIN.match(word) if program == "protoc" else None
        if plugin:
            yield word[plugin.end() :]
            continue
        attached = _ATTACHED.match(word)
        if attached and attached[1] in options:
            yield word[attached.end() :]
            continue
        for sign in "=:":
            name, given, value = word.partition(sign)
            if given and name in options and value[:1] in ("/", "~"):
                yield value
        if word in options and at + 1 < len(words) and words[at + 1][:1] in ("/", "~"):
            yield words[at + 1]


def _is_from_elsewhere(call: ShellCall, word: str, outputs: list[str]) -> bool:
    """Whether an argument names a file that is neither of the project nor of this run."""
    reading, cwd = call.scope.reading, call.scope.cwd
    at = min((at for at in (word.find("/"), word.find("~")) if at >= 0), default=-1)
    path = word if word[:1] not in ("-", "@") else word[at:] if at >= 0 else ""
    if not path or any(path.endswith(output) for output in outputs):
        return False
    return HOLE in path or "://" in path or is_downloaded(reading, path, cwd) or is_foreign_code(reading, path, cwd)
