"""Policies: what they see, what is refused when they load, and that none of them fails open."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Cause, Condition, ConfigError, Engine, Policy, Verdict
from interlock.model import Ask
from interlock.policy.conditions import parse_short
from interlock.policy.policies import as_condition, parse_line
from interlock.policy.policy_problems import KnownFields, find_policy_problems
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
    ({"when": "risk.levle == 'high'"}, "unknown name `risk.levle`; did you mean `risk.level`?"),
    ({"when": "risk.score > '5'"}, "does not apply to"),
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


def test_an_expression_that_fails_says_why_in_words() -> None:
    policy = Policy("typed", when="inputPayload.amount > 5", action=Verdict.BLOCK)
    [match] = Engine(policies=[policy]).decide(Action(tool_name="pay", input_payload={"amount": "7"})).matched_policies
    assert "compare numbers with numbers" in match.error
    assert not match.error.endswith(":")


def read_policy(policy_id: str, *conditions: str, **more: Any) -> Policy:
    return Policy(policy_id, conditions=[as_condition(one) for one in conditions], **more)


def problems(*policies: Policy, **roles: tuple[str, ...]) -> list[str]:
    fields = {"pay": frozenset({"amount", "to", "note"})}
    known = KnownFields(lambda tool: fields.get(tool, frozenset()), frozenset({"ticket", "team"}))
    return [str(one) for one in find_policy_problems(policies, roles, known)]


def test_misspelt_fields_are_found_in_expressions_and_in_the_metadata_of_runs() -> None:
    when = 'inputPayload.amuont > 5 && run.metadata.tiket == "inputPayload.note2" && run.metadata.team.x == 1'
    assert problems(read_policy("p", "toolName=pay", "run.metadata.teem=a", when=when)) == [
        "policy `p`: no known run has the metadata `teem`; did you mean `team`?",
        "policy `p`: no known call of `pay` has the field `amuont`; did you mean `amount`?",
        "policy `p`: no known run has the metadata `tiket`; did you mean `ticket`?",
    ]


def test_approvals_that_nobody_can_give_are_found() -> None:
    asks = read_policy("two", "toolName=x", approval=Ask(approvers=5, who=("ann",)))
    assert problems(asks) == ["policy `two`: it requires 5 approvers, but `who` names 1: ann"]
    role = read_policy("role", "toolName=x", approval=Ask(who=("@leads",)))
    assert problems(role) == ["policy `role`: `@leads` is not defined in `[roles]` or as a group; defined are: none"]
    assert problems(role, leads=()) == [
        "policy `role`: `@leads` has no members in `[roles]` or as a group; defined are: @leads"
    ]
    both = read_policy("both", "toolName=x", approval=Ask(approvers=3, who=("@leads", "ann")))
    assert problems(both, leads=("bob", "ann")) == [
        "policy `both`: it requires 3 approvers, but `who` names 2: ann, bob"
    ]
    assert problems(both, leads=("bob", "eve")) == []


def test_fields_that_no_call_has_are_found() -> None:
    [problem] = problems(read_policy("big", "toolName=pay", "inputPayload.amuont>5"))
    assert problem == "policy `big`: no known call of `pay` has the field `amuont`; did you mean `amount`?"
    [problem] = problems(read_policy("far", "toolName=pay", "inputPayload.recipient=x"))
    assert "known are `amount`, `note`, `to`" in problem
    assert problems(read_policy("ok", "toolName=pay", "inputPayload.amount>5")) == []
    assert problems(read_policy("unknown", "toolName=other", "inputPayload.amuont>5")) == []


@pytest.mark.parametrize(("missing", "verdict"), [("differs", Verdict.ALLOW), ("matches", Verdict.BLOCK)])
def test_a_policy_says_what_a_missing_field_means(missing: Any, verdict: Verdict) -> None:
    policy = read_policy("big", "toolName=get_x", "inputPayload.size>5", action=Verdict.BLOCK, missing=missing)
    engine = Engine(policies=[policy])
    assert engine.decide(Action(tool_name="get_x", input_payload={})).verdict is verdict
    assert engine.decide(Action(tool_name="get_x", input_payload={"size": 3})).verdict is Verdict.ALLOW
    assert engine.decide(Action(tool_name="get_x", input_payload={"size": 9})).verdict is Verdict.BLOCK
