"""What the factor scorer promises: five factors, their weights, the bands and the challenges."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

import interlock
from interlock import (
    MODES,
    Action,
    ActionContext,
    CompositeRiskScorer,
    DefaultRiskScorer,
    Engine,
    FixedRiskScorer,
    InterlockError,
    Level,
    MaxRiskScorer,
    Scorer,
    Verdict,
)
from interlock.scoring.factors import Explanation, level_of, to_common_scale

WHERE: dict[str, Any] = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
LOW, MEDIUM, HIGH, CRITICAL = Level.LOW, Level.MEDIUM, Level.HIGH, Level.CRITICAL
CONTEXT = ActionContext("frob")


def raw(factor: str, context: ActionContext) -> float:
    """Return the raw score of one factor of a first call."""
    found = {found.name: found.raw for found in DefaultRiskScorer().explain(context).factors}
    return found[factor]


def name_score(name: str) -> float:
    """Return the raw score of a function's name."""
    return raw("function_name", ActionContext(name))


def arguments_score(*args: Any, **kwargs: Any) -> float:
    """Return the raw score of arguments."""
    return raw("arguments", ActionContext("frob", args, kwargs))


# Names and shapes


@pytest.mark.parametrize(
    "name", ["DefaultRiskScorer", "ActionContext", "CompositeRiskScorer", "MaxRiskScorer", "FixedRiskScorer"]
)
def test_name_is_importable_from_the_package(name: str) -> None:
    assert name in interlock.__all__
    assert hasattr(interlock, name)


def test_context_takes_its_parts_in_the_printed_order() -> None:
    names = ["function_name", "args", "kwargs", "docstring", "hints", "session_id"]
    assert list(inspect.signature(ActionContext).parameters) == names
    found = ActionContext("f", (1,), {"a": 2})
    assert (found.docstring, found.hints, found.session_id) == (None, None, None)


# The worked example

EXAMPLE = ActionContext(
    function_name="delete_user",
    args=("usr_123",),
    kwargs={"env": "production"},
    docstring="Permanently remove a user account.",
)
EXAMPLE_ROWS = [
    ("function_name", 0.95, 0.30, 0.285),
    ("arguments", 0.70, 0.25, 0.175),
    ("docstring", 0.85, 0.20, 0.170),
    ("hints", 0.00, 0.15, 0.000),
    ("novelty", 0.90, 0.10, 0.090),
]


def test_worked_example_is_0_720() -> None:
    assert DefaultRiskScorer().score(EXAMPLE) == pytest.approx(0.720)
    assert DefaultRiskScorer().explain(EXAMPLE).score == pytest.approx(0.720)


@pytest.mark.parametrize(("name", "score", "weight", "contribution"), EXAMPLE_ROWS)
def test_row_of_the_worked_example(name: str, score: float, weight: float, contribution: float) -> None:
    found = {factor.name: factor for factor in DefaultRiskScorer().explain(EXAMPLE).factors}[name]
    assert found.raw == pytest.approx(score)
    assert found.weight == pytest.approx(weight)
    assert found.contribution == pytest.approx(contribution)


def test_worked_example_is_high_and_asks_a_quiz() -> None:
    found = DefaultRiskScorer().explain(EXAMPLE)
    assert found.level is HIGH
    assert found.challenge == "quiz"


def test_worked_example_decided_by_the_engine_is_high_and_asks_a_quiz() -> None:
    action = Action(
        tool_name="delete_user",
        input_payload={"id": "usr_123", "env": "production"},
        docstring="Permanently remove a user account.",
        **WHERE,
    )
    decision = Engine(policies=[], mode="challenges").decide(action)
    assert decision.assessment.level is HIGH
    assert decision.assessment.score == 65
    assert decision.verdict is Verdict.REQUIRE_APPROVAL
    assert decision.needs is not None
    assert decision.needs.challenge == "quiz"


@pytest.mark.parametrize(("name", "weight"), [(name, weight) for name, _, weight, _ in EXAMPLE_ROWS])
def test_factor_has_its_weight(name: str, weight: float) -> None:
    found = {factor.name: factor.weight for factor in DefaultRiskScorer().explain(CONTEXT).factors}
    assert list(found) == [row[0] for row in EXAMPLE_ROWS]
    assert found[name] == pytest.approx(weight)


