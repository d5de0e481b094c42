"""Hostile PowerShell, batch files and makefiles: answered in bounded time, in part, and never by an exception."""

from __future__ import annotations

import random

import pytest

from interlock import Action
from interlock.analyse.code import FAULT
from interlock.analyse.powershell.source import PowerShellSource
from interlock.analyse.reading import Site
from tests.powershell.lines import DANGEROUS, HARMLESS, read
from tests.reading import ENGINE, MAX_EFFECTS

SIGNS = [
    *"(){}[]\"'`|;&$@#<>,%!^=:-\\",
    *("$(", "@(", "@{", "${", "<#", '@"\n', "@'\n", '"$(', "a|", "a;", "a,", "(a)", "if(1){", "& {", "ls|%{", "$a.b("),
    *("$x=$x+$x;", "function f{f;f};f;", "iex '", "foreach($i in 1..9){", "while(1){", "switch(1){", "\0", "é", "1+"),
    *("%a%", "!a!", "set a=%a%%a%\n", "for %%i in (a) do (", "if a==b (", "call :a\n", ":a\n", "if exist a "),
    *("a:\n\tb\n", "x=$(x)$(x)\n", "$(shell a)", "$(eval ", "$(call a,", "define x\n", "ifdef a\n", "$(foreach i,a b,"),
]


@pytest.mark.parametrize("size", [1_500, 30_000])
@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("language", ["powershell", "batch", "make"])
def test_much_of_one_sign_is_answered(language: str, sign: str, size: int) -> None:
    code = sign * (size // len(sign))
    decision = ENGINE.decide(Action(tool_name="run_code", input_payload={"language": language, "code": code}))
    assert not [why for why in decision.assessment.coverage.opaque if FAULT in why]
    assert len(decision.assessment.effects) <= MAX_EFFECTS


@pytest.mark.parametrize("seed", range(150))
def test_a_damaged_line_is_read_or_said_to_be_unread(seed: int) -> None:
    chance = random.Random(seed)
    line = chance.choice([*HARMLESS, *(line for line, _ in DANGEROUS)])
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(line) + 1)
        line = line[:at] + chance.choice("(){}[]\"'`|;&$@#<>, \n") + line[at + chance.randint(0, 2) :]
    analysis = read(line)
    assert not [why for why in analysis.coverage.opaque if FAULT in why]
    if PowerShellSource(line, Site((0, 0))).broken:
        assert not analysis.coverage.full


BROKEN = [
    "rm>{-r -fo C:\\Users",
    "Invok::e-Wmi x",
    "iex{ ('r- \\:C mr'r- ",
    "Expand@{-Archive x.::zip -a",
    "@{",
    "f(",
    "a:b:c",
]


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_text_is_answered(text: str) -> None:
    assert not [why for why in read(text).coverage.opaque if FAULT in why]


def test_a_text_that_is_too_long_is_an_effect() -> None:
    analysis = read("ls\n" * 30_000)
    assert any(effect.kind == "code.opaque" and "cap" in effect.flags for effect in analysis.effects)
