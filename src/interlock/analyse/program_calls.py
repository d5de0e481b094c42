"""The programs that an action runs, as its analysis keeps them."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.analyse.files.paths import format_holes
from interlock.model import ProgramCall

#: The words of a program, its working folder if it is known, and the number of its command.
FoundCall = tuple[list[str], str | None, int]


def list_program_calls(found: Iterable[FoundCall]) -> tuple[ProgramCall, ...]:
    """Return the programs that were found. What is unknown in a word stands as `$name`."""
    return tuple(
        ProgramCall(tuple(map(format_holes, words)), format_holes(folder or ""), call) for words, folder, call in found
    )
