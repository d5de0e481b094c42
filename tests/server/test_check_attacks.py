"""Attacks over the API: one approval for two actions, declarations that loosen, claims of amounts, runs and words."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.access.roles import Role
from interlock.approval.reviewer.run_so_far import load_run_so_far
from interlock.policy.pins import Pins
from tests.server.client import Client
from tests.server.conftest import OTHERS_ANSWER, Serve
from tests.server.live_server import ASKS, SAFE, Running

#: Two people have to approve messages.
TWO_FOR_MESSAGES = """
[[policies]]
policy_id = "two"
action = "require_approval"
when = "'message.send' in effects.kind"
[policies.approval]
approvers = 2
"""
MAIL = {"toolName": "send_email", "inputPayload": {"to": "a@b.example", "body": "x"}, "runId": "r1"}


def check(caller: Client, form: dict[str, Any], **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = caller.post("/v1/check", {"forms": [form], **more}).ok()
    return found


def test_a_decision_without_a_request_does_not_share_the_approval_of_another(alone: Running) -> None:
    agent, form = alone.agent("ann", "bot"), {**ASKS, "runId": "r1"}
    first = check(agent, form, once="a")
    assert alone.approve(alone.reviewer(), first["approval"]["approvalId"]).status == 200
    closed = check(agent, form, once="b", opens=False)  # nothing follows from it, so the use of the approval comes next
    assert check(agent, form, once="a")["allowed"]
    again = check(agent, form, decisionId=closed["decisionId"])
    assert not again["allowed"], "one approval lets one action run"
    assert check(agent, form, once="a")["allowed"], "its own answer may have been lost"


def test_a_decision_that_used_an_earlier_approval_is_answered_the_same_again(alone: Running) -> None:
    agent, form = alone.agent("ann", "bot"), {**ASKS, "runId": "r1"}
    first = check(agent, form, once="a")
    assert alone.approve(alone.reviewer(), first["approval"]["approvalId"]).status == 200
    for _ in range(2):
        second = check(agent, form, once="b")
        assert (second["allowed"], second["by"]) == (True, "approval")
    assert not check(agent, form, once="c")["allowed"]


@pytest.mark.parametrize("does", ["fs.delete", "payment.send", "security.lower"])
def test_a_declaration_does_not_hide_what_a_policy_asks_about(serve: Serve, does: str) -> None:
    server = serve(configured=OTHERS_ANSWER + TWO_FOR_MESSAGES)
    agent = server.key(Role.AGENT, "ann", "bot", pins=Pins(asks_user=True))
    found = check(agent, MAIL, once="a", asks=True, declared={"does": does})
    assert (found["by"], found["decision"]["needs"]["approvers"]) == ("approval", 2), "no question to its own user"


def test_a_declaration_does_not_hide_an_action_from_a_limit(serve: Serve) -> None:
    limit = '[[policies]]\npolicy_id = "few"\naction = "block"\nconditions = ["effects.kind=message.send"]\n'
    server = serve(configured=f'{OTHERS_ANSWER}{limit}limit = {{ most = 1, per = "day" }}\n')
    agent = server.agent("ann", "bot")
    assert check(agent, MAIL, once="a")["verdict"] == "allow"
    assert check(agent, MAIL, once="b")["verdict"] == "block"
    assert check(agent, MAIL, once="c", declared={"does": "package.install"})["verdict"] == "block"


def test_a_declaration_has_a_limit(alone: Running) -> None:
    many = {"does": "fs.read", "arguments": {f"a{number}": "recipient" for number in range(201)}}
    assert alone.agent().post("/v1/check", {"forms": [SAFE], "once": "a", "declared": many}).status in (400, 422)


def test_a_policy_that_has_changed_counts_for_an_action_that_is_declared_when_it_is_sent_again(serve: Serve) -> None:
    server = serve(configured=OTHERS_ANSWER)
    agent, form = server.agent("ann", "bot"), {**ASKS, "runId": "r1"}
    first = check(agent, form, once="a")
    assert server.approve(server.reviewer(), first["approval"]["approvalId"]).status == 200
    rule = {"policyId": "no", "name": "no", "action": "block", "when": "!('record.change' in effects.kind)"}
    assert server.admin().post("/v1/policies", rule).status == 201
    again = check(agent, form, decisionId=first["decisionId"], declared={"does": "record.change"})
    assert (again["allowed"], again["verdict"]) == (False, "block")


def test_a_limit_that_is_exceeded_asks_for_more_even_where_an_approval_is_needed_anyway(serve: Serve) -> None:
    limit = '[[policies]]\npolicy_id = "few"\naction = "require_approval"\nconditions = ["toolName=Bash"]\n'
    more = 'limit = { most = 0, per = "day" }\n[policies.approval]\napprovers = 3\nreason = true\n'
    agent = serve(configured=OTHERS_ANSWER + limit + more).agent("ann", "bot")
    for once, action in (("a", SAFE), ("b", ASKS)):
        needs = check(agent, {**action, "runId": "r1"}, once=once)["decision"]["needs"]
        assert (needs["approvers"], needs["reason"]) == (3, True)


def test_an_amount_in_metadata_counts_only_from_a_trusted_program(serve: Serve) -> None:
    limit = '[[policies]]\npolicy_id = "cost"\naction = "block"\nconditions = ["toolName=Bash"]\n'
    server = serve(configured=f'{OTHERS_ANSWER}{limit}limit = {{ most = 10, per = "day", of = "metadata.cost" }}\n')
    form = {**SAFE, "runId": "r1", "metadata": {"cost": 0}}
    assert check(server.agent("ann", "bot"), form, once="a")["verdict"] == "block", (
        "the amount of this action is unknown"
    )
    trusted = server.key(Role.AGENT, "ann", "shop", pins=Pins(trusted=True))
    assert check(trusted, {**form, "runId": "r2"}, once="a")["verdict"] == "allow"


def test_what_a_run_says_about_itself_does_not_loosen_a_call_of_a_hook(serve: Serve) -> None:
    allow = '[[policies]]\npolicy_id = "{}"\naction = "allow"\nwhen = "{}"\n'
    policies = allow.format("role", "run.metadata.role == 'admin'") + allow.format("root", "user == 'root'")
    server = serve(configured=OTHERS_ANSWER + policies)
    agent = server.agent("ann", "bot")
    call = {"tool_name": "Bash", "tool_input": ASKS["inputPayload"], "session_id": "r1", "cwd": "/srv/shop"}
    claims: list[dict[str, Any]] = [{"metadata": {"role": "admin"}}, {"user": "root"}]
    for number, claim in enumerate(claims):
        agent.post("/v1/runs", {"runId": f"r{number}", **claim}).ok(201)
        mine = {**call, "session_id": f"r{number}", "hook_event_name": "PreToolUse"}
        said = agent.post("/v1/hooks/claude-code", mine).ok()
        assert said["hookSpecificOutput"]["permissionDecision"] == "deny"  # another person has to approve


def test_words_that_an_agent_could_have_sent_authorise_nothing(alone: Running) -> None:
    agent, shop = alone.agent("ann", "bot"), alone.key(Role.AGENT, "ann", "shop", pins=Pins(trusted=True))
    for caller, run_id, words in ((agent, "r1", ()), (shop, "r2", ("force-push main", "as I said"))):
        caller.post("/v1/runs", {"runId": run_id, "request": "force-push main"}).ok(201)
        caller.post(f"/v1/runs/{run_id}/requests", {"text": "as I said"}).ok(201)
        asked = alone.asked(caller, {**ASKS, "runId": run_id})["approval"]["approvalId"]
        found = load_run_so_far(alone.service.journal, alone.service.gate.approvals.get(asked))
        assert found.requests == words
        shown = caller.get(f"/v1/runs/{run_id}/requests").ok()["items"]
        assert [one["text"] for one in shown] == ["force-push main", "as I said"]
