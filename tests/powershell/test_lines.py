"""Everyday lines are allowed, dangerous ones have their effects: as a tool of its own, and behind `pwsh -Command`."""

from __future__ import annotations

import shlex

import pytest

from interlock import Action, Verdict
from interlock.analyse.code import FAULT
from tests.powershell.lines import DANGEROUS, HARMLESS, action, has, read
from tests.reading import ENGINE, WHERE, shell

#: Kinds that are noted, and asked about only where a policy says so.
_NOTED = frozenset({"net.connect", "net.listen", "package.install", "package.remove", "code.opaque"})


@pytest.mark.parametrize("line", HARMLESS)
def test_everyday_work_is_allowed(line: str) -> None:
    decision = ENGINE.decide(action(line))
    assert decision.verdict is Verdict.ALLOW
    assert not [why for why in decision.assessment.coverage.opaque if FAULT in why or "does not" in why]


@pytest.mark.parametrize("line", HARMLESS[::3])
def test_everyday_work_is_allowed_behind_pwsh(line: str) -> None:
    assert ENGINE.decide(Action.shell(f"pwsh -Command {shlex.quote(line)}", **WHERE)).verdict is Verdict.ALLOW


@pytest.mark.parametrize(("line", "expected"), DANGEROUS)
def test_a_dangerous_line_has_its_effect(line: str, expected: str) -> None:
    assert has(read(line), expected), [str(effect) for effect in read(line).effects]


@pytest.mark.parametrize(("line", "expected"), [pair for pair in DANGEROUS if pair[1].split()[0] not in _NOTED])
def test_a_dangerous_line_is_not_allowed(line: str, expected: str) -> None:
    assert ENGINE.decide(action(line)).verdict is not Verdict.ALLOW, expected


@pytest.mark.parametrize(("line", "expected"), DANGEROUS[::3])
def test_a_dangerous_line_has_its_effect_behind_pwsh(line: str, expected: str) -> None:
    assert has(shell(f"pwsh -Command {shlex.quote(line)}"), expected)
