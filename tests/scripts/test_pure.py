"""Pure functions give what they give, or something unknown that is marked like everything they were given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.analyse.files.paths import HOLE, Places
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.pure import PURE, compute
from interlock.analyse.scripts.scope import SPREAD
from interlock.analyse.scripts.script import Script
from interlock.analyse.scripts.syntax import Syntax
from interlock.analyse.scripts.values import Choice, Ref, as_text, choices, unknown
from interlock.knowledge.catalogue import read_functions
from interlock.knowledge.function_words import FUNCTION_LANGUAGES

MARKS = frozenset({"secret", "download"})
KNOWN = st.sampled_from(["rm", "a,b", " ", "", "%s", "H*", "base64", "eA==", 3, True, ["rm", "x"]])
UNKNOWN = st.sampled_from([unknown("token"), [unknown("token")], ["rm", unknown("token")], {"a": unknown("token")}])


def script(language: str = "javascript") -> Script:
    reading = Reading(Places(home="/home/u"), {})
    reading.taints["token"] = MARKS
    return Script(reading, "", Site((0, 0)), Syntax(language))


@st.composite
def calls(draw: st.DrawFn) -> list[object]:
    arguments = draw(st.lists(KNOWN, max_size=3))
    arguments.insert(draw(st.integers(0, len(arguments))), draw(UNKNOWN))
    return arguments


def keeps_marks(name: str, arguments: list[object]) -> bool:
    reader = script()
    value = reader.compute(name, name, None, arguments)
    return any(HOLE in as_text(one) for one in choices(value)) and reader.marks(value) >= MARKS


@given(arguments=calls())
def test_a_function_of_something_unknown_keeps_its_marks(arguments: list[object]) -> None:
    assert [name for name in sorted(PURE.keys() - {"home"}) if not keeps_marks(name, arguments)] == []


#: Every function of a language whose result is computed.
DESCRIBED = [
    (language, name)
    for language in FUNCTION_LANGUAGES
    if language not in ("python", "powershell")
    for name, found in sorted(read_functions(language).items())
    if found.result.computed not in ("", "home")
]


@pytest.mark.parametrize(("language", "name"), DESCRIBED)
def test_a_described_function_of_something_unknown_keeps_its_marks(language: str, name: str) -> None:
    reader, token = script(language), unknown("token")
    found = read_functions(language)[name]
    owner = token if name.startswith(".") else None
    assert reader.marks(reader.perform(name, found, owner, [token, "x"], 0)) >= MARKS


@pytest.mark.parametrize(
    "value", [unknown("token"), [unknown("token")], {"a": unknown("token")}, Ref("x", unknown("token"))]
)
@pytest.mark.parametrize("key", [0, -1, 7, "b", unknown("key")])
def test_an_element_of_something_unknown_keeps_its_marks(value: object, key: object) -> None:
    reader = script()
    if isinstance(value, dict) and key == "b":
        value = {**value, SPREAD: unknown("token")}
    assert reader.marks(reader.subscript(value, key)) >= MARKS


@pytest.mark.parametrize("key", ["b", unknown("key"), 99])
def test_a_text_has_only_the_elements_that_are_known(key: object) -> None:
    element = script().subscript("rm -rf /", key)
    assert any(HOLE in as_text(one) for one in choices(element))


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("split", ["a", "rm", 1], None),
        ("lower", ["RM", "x"], None),
        ("unpack", ["x1 a*", "xrm"], None),
        ("pack", ["A2", "rmx"], None),
        ("format", ["%<a>s", {"a": "rm"}], None),
        ("format", ["%2$s", "a", "rm"], None),
        ("join", [["rm", ["-rf"]], " "], None),
        ("same", ["xrm", "x"], Choice(("xrm", None))),
        ("same", ["rm", "utf-8"], "rm"),
        ("buffer", ["cm0=", "base64"], "rm"),
        ("buffer", ["rm", "utf16le"], None),
        ("replace", [["x", "y"], ["r", "m"], "xy"], "rm"),
        ("replace_first", ["x", "r", "xmx"], "rmx"),
        ("translate", ["b-z", "a-y", "sn"], "rm"),
        ("form", ["rm+-rf"], "rm -rf"),
        ("json", ['"rm"'], "rm"),
        ("concat", [["x"], "rm"], ["x", "rm"]),
    ],
)
def test_a_function_that_gets_more_than_it_knows_gives_nothing_known(
    name: str, arguments: list[object], result: object
) -> None:
    assert compute(name, arguments) == result