@pytest.mark.parametrize("context", [EXAMPLE, CONTEXT, ActionContext("get_x", ("a",), {}, "Text.", {"a": True})])
def test_score_is_the_sum_of_the_contributions(context: ActionContext) -> None:
    found = DefaultRiskScorer().explain(context)
    assert found.score == pytest.approx(sum(factor.contribution for factor in found.factors))
    assert found.score == pytest.approx(DefaultRiskScorer().score(context))


def test_worst_case_stays_within_one() -> None:
    hints = {f"flag{number}": True for number in range(9)} | {"amount": 1e12}
    context = ActionContext("delete_all", ("rm -rf /", "sudo"), {"password": "x"}, "Irreversible. Dangerous.", hints)
    found = DefaultRiskScorer().explain(context)
    assert all(0.0 <= factor.raw <= 1.0 for factor in found.factors)
    assert 0.8 < found.score <= 1.0


# Factor 1: the function's name

DESTRUCTIVE = "delete remove drop destroy purge truncate kill wipe erase terminate revoke shutdown format".split()
MUTATING = (
    "write update modify set create send deploy push execute run insert edit move rename publish install grant "
    "merge transfer"
).split()
READING = "read get list fetch search find check show view describe count query inspect".split()
VERBS = [
    *((verb, 0.95) for verb in DESTRUCTIVE),
    *((verb, 0.55) for verb in MUTATING),
    *((verb, 0.10) for verb in READING),
]


@pytest.mark.parametrize(("verb", "score"), VERBS)
def test_verb_has_the_score_of_its_tier(verb: str, score: float) -> None:
    assert name_score(verb) == pytest.approx(score)
    assert name_score(f"{verb}_item") == pytest.approx(score)
    assert name_score(f"{verb}Item") == pytest.approx(score)


NAMES = [
    ("user_delete", 0.95),
    ("deleteUser", 0.95),
    ("userDelete", 0.95),
    ("DeleteUser", 0.95),
    ("users.delete", 0.95),
    ("userService.deleteAll", 0.95),
    ("api.v2.users.list", 0.10),
    ("get_or_create_user", 0.55),
    ("createAndDelete", 0.95),
    ("list.then_purge", 0.95),
    ("read_write", 0.55),
    ("frobnicate", 0.40),
    ("x", 0.40),
    ("settle", 0.40),
    ("information", 0.40),
    ("runner", 0.40),
    ("get_information", 0.10),
    ("fetch_settings", 0.10),
]


@pytest.mark.parametrize(("name", "score"), NAMES)
def test_any_word_of_a_name_counts_and_the_worst_wins(name: str, score: float) -> None:
    assert name_score(name) == pytest.approx(score)


# Factor 2: arguments

VALUES = [
    ("production", 0.70),
    (".env", 0.70),
    ("config/.env", 0.70),
    ("secret", 0.70),
    ("password", 0.70),
    ("token", 0.70),
    ("key", 0.70),
    ("credential", 0.70),
    ("my password is x", 0.70),
    ("api_key", 0.70),
    ("apiKey", 0.70),
    ("AWS_SECRET_ACCESS_KEY", 0.70),
    ("DROP TABLE users", 0.90),
    ("DELETE FROM users", 0.90),
    ("TRUNCATE users", 0.90),
    ("ALTER TABLE users", 0.90),
    ("drop table users", 0.90),
    ("rm -rf build", 0.90),
    ("sudo ls", 0.90),
    ("chmod 777 a", 0.90),
    ("https://example.com/x", 0.50),
    ("http://example.com", 0.50),
    ("see https://example.com for more", 0.50),
    ("sam@example.com", 0.50),
    ("10.0.0.1", 0.50),
    ("2001:db8::1", 0.50),
    ("hello", 0.05),
    ("product", 0.05),
    ("monkey", 0.05),
    ("keyboard", 0.05),
    ("tokenizer", 0.05),
    ("secretary", 0.05),
    ("reproduction", 0.05),
    ("environment", 0.05),
    ("alternative", 0.05),
    ("dropdown", 0.05),
    ("pseudo", 0.05),
    ("1.2.3", 0.05),
    ("", 0.05),
    (7, 0.05),
    (None, 0.05),
]


