"""Laws of the policy editor: a policy survives the way into rows or text and back, whatever it says."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from interlock.errors import ConfigError
from interlock.levels import Verdict
from interlock.model import Ask
from interlock.policies.policy_input import policy_input
from interlock.policies.policy_text import format_policy_text, parse_policy_text
from interlock.policy.conditions import FIELDS, OPEN_FIELDS, OPERATORS, Condition, compile_condition
from interlock.policy.field_types import FIELD_TYPES, OPERATOR_LABELS, OPERATORS_OF
from interlock.policy.limits import Limit
from interlock.policy.policies import Policy
from interlock.server.pages.condition_rows import make_row, parse_row
from interlock.server.pages.policy_form import form_fields, open_form, parse_form

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [
        "production",
        "5",
        '"5"',
        "true",
        "a, b",
        "[x",
        "{",
        "'''",
        "\\",
        "\u202e",
        "\r\n",
        " x ",
        "e\u0301\u0301\u0301",
        "",
    ]
)
numbers = st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
scalars = texts | numbers
values = scalars | st.lists(scalars, max_size=4) | st.dictionaries(texts, scalars, max_size=2)
fields = st.sampled_from(FIELDS) | st.sampled_from(OPEN_FIELDS).map("{}.amount.0".format)
conditions = st.builds(Condition, fields, st.sampled_from(OPERATORS), values | st.none())
asks = st.builds(
    Ask,
    approvers=st.integers(1, 20),
    who=st.lists(st.sampled_from(["ann", "@security", "a, b"]), max_size=2).map(tuple),
    reason=st.booleans(),
    model=st.booleans(),
    challenge=st.sampled_from(["auto_approve", "quiz", "multi_party"]),
    timeout_seconds=st.none() | st.integers(1, 10**8),
    liftable=st.booleans(),
)
limits = st.builds(
    Limit,
    st.floats(0, 1e9),
    st.sampled_from(["hour", "run"]),
    st.none() | st.just("inputPayload.amount"),
    st.sampled_from(["agent", "everyone"]),
)
expressions = st.none() | st.sampled_from(
    [
        'toolName == "deploy"',
        "toolName == 'a'",
        "risk.score > 3 &&\n  toolName != 'x'",
        'toolName == """it\'s"""',
        " true",
    ]
)


def is_condition(condition: Condition) -> bool:
    try:
        compile_condition(condition)
    except (ConfigError, TypeError):
        return False
    return True


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    return Policy(
        "p",
        name=draw(st.sampled_from(["", "No “deploys”", " spaced "])),
        conditions=[one for one in draw(st.lists(conditions, max_size=4)) if is_condition(one)],
        action=draw(st.sampled_from([Verdict.WARN, Verdict.REQUIRE_APPROVAL, Verdict.BLOCK])),
        when=draw(expressions),
        enabled=draw(st.booleans()),
        approval=draw(st.none() | asks),
        limit=draw(st.none() | limits),
        missing=draw(st.sampled_from(["differs", "matches"])),
        during=draw(st.sampled_from([None, "Mon-Fri 09:00-17:00 Europe/Berlin"])),
    )


def content(policy: object) -> bytes:
    return msgspec.json.encode(policy)


@given(conditions)
def test_a_row_means_exactly_its_condition(condition: Condition) -> None:
    assume(is_condition(condition))
    try:
        row = make_row(condition)
    except ConfigError:
        return  # it is shown as text
    assert content(parse_row(row)) == content(condition)


@given(policies())
def test_a_policy_as_text_is_the_same_policy(policy: Policy) -> None:
    given = policy_input(policy)
    assert content(parse_policy_text(format_policy_text(policy).replace("\n", "\r\n"))) == content(given)


@given(policies())
def test_a_form_is_the_same_policy_and_text_when_rows_would_lose_something(policy: Policy) -> None:
    form = open_form(policy)
    assert content(parse_form(form)) == content(policy_input(policy))
    if not form.as_text:
        assert form == form_fields(policy)


def test_ordinary_conditions_are_rows_as_people_write_them() -> None:
    for condition, shown in (
        (Condition("environment", "in", ["production", "critical"]), "production, critical"),
        (Condition("tenant", "equals", "1234"), "1234"),
        (Condition("inputPayload.amount", "gt", 1000), "1000"),
        (Condition("inputPayload.order", "equals", "1000"), '"1000"'),
        (Condition("toolName", "matches", '[a-z]+"$'), '[a-z]+"$'),
        (Condition("effects.changes", "equals", True), "true"),
        (Condition("user", "exists", False), "false"),
    ):
        assert make_row(condition).value == shown


def test_every_field_and_operator_is_described() -> None:
    assert set(FIELD_TYPES) == {*FIELDS, *OPEN_FIELDS}
    assert set(OPERATOR_LABELS) == set(OPERATORS)
    assert {one for fitting in OPERATORS_OF.values() for one in fitting} == set(OPERATORS)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[[policies]]\npolicy_id = 'x'\naction = 'blok'", 3, "did you mean `block`?"),
        ("[[policies]]\npolicy_id = 'x\n", 2, "this is not TOML"),
        ("mode = 'off'", 1, "unknown key `mode`"),
        ("", None, "exactly one"),
        ("[[policies]]\npolicy_id='a'\naction='warn'\n[[policies]]\npolicy_id='b'\naction='warn'", None, "exactly one"),
    ],
)
def test_a_text_that_is_no_policy_names_its_line(text: str, line: int | None, words: str) -> None:
    with pytest.raises(ConfigError, match=words.replace("?", r"\?")) as found:
        parse_policy_text(text)
    assert line in (None, found.value.line)
