"""The catalogue holds together: every word in every description means something."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from interlock.analyse.catalogue import FIELDS, PROGRAMS
from interlock.analyse.catalogue.spec import Spec, parse_option
from interlock.analyse.shell.readers import READERS
from interlock.effects import KINDS


def specs(spec: Spec) -> Iterator[Spec]:
    yield spec
    for sub in spec.subcommands.values():
        yield from specs(sub)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_description_can_be_read(name: str) -> None:
    for spec in specs(PROGRAMS[name]):
        assert spec.option_table is not None
        assert spec.operand_roles is not None
        assert not spec.does or spec.does in KINDS


def test_no_program_is_described_twice() -> None:
    names = [name for field in FIELDS for spec in field.SPECS for name in spec.names.split()]
    assert sorted(names) == sorted(set(names))


def test_a_good_many_programs_are_known() -> None:
    assert len(PROGRAMS) + len(READERS) > 400


def test_an_unknown_word_in_a_description_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown meaning"):
        parse_option("recursive")
    with pytest.raises(ValueError, match="unknown role"):
        parse_option("=fs.explode")
    with pytest.raises(ValueError, match="unknown role"):
        Spec("x", operands="fs.explode*").operand_roles  # noqa: B018 - taking it apart is the test
