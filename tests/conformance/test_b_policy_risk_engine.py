"""What policies promise: conditions, operators, the strictest action, and what a match records."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from interlock import DEFAULT_POLICIES, Action, Condition, Decision, Engine, Level, Policy, Verdict

WHERE: dict[str, Any] = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
ALLOW, WARN, APPROVE, BLOCK = Verdict.ALLOW, Verdict.WARN, Verdict.REQUIRE_APPROVAL, Verdict.BLOCK
HARMLESS = Action.shell("ls", **WHERE)


def condition(field: str, operator: str, value: Any = None) -> Condition:
    """Return a condition."""
    return Condition(field=field, operator=operator, value=value)


def policy(
    action: Verdict, *conditions: Condition, policy_id: str = "p", when: str | None = None, enabled: bool = True
) -> Policy:
    """Return a policy; without conditions it matches everything."""
    return Policy(
        policy_id=policy_id,
        name=f"name of {policy_id}",
        conditions=list(conditions),
        action=action,
        when=when,
        enabled=enabled,
    )


def matches(action: Action, *conditions: Condition, when: str | None = None, environment: str | None = None) -> bool:
    """Whether a policy with these conditions matches an action, without an error."""
    decision = Engine([policy(WARN, *conditions, when=when)], environment=environment).decide(action)
    assert not [match.error for match in decision.matched_policies if match.error]
    return bool(decision.matched_policies)


def matched(decision: Decision) -> list[str]:
    """Return the ids of the policies that matched."""
    return [match.policy_id for match in decision.matched_policies]


# Shapes


def test_engine_takes_policies_mode_and_environment() -> None:
    engine = Engine(policies=[policy(WARN)], mode="full", environment=None)
    decision = engine.decide(HARMLESS)
    assert decision.verdict is WARN
    assert decision.assessment.level is Level.LOW
    assert matched(decision) == ["p"]
    assert decision.overrides == ()


def test_policy_takes_its_parts_in_the_printed_order() -> None:
    make: Any = Policy
    found = make("p1", "Deploys", [condition("toolName", "equals", "deploy")], BLOCK, "risk.score > 0", False)
    assert (found.policy_id, found.name, found.action) == ("p1", "Deploys", BLOCK)
    assert (found.when, found.enabled) == ("risk.score > 0", False)


def test_policy_has_no_expression_and_is_enabled_unless_said_otherwise() -> None:
    found = Policy(policy_id="p1", name="Deploys", conditions=[], action=WARN)
    assert found.when is None
    assert found.enabled is True


def test_policy_in_json_has_the_printed_keys() -> None:
    written = msgspec.json.encode(policy(BLOCK, condition("toolName", "equals", "deploy"), when="true"))
    found = json.loads(written)
    assert set(found) == {
        *"policyId name description conditions when action enabled version createdAt updatedAt".split(),
        "approval",  # ours: what an approval takes besides
        "limit",  # ours: how often, or up to how much, something may happen
        "missing",  # ours: what a condition says about a field that an action lacks
        "during",  # ours: the hours in which it applies
        "outside",  # ours: the hours in which it does not apply
    }
    assert found["conditions"] == [{"field": "toolName", "operator": "equals", "value": "deploy"}]
    assert found["action"] == "block"


def test_policy_is_read_from_json() -> None:
    text = json.dumps(
        {
            "policyId": "deploys",
            "name": "Deploys",
            "description": "Somebody looks at deploys.",
            "conditions": [{"field": "toolName", "operator": "equals", "value": "deploy"}],
            "action": "require_approval",
            "enabled": True,
            "version": 3,
            "createdAt": "2025-01-01T00:00:00Z",
            "updatedAt": "2025-01-02T00:00:00Z",
        }
    )
    found = msgspec.json.decode(text, type=Policy)
    assert Engine([found]).decide(Action(tool_name="deploy")).verdict is APPROVE
    assert found.version == 3


# What an action of a policy leads to


@pytest.mark.parametrize("action", list(Verdict))
def test_matching_policy_gives_its_action(action: Verdict) -> None:
    assert Engine([policy(action)]).decide(HARMLESS).verdict is action


@pytest.mark.parametrize(("action", "allowed"), [(ALLOW, True), (WARN, True), (APPROVE, False), (BLOCK, False)])
def test_only_allow_and_warn_let_the_tool_call_run(action: Verdict, allowed: bool) -> None:
    assert Engine([policy(action)]).decide(HARMLESS).allowed is allowed


def test_nothing_matching_is_allowed_without_an_event() -> None:
    decision = Engine([policy(BLOCK, condition("toolName", "equals", "deploy"))]).decide(HARMLESS)
    assert decision.verdict is ALLOW
    assert decision.matched_policies == ()


def test_disabled_policy_is_not_matched() -> None:
    decision = Engine([policy(BLOCK, enabled=False)]).decide(HARMLESS)
    assert decision.verdict is ALLOW
    assert decision.matched_policies == ()


@pytest.mark.parametrize(
    ("action", "severity"),
    [(BLOCK, Level.CRITICAL), (APPROVE, Level.HIGH), (WARN, Level.MEDIUM), (ALLOW, Level.LOW)],
)
def test_event_of_a_match_has_severity_policy_and_action(action: Verdict, severity: Level) -> None:
    (event,) = Engine([policy(action, policy_id="p7")]).decide(HARMLESS).matched_policies
    assert (event.severity, event.policy_id, event.action) == (severity, "p7", action)


SEVERITY_ROWS = [
    ("low", ALLOW, Action.shell("cat README.md", **WHERE)),
    ("medium", WARN, Action.shell("cp build.tar /srv/app/", environment="staging", **WHERE)),
    ("high", APPROVE, Action.shell("cat ~/.ssh/id_rsa", **WHERE)),
    ("critical", BLOCK, Action.shell("rm -rf /", **WHERE)),
    ("critical", BLOCK, Action(tool_name="deploy", input_payload={"env": "production"}, **WHERE)),
]


@pytest.mark.parametrize(("severity", "action", "example"), SEVERITY_ROWS)
def test_example_of_a_severity_row_creates_an_event_of_that_severity(
    severity: str, action: Verdict, example: Action
) -> None:
    (event,) = Engine([policy(action)]).decide(example).matched_policies
    assert event.severity.value == severity


@pytest.mark.parametrize(
    ("level", "example"),
    [
        (Level.LOW, Action.shell("cat README.md", **WHERE)),
        (Level.MEDIUM, Action.shell("cp build.tar /srv/app/", environment="staging", **WHERE)),
        (Level.HIGH, Action.shell("cat ~/.ssh/id_rsa", **WHERE)),
        (Level.CRITICAL, Action.shell("rm -rf /", **WHERE)),
    ],
)
def test_example_of_a_severity_row_is_assessed_at_that_level(level: Level, example: Action) -> None:
    assert Engine([]).decide(example).assessment.level is level


def test_every_matching_policy_has_an_event_of_its_own() -> None:
    policies = [policy(action, policy_id=action.value) for action in Verdict]
    decision = Engine([*policies, policy(BLOCK, enabled=False, policy_id="off")]).decide(HARMLESS)
    assert sorted(matched(decision)) == sorted(action.value for action in Verdict)


# The strictest action wins

POLICY_A = policy(WARN, condition("toolName", "equals", "deploy"), policy_id="A")
POLICY_B = policy(APPROVE, condition("inputPayload.env", "equals", "production"), policy_id="B")
POLICY_C = policy(BLOCK, condition("agentId", "equals", "untrusted-agent"), policy_id="C")

DEPLOYS = [
    ({"env": "staging"}, "trusted-agent", ["A"], WARN),
    ({"env": "production"}, "trusted-agent", ["A", "B"], APPROVE),
    ({"env": "staging"}, "untrusted-agent", ["A", "C"], BLOCK),
    ({"env": "production"}, "untrusted-agent", ["A", "B", "C"], BLOCK),
]


@pytest.mark.parametrize(("payload", "agent", "ids", "verdict"), DEPLOYS)
@pytest.mark.parametrize("policies", list(itertools.permutations([POLICY_A, POLICY_B, POLICY_C])))
def test_example_of_three_policies_in_any_order(
    policies: tuple[Policy, ...], payload: dict[str, Any], agent: str, ids: list[str], verdict: Verdict
) -> None:
    decision = Engine(policies).decide(Action(tool_name="deploy", input_payload=payload, agent_id=agent))
    assert decision.verdict is verdict
    assert sorted(matched(decision)) == ids


@pytest.mark.parametrize(("one", "other"), list(itertools.product(Verdict, repeat=2)))
def test_of_two_matching_policies_the_stricter_wins(one: Verdict, other: Verdict) -> None:
    decision = Engine([policy(one, policy_id="one"), policy(other, policy_id="other")]).decide(HARMLESS)
    assert decision.verdict is max(one, other)


def test_all_conditions_must_hold() -> None:
    found = policy(BLOCK, condition("toolName", "equals", "deploy"), condition("agentId", "equals", "a"))
    engine = Engine([found])
    assert matched(engine.decide(Action(tool_name="deploy", agent_id="a"))) == ["p"]
    assert matched(engine.decide(Action(tool_name="deploy", agent_id="b"))) == []
    assert matched(engine.decide(Action(tool_name="list_files", agent_id="a"))) == []


# Fields

RICH = Action(
    tool_name="deploy",
    input_payload={"env": "production", "count": 5, "nested": {"deep": "x"}, "tags": ["a", "b"], "on": True},
    agent_id="agent-1",
    run_id="run-1",
    environment="staging",
    metadata={"team": "web", "owner": {"name": "sam"}},
)
DELETION = Action.shell("rm -rf data", **WHERE)
CAT = Action.shell("cat /etc/hosts", **WHERE)

FIELD_MATCHES = [
    (RICH, "toolName", "equals", "deploy", True),
    (RICH, "toolName", "equals", "Deploy", False),
    (RICH, "agentId", "equals", "agent-1", True),
    (RICH, "agentId", "equals", "agent-2", False),
    (RICH, "runId", "equals", "run-1", True),
    (RICH, "runId", "equals", "run-2", False),
    (RICH, "environment", "equals", "staging", True),
    (RICH, "environment", "equals", "production", False),
    (RICH, "inputPayload.env", "equals", "production", True),
    (RICH, "inputPayload.env", "equals", "staging", False),
    (RICH, "inputPayload.nested.deep", "equals", "x", True),
    (RICH, "inputPayload.nested.deep", "equals", "y", False),
    (RICH, "inputPayload.on", "equals", True, True),
    (RICH, "metadata.team", "equals", "web", True),
    (RICH, "metadata.owner.name", "equals", "sam", True),
    (RICH, "metadata.team", "equals", "data", False),
    (CAT, "risk.level", "equals", "low", True),
    (CAT, "risk.level", "equals", "high", False),
    (CAT, "risk.score", "equals", 25, True),
    (CAT, "risk.score", "equals", 24, False),
    (DELETION, "risk.rules", "contains", "rm_recursive", True),
    (DELETION, "risk.rules", "contains", "git_commit", False),
    (DELETION, "effects.kind", "contains", "fs.delete", True),
    (DELETION, "effects.kind", "contains", "net.send", False),
    (CAT, "resources", "contains", "file:/etc/hosts", True),
    (CAT, "resources", "contains", "file:/etc/passwd", False),
]


@pytest.mark.parametrize(("action", "field", "operator", "value", "expected"), FIELD_MATCHES)
def test_condition_sees_the_field(action: Action, field: str, operator: str, value: Any, expected: bool) -> None:
    assert matches(action, condition(field, operator, value)) is expected


def test_environment_of_the_engine_counts_where_the_action_names_none() -> None:
    found = condition("environment", "equals", "production")
    assert matches(HARMLESS, found, environment="production") is True
    assert matches(HARMLESS, found) is False


# Operators

OPERATOR_MATCHES = [
    ("inputPayload.env", "equals", "production", True),
    ("inputPayload.env", "equals", "prod", False),
    ("inputPayload.env", "not_equals", "staging", True),
    ("inputPayload.env", "not_equals", "production", False),
    ("inputPayload.env", "contains", "duct", True),
    ("inputPayload.env", "contains", "stag", False),
    ("inputPayload.tags", "contains", "a", True),
    ("inputPayload.tags", "contains", "c", False),
    ("inputPayload.env", "matches", "^prod", True),
    ("inputPayload.env", "matches", "^duct", False),
    ("inputPayload.env", "in", ["staging", "production"], True),
    ("inputPayload.env", "in", ["staging"], False),
    ("inputPayload.env", "not_in", ["staging"], True),
    ("inputPayload.env", "not_in", ["staging", "production"], False),
    ("inputPayload.env", "exists", None, True),
    ("inputPayload.missing", "exists", None, False),
    ("inputPayload.count", "gt", 4, True),
    ("inputPayload.count", "gt", 5, False),
    ("inputPayload.count", "gte", 5, True),
    ("inputPayload.count", "gte", 6, False),
    ("inputPayload.count", "lt", 6, True),
    ("inputPayload.count", "lt", 5, False),
    ("inputPayload.count", "lte", 5, True),
    ("inputPayload.count", "lte", 4, False),
]


@pytest.mark.parametrize(("field", "operator", "value", "expected"), OPERATOR_MATCHES)
def test_operator(field: str, operator: str, value: Any, expected: bool) -> None:
    assert matches(RICH, condition(field, operator, value)) is expected


LEVEL_MATCHES = [
    ("gt", "safe", True),
    ("gt", "low", False),
    ("gte", "low", True),
    ("gte", "medium", False),
    ("lt", "medium", True),
    ("lt", "low", False),
    ("lte", "low", True),
    ("lte", "safe", False),
    ("lt", "critical", True),
]


@pytest.mark.parametrize(("operator", "value", "expected"), LEVEL_MATCHES)
def test_levels_compare_by_their_order(operator: str, value: str, expected: bool) -> None:
    assert matches(CAT, condition("risk.level", operator, value)) is expected


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [("gt", 24, True), ("gt", 25, False), ("gte", 25, True), ("lt", 26, True), ("lte", 24, False)],
)
def test_scores_compare_as_numbers(operator: str, value: int, expected: bool) -> None:
    assert matches(CAT, condition("risk.score", operator, value)) is expected


# Fields that the action does not have

ABSENT_FIELDS = ["agentId", "runId", "environment", "inputPayload.missing", "inputPayload.a.b", "metadata.missing"]
ABSENT_OPERATORS = [
    ("equals", "x", False),
    ("not_equals", "x", True),
    ("exists", None, False),
    ("gt", 1, False),
    ("gte", 1, False),
    ("lt", 1, False),
    ("lte", 1, False),
    ("contains", "x", False),
    ("matches", ".*", False),
    ("in", ["x"], False),
    ("not_in", ["x"], True),
]


@pytest.mark.parametrize(("operator", "value", "expected"), ABSENT_OPERATORS)
@pytest.mark.parametrize("field", ABSENT_FIELDS)
def test_absent_field(field: str, operator: str, value: Any, expected: bool) -> None:
    assert matches(HARMLESS, condition(field, operator, value)) is expected


ABSENT_EXPRESSIONS = [
    "inputPayload.missing == 'x'",
    "inputPayload.missing != 'x'",
    "inputPayload.missing > 5",
    "inputPayload.a.b == 'x'",
    "metadata.missing == 'x'",
    "agentId == 'x'",
    "agentId != 'x'",
    "runId == 'x'",
    "environment == 'production'",
]


@pytest.mark.parametrize("when", ABSENT_EXPRESSIONS)
def test_expression_that_reads_an_absent_field_does_not_match(when: str) -> None:
    decision = Engine([policy(BLOCK, when=when)]).decide(HARMLESS)
    assert decision.matched_policies == ()
    assert decision.verdict is ALLOW


# Expressions

EXPRESSIONS = [
    (RICH, "toolName == 'deploy'", True),
    (RICH, "toolName == 'other'", False),
    (RICH, "agentId == 'agent-1' && runId == 'run-1'", True),
    (RICH, "environment in ['staging', 'production']", True),
    (RICH, "inputPayload.count > 4", True),
    (RICH, "inputPayload.count > 5", False),
    (RICH, "inputPayload.nested.deep.startsWith('x')", True),
    (RICH, "metadata.team == 'web'", True),
    (CAT, "risk.level == 'low' && risk.score == 25", True),
    (DELETION, "'rm_recursive' in risk.rules", True),
    (DELETION, "effects.exists(e, e.kind == 'fs.delete')", True),
    (DELETION, "effects.exists(e, e.kind == 'net.send')", False),
    (CAT, "'file:/etc/hosts' in resources", True),
    (HARMLESS, "has(inputPayload.missing)", False),
]


@pytest.mark.parametrize(("action", "when", "expected"), EXPRESSIONS)
def test_expression_sees_the_same_fields(action: Action, when: str, expected: bool) -> None:
    assert matches(action, when=when) is expected


@pytest.mark.parametrize(
    ("tool", "count", "expected"), [("deploy", 5, True), ("deploy", 1, False), ("list_files", 5, False)]
)
def test_conditions_and_expression_must_both_hold(tool: str, count: int, expected: bool) -> None:
    action = Action(tool_name=tool, input_payload={"count": count})
    assert matches(action, condition("toolName", "equals", "deploy"), when="inputPayload.count > 4") is expected


# Errors while a policy is evaluated

FAILING: list[tuple[list[Condition], str | None, Any]] = [
    ([condition("inputPayload.n", "gt", 5)], None, "many"),
    ([condition("inputPayload.n", "lte", 5)], None, {"a": 1}),
    ([], "inputPayload.n > 5", "many"),
    ([], "10 / inputPayload.n > 1", 0),
    ([], "inputPayload.n.startsWith('x')", 5),
]


@pytest.mark.parametrize(("conditions", "when", "value"), FAILING)
@pytest.mark.parametrize("action", list(Verdict))
def test_policy_that_fails_asks_for_approval_at_least_and_is_named(
    action: Verdict, conditions: list[Condition], when: str | None, value: Any
) -> None:
    engine = Engine([policy(action, *conditions, policy_id="fragile", when=when)])
    decision = engine.decide(Action(tool_name="list_files", input_payload={"n": value}))
    assert decision.verdict >= APPROVE
    (match,) = decision.matched_policies
    assert match.policy_id == "fragile"
    assert match.error


def test_allow_policy_that_fails_allows_nothing() -> None:
    engine = Engine([policy(ALLOW, when="10 / inputPayload.n > 1")])
    action = Action(tool_name="Bash", input_payload={"command": "git push --force", "n": 0}, **WHERE)
    decision = engine.decide(action)
    assert decision.verdict >= APPROVE
    assert decision.overrides == ()


# The short form on the command line


def interlock(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command line in an empty folder, away from anybody's configuration."""
    environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    program = Path(sys.executable).with_name("interlock")
    return subprocess.run(
        [str(program), *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


SHORT_FORM = """
[[policies]]
policyId = "A"
conditions = ["toolName=deploy"]
action = "warn"

[[policies]]
policyId = "B"
conditions = ["inputPayload.env=production"]
action = "require_approval"

[[policies]]
policyId = "C"
conditions = ["agentId=untrusted-agent"]
action = "block"
"""


@pytest.mark.parametrize(("payload", "agent", "ids", "verdict"), DEPLOYS)
def test_short_form_works_on_the_command_line(
    tmp_path: Path, payload: dict[str, Any], agent: str, ids: list[str], verdict: Verdict
) -> None:
    file = tmp_path / "short.toml"
    file.write_text(SHORT_FORM)
    options = ["--tool", "deploy", "--input", json.dumps(payload), "--agent", agent, "--json"]
    result = interlock(tmp_path, "policy", "test", str(file), *options)
    assert result.stderr == ""
    found = json.loads(result.stdout)
    assert found["verdict"] == verdict.value
    assert sorted(match["policyId"] for match in found["matchedPolicies"]) == ids


# The policies that are there from the start

SHIPPED = [
    ("sensitive", Action.shell("cat ~/.ssh/id_rsa", **WHERE), HARMLESS),
    ("deploy", Action(tool_name="deploy", input_payload={"env": "staging"}), HARMLESS),
    ("production", Action.shell("touch a", environment="production"), Action.shell("touch a", environment="staging")),
    ("untrusted", Action.shell("ls", agent_id="untrusted-agent"), Action.shell("ls", agent_id="agent-1")),
]


def shipped(word: str) -> list[str]:
    """Return the ids of the policies that ship and have a word in their name."""
    return [found.policy_id for found in DEFAULT_POLICIES if word in found.name.lower()]


@pytest.mark.parametrize(("word", "matching", "other"), SHIPPED)
def test_shipped_policy_is_on_and_matches_what_it_is_about(word: str, matching: Action, other: Action) -> None:
    (policy_id,) = shipped(word)
    assert all(found.enabled for found in DEFAULT_POLICIES)
    assert policy_id in matched(Engine().decide(matching))
    assert policy_id not in matched(Engine().decide(other))


@pytest.mark.parametrize(
    "action",
    [
        Action.shell("cat .env", **WHERE),
        Action.shell("cat ~/.aws/credentials", **WHERE),
        Action.python("open('.env').read()", **WHERE),
        Action(tool_name="read_file", input_payload={"path": ".env"}, **WHERE),
        Action(tool_name="Read", input_payload={"file_path": "/home/u/.ssh/id_rsa"}, **WHERE),
    ],
)
def test_sensitive_files_are_noticed_however_they_are_read(action: Action) -> None:
    (policy_id,) = shipped("sensitive")
    assert policy_id in matched(Engine().decide(action))


@pytest.mark.parametrize("command", ["ls", "cat README.md", "git status", "cat /etc/hosts", "ls /usr/bin"])
def test_reading_in_production_is_no_change(command: str) -> None:
    (policy_id,) = shipped("production")
    decision = Engine().decide(Action.shell(command, environment="production", **WHERE))
    assert policy_id not in matched(decision)


def test_shipped_policies_stop_an_untrusted_agent_and_a_look_at_keys() -> None:
    assert Engine().decide(Action.shell("ls", agent_id="untrusted-agent", **WHERE)).verdict is BLOCK
    assert Engine().decide(Action.shell("cat ~/.ssh/id_rsa", **WHERE)).verdict >= APPROVE


def test_shipped_policies_ask_before_a_change_in_production() -> None:
    action = Action.shell("git commit -m x", environment="production", **WHERE)
    assert Engine().decide(action).verdict >= APPROVE


def test_shipped_policies_can_be_edited() -> None:
    untrusted = Action.shell("ls", agent_id="untrusted-agent", **WHERE)
    milder = [
        msgspec.structs.replace(found, action=WARN) if "untrusted" in found.name.lower() else found
        for found in DEFAULT_POLICIES
    ]
    switched_off = [msgspec.structs.replace(found, enabled=False) for found in DEFAULT_POLICIES]
    assert Engine(milder).decide(untrusted).verdict is WARN
    assert Engine(switched_off).decide(untrusted).verdict is ALLOW
    assert Engine(policies=[]).decide(untrusted).verdict is ALLOW
