"""How argument lists are split by the description of a program."""

from __future__ import annotations

from interlock.analyse.argv import parse
from interlock.knowledge.command import Command, Operands, Option

SENDER = Command(
    operands=Operands(rest="fs.read"),
    options={"--output-file": Option(value="fs.write"), "--limit": Option(value="data"), "--quiet": Option()},
)
WRAPPER = Command(operands=Operands(first=("command",)), options={"--user-name": Option(value="data")})


def values(*words: str) -> list[tuple[str, str]]:
    parsed = parse(["send", *words], SENDER)
    return [(one.role, one.text) for one in (*parsed.values, *parsed.operands)]


def test_a_described_option_takes_its_value() -> None:
    assert values("--output-file", "a", "b") == [("fs.write", "a"), ("", "b")]
    assert values("--limit", "3", "b") == [("", "b")]


def test_the_word_after_what_may_be_an_abbreviation_is_read_both_ways() -> None:
    assert values("--output", "a", "b") == [("fs.write", "a"), ("", "a"), ("", "b")]
    assert values("--lim", "secret.txt") == [("", "secret.txt")]


def test_an_abbreviation_with_an_equals_sign_has_that_value() -> None:
    assert values("--output=a", "b") == [("fs.write", "a"), ("", "b")]


def test_what_may_be_an_abbreviation_takes_no_option_for_its_value() -> None:
    assert values("--output", "--quiet", "b") == [("", "b")]


def test_the_options_of_a_wrapper_keep_their_values() -> None:
    parsed = parse(["run-as", "--user", "root", "rm", "-r", "x"], WRAPPER)
    assert [one.text for one in parsed.operands] == ["rm"]
