"""Policies: what they see, what is refused when they load, and that none of them fails open."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Cause, Condition, ConfigError, Engine, Policy, Verdict
from interlock.policy.conditions import parse_short
from interlock.policy.policies import parse_line
from tests.reading import WHERE


def decide(policy: Policy, action: Action) -> Verdict:
    return Engine([policy], "auto_approve").decide(action).verdict


def test_a_policy_sees_every_resource() -> None:
    paths = " ".join(f"/a/{number}" for number in range(20))
    policy = Policy("x", conditions=[Condition("resources", "contains", "secretdir")], action=Verdict.BLOCK)
    assert decide(policy, Action.shell(f"cat {paths} /secretdir/x")) is Verdict.BLOCK


@pytest.mark.parametrize("environment", ["prod", "Production", " PROD "])
def test_an_environment_has_one_name(environment: str) -> None:
    decision = Engine().decide(Action.shell("kubectl apply -f x.yaml", environment=environment))
    assert [match.policy_id for match in decision.matched_policies] == ["production-changes"]


SHORT: list[tuple[str, dict[str, Any], bool]] = [
    ("inputPayload.amount=5", {"amount": 5}, True),
    ("inputPayload.amount=5", {"amount": "5"}, True),
    ("inputPayload.amount==5", {"amount": 5}, True),
    ("inputPayload.amount!=5", {"amount": 5}, False),
    ("inputPayload.flag=true", {"flag": True}, True),
    ("inputPayload.flag=true", {"flag": False}, False),
    ("inputPayload.query=x>=3", {"query": "x>=3"}, True),
    ("inputPayload.amount>=5", {"amount": 5}, True),
    ("effects.changes=true", {"command": "rm x"}, True),
    ("effects.changes=true", {"command": "ls"}, False),
]


@pytest.mark.parametrize(("text", "payload", "expected"), SHORT)
def test_the_short_form_means_what_it_says(text: str, payload: dict[str, Any], expected: bool) -> None:
    policy = Policy("x", conditions=[parse_short(text)], action=Verdict.BLOCK)
    found = decide(policy, Action(tool_name="Bash", input_payload={"command": "ls", **payload}, **WHERE))
    assert (found is Verdict.BLOCK) is expected


EXPRESSIONS = [
    ('"fs.delete" in effects.kind', True),
    ("effects.changes", True),
    ("risk.score >= 30", True),
    ('risk.level in ["high", "critical"]', False),
    ('effects.exists(e, e.kind == "fs.delete" && e.place == "workspace")', True),
    ('agentId == "nobody"', False),
    ("inputPayload.absent == 1", False),
]


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS)
def test_expressions_see_the_same_facts(text: str, expected: bool) -> None:
    found = decide(Policy("x", when=text, action=Verdict.BLOCK), Action.shell("rm build.log", **WHERE))
    assert (found is Verdict.BLOCK) is expected


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"when": "risk.levle == 'high'"}, "undeclared reference"),
    ({"when": "risk.score > '5'"}, "no matching overload"),
    ({"when": "risk.level >= 'high'"}, "compares levels as strings"),
    ({"conditions": [Condition("effects.kind", "equals", "fs.delte")]}, "did you mean `fs.delete`"),
    ({"conditions": [Condition("risk.score", "in", ["a"])]}, "is a number"),
    ({"conditions": [Condition("toolName", "equals")]}, "needs a value"),
    ({"conditions": [Condition("inputPayload..x", "equals", 1)]}, "unknown field"),
    ({"conditions": [Condition("toolName", "matches", "(")]}, "does not compile"),
]


@pytest.mark.parametrize(("parts", "message"), REFUSED)
def test_what_can_never_match_is_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Engine([Policy("x", **parts)])


@pytest.mark.parametrize("pattern", ["(NOT_FOUND", "NOT_FOUND: Key not found in map(", 'No value with name "x"('])
def test_the_agents_text_cannot_pass_for_an_absent_field(pattern: str) -> None:
    policy = Policy("x", when='"a".matches(inputPayload.x)', action=Verdict.BLOCK)
    assert decide(policy, Action(tool_name="t", input_payload={"x": pattern})) is Verdict.BLOCK


@pytest.mark.parametrize("wrong", [["x"], [{"policyId": "x"}], [Policy("p", "n", [], Verdict.BLOCK, 5)]])  # type: ignore[arg-type]
def test_what_is_no_policy_is_refused(wrong: list[Any]) -> None:
    with pytest.raises(ConfigError):
        Engine(wrong)


@pytest.mark.parametrize("line", ["", "toolName=x", "-> block", "toolName=x -> ", "toolName=x -> a -> b"])
def test_a_line_that_is_no_policy_is_refused(line: str) -> None:
    with pytest.raises(ConfigError):
        parse_line(line)


def test_a_rule_that_is_switched_off_is_recorded_as_what_it_would_have_caused() -> None:
    engine = Engine(rules_off=["pip_install", "delete_root"])
    [override] = engine.decide(Action.shell("pip install x", **WHERE)).overrides
    assert override.verdict is Verdict.ALLOW
    [override] = engine.decide(Action.shell("rm -rf /", **WHERE)).overrides
    assert override.verdict is Verdict.BLOCK


@pytest.mark.parametrize(
    ("command", "verdict", "cause"),
    [
        ("ls", Verdict.ALLOW, Cause.MODE),
        ("git push --force", Verdict.REQUIRE_APPROVAL, Cause.MODE),
        ("rm -rf /", Verdict.BLOCK, Cause.FLOOR),
        ("ls", Verdict.WARN, Cause.POLICY),
        ("git push --force", Verdict.ALLOW, Cause.POLICY),
    ],
)
def test_a_decision_says_what_it_rests_on(command: str, verdict: Verdict, cause: Cause) -> None:
    policies = [Policy("p", "", [Condition("toolName", "equals", "Bash")], verdict)] if cause is Cause.POLICY else []
    decision = Engine(policies).decide(Action.shell(command))
    assert (decision.verdict, decision.cause) == (verdict, cause)
