"""The catalogue holds together: every word in every description means something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import interlock
from interlock.analyse.catalogue import FIELDS, PROGRAMS
from interlock.analyse.catalogue.spec import Spec, parse_option
from interlock.analyse.code import FAULT
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.names import FOLDERS, NAMES, PATHS, SUFFIXES
from interlock.analyse.shell.readers import GROUPS, READERS
from interlock.effects import KINDS
from interlock.rules import RULES
from tests.reading import shell

#: Languages that programs carry and nobody reads: said to be unread.
UNREAD = frozenset({"other", "ftp"})


def specs(spec: Spec) -> Iterator[Spec]:
    yield spec
    for sub in spec.subcommands.values():
        yield from specs(sub)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_description_can_be_read(name: str) -> None:
    for spec in specs(PROGRAMS[name]):
        roles = {option.role for option in spec.option_table.values() if option.role}  # taking it apart checks it
        head, star, tail = spec.operand_roles
        roles |= {*head, *tail, star or "-"}
        languages = {role[5:] for role in roles if role.startswith("code:")} | ({spec.stdin} if spec.stdin else set())
        assert languages <= LANGUAGES.keys() | UNREAD
        assert not spec.does or spec.does in KINDS


def test_no_program_is_described_twice() -> None:
    names = [name for field in FIELDS for spec in field.SPECS for name in spec.names.split()]
    assert sorted(names) == sorted(set(names))


def test_a_good_many_programs_are_known() -> None:
    assert len({*PROGRAMS, *READERS}) >= 500


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


@pytest.mark.parametrize("name", sorted({*PROGRAMS, *READERS}))
def test_a_program_is_read_whatever_it_is_given(name: str) -> None:
    for given in GIVEN:
        words = given.replace("{name}", name)  # a program may well be given a file of its own name
        for command in (f"{name} {words}", f"echo x | sudo {name} {words}"):
            found = shell(command)
            assert not any(FAULT in why for why in found.coverage.opaque), command


def test_an_unknown_word_in_a_description_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown meaning"):
        parse_option("recursive")
    with pytest.raises(ValueError, match="unknown role"):
        parse_option("=fs.explode")
    with pytest.raises(ValueError, match="unknown role"):
        Spec("x", operands="fs.explode*").operand_roles  # noqa: B018 - taking it apart is the test


def test_no_program_has_two_readers() -> None:
    names = [name for group in GROUPS for name in group]
    assert sorted(names) == sorted(set(names))


def flags_of(spec: Spec) -> set[str]:
    found = set(spec.effect_flags) | {flag for option in spec.option_table.values() for flag in option.flags}
    return found.union(*(flags_of(sub) for sub in spec.subcommands.values()))


def test_every_flag_is_read_by_somebody() -> None:
    given = set().union(*(flags_of(spec) for field in FIELDS for spec in field.SPECS))
    given |= {
        word for table in (FOLDERS, PATHS, NAMES, SUFFIXES) for meaning in table.values() for word in meaning.split()
    }
    asked = {flag for rule in RULES for p in rule.patterns for flag in (*p.flags, *p.without)}
    asked |= {flag for rule in RULES for flag in (*rule.eased, *rule.firm.split())}
    code = "".join(
        path.read_text("utf-8")
        for path in (Path(interlock.__file__).parent / "analyse").rglob("*.py")
        if "names" not in path.parts and ("catalogue" not in path.parts or path.name == "cli.py")
    )
    assert [flag for flag in sorted(given - asked) if not re.search(rf"[\"' ]{flag}[\"' ]", code)] == []
