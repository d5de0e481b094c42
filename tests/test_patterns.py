"""Our own patterns: compiled when they are first needed, so a test has to need each of them."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import interlock
from interlock.analyse.other_agents.instructions import HIDING_PLACES
from interlock.analyse.payloads.prompt_injection import ORDERS
from interlock.analyse.tools.sensitive_content import _CONTENT
from interlock.patterns import Late, _bounded_searcher, _is_plain, late, screen, searcher

PROGRAMS = ("interlock.__main__", "interlock.launch")
MODULES = [
    found.name for found in pkgutil.walk_packages(interlock.__path__, "interlock.") if found.name not in PROGRAMS
]


def lates(value: Any) -> Iterator[Late]:
    """Yield the patterns that a value is, or holds."""
    if isinstance(value, Late):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from lates(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from lates(item)


def wrong_patterns(module: str) -> Iterator[str]:
    """Yield the patterns of a module that cannot be compiled, each with what is wrong."""
    for value in vars(importlib.import_module(module)).values():
        for one in lates(value):
            try:
                assert isinstance(one.flags, int)
            except (re.error, AssertionError) as error:
                yield f"{one._given}: {error}"


def test_every_pattern_compiles() -> None:
    found = {name: list(wrong_patterns(name)) for name in MODULES}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_a_late_pattern_is_as_a_compiled_one() -> None:
    one, other = late(r"(?P<word>a+)b", re.IGNORECASE), re.compile(r"(?P<word>a+)b", re.IGNORECASE)
    assert one.sub("-", "xAAb") == other.sub("-", "xAAb")
    assert one.groupindex == other.groupindex
    assert (one.pattern, one.flags) == (other.pattern, other.flags)
    assert [found["word"] for found in one.finditer("ab aab")] == ["a", "aa"]


def test_a_late_pattern_that_is_wrong_says_so() -> None:
    with pytest.raises(re.error):
        late("(").match("")


PLAIN = ("^untrusted(-|$)", "a|b|", "(a|bc)d$", "^$", "x y_z-1", "()", "(a(b|c)|)^")
TEXTS = (
    "",
    "untrusted",
    "Untrusted-x",
    "untrusted\n",
    "xUNTRUSTED",
    "abcd",
    "BCD",
    "x Y_Z-1",
    "a\nb",
    "uſtrusted",
    "ı",
    "K",
)


@pytest.mark.parametrize("pattern", PLAIN)
@pytest.mark.parametrize("ignore_case", [True, False])
def test_a_plain_pattern_finds_what_the_linear_engine_finds(pattern: str, ignore_case: bool) -> None:
    assert _is_plain(pattern)
    linear = _bounded_searcher(pattern, "x", ignore_case)
    quick = searcher(pattern, "x", ignore_case=ignore_case)
    assert [quick(text) for text in TEXTS] == [linear(text) for text in TEXTS]


@pytest.mark.parametrize("pattern", ["(", "a)", ")(", "a*", "a.", r"\d", "[a]", "é", "(a|a)" * 9])
def test_a_pattern_that_may_be_wrong_or_slow_is_not_plain(pattern: str) -> None:
    assert not _is_plain(pattern)


def test_half_of_a_surrogate_pair_is_searched_like_any_other_text() -> None:
    assert searcher("b+", "here")("a\ud800b")
    assert not searcher("b+", "here")("a\ud800c")


SCREENED = (
    *(*_CONTENT.confidential, *_CONTENT.undermining, *_CONTENT.binding, *_CONTENT.phishing, *_CONTENT.doxxing),
    *(*_CONTENT.addressed, *HIDING_PLACES, "".join(ORDERS.split()).replace("(?ix)", "(?i)")),
    *(r"(?i)a{2,4}b{0,9}(?=c)c$", r"x(?<!y(?:z))[$\]{,]{3}", r"\w+\s\S\b"),
)


@settings(max_examples=1_000, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_screen_lets_every_match_through(data: st.DataObject) -> None:
    pattern = data.draw(st.sampled_from(SCREENED))
    text = data.draw(st.from_regex(pattern))
    assert screen(pattern)(text)
    assert screen("zzz", pattern)(text)


def test_a_screen_stops_other_texts() -> None:
    may_match = screen("pay ?roll", r"(?<!x)secrets{2,}")
    assert [may_match(text) for text in ("the PAYROLL", "secretsss", "xsecrets", "pay the roll", "secret")] == [
        *(True, True, True),
        *(False, False),
    ]


def test_a_screen_stops_no_text_that_the_engines_read_in_different_ways() -> None:
    assert all(map(screen("never there"), ("b\xfcro", "a\x0bb", "a\x1cb", "\ud800")))
