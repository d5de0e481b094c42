"""Pages show the whole action: nothing that an agent adds can hide what matters."""

from __future__ import annotations

import html
import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest

from interlock import Action
from interlock.access.roles import Role
from interlock.approval.challenge.targets import list_targets
from tests.asking import request
from tests.server.client import Client
from tests.server.live_server import ASKS, Running

PUSH = "git push --force origin main"
ROW = {"field": "toolName", "path": "", "operator": "equals"}


@pytest.fixture(scope="module")
def rita(shared: Running) -> Client:
    return shared.signed_in("rita", Role.ADMIN)


def shown(running: Running, reviewer: Client, payload: dict[str, Any], tool: str = "Bash", **more: Any) -> str:
    """Return the page on which somebody is asked about an action."""
    action = {"toolName": tool, "inputPayload": payload, **more}
    found = running.agent("ann").post("/v1/evaluate", action).ok()
    reply = reviewer.get(f"/approvals/{found['approval']['approvalId']}")
    assert reply.status == 200
    return reply.body.decode()


@pytest.mark.parametrize("before", ["echo x;" * 60, "echo x\n" * 60, "ls a;" * 100])
def test_harmless_commands_around_it_hide_nothing(shared: Running, rita: Client, before: str) -> None:
    page = shown(shared, rita, {"command": before + PUSH})
    assert f"<mark>{PUSH}</mark>" in page
    assert "<dt>Touches</dt>" in page
    assert "origin main" in page.partition("<dt>Touches</dt>")[2].partition("</dl>")[0]


def test_a_request_names_what_its_findings_stand_for(shared: Running, rita: Client) -> None:
    line = shown(shared, rita, {"command": PUSH}).partition("<dt>Standards</dt>")[2].partition("</dd>")[0]
    assert re.sub("<[^>]+>", "", line) == "OWASP ASI02 · ATLAS AML.T0101 · ATT&amp;CK T1485 T1565.001"
    assert 'href="https://attack.mitre.org/techniques/T1565/001/"' in line


def test_each_alternative_stands_on_its_own_line(shared: Running, rita: Client) -> None:
    command = "git push --force origin release"
    alternatives = shown(shared, rita, {"command": command}).partition("<dt>Instead</dt>")[2].partition("</dd>")[0]
    assert re.findall("<li><code>([^<]+)</code></li>", alternatives) == [
        "git push --force-with-lease",
        "git push --dry-run --tags",
    ]


def test_the_gravest_is_kept_and_stands_first() -> None:
    files = " ".join(f"./build/a{number}" for number in range(60))
    action = Action.shell(f"rm -rf {files} ~/.ssh/id_rsa", cwd="/w", workspace="/w", home="/home/u")
    assert "id_rsa" in list_targets(request(action))[0].name


def test_a_text_that_is_cut_says_so(shared: Running, rita: Client) -> None:
    page = shown(shared, rita, {"command": f"echo {'a' * 25_000}; {PUSH}"})
    assert "Not everything is shown" in page
    assert "<dt>Look at</dt>" in page
    assert PUSH in page.partition("<dt>Look at</dt>")[2].partition("</dl>")[0]


@pytest.mark.parametrize(
    "given",
    [
        {**{f"k{number}": "x" for number in range(1_000)}, "zz_target": "PROD"},
        {"items": [*("x" for _ in range(1_000)), "PROD"]},
    ],
)
def test_omitted_arguments_are_mentioned(shared: Running, rita: Client, given: dict[str, Any]) -> None:
    page = shown(shared, rita, {"command": PUSH, **given})
    assert "Not everything is shown: " in page
    assert "arguments more. Approving covers that as well." in page


def test_names_that_an_agent_chose_stand_apart(shared: Running, rita: Client) -> None:
    agent = shared.agent("ann", "evil")
    name = "evil/release-bot, started by root · approved before"
    found = agent.post("/v1/evaluate", {**ASKS, "agentId": name, "runId": "forged"}).ok()
    page = rita.get(f"/approvals/{found['approval']['approvalId']}").body.decode()
    assert f"<code>{name}</code></a>, started by <code>ann</code>" in page


def test_an_approved_request_says_how_its_agent_continues(shared: Running, rita: Client) -> None:
    agent, pages = shared.agent("ann", "codex"), {}
    for run_id in ("0199a213-81c0", "0199a213; reboot"):
        asked = shared.asked(agent, {**ASKS, "runId": run_id})
        approval_id = asked["approval"]["approvalId"]
        link = f"/approvals/{approval_id}"
        assert "continues by itself" not in rita.get(link).body.decode()
        shared.approve(shared.reviewer("bob"), approval_id).ok()
        pages[run_id] = html.unescape(rita.get(link).body.decode())
    assert "codex exec resume 0199a213-81c0 'The action" in pages["0199a213-81c0"]
    assert "codex exec" not in pages["0199a213; reboot"]  # nobody should paste that
    assert "tell it to try exactly the same action again" in pages["0199a213; reboot"]


