"""Hostile input: a megabyte of it is answered, in part, and never by an exception.

How long that takes is for `make bench`; what keeps it short is that a cap was reached and said so.
"""

from __future__ import annotations

import pytest

from interlock import Action, Level
from tests.reading import ENGINE

MEGABYTE = 1_000_000

SHELL = {
    "round brackets": "(" * MEGABYTE,
    "substitutions": "$(" * (MEGABYTE // 2),
    "double quotes": '"' * MEGABYTE,
    "single quotes": "'" * MEGABYTE,
    "back ticks": "`" * MEGABYTE,
    "braces": "{a,b}" * (MEGABYTE // 5),
    "open braces": "{" * MEGABYTE,
    "pipes": "a|" * (MEGABYTE // 2),
    "semicolons": "a;" * (MEGABYTE // 2),
    "subshells": "(a)" * (MEGABYTE // 3),
    "parameters": "${" * (MEGABYTE // 2),
    "here-document": "cat <<EOF\n" + "x" * MEGABYTE + "\nEOF\n",
    "here-documents": "cat <<E\n" * (MEGABYTE // 8),
    "conditions": "if " * (MEGABYTE // 3),
    "nulls": "\0" * MEGABYTE,
    "surrogates": "\udc80" * (MEGABYTE // 4),
    "lines": "echo hello world\n" * (MEGABYTE // 17),
    "backslashes": "\\" * MEGABYTE,
    "one word": "a" * MEGABYTE,
}


@pytest.mark.parametrize("text", SHELL.values(), ids=SHELL.keys())
def test_a_megabyte_of_shell_is_answered_in_part(text: str) -> None:
    decision = ENGINE.decide(Action.shell(text))
    assert not decision.assessment.coverage.full
    assert decision.assessment.level >= Level.HIGH


@pytest.mark.parametrize("size", [2_000, 20_000, 90_000])
@pytest.mark.parametrize("name", SHELL)
def test_less_of_it_is_answered_too(name: str, size: int) -> None:
    assert ENGINE.decide(Action.shell(SHELL[name][:size])).assessment.level >= Level.SAFE


PYTHON = {
    "brackets": "(" * MEGABYTE,
    "nested lists": "[" * 5_000 + "]" * 5_000,
    "additions": "x = " + "+".join(["1"] * 20_000),
    "unary": "-" * 50_000 + "1",
    "calls": "f(" * 2_000 + ")" * 2_000,
    "attributes": "a" + ".b" * 20_000,
    "lines": "x = 1\n" * (MEGABYTE // 6),
    "exec": "exec(" * 50 + "'x'" + ")" * 50,
    "growth": "x = 'aaaaaaaaaa'\n" + "x = x + x\n" * 60,
    "loops": "for a in range(9):\n"
    + "".join(" " * n + "for b in [1,2,3,4,5,6,7,8]:\n" for n in range(1, 12))
    + " " * 12
    + "f()",
}


@pytest.mark.parametrize("text", PYTHON.values(), ids=PYTHON.keys())
def test_hostile_python_is_answered(text: str) -> None:
    assert ENGINE.decide(Action.python(text)).assessment.level >= Level.SAFE


SQL = {
    "brackets": "SELECT " + "(" * 100_000,
    "statements": "SELECT 1;" * 50_000,
    "unions": "SELECT 1" + " UNION SELECT 1" * 5_000,
    "quotes": "'" * MEGABYTE,
    "list": "SELECT * FROM t WHERE a IN (" + ",".join(["1"] * 100_000) + ")",
}


@pytest.mark.parametrize("text", SQL.values(), ids=SQL.keys())
def test_hostile_sql_is_answered_in_part(text: str) -> None:
    assert not ENGINE.decide(Action.sql(text)).assessment.coverage.full


def test_text_that_doubles_does_not_grow_without_bound() -> None:
    command = "A=aaaaaaaaaa;" + "A=$A$A$A$A$A$A$A$A;" * 12 + "echo $A"
    assert ENGINE.decide(Action.shell(command)).assessment.level >= Level.SAFE


def test_loops_in_loops_are_capped() -> None:
    items = " ".join("abcdefghijklmnopqrstuvwxyz")
    command = "".join(f"for x{n} in {items}; do " for n in range(6)) + "rm x" + "; done" * 6
    decision = ENGINE.decide(Action.shell(command))
    assert not decision.assessment.coverage.full
    assert decision.assessment.level >= Level.HIGH


def test_a_deep_payload_is_answered() -> None:
    payload: dict[str, object] = {}
    for _ in range(5_000):
        payload = {"x": payload}
    assert ENGINE.decide(Action(tool_name="frobnicate", input_payload=payload)).assessment.level
