"""Fine mutants of the knowledge of programs: one word is taken out, and an example has to notice.

A fine mutant takes out one name of a program, one word of an `also` list, one command of a `calls` entry, or the
operands of a command while the rest of it stays. A name counts as noticed if an example calls the program by it. Those
that no example notices yet are in `survivors.txt`, and that list may only shrink: a survivor that is not on it fails,
and so does a line that no longer survives.

    python -m tests.knowledge.fine_mutants             compare with the list
    python -m tests.knowledge.fine_mutants --shrink    take out what no longer survives
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from interlock.analyse.examples import list_examples
from interlock.knowledge.command import Command, Operands, Program
from interlock.knowledge.sources import read_program, read_text
from tests.knowledge.mutants import FOLDER, Described, change_command, is_noticed, load_programs

LIST = Path(__file__).parent / "survivors.txt"
_WORD = re.compile(r"[^\s;&|()<>`'\"$=]+")


def fine_survivors(program: Program) -> Iterator[tuple[str, str]]:
    """Yield the kind and the word of each fine mutant that no example notices."""
    words = {_plain(word) for _, example in list_examples(program) for word in _WORD.findall(example.run)}
    for name in program.names:  # without its description the program would be unknown
        if _plain(name) not in words:
            yield "name", name
    load_programs()
    for path, command in _commands(program, ()):
        shown = " ".join(path)
        for word in command.also:
            left = tuple(one for one in command.also if one != word)
            if _plain(word) not in words or _survives(program, path, word, also=left):
                yield "also", f"{shown}/{word}"
        if command.operands and _survives(program, path, *path, operands=Operands()):
            yield "operands", shown or "."
    yield from _call_survivors(program, words)


def _call_survivors(program: Program, words: set[str]) -> Iterator[tuple[str, str]]:
    for at, call in enumerate(program.calls):
        for key in ("commands", "anywhere"):
            for text in getattr(call, key):
                left = tuple(one for one in getattr(call, key) if one != text)
                calls = [*program.calls]
                calls[at] = msgspec.structs.replace(call, **{key: left})
                mutant = msgspec.structs.replace(program, calls=tuple(calls))
                said = text.split()
                if not words.issuperset(map(_plain, said)) or not is_noticed(program, mutant, said):
                    yield "call", text


def _plain(word: str) -> str:
    return word.rpartition("/")[2].lower()


def _commands(command: Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Command]]:
    yield path, command
    for name, sub in command.commands.items():
        yield from _commands(sub, (*path, name))
    for label in ("alone", "otherwise"):
        part = getattr(command, label)
        if part is not None:
            yield from _commands(part, (*path, f"<{label}>"))


def _survives(program: Program, path: tuple[str, ...], *words: str, **fields: object) -> bool:
    def change(command: Described) -> Described:
        return msgspec.structs.replace(command, **fields)

    return not is_noticed(program, change_command(program, path, change), words)


def survivors_of(file: Path) -> set[str]:
    """Return the lines of a file's survivors."""
    name = file.relative_to(FOLDER / "programs").as_posix()
    return {f"{name}\t{kind}\t{word}" for kind, word in fine_survivors(read_program(read_text(file), str(file)))}


def known_survivors(name: str = "") -> set[str]:
    """Return the lines of the list, of one file if it is named."""
    lines = LIST.read_text("utf-8").splitlines() if LIST.exists() else []
    return {line for line in lines if not name or line.startswith(f"{name}\t")}


def main(arguments: list[str]) -> int:
    """Compare all survivors with the list."""
    found = {line for file in sorted((FOLDER / "programs").rglob("*.toml")) for line in survivors_of(file)}
    known = known_survivors()
    if "--shrink" in arguments:
        LIST.write_text("".join(f"{line}\n" for line in sorted(found & known)), "utf-8")
        known &= found
    for line in sorted(found - known):
        sys.stdout.write(f"{line}: no example notices that it is taken out\n")
    for line in sorted(known - found):
        sys.stdout.write(f"{line}: an example notices it now; take the line out of {LIST.name}\n")
    sys.stdout.write(f"{len(found)} fine mutants survive, {len(found - known)} of them new\n")
    return int(found != known)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
