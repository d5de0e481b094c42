"""Ordinary one-liners, sixty for each language: none of them asks, and all of each is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interlock import Action, Level
from tests.reading import ENGINE, WHERE

FOLDER = Path(__file__).parent / "ordinary"
PROGRAMS = "node|deno|bun|perl|ruby|php|lua"


def commands() -> list[str]:
    """Return every command: one begins where a line begins with the name of its program."""
    found: list[str] = []
    for path in sorted(FOLDER.glob("*.txt")):
        found += re.split(rf"\n(?=(?:{PROGRAMS}) )", path.read_text(encoding="utf-8").strip("\n"))
    return found


@pytest.mark.parametrize("command", commands())
def test_an_ordinary_script_is_quiet(command: str) -> None:
    assessment = ENGINE.decide(Action.shell(command, **WHERE)).assessment
    assert assessment.level <= Level.LOW
    assert not [why for why in assessment.coverage.opaque if "parse" in why or "deep" in why]


def test_every_file_has_commands() -> None:
    for path in FOLDER.glob("*.txt"):
        assert re.search(rf"(?m)^(?:{PROGRAMS}) ", path.read_text(encoding="utf-8")), path.name


@pytest.mark.parametrize(
    "command",
    [
        "node -e 'const a = [" + "0, " * 6_000 + "]'",
        "perl -e 'my @a = (" + "0, " * 6_000 + ");'",
        "ruby -e 'x = [" + "0, " * 6_000 + "]'",
        "lua -e 'x = {" + "0, " * 6_000 + "}'",
        "perl -e 'print \"" + "=-" * 2_000 + "\";'",
        "node -e 'const v6 = /"
        + "|".join(f"(?::[a-f\\d]{{1,{n}}}){{0,{n}}}:((?:25[0-5]|2[0-4]\\d))" for n in range(40))
        + "/'",
        "node -e '// " + "-" * 3_000 + "\nf()'",
    ],
    ids=lambda command: command[:20],
)
def test_long_tables_and_rulers_are_quiet(command: str) -> None:
    assert ENGINE.decide(Action.shell(command, **WHERE)).assessment.level <= Level.LOW
