"""The second opinion on tool calls: only the name of a tool can speak for a call, and nothing that an agent writes."""

from __future__ import annotations

from typing import Any

import pytest
from bench.learn import TRAININGS, Example, train
from hypothesis import given
from hypothesis import strategies as st

from interlock import Action, Engine, Level
from interlock.accuracy.corpus import DANGEROUS, Row, read_corpus
from interlock.analyse.action import Surroundings
from interlock.analyse.tools.organisation import Organisation
from interlock.opinion.model import RULE, TOOLS, load, weigh
from interlock.opinion.tool_features import NAMES, describe_feature, tool_features
from tests.benchmark import FOLDER

WITH, WITHOUT = Engine(), Engine(second_opinion=False)
MODEL = load(TOOLS)


def find_doubtful() -> Row:
    """Return a harmful call of the benchmark that the rules let run and the model does not."""
    for row in read_corpus(FOLDER / "tools-3-devices.jsonl") + read_corpus(FOLDER / "tools-3-browser-http.jsonl"):
        if row.label == DANGEROUS and WITHOUT.decide(row.action).allowed and not WITH.decide(row.action).allowed:
            return row
    raise LookupError("the model finds nothing that the rules miss")


DOUBTFUL = find_doubtful().action
TEXTS = st.text(max_size=40) | st.sampled_from("sandbox test draft dry_run internal note label read only".split())


def test_it_says_what_weighed_most() -> None:
    finding = WITH.decide(DOUBTFUL).assessment.findings[0]
    assert (finding.rule, finding.level) == (RULE, Level.HIGH)
    assert finding.reason.startswith("Resembles actions that people want to be asked about: `")


@given(st.dictionaries(st.text(max_size=12), TEXTS | st.booleans() | st.integers() | st.lists(TEXTS, max_size=3)))
def test_nothing_that_is_added_to_the_arguments_takes_weight_from_a_call(more: dict[str, Any]) -> None:
    padded = Action(tool_name=DOUBTFUL.tool_name, input_payload=more | DOUBTFUL.input_payload)
    plain = Action(tool_name=DOUBTFUL.tool_name, input_payload=DOUBTFUL.input_payload)
    assert weigh(MODEL, tool_features(padded)) >= weigh(MODEL, tool_features(plain)) - 1e-9


@given(TEXTS)
def test_nothing_that_a_server_says_about_a_tool_takes_weight_from_a_call(said: str) -> None:
    told = Action(tool_name=DOUBTFUL.tool_name, input_payload=DOUBTFUL.input_payload, description=said)
    plain = Action(tool_name=DOUBTFUL.tool_name, input_payload=DOUBTFUL.input_payload)
    assert weigh(MODEL, tool_features(told)) >= weigh(MODEL, tool_features(plain)) - 1e-9


def test_only_words_of_names_have_negative_weights() -> None:
    negative = [name for name, weight in MODEL.weights.items() if weight < 0]
    assert negative
    assert all(name.startswith(NAMES) for name in negative)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"amount": 5, "to": "x"}, {"amount": 5_000_000, "to": "x"}),
        ({"to": "anna@acme.com"}, {"to": "anna@evil.example"}),
        ({"public": False}, {"public": True}),
    ],
)
def test_amounts_addresses_and_visibility_are_left_to_the_rules(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert tool_features(Action(tool_name="put", input_payload=first)) == tool_features(
        Action(tool_name="put", input_payload=second)
    )


def test_json_texts_and_keys_around_the_arguments_change_nothing_inside() -> None:
    plain = tool_features(Action(tool_name="put", input_payload={"role": "owner"}))
    for wrapped in ({"data": {"role": "owner"}}, {"data": '{"role": "owner"}'}, {"role": ["owner"]}):
        assert tool_features(Action(tool_name="put", input_payload=wrapped)) >= plain


def test_reads_drafts_and_rehearsals_are_not_judged() -> None:
    worst = " ".join(
        one.removeprefix("word ") for one, weight in MODEL.weights.items() if one[:5] == "word " and weight > 1
    )
    for name, more in (("get_page", {}), ("create_draft", {}), ("update_page", {"dry_run": True})):
        assert RULE not in rules_of(WITH, Action(tool_name=name, input_payload={"about": worst[:500], **more}))


def test_what_the_owner_calls_routine_is_not_judged() -> None:
    org = Organisation(counterparties=("stadtwerke",), routine_amount=100.0)
    engine = Engine(around=Surroundings(organisation=org))
    assert RULE not in rules_of(
        engine, Action(tool_name="send_payment", input_payload={"to": "Stadtwerke", "amount": 20})
    )


def rules_of(engine: Engine, action: Action) -> list[str]:
    return [finding.rule for finding in engine.decide(action).assessment.findings]


def test_features_are_described_in_the_words_of_the_call() -> None:
    found = tool_features(Action(tool_name="mcp__bank__setPayout", input_payload={"new_iban": "x", "force": True}))
    assert {"name payout", "names set payout", "key new_iban", "in key iban", "force is True"} <= found
    assert {describe_feature(one) for one in found} >= {"`payout`", "`set payout`", "`new_iban`", "`force is True`"}


def test_training_keeps_what_agents_write_from_speaking_for_a_call() -> None:
    rows = [
        Example(
            f"tools-1-{'abc'[number % 3]}",
            {"name a", "word x"} if number % 2 else {"name c", "word calm"},
            number % 2 == 1,
            False,
        )
        for number in range(60)
    ]
    weights, _ = train(TRAININGS[1], rows)
    assert weights["name c"] < 0 < weights["word x"]
    assert weights.get("word calm", 0.0) >= 0
