"""Functions of make on words give what they give, and recipes run with the variables that the makefile exports."""

from __future__ import annotations

import pytest

from interlock import Action, Level
from interlock.analyse.scripts.make_words import compute_words
from tests.reading import ENGINE, WHERE

BAD = [
    "all:\n\t$(join r,m) -rf ~",
    "all:\n\t$(intcmp 1,1,,rm -rf ~)",
    "all:\n\t$(word 2,x rm) -rf ~",
    "export LD_PRELOAD=/tmp/x.so\nall:\n\t@ls",
    "export PATH := /tmp/x:$(PATH)\nall:\n\tls",
    "include /tmp/x.mk\nall:\n\tls",
]
GOOD = [
    "all:\n\t$(intcmp 1,2,ls,rm -rf ~)",
    "all:\n\techo $(join a b,1 2)",
    "export CI = 1\nall:\n\t@-echo $$CI",
    "include config.mk\nall:\n\tls",
]


def level(makefile: str) -> Level:
    return ENGINE.decide(Action.shell(f"make -f - <<'EOF'\n{makefile}\nEOF", **WHERE)).assessment.level


@pytest.mark.parametrize("makefile", BAD)
def test_what_a_makefile_computes_or_exports_is_followed(makefile: str) -> None:
    assert level(makefile) >= Level.HIGH


@pytest.mark.parametrize("makefile", GOOD)
def test_an_ordinary_makefile_is_quiet(makefile: str) -> None:
    assert level(makefile) <= Level.MEDIUM


@pytest.mark.parametrize(
    ("name", "given", "result"),
    [
        ("join", ["a b", "1 2"], "a1 b2"),
        ("intcmp", ["2", "1", "less", "equal", "greater"], "greater"),
        ("intcmp", ["1", "1", "less", "equal"], "equal"),
        ("intcmp", ["$(x)", "1", "less"], None),
        ("word", ["3", "a b"], None),
        ("wordlist", ["2", "3", "a b c d"], "b c"),
        ("sort", ["b a b"], "a b"),
        ("words", ["a b"], "2"),
    ],
)
def test_functions_on_words(name: str, given: list[str], result: str | None) -> None:
    assert compute_words(name, given) == result