@pytest.mark.parametrize(("value", "score"), VALUES)
def test_value_has_the_score_of_its_group(value: Any, score: float) -> None:
    assert arguments_score(value) == pytest.approx(score)
    assert arguments_score(name=value) == pytest.approx(score)


def test_no_arguments_are_zero() -> None:
    assert arguments_score() == 0.0


@pytest.mark.parametrize(
    ("name", "score"),
    [("password", 0.70), ("api_key", 0.70), ("AWS_SECRET_ACCESS_KEY", 0.70), ("product", 0.05), ("monkey", 0.05)],
)
def test_names_of_arguments_count_too(name: str, score: float) -> None:
    assert arguments_score(**{name: "x"}) == pytest.approx(score)


@pytest.mark.parametrize(
    ("value", "score"),
    [
        ({"a": {"b": ["x", "password"]}}, 0.70),
        ({"a": [{"token": "x"}]}, 0.70),
        ([["DROP TABLE users"]], 0.90),
        (("x", {"y": "https://example.com"}), 0.50),
        ({"a": {"b": ["x", "y"]}}, 0.05),
    ],
)
def test_nested_arguments_count_too(value: Any, score: float) -> None:
    assert arguments_score(value) == pytest.approx(score)
    assert arguments_score(name=value) == pytest.approx(score)


@pytest.mark.parametrize(
    ("values", "score"),
    [
        (["hello", "https://example.com"], 0.50),
        (["https://example.com", "password"], 0.70),
        (["password", "DROP TABLE users", "hello"], 0.90),
        (["https://example.com?password=x"], 0.70),
    ],
)
def test_highest_argument_counts(values: Sequence[str], score: float) -> None:
    assert arguments_score(*values) == pytest.approx(score)


# Factor 3: the docstring

DOCSTRINGS = [
    ("This is irreversible.", 0.85),
    ("Permanent change.", 0.85),
    ("A destructive operation.", 0.85),
    ("A dangerous operation.", 0.85),
    ("Acts on production.", 0.85),
    ("A critical operation.", 0.85),
    ("Permanently remove a user account.", 0.85),
    ("Irreversibly changes it.", 0.85),
    ("Works destructively.", 0.85),
    ("Runs dangerously long.", 0.85),
    ("Critically low.", 0.85),
    ("PERMANENT", 0.85),
    ("Be careful.", 0.50),
    ("Warning: slow.", 0.50),
    ("WARNING", 0.50),
    ("Use with caution.", 0.50),
    ("Be careful: this is irreversible.", 0.85),
    ("Returns the sum of two numbers.", 0.05),
    ("Handles reproduction of plants.", 0.05),
    (None, 0.10),
]


@pytest.mark.parametrize(("docstring", "score"), DOCSTRINGS)
def test_docstring_is_judged_by_its_words(docstring: str | None, score: float) -> None:
    assert raw("docstring", ActionContext("frob", docstring=docstring)) == pytest.approx(score)


# Factor 4: hints

HINTS: list[tuple[Mapping[str, Any] | None, float]] = [
    (None, 0.0),
    ({}, 0.0),
    ({"a": True}, 0.30),
    ({"a": False}, 0.0),
    ({"a": True, "b": True}, 0.60),
    ({"a": True, "b": False}, 0.30),
    ({"a": True, "b": True, "c": True}, 0.90),
    ({"a": True, "b": True, "c": True, "d": True}, 1.0),
    ({"n": 0}, 0.0),
    ({"n": 1}, 0.00008),
    ({"n": 2500}, 0.20),
    ({"n": 5000}, 0.40),
    ({"n": 5000.0}, 0.40),
    ({"n": 10_000}, 0.80),
    ({"n": 1_000_000}, 0.80),
    ({"n": 5000, "m": 1000}, 0.40),
    ({"a": True, "n": 5000}, 0.70),
    ({"a": True, "b": True, "n": 10_000}, 1.0),
    ({"n": -5000}, 0.0),
]


