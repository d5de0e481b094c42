"""Drift facts in policies: what they say, that they only tighten, and that mistakes are named."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from interlock import Action, Engine, Policy, Verdict
from interlock.cli import main
from interlock.errors import ConfigError
from interlock.policies.cases import CaseFile
from interlock.policy.conditions import DRIFT_FIELDS, FIELDS
from interlock.policy.drift import Baseline, GivenDrift, read_baseline, read_recorded_drift
from interlock.policy.field_types import FIELD_TYPES, OPERATORS_OF
from interlock.policy.used_places import find_used_places

USUAL = Baseline(
    DRIFT_FIELDS,
    known=True,
    tools=frozenset({Action.shell("ls").tool_name, "deploy"}),
    hosts=frozenset({"api.example.com"}),
    folders=frozenset({"/srv/shop", "/srv/shop/src", "~"}),
    rate=1.5,
)
ASK = Verdict.REQUIRE_APPROVAL


def engine(*conditions: str, when: str | None = None, action: str = "require_approval") -> Engine:
    given: Any = conditions
    return Engine([Policy("drift", conditions=given, when=when, action=Verdict(action))])


def shell(command: str) -> Action:
    return Action.shell(command, cwd="/srv/shop", workspace="/srv/shop")


def asks(found: Engine, action: Action, drift: Any = USUAL) -> bool:
    return any(match.policy_id == "drift" for match in found.decide(action, drift=drift).matched_policies)


@pytest.mark.parametrize(
    ("command", "new"),
    [
        ("curl https://api.example.com/v1", False),
        ("curl https://API.example.com./v1", False),
        ("curl https://evil.com/x", True),
        ("curl https://api.example.com@evil.com/x", True),
        ("curl https://api.example.com.evil.com/x", True),
        ("curl https://sub.api.example.com/x", True),
        ("curl https://api.example.com https://evil.com", True),
        ("curl $URL", True),
        ('curl "https://$HOST/x"', True),
        ("ls", False),
    ],
)
@pytest.mark.parametrize("by", ["condition", "expression"])
def test_a_host_is_new_unless_the_baseline_has_exactly_it(command: str, new: bool, by: str) -> None:
    found = engine("drift.new_host=true") if by == "condition" else engine(when="drift.new_host")
    assert asks(found, shell(command)) is new


@pytest.mark.parametrize(
    ("command", "new"),
    [
        ("cat a.txt", False),
        ("cat /srv/shop/src/deep/er/a.txt", False),
        ("cat ../other/a.txt", True),
        ("cat /srv/shop/../../etc/hosts", True),
        ("cat /srv/shopping/a.txt", True),
        ("cat $DIR/a.txt", True),
        ("true", False),
    ],
)
def test_a_folder_is_new_unless_the_baseline_has_it(command: str, new: bool) -> None:
    assert asks(engine("drift.new_folder=true"), shell(command)) is new


def test_a_path_that_leaves_an_unknown_folder_is_unknown() -> None:
    assert list(find_used_places(["file:../x", "file:x", r"file:C:\Users\ann\x"])) == [
        ("folder", "?"),
        ("folder", "C:/Users/ann"),
    ]


def test_tools_and_rates() -> None:
    tools = engine("drift.new_tool=true")
    assert not asks(tools, Action(tool_name="deploy"))
    assert asks(tools, Action(tool_name="Deploy"))
    for text, matches in (("drift.rate > 1", True), ("drift.rate >= 1.5", True), ("drift.rate > 5", False)):
        assert asks(engine(when=text), Action(tool_name="deploy")) is matches
        assert asks(engine(text.replace(" ", "")), Action(tool_name="deploy")) is matches


def test_a_young_baseline_makes_everything_new() -> None:
    young = Baseline(DRIFT_FIELDS)
    for condition in ("drift.new_tool=true", "drift.new_host=true", "drift.new_folder=true", "drift.rate>1000000"):
        assert asks(engine(condition), shell("curl https://api.example.com -o /srv/shop/x"), young), condition
    assert not asks(engine("drift.new_host=true"), shell("true"), young), "nothing is contacted"


def test_without_a_baseline_a_policy_requires_an_approval_at_least() -> None:
    for found in (engine("drift.new_tool=true", action="warn"), engine(when="drift.rate > 5", action="warn")):
        decision = found.decide(Action(tool_name="deploy"))
        assert decision.verdict is ASK
        assert "it depends on the baseline of the agent" in decision.because
    other = engine("toolName=deploy", "drift.new_tool=true")
    assert other.decide(shell("ls")).verdict is Verdict.ALLOW, "another condition decides"
    first = engine("drift.new_tool=true", when='toolName == "deploy"')
    assert first.decide(shell("ls")).verdict is Verdict.ALLOW, "in any order"
    assert engine(when="drift.new_host").decide(shell("true")).verdict is Verdict.ALLOW, "no host is contacted"


@pytest.mark.parametrize("given", [{"conditions": ["drift.new_host=true"]}, {"when": "drift.rate > 5.0"}])
def test_no_policy_allows_by_drift(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="cannot allow anything: agents shape their own baselines"):
        Engine([Policy("loose", action=Verdict.ALLOW, **given)])
    with pytest.raises(ConfigError, match="cannot allow"):
        Engine([Policy("loose", action=Verdict.ALLOW, enabled=False, **given)])


@pytest.mark.parametrize(
    "text",
    [
        "!drift.new_host",
        "!(drift.new_host)",
        "! .drift.new_host",
        '!(toolName == "x" || (drift.new_host && true))',
        "drift.new_host == false",
        "false == drift.new_host",
        "(drift.new_host) == false",
        "drift.new_host != true",
        "drift // a comment\n.new_host == false",
        "drift.new_host ? false : true",
        "true ? false : drift.new_host",
        "[drift.new_host].exists(x, !x)",
        "{'a': drift.new_host}.a == false",
        "string(drift.new_host) == 'false'",
        "has(drift.rate)",
        "drift.rate < 5",
        "drift.rate <= 5.0",
        "drift.rate == 5.0",
        "!(drift.rate > 5.0)",
        "drift.rate > 5.0 == false",
        "drift.rate > 5.0 ? false : true",
        "-drift.rate > -5.0",
        "5.0 - drift.rate > 0.0",
        "10.0 > drift.rate",
        "drift.rate > 5.0 - drift.rate",
    ],
)
def test_no_expression_matches_less_if_there_is_more_drift(text: str) -> None:
    with pytest.raises(ConfigError):
        engine(when=text)


@pytest.mark.parametrize(
    "condition",
    ["drift.new_host=false", "drift.new_host!=true", "drift.rate<5", "drift.rate=5", "drift.rate!=5", "drift.rate>x"],
)
def test_no_condition_matches_less_if_there_is_more_drift(condition: str) -> None:
    with pytest.raises(ConfigError, match="only counts if it is"):
        engine(condition)


@pytest.mark.parametrize(
    "text",
    [
        "drift.new_host",
        ".drift.new_host && true",
        "drift.new_host || drift.new_folder && drift.rate > 2",
        '(drift.new_tool || (drift.rate >= 3.0 && toolName == "deploy")) && drift.new_host',
        'toolName == "deploy" && (((drift.new_host)) || drift.rate > 4)',
        "toolName in ['drift.rate < 5'] || drift.new_host",
        "!(toolName == 'x') && drift.new_host // not !drift.new_host",
    ],
)
def test_more_drift_never_matches_less(text: str) -> None:
    found = engine(when=text)
    flags = list(itertools.product((False, True), (False, True), (False, True), (0.0, 2.5, 3.5, 5.0, float("inf"))))
    matched = {one: asks(found, Action(tool_name="deploy"), GivenDrift(*one)) for one in flags}
    for one, other in itertools.product(flags, flags):
        if all(a <= b for a, b in zip(one, other, strict=True)):
            assert matched[one] <= matched[other], (one, other)


def test_payloads_may_have_a_field_of_that_name() -> None:
    found = engine(when="inputPayload.drift.rate < 5")
    assert found.drift_fields == ()
    assert asks(found, Action(tool_name="x", input_payload={"drift": {"rate": 1}}), None)


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"conditions": ["drift.new_hots=true"]}, "did you mean `drift.new_host`"),
        ({"conditions": ["drift.raet>5"]}, "did you mean `drift.rate`"),
        ({"when": "drift.new_foldr"}, "did you mean `drift.new_folder`"),
        ({"when": "drft.rate > 5"}, "did you mean `drift.rate`"),
    ],
)
def test_a_misspelled_fact_is_named_with_the_right_one(given: dict[str, Any], right: str) -> None:
    with pytest.raises(ConfigError, match=right):
        Engine([Policy("p", **given)])


def test_an_engine_says_which_facts_its_policies_use() -> None:
    assert Engine().drift_fields == ()
    used = engine("drift.rate>5", when="drift.new_host")
    assert used.drift_fields == ("drift.new_host", "drift.rate")
    off = Policy("off", when="drift.rate > 5", enabled=False)
    assert Engine([off]).drift_fields == ()


def test_the_editor_knows_the_facts() -> None:
    assert set(DRIFT_FIELDS) <= set(FIELDS)
    assert {FIELD_TYPES[field].type for field in DRIFT_FIELDS[:3]} == {"boolean"}
    assert "gt" in OPERATORS_OF[FIELD_TYPES["drift.rate"].type]


def test_the_record_holds_what_was_compared_and_nothing_else() -> None:
    action = shell("curl https://api.example.com https://evil.com")
    assessment = engine().decide(action).assessment
    part = USUAL.part_for([(action, assessment)])
    assert (set(part.hosts), set(part.folders)) == ({"api.example.com"}, set())
    assert part.new == ("drift.new_host",)
    data = {"drift": {"fields": list(DRIFT_FIELDS), "known": True, "new": ["drift.new_host"], "rate": 1.5}}
    found = read_recorded_drift(data)
    assert found is not None
    assert found.fact("drift.new_host", action, assessment) is True
    assert found.fact("drift.new_folder", action, assessment) is False
    assert found.fact("drift.rate", action, assessment) == 1.5
    assert read_baseline({}) is None
    assert read_baseline({"drift": "x"}) is None


CASES = """
policies = ["policies.toml"]

