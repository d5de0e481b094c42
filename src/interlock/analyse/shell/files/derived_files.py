"""Derived files: what a program makes from a file that is not for everyone is not for everyone either.

A picture of a key, a PDF of a payroll and an archive of a mailbox hold what they were made from. Programs that run code
are left out: what a script makes of a table may be a single number.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.files.paths import HOLE
from interlock.analyse.files.run_files import KEPT_MARKS
from interlock.analyse.flow import REPLACED, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.output.provenance import read_marks
from interlock.knowledge.catalogue import programs_in
from interlock.memory.exposures.record_names import is_records_file

#: Options whose value is a file or a folder for the output, in most programs.
_OPTIONS = frozenset(
    "-o -O --output --out --outfile --out-file --output-file --outdir --out-dir --output-dir --save-as".split()
)
#: Programs whose last operand is the file that they write, and archivers, which are given it first.
_LAST = programs_in("last-operand-writers")
_PAGES = frozenset({"pdftoppm", "pdftocairo"})  # they write one file for each page, whose names begin so
_FIRST = programs_in("first-operand-writers")
_WRITING = _LAST | _FIRST
#: Programs that run code: their output may be anything.
_RUNNING = programs_in("code-runners")
_READS = frozenset({"fs.read", "secret.read"})
_KEPT = KEPT_MARKS - {"workspace", "printed"}


def record_derived(call: ShellCall, first: int) -> None:
    """Put the marks of what a program reads on the files that it writes by its options or its last operand."""
    words = call.words
    if call.program not in _WRITING and _OPTIONS.isdisjoint(words) and "=" not in "".join(words):
        return  # the output of a command has a name among its words: those of most commands say so at once
    if call.program in _RUNNING:
        return
    outputs = list(_outputs(call))
    if not outputs:
        return
    marks = _marks_of_inputs(call, first, outputs) & _KEPT
    reading = call.scope.reading
    for path in outputs if marks else ():
        full = reading.places.resolve(path, call.scope.cwd)
        if full is not None and call.program in _PAGES:
            full += "*"
        if full is not None and HOLE not in full:
            held = reading.files.get(full, REPLACED)
            reading.files[full] = Flow(None, marks) if held is REPLACED else Flow(None, held.marks | marks)


def _outputs(call: ShellCall) -> Iterator[str]:
    """Yield the words that name a file or a folder for the output."""
    words = call.words
    for at, word in enumerate(words[1:], 1):
        if word[:1] != "-":
            continue
        name, given, value = word.partition("=")
        if given and name in _OPTIONS:
            yield value
        elif word in _OPTIONS and at + 1 < len(words):
            yield words[at + 1]
    if call.program in _LAST or call.program in _FIRST:
        operands = [word for word in words[1:] if word[:1] != "-"]
        if len(operands) > 1:
            yield _find_written_operand(call.program, operands)


def _find_written_operand(program: str, operands: list[str]) -> str:
    """Return the operand that names what a program writes."""
    if program in _LAST:
        return operands[-1]
    return operands[0] if operands[0] != "a" else operands[1]


def _marks_of_inputs(call: ShellCall, first: int, outputs: list[str]) -> frozenset[str]:
    """Return the marks of the files that a program reads: by its effects, and by the words that name files."""
    reading = call.scope.reading
    found: frozenset[str] = frozenset()
    for effect in reading.effects[first:]:
        if effect.kind == "secret.read":
            found |= {"secret"}
        elif effect.kind in _READS and "names" not in effect.flags:
            found |= read_marks(effect, reading)
    for word in call.words[1:]:
        if word[:1] == "-" or word in outputs or HOLE in word:
            continue
        full = reading.places.resolve(word.lstrip("@"), call.scope.cwd) or word
        found |= reading.content_marks(full)
        if is_records_file(full):
            found |= {"records"}
    return found