@pytest.mark.parametrize(("hints", "score"), HINTS)
def test_hints_add_flags_and_the_largest_number(hints: Mapping[str, Any] | None, score: float) -> None:
    assert raw("hints", ActionContext("frob", hints=hints)) == pytest.approx(score)


# Factor 5: novelty


def novelty(scorer: DefaultRiskScorer, context: ActionContext) -> float:
    """Return the novelty that the next call would have."""
    return {factor.name: factor.raw for factor in scorer.explain(context).factors}["novelty"]


NOVELTY = [(1, 0.90), (2, 0.81), (3, 0.72), (5, 0.54), (10, 0.10), (11, 0.10), (50, 0.10)]


@pytest.mark.parametrize(("call", "score"), NOVELTY)
def test_novelty_of_a_call_to_two_decimals(call: int, score: float) -> None:
    scorer = DefaultRiskScorer()
    for _ in range(call - 1):
        scorer.score(CONTEXT)
    assert round(novelty(scorer, CONTEXT), 2) == score


@pytest.mark.parametrize("call", range(1, 13))
def test_novelty_falls_linearly_to_its_floor(call: int) -> None:
    scorer = DefaultRiskScorer()
    scores = [scorer.score(CONTEXT) for _ in range(call)]
    expected = max(0.9 - (call - 1) * 0.8 / 9, 0.1)
    assert scores[0] - scores[-1] == pytest.approx(0.10 * (0.9 - expected))


def test_novelty_is_counted_for_each_function() -> None:
    scorer = DefaultRiskScorer()
    for _ in range(5):
        scorer.score(ActionContext("frob"))
    assert novelty(scorer, ActionContext("frob")) < 0.9
    assert novelty(scorer, ActionContext("grok")) == pytest.approx(0.9)


def test_a_new_session_starts_anew() -> None:
    scorer = DefaultRiskScorer()
    for _ in range(5):
        scorer.score(ActionContext("frob", session_id="one"))
    assert novelty(scorer, ActionContext("frob", session_id="one")) < 0.9
    assert novelty(scorer, ActionContext("frob", session_id="two")) == pytest.approx(0.9)
    assert novelty(DefaultRiskScorer(), ActionContext("frob", session_id="one")) == pytest.approx(0.9)


def test_only_scoring_counts_as_a_call() -> None:
    scorer = DefaultRiskScorer()
    first = scorer.explain(CONTEXT)
    assert scorer.explain(CONTEXT) == first
    assert scorer.score(CONTEXT) == pytest.approx(first.score)
    assert scorer.score(CONTEXT) < first.score


# Bands, the common scale, challenges

BANDS = [
    (0.0, LOW),
    (0.15, LOW),
    (0.2999, LOW),
    (0.3, MEDIUM),
    (0.5999, MEDIUM),
    (0.6, HIGH),
    (0.72, HIGH),
    (0.7999, HIGH),
    (0.8, CRITICAL),
    (1.0, CRITICAL),
]


@pytest.mark.parametrize(("score", "level"), BANDS)
def test_band_of_a_score(score: float, level: Level) -> None:
    assert level_of(score) is level
    assert Explanation(score, ()).level is level


COMMON_SCALE = [
    (0.0, 0),
    (0.12, 10),
    (0.2999, 25),
    (0.3, 26),
    (0.45, 38),
    (0.5999, 50),
    (0.6, 51),
    (0.7, 63),
    (0.72, 65),
    (0.7999, 75),
    (0.8, 76),
    (0.9, 88),
    (1.0, 100),
]


@pytest.mark.parametrize(("score", "common"), COMMON_SCALE)
def test_each_band_maps_linearly_onto_the_common_scale(score: float, common: int) -> None:
    assert to_common_scale(score) == common


@pytest.mark.parametrize("score", [number / 100 for number in range(101)])
def test_common_scale_keeps_the_level(score: float) -> None:
    assert Level.of(to_common_scale(score)) is level_of(score)


CHALLENGES = [(0.1, "auto_approve"), (0.3, "confirm"), (0.6, "quiz"), (0.8, "multi_party")]


@pytest.mark.parametrize(("score", "challenge"), CHALLENGES)
def test_challenge_of_a_band(score: float, challenge: str) -> None:
    assert Explanation(score, ()).challenge == challenge


