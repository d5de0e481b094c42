"""The learned second opinion: it only makes verdicts stricter, says why, and can be switched off by the owner."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.learn import Example, train

from interlock import Action, Engine, Level
from interlock.accuracy.corpus import DANGEROUS, WHERE, read_corpus
from interlock.cli import main
from interlock.config.load import load
from interlock.knowledge.table_types import SecondOpinion
from interlock.model import Analysis
from interlock.opinion.features import describe_command_feature, features
from interlock.opinion.model import RULE, is_weighed, second_opinion, weigh
from tests.benchmark import FOLDER

WITH, WITHOUT = Engine(), Engine(second_opinion=False)


@pytest.fixture(scope="module")
def doubtful() -> str:
    """A dangerous command of the benchmark that the rules let run and the model does not."""
    for row in read_corpus(FOLDER):
        missed = row.kind == "shell" and row.label == DANGEROUS and WITHOUT.decide(row.action).allowed
        if missed and not WITH.decide(row.action).allowed:
            return row.text
    raise LookupError("the model finds nothing that the rules miss")


def test_a_weight_does_not_depend_on_the_order_of_features() -> None:
    model = SecondOpinion(threshold=0.6, bias=0.0, weights={"a": 0.1, "b": 0.2, "c": 0.3})
    assert weigh(model, ["a", "b", "c"]) == weigh(model, ["c", "b", "a"]) == model.threshold


@pytest.mark.parametrize("topic", ["4-accounts", "4-network-config", "4-sql", "4-javascript"])
def test_it_never_lowers_a_verdict(topic: str) -> None:
    for row in read_corpus(FOLDER / f"{topic}.jsonl"):
        before, after = WITHOUT.decide(row.action), WITH.decide(row.action)
        assert after.verdict >= before.verdict, row.text
        if after.verdict != before.verdict:
            assert after.assessment.findings[0].rule == RULE, row.text


def test_it_says_what_weighed_most(doubtful: str) -> None:
    decision = WITH.decide(Action.shell(doubtful, **WHERE))
    finding = decision.assessment.findings[0]
    assert (finding.rule, finding.level) == (RULE, Level.HIGH)
    assert finding.reason.startswith("Resembles actions that people want to be asked about: `")
    assert WITHOUT.decide(Action.shell(doubtful, **WHERE)).allowed


def test_it_judges_only_the_languages_that_it_was_trained_on(doubtful: str) -> None:
    assert second_opinion(Analysis(languages=("python",), text=doubtful), (), Level.LOW) is None
    assert second_opinion(Analysis(text=doubtful), (), Level.LOW) is None


def test_explain_shows_it_apart(doubtful: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["explain", doubtful])
    shown = capsys.readouterr().out
    assert RULE in shown
    assert "learned, not a rule" in " ".join(shown.split())


def test_the_owner_switches_it_off(doubtful: str, tmp_path: Path) -> None:
    file = tmp_path / "interlock.toml"
    file.write_text("second_opinion = false\n")
    assert load(file).engine().decide(Action.shell(doubtful, **WHERE)).allowed


def test_training_is_reproducible() -> None:
    rows = [
        Example("one two three".split()[number % 3], {"a", "b"} if number % 2 else {"b", "c"}, number % 2 == 1, False)
        for number in range(60)
    ]
    weights, bias = train(rows)
    assert (weights, bias) == train(rows)
    assert weights["a"] > 0 > weights["c"]


def test_features_are_read_from_the_beginning_of_a_text() -> None:
    found = features(Analysis(text="rm " + "x" * 5_000 + " --force"), (), Level.LOW)
    assert "'rm" in found
    assert "'--force" not in found
    assert describe_command_feature("rule file_read") == ""


def test_a_harmless_command_beside_it_does_not_switch_it_off(doubtful: str) -> None:
    for more in ("curl -s localhost:8080/health", "docker run --rm alpine true", "ls"):
        for text in (f"{doubtful}; {more}", f"{more}; {doubtful}"):
            assert is_weighed(WITHOUT.decide(Action.shell(text, **WHERE)).assessment.analysis), text