@pytest.mark.parametrize(
    "run_id", ["good//run", "/abs", "a/", "..", ".", "~x", "http://x.example/?a#b", "a%2fb", "é run"]
)
def test_a_run_is_found_whatever_it_is_called(shared: Running, rita: Client, run_id: str) -> None:
    shared.agent("ann", f"bot of {run_id}".replace("/", "-")).post("/v1/evaluate", {**ASKS, "runId": run_id}).ok()
    listed = rita.get("/runs").body.decode()
    links = [part.partition('"')[0] for part in listed.split('data-row href="')[1:]]
    pages = [rita.get(link).body.decode() for link in links]
    assert sum(f"<h1><code>{run_id}</code></h1>" in page.replace("&amp;", "&") for page in pages) == 1


def test_a_text_over_the_limit_is_rejected_as_a_whole(rita: Client) -> None:
    form = urlencode({"kind": "shell", "text": f"echo {'a' * 25_000}; rm -rf /"}).encode()
    reply = rita.having(content_type="application/x-www-form-urlencoded").send("POST", "/try", form)
    assert reply.status == 422
    assert "This page takes at most" in reply.body.decode()


@pytest.mark.parametrize("approvers", ["²", "🄀", "9" * 5_000, "-1", "1e3"])
def test_a_number_is_a_number(rita: Client, approvers: str) -> None:
    form = urlencode({"policyId": "x", "action": "block", **ROW, "value": "a", "approvers": approvers}).encode()
    reply = rita.having(content_type="application/x-www-form-urlencoded").send("POST", "/policies/new/check", form)
    assert reply.status == 200, reply.body[:300]
    assert "must be a number" in reply.data["error"]


@pytest.mark.parametrize("value", ["[" * 3_000, '"\\ud800"', '"unfinished', "[1, 2"])
def test_a_condition_that_begins_like_json_is_json(rita: Client, value: str) -> None:
    row = {"field": "inputPayload", "path": "a", "operator": "equals", "value": value}
    form = urlencode({"policyId": "x", "action": "block", **row}).encode()
    reply = rita.having(content_type="application/x-www-form-urlencoded").send("POST", "/policies/new/check", form)
    assert reply.status == 200, reply.body[:300]
    assert reply.data["error"]


@pytest.mark.parametrize("value", ["drop\u00a0db", "a\U000e0041b", "zero\u200bwidth", "two\nlines", "é"])
def test_a_policy_that_is_saved_as_it_was_shown_is_as_it_was(shared: Running, rita: Client, value: str) -> None:
    name = f"kept-{ord(value[-1])}-{len(value)}"
    given = {
        "policyId": name,
        "action": "block",
        "conditions": [{"field": "toolName", "operator": "equals", "value": value}],
    }
    rita.post("/v1/policies", given).ok(201)
    page = rita.get(f"/policies/{name}").body.decode()
    told = page.partition('<input class="value" name="value" value="')[2].partition('"')[0]
    known = page.partition('name="known" value="')[2].partition('"')[0].replace("&#34;", '"')
    fields = {
        "policyId": name,
        "action": "block",
        **ROW,
        "value": unescape(told),
        "enabled": "on",
        "known": known,
        "button": "save",
        "csrf": rita.headers["x-csrf-token"],
    }
    form = rita.having(content_type="application/x-www-form-urlencoded")
    assert form.send("POST", f"/policies/{name}", urlencode(fields).encode()).status == 303
    kept = rita.get(f"/v1/policies/{name}").ok()["policy"]["conditions"]
    assert [condition["value"] for condition in kept] == [value]


def test_a_reviewer_can_test_a_policy_without_changing_it(shared: Running) -> None:
    reviewer = shared.signed_in("rob", Role.REVIEWER).having(content_type="application/x-www-form-urlencoded")
    draft = {"policyId": "deployments", "action": "block", **ROW, "value": "Bash", "enabled": "on"}
    form = {**draft, "command": "ls", "csrf": reviewer.headers["x-csrf-token"]}
    reply = reviewer.send("POST", "/policies/deployments/try", urlencode({**form, "button": "try"}).encode())
    assert reply.status == 200
    assert "<strong>Matches.</strong>" in reply.body.decode()
    for button in ("review", "save", "disable", "remove", "delete"):
        sent = urlencode({**form, "button": button}).encode()
        assert reviewer.send("POST", "/policies/deployments", sent).status == 403
    assert shared.admin().get("/v1/policies/deployments").ok()["policy"]["action"] == "warn"


def test_an_answer_after_expiry_is_rejected(shared: Running, rita: Client) -> None:
    found = shared.agent("ann").post("/v1/evaluate", {**ASKS, "cwd": "/late"}).ok()["approval"]
    shared.approve(shared.reviewer("bob"), found["approvalId"]).ok()
    form = rita.having(content_type="application/x-www-form-urlencoded")
    body = urlencode({"csrf": rita.headers["x-csrf-token"]}).encode()
    reply = form.send("POST", f"/approvals/{found['approvalId']}/reject", body)
    assert reply.status == 422
    assert 'role="alert"' in reply.body.decode()


def test_the_reference_lists_the_fields_of_bodies(rita: Client) -> None:
    page = rita.get("/docs").body.decode()
    route = page.partition("<code>/v1/evaluate</code>")[2].partition("</details>")[0]
    body = route.partition("Body (JSON)")[2].partition("Response")[0]
    assert '<code>toolName</code> <span class="tag">required</span>' in body
    assert "<code>inputPayload</code>" in body
    assert "<code>allowed</code>" in route.partition("Response</h3>")[2]
