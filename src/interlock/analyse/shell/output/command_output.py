"""The output of a command that the catalogue describes: what it prints, and what it leaves in files it edits."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

import msgspec

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.reading import Reading
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.output.partial_views import narrow, view_of
from interlock.analyse.shell.output.provenance import BOUNDING, trace_output
from interlock.knowledge.catalogue import programs_in
from interlock.knowledge.command import Command
from interlock.lazy import LazyModule
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.shell.output import filters
else:
    filters = LazyModule("interlock.analyse.shell.output.filters")

#: Programs that copy standard input to standard output, unchanged or nearly so.
PASSING = programs_in("passing-filters")
_DECODED = frozenset({"decoded"})
_CHANGED = frozenset({"changed"})
_ENDLESS = frozenset({"endless"})
#: Programs that decode, decompress or decrypt, and the options that make them.
_DECODERS = {
    **dict.fromkeys(("base64", "base32", "basenc"), late(r"-[a-zA-Z]*[dD][a-z]*|--decode")),
    "xxd": late(r"-[a-z]*r[a-z]*"),
    "openssl": late(r"-d"),
    **dict.fromkeys(("gzip", "bzip2", "xz", "zstd", "lz4"), late(r"-[a-z]*d[a-z]*|--decompress")),
    **dict.fromkeys(("gunzip", "bunzip2", "unxz", "zcat", "bzcat", "xzcat", "uudecode", "rev"), late("")),
    **dict.fromkeys(("gpg", "gpg2"), late(r"-d|--decrypt")),
}


#: Programs that print what they read, as it is or decoded.
_REWRITING = PASSING | _DECODERS.keys()


def trace_printed(call: ShellCall, spec: Command, first: int, marks: frozenset[str], paths: list[str]) -> Flow:
    """Return what the command prints, without the marks of secrets that it does not show."""
    printed = _trace(call, spec, first, marks, paths)
    if call.stdin.marks and "clipboard" in call.stdin.marks and view_of(call.words) == "counts":
        _withdraw_clipboard(call, first)
    if not printed.marks or "variable" not in printed.marks:
        return printed
    left = narrow(call.words, printed.marks)
    return printed if left == printed.marks else printed.replace(marks=left)


def _decodes(words: list[str]) -> bool:
    """Whether a command of such a program decodes, decompresses or decrypts its input."""
    asked = _DECODERS.get(words[0].rpartition("/")[2])
    return asked is not None and (not asked.pattern or any(asked.fullmatch(word) for word in words[1:]))


def _withdraw_clipboard(call: ShellCall, first: int) -> None:
    """Take the flag `clipboard` from the command before this one, of whose output only a count is shown."""
    before = call.scope.reading.effects[first - 1] if first else None
    if before is not None and before.kind == "system.read" and "clipboard" in before.flags:
        call.scope.reading.effects[first - 1] = msgspec.structs.replace(before, flags=before.flags - {"clipboard"})


def _trace(call: ShellCall, spec: Command, first: int, marks: frozenset[str], paths: list[str]) -> Flow:
    """Return what the command prints: its text if a filter can compute it, and its provenance marks."""
    program = call.program
    marks, url = trace_output(program, call.words, call.scope.reading, first, marks, call.stdin.url)
    if marks and "own_code" in marks and call.stdin is not NOTHING and "own_code" not in call.stdin.marks:
        marks -= {"own_code"}
    if program not in _REWRITING and not spec.filters:
        return Flow(None, marks, url)
    hidden = _DECODED if program in _DECODERS and _decodes(call.words) else NONE
    if program in PASSING:
        return Flow(None if call.stdin is NOTHING else call.stdin.text, marks, url)  # without input, it reads a file
    if not spec.filters:
        return Flow(None, marks | hidden, url)
    source = _filter_input(call, paths)
    words = [call.words[0], *(word for word in call.words[1:] if word not in paths)] if paths else call.words
    text = filters.apply_filter(words, source.text)
    if text is None:
        spoiled = bool(source.text) and HOLE not in (source.text or "")  # a known text became an unknown one
        return Flow(None, marks | source.marks | (_DECODED if spoiled else hidden), url)
    call.scope.reading.spend(len(text) // 128)
    carried = source.marks - _ENDLESS if program in BOUNDING else source.marks
    return Flow(text, marks | carried, url)


def _filter_input(call: ShellCall, paths: list[str]) -> Flow:
    """Return the input of a filter: standard input, or the content of the files that it names."""
    if not paths:
        return call.stdin
    reading, flow = call.scope.reading, NOTHING
    for path in paths:
        full = reading.places.resolve(path, call.scope.cwd) or path
        held = call.stdin if path == "-" else reading.files.get(full)
        if held is None and reading.files and ("*" in path or "?" in path):
            held = _join_matches(full, reading)
        if held is None:
            return UNKNOWN
        flow = flow.then(held)
    return flow


def _join_matches(pattern: str, reading: Reading) -> Flow | None:
    """Return the contents of the files of this run that a glob matches. Others may match as well, so it is a part."""
    found = [reading.files[name] for name in sorted(reading.files) if fnmatch.fnmatchcase(name, pattern)]
    if not found:
        return None
    flow = NOTHING
    for one in found:
        flow = flow.then(one)
    return Flow(flow.text, flow.marks | _PART, flow.url)


#: Scripts that leave nothing of any text.
_EMPTYING = frozenset({"d", "1,$d", "1,$ d", "/.*/d", "/^/d"})
_ANY_TEXT = "first\nsecond\n\nlast\n"


def _leaves_nothing(program: str, words: list[str]) -> bool:
    """Whether a filter leaves nothing of any text. Substitutions of `sed` leave the ends of lines at least."""
    return not _EMPTYING.isdisjoint(words) or (program not in _SED and filters.apply_filter(words, _ANY_TEXT) == "")


_SED = frozenset({"sed", "gsed"})
_PART = frozenset({"part"})


def _sed_scripts(words: list[str]) -> list[str]:
    """Return the words of a call of sed that can be scripts, without the options that they are attached to."""
    return [word.removeprefix("--expression=").removeprefix("-e") for word in words[1:]]


def record_output(call: ShellCall, read: list[str], written: list[str], before: dict[str, Flow]) -> None:
    """Record what a filter puts into a file that an option names: `sort -u -o list list`."""
    reading, flow = call.scope.reading, NOTHING
    for path in read:
        flow = flow.then(before.get(reading.places.resolve(path, call.scope.cwd) or path, UNKNOWN))
    if not flow.text:
        return
    words = [word for word in call.words if word not in (*read, *written) and not word.startswith(("-o", "--output"))]
    text = filters.apply_filter(words, flow.text)
    for path in written:
        full = reading.places.resolve(path, call.scope.cwd) or path
        reading.files[full] = flow.replace(marks=flow.marks | _CHANGED) if text is None else flow.replace(text=text)


def record_edits(call: ShellCall, spec: Command, paths: list[str]) -> None:
    """Record the content of files edited in place: the filter's result, or the mark `changed` if it is unknown."""
    from interlock.analyse.scripts.sed import find_inserted_text

    reading = call.scope.reading
    words = [word for word in call.words if word not in paths and not word.startswith(("-i", "--in-place"))]
    for path in paths:
        full = reading.places.resolve(path, call.scope.cwd) or path
        held = reading.files.get(full)
        if held is None:
            if spec.filters and _leaves_nothing(call.program, words):
                reading.files[full] = Flow("", _CHANGED)
            elif call.program in _SED and (put := "\n".join(map(find_inserted_text, _sed_scripts(words)))).strip():
                reading.files[full] = Flow(put, _PART)
        else:
            text = filters.apply_filter(words, held.text) if spec.filters and held.text is not None else None
            changed = Flow(held.text, held.marks | _CHANGED, held.url)
            reading.files[full] = changed if text is None else Flow(text, held.marks, held.url)