ACTIONS = {
    Level.SAFE: Action.python("print('hello')", **WHERE),
    LOW: Action.shell("cat README.md", **WHERE),
    MEDIUM: Action.shell("pip install requests", **WHERE),
    HIGH: Action.shell("git push --force origin main", **WHERE),
    CRITICAL: Action.sql("DROP DATABASE shop", **WHERE),
}
CHALLENGE_ROW = [
    (Level.SAFE, Verdict.ALLOW, None, 0),
    (LOW, Verdict.ALLOW, None, 0),
    (MEDIUM, Verdict.REQUIRE_APPROVAL, "confirm", 1),
    (HIGH, Verdict.REQUIRE_APPROVAL, "quiz", 1),
    (CRITICAL, Verdict.REQUIRE_APPROVAL, "multi_party", 2),
]


@pytest.mark.parametrize(("level", "verdict", "challenge", "approvers"), CHALLENGE_ROW)
def test_mode_challenges_asks_by_level(level: Level, verdict: Verdict, challenge: str | None, approvers: int) -> None:
    decision = Engine(policies=[], mode="challenges").decide(ACTIONS[level])
    assert decision.assessment.level is level
    assert MODES["challenges"][level] is verdict
    assert decision.verdict is verdict
    assert (decision.needs.challenge if decision.needs else None) == challenge
    assert (decision.needs.approvers if decision.needs else 0) >= approvers


# Scorers made of scorers


@pytest.mark.parametrize(
    ("parts", "score"),
    [
        ([(0.2, 1.0), (0.8, 3.0)], 0.65),
        ([(0.2, 0.25), (0.8, 0.75)], 0.65),
        ([(0.2, 1), (0.8, 1)], 0.5),
        ([(0.4, 7.0)], 0.4),
        ([(0.0, 1.0), (1.0, 1.0), (0.5, 2.0)], 0.5),
        ([(0.9, 0.0), (0.1, 1.0)], 0.1),
    ],
)
def test_composite_is_the_normalised_weighted_mean(parts: list[tuple[float, float]], score: float) -> None:
    scorer = CompositeRiskScorer([(FixedRiskScorer(value), weight) for value, weight in parts])
    assert scorer.score(CONTEXT) == pytest.approx(score)


def test_composite_blends_the_default_scorer_with_another() -> None:
    scorer = CompositeRiskScorer([(DefaultRiskScorer(), 0.5), (FixedRiskScorer(1.0), 0.5)])
    assert scorer.score(EXAMPLE) == pytest.approx(0.86)


@pytest.mark.parametrize(("values", "score"), [([0.2, 0.8, 0.5], 0.8), ([0.0], 0.0), ([1.0, 0.0], 1.0)])
def test_max_is_the_highest(values: list[float], score: float) -> None:
    assert MaxRiskScorer([FixedRiskScorer(value) for value in values]).score(CONTEXT) == pytest.approx(score)


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_fixed_is_always_the_same(value: float) -> None:
    scorer = FixedRiskScorer(value)
    assert [scorer.score(CONTEXT), scorer.score(EXAMPLE)] == [value, value]


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_fixed_refuses_what_is_no_score(value: float) -> None:
    with pytest.raises(InterlockError):
        FixedRiskScorer(value)


class ByLength:
    """A scorer of the user's own: longer names are riskier."""

    def score(self, ctx: ActionContext, /) -> float:
        """Return the score."""
        return min(len(ctx.function_name) / 10, 1.0)


WRAPPERS: list[Callable[[Scorer], Scorer]] = [
    lambda scorer: scorer,
    lambda scorer: MaxRiskScorer([scorer]),
    lambda scorer: CompositeRiskScorer([(scorer, 2.0)]),
    lambda scorer: MaxRiskScorer([CompositeRiskScorer([(scorer, 1.0)]), FixedRiskScorer(0.1)]),
]


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_anything_with_a_score_is_a_scorer(wrap: Callable[[Scorer], Scorer]) -> None:
    assert wrap(ByLength()).score(ActionContext("abcde")) == pytest.approx(0.5)
