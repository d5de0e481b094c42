"""The descriptions of programs hold together: each can be read, and its examples show what it means."""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from pathlib import Path

import msgspec
import pytest

from interlock import Action, Verdict
from interlock.analyse.code import FAULT
from interlock.analyse.examples import find_broken_examples, list_examples
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.shell.readers import GROUPS, READERS
from interlock.cli.knowledge_review import find_foreign_examples, find_mistakes
from interlock.knowledge import artefact
from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.command import Program
from interlock.knowledge.roles import LANGUAGES as CODE_LANGUAGES
from interlock.knowledge.sources import read_program, read_text
from interlock.knowledge.table_types.commands import ProgramGroups
from tests.knowledge.fine_mutants import fine_survivors, known_survivors, survivors_of
from tests.knowledge.mutants import entries, survivors
from tests.reading import ENGINE, WHERE, shell

FOLDER = Path(artefact.FOLDER)
FILES = sorted((FOLDER / "programs").rglob("*.toml"))
#: Languages that programs carry and that are not read; code in them is unread.
UNREAD = frozenset({"other", "ftp"})


def name_of(file: Path) -> str:
    return file.relative_to(FOLDER / "programs").as_posix()


@cache
def read(file: Path) -> Program:
    return read_program(read_text(file), str(file))


def files_in(folder: str) -> list[Path]:
    return [file for file in FILES if file.parent.name == folder]


FOLDERS = sorted({file.parent.name for file in FILES})


@pytest.mark.parametrize("folder", FOLDERS)
def test_examples_hold(folder: str) -> None:
    found = {name_of(file): [str(broken) for broken in find_broken_examples(read(file))] for file in files_in(folder)}
    assert {name: broken for name, broken in found.items() if broken} == {}


def has_harmless_example(program: Program) -> bool:
    runs = [example.run for _, example in list_examples(program)]
    return any(ENGINE.decide(Action.shell(run, **WHERE)).verdict is Verdict.ALLOW for run in runs)


@pytest.mark.parametrize("folder", FOLDERS)
def test_an_example_of_every_program_is_harmless(folder: str) -> None:
    assert [name_of(file) for file in files_in(folder) if not has_harmless_example(read(file))] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_entry_of_a_program_has_an_example_that_misses_it(folder: str) -> None:
    found = {name_of(file): list(survivors(read(file))) for file in files_in(folder)}
    assert {name: entries_ for name, entries_ in found.items() if entries_} == {}


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_list_of_fine_survivors_only_shrinks(folder: str) -> None:
    found = {line for file in files_in(folder) for line in survivors_of(file)}
    known = {line for line in known_survivors() if line.startswith(f"{folder}/")}
    assert (sorted(found - known), sorted(known - found)) == ([], [])


def test_a_word_without_an_example_is_found() -> None:
    rm = msgspec.structs.replace(PROGRAMS["rm"], examples=())
    assert [word for kind, word in fine_survivors(rm) if kind == "name"] == list(rm.names)
    assert ("operands", ".") in list(fine_survivors(rm))


def test_an_entry_without_an_example_is_found() -> None:
    rm = msgspec.structs.replace(PROGRAMS["rm"], examples=())
    assert list(survivors(rm)) == list(entries(rm)) != []


def test_every_language_of_the_notation_is_read() -> None:
    assert LANGUAGES.keys() | UNREAD == CODE_LANGUAGES


GIVEN = (
    "",
    "a b",
    "-x y",
    "--help",
    "install x",
    "-c 'a b' c",
    "/etc/hosts ~ https://example.com",
    "-- -",
    "{} $x",
    "{name} {name}",
)


NAMES = sorted({*PROGRAMS, *READERS})


@pytest.mark.parametrize("first", sorted({name[0] for name in NAMES}))
def test_a_program_is_read_with_any_arguments(first: str) -> None:
    for name, given in product((name for name in NAMES if name[0] == first), GIVEN):
        words = given.replace("{name}", name)  # a program may well be given a file of its own name
        for command in (f"{name} {words}", f"echo x | sudo {name} {words}"):
            found = shell(command)
            assert not any(FAULT in why for why in found.coverage.opaque), command


def test_no_program_has_two_readers() -> None:
    names = [name for group in GROUPS.values() for name in group]
    assert sorted(names) == sorted(set(names))


def test_every_group_of_programs_is_used_and_named_as_it_is_written() -> None:
    groups = read_table("program-groups", ProgramGroups).groups
    sources = [path.read_text("utf-8") for path in FOLDER.parent.rglob("*.py")]
    used = {name for text in sources for name in re.findall(r'programs_in\("([\w-]+)"\)', text)}
    assert used == set(groups)
    for name, group in groups.items():
        assert group.programs == tuple(sorted(set(group.programs))), name
        assert group.what.endswith("."), name


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_description_has_no_mistakes_and_calls_its_own_program(folder: str) -> None:
    found = {
        name_of(file): [
            *map(str, find_mistakes(read_text(file), file.name)),
            *(problem.message for problem in find_foreign_examples(read(file))),
        ]
        for file in files_in(folder)
    }
    assert {name: problems for name, problems in found.items() if problems} == {}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_description_has_an_example_and_a_neighbour(folder: str) -> None:
    assert [name_of(file) for file in files_in(folder) if sum(1 for _ in list_examples(read(file))) < 2] == []
