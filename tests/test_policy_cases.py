"""`interlock policy test` with files of cases, and the pytest plugin."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from interlock import Action, Engine, Gate, Policy, Verdict
from interlock.cli import main
from interlock.policy.policies import as_condition
from interlock.testing import ScriptedApprover, assert_allowed, assert_asks, assert_blocked
from interlock.testing.plugin import MakeGate, interlock_approver, interlock_gate, make_interlock_gate

__all__ = ["interlock_approver", "interlock_gate", "make_interlock_gate"]

POLICIES = """
[[policies]]
policy_id = "big"
conditions = ["toolName=pay", "inputPayload.amount>1000"]
action = "require_approval"
approval = { approvers = 2 }

[[policies]]
policy_id = "nights"
conditions = ["toolName=deploy", "tenant=acme"]
when = 'user != "ann" || run.metadata.ticket == ""'
outside = "Mon-Fri 09:00-17:00 Europe/Berlin"
action = "block"
"""
CASES = """
policies = ["policies.toml"]

[defaults]
workspace = "/srv/shop"

[[cases]]
name = "large payments need two people"
tool = "pay"
input = { amount = 5000 }
expect = "require_approval"
policy = "big"
approvers = 2

[[cases]]
name = "bob does not deploy at night"
tool = "deploy"
user = "bob"
tenant = "acme"
now = 2026-01-05T20:00:00+01:00
expect = "block"
policy = "nights"

[[cases]]
name = "ann deploys at night with a ticket"
tool = "deploy"
user = "ann"
tenant = "acme"
run.metadata.ticket = "T-1"
now = "2026-01-05T20:00:00+01:00"
expect = "warn"

[[cases]]
name = "build output may be deleted"
shell = "rm -rf build"
expect = "allow"
"""
WRONG = """
[[cases]]
name = "wrong"
sql = "DROP TABLE users"
expect = "allow"
policy = "big"
approvers = 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies.toml").write_text(POLICIES)
    (tmp_path / "cases.toml").write_text(CASES)
    (tmp_path / "wrong.toml").write_text(WRONG)
    return tmp_path


def test_cases_that_hold(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "test", "cases.toml"]) == 0
    assert "4 passed, 0 failed" in capsys.readouterr().out


def test_a_case_that_does_not_hold_says_what_differs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "test", "cases.toml", "wrong.toml", "--junit", "out.xml"]) == 1
    said = capsys.readouterr().out
    assert "wrong.toml:2: expected allow, got" in said
    assert "expected policy `big`, matched none" in said
    assert "4 passed, 1 failed" in said
    suites = ElementTree.parse(folder / "out.xml").getroot()
    assert [(suite.get("tests"), suite.get("failures")) for suite in suites] == [("4", "0"), ("1", "1")]
    assert main(["policy", "test", "wrong.toml", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["passed"] is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[[cases]]\nname = 'a'\nshell = 'ls'\nexpct = 'allow'",
            "unknown key `expct` in a case; did you mean",
        ),
        ("[[cases]]\nname = 'a'\nexpect = 'allow'", "a case has one of `tool`, `shell`, `python`, `sql`"),
        ("[[cases]]\nname = 'a'\nshell = 'ls'\nsql = 'x'\nexpect = 'allow'", "a case has one of"),
        ("[[cases]]\nname = 'a'\nshell = 'ls'\nexpect = 'alow'", "found `alow`; did you mean `allow`?"),
        ("[[cases]]\nname = 'a'\nshell = 'ls'", "`expect` is one of allow, warn, require_approval, block; found ``"),
        (
            "[[cases]]\nname = 'a'\nshell = 'ls'\nexpect = 'allow'\nnow = 2026-01-05T20:00:00",
            "`now` needs a zone: `2026-01-05T20:00:00+01:00`",
        ),
        ("policy = 'x'\n[[cases]]\nname = 'a'", "unknown key `policy`; did you mean `policies`?"),
        ("policies = 'x'\n[[cases]]\nname = 'a'", "`policies` is a list of files"),
    ],
)
def test_a_file_that_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    (folder / "bad.toml").write_text(text)
    assert main(["policy", "test", "bad.toml"]) == 1
    assert said in capsys.readouterr().err


PUSH = Action.shell("git push --force origin main", workspace="/w", cwd="/w")
NO_PAY = Policy("no-pay", conditions=[as_condition("toolName=pay")], action=Verdict.BLOCK)


def test_the_fixture_is_a_gate_that_keeps_nothing(interlock_gate: Gate) -> None:
    assert not interlock_gate.check(Action.shell("ls")).kept
    assert_allowed(interlock_gate, Action.shell("ls"))
    assert_asks(interlock_gate, PUSH)
    assert_blocked(interlock_gate, Action.shell("rm -rf /"))


def test_the_scripted_approver_answers(make_interlock_gate: MakeGate) -> None:
    approver = ScriptedApprover([True, "not today"])
    with Gate.temporary(approver=approver) as gate:
        assert gate.check(PUSH).by == "approval"
        with pytest.raises(Exception, match="not today"):
            gate.check(PUSH)
    assert len(approver.asked) == 2
    assert_blocked(make_interlock_gate(policies=[NO_PAY]), Action(tool_name="pay"), policy="no-pay")


def test_assertions_say_what_was_decided() -> None:
    engine = Engine([NO_PAY])
    with pytest.raises(AssertionError, match="block, not allow or warn"):
        assert_allowed(engine, Action(tool_name="pay"))
    with pytest.raises(AssertionError, match="policy `other` does not match"):
        assert_blocked(engine, Action(tool_name="pay"), policy="other")
    with pytest.raises(AssertionError, match="needs 1 approvers, not 4"):
        assert_asks(engine, PUSH, approvers=4)