[[cases]]
name = "known"
shell = "curl https://api.example.com"
drift.rate = 2
expect = "allow"

[[cases]]
name = "new host"
shell = "curl https://api.example.com"
drift.new_host = true
expect = "block"

[[cases]]
name = "busy"
tool = "list_items"
drift.rate = 6
expect = "require_approval"

[[cases]]
name = "not stated"
tool = "list_items"
expect = "require_approval"
"""
POLICIES = """
[[policies]]
policy_id = "new-hosts"
action = "block"
conditions = ["drift.new_host=true"]

[[policies]]
policy_id = "busy"
action = "require_approval"
when = "drift.rate > 5"
"""


def test_cases_state_facts(tmp_path: Path) -> None:
    (tmp_path / "policies.toml").write_text(POLICIES)
    cases = tmp_path / "cases.toml"
    cases.write_text(CASES)
    assert [result.differences for result in CaseFile(cases).run()] == [(), (), (), ()]
    cases.write_text(CASES.replace("drift.new_host", "drift.new_hots"))
    with pytest.raises(ConfigError, match=r"unknown fact `drift.new_hots`; did you mean `new_host`"):
        list(CaseFile(cases).run())


def test_the_command_line_rejects_what_loosens_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path / "own"))
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "policies.toml"
    for action, text, line in (("allow", "drift.new_host", 3), ("block", "!drift.new_host", 4)):
        file.write_text(f'[[policies]]\npolicy_id = "a"\naction = "{action}"\nwhen = "{text}"\n')
        assert main(["policy", "check", str(file)]) == 1
        assert f"policies.toml:{line}: " in capsys.readouterr().err
    file.write_text(POLICIES)
    assert main(["policy", "check", str(file)]) == 0
