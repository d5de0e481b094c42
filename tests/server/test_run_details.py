"""What a run is for, over the API and on the pages: claimed by a caller, pinned by its key, and shown."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from interlock.access.roles import Role
from interlock.cli import main
from interlock.policy.pins import Pins
from interlock.store.clock import MICROSECONDS, now
from tests.server.client import Client
from tests.server.live_server import Running

POLICIES: list[dict[str, Any]] = [
    {"policyId": "acme-may", "action": "allow", "conditions": [["toolName", "Bash"], ["tenant", "acme"]]},
    {"policyId": "globex", "action": "block", "conditions": [["toolName", "get_report"], ["tenant", "globex"]]},
    {"policyId": "ticket", "action": "block", "when": "toolName == 'get_user' && run.metadata.ticket == 'T-1'"},
    {"policyId": "vip", "action": "allow", "when": "toolName == 'Bash' && run.metadata.vip == true"},
    {"policyId": "ready", "action": "allow", "when": "toolName == 'Bash' && metadata.ready == true"},
]
PUSH = {"toolName": "Bash", "inputPayload": {"command": "git push --force origin main"}}


@pytest.fixture(scope="module", autouse=True)
def policies(shared: Running) -> None:
    for one in POLICIES:
        named = [{"field": field, "operator": "equals", "value": value} for field, value in one.get("conditions", [])]
        shared.admin().post("/v1/policies", {**one, "conditions": named}).ok(201)


def verdict(client: Client, action: dict[str, Any], **more: Any) -> str:
    return str(client.post("/v1/evaluate", {**action, **more}).ok()["verdict"])


def test_a_claim_that_no_pin_covers_never_loosens(shared: Running) -> None:
    agent = shared.agent()
    asked = verdict(agent, PUSH)
    assert asked != "allow"
    assert verdict(agent, PUSH, tenant="acme") == asked
    assert verdict(agent, PUSH, metadata={"ready": True}) == asked
    assert verdict(agent, {"toolName": "get_report"}, tenant="globex") == "block"
    agent.post("/v1/runs", {"runId": "claims", "tenant": "acme", "metadata": {"vip": True}}).ok(201)
    assert verdict(agent, PUSH, runId="claims") == asked
    agent.post("/v1/runs", {"runId": "claims-2", "metadata": {"ticket": "T-1"}}).ok(201)
    assert verdict(agent, {"toolName": "get_user"}, runId="claims-2") == "block"


def test_a_pin_counts_whatever_is_claimed(shared: Running) -> None:
    agent = shared.key(Role.AGENT, "ann", pins=Pins(tenant="acme", user="ann"))
    assert verdict(agent, PUSH) == "allow"
    found = agent.post("/v1/evaluate", {"toolName": "get_report", "tenant": "globex", "user": "bob"}).ok()
    assert found["verdict"] == "block"
    assert found["overruled"] == ["user `bob` (pinned: `ann`)", "tenant `globex` (pinned: `acme`)"]
    made = agent.post("/v1/runs", {"tenant": "globex", "user": "bob"}).ok(201)
    assert (made["user"], made["tenant"]) == ("ann", "acme")


def test_what_the_program_of_a_trusted_key_says_counts(shared: Running) -> None:
    backend = shared.key(Role.AGENT, "ann", pins=Pins(trusted=True))
    assert verdict(backend, PUSH) != "allow"
    assert verdict(backend, PUSH, tenant="acme") == "allow"
    backend.post("/v1/runs", {"runId": "vip", "metadata": {"vip": True}}).ok(201)
    assert verdict(backend, PUSH, runId="vip") == "allow"
    pinned = shared.key(Role.AGENT, "ann", pins=Pins(trusted=True, tenant="globex"))
    assert verdict(pinned, PUSH, tenant="acme") != "allow"


def test_pins_are_set_on_the_command_line_and_over_the_api(
    shared: Running, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.agent("ann", "pinned-bot")
    monkeypatch.setattr("interlock.cli.access.require_person", lambda _: None)
    store = ["--store", f"sqlite:///{shared.service.journal.database.url.path}"]
    assert main(["keys", "pin", "pinned-bot", "--tenant", "acme", "--user", "ann", *store]) == 0
    assert "is pinned to user ann, tenant acme" in capsys.readouterr().out
    [key] = [one for one in shared.admin().get("/v1/keys").ok()["items"] if one["name"] == "pinned-bot"]
    assert key["pins"] == {"user": "ann", "tenant": "acme"}
    changed = shared.admin().send("PATCH", f"/v1/keys/{key['keyId']}", {"tenant": "globex"}).ok()
    assert changed["pins"] == {"tenant": "globex"}


def test_a_run_is_shown_with_what_it_is_for(shared: Running) -> None:
    agent, rita = shared.agent("ann"), shared.signed_in("rita", Role.ADMIN)
    given = {"runId": "shown", "user": "ann", "tenant": "acme <b>", "request": "close T-7"}
    metadata = {"ticket": "T-7", "card": "4111 1111 1111 1111", "html": "<script>"}
    made = agent.post("/v1/runs", {**given, "metadata": metadata}).ok(201)
    assert made["metadata"] == {"ticket": "T-7", "card": "‹19 masked›", "html": "<script>"}
    assert agent.post("/v1/runs", given).ok(201)["metadata"] == made["metadata"]
    assert agent.post("/v1/runs", {**given, "tenant": "globex"}).status == 409
    wrong: dict[str, Any]
    for wrong in ({"tenant": ""}, {"metadata": []}, {"metadata": {"a": "x" * 9_000}}, {"user": "x" * 300}):
        assert agent.post("/v1/runs", wrong).status in (400, 422), wrong
    page, listed = (rita.get(path).body.decode() for path in ("/runs/shown", "/runs"))
    for text in ("T-7", "acme &lt;b&gt;", "&lt;script&gt;", "‹19 masked›", "close T-7"):
        assert text in page, text
    assert "ann, acme &lt;b&gt;" in listed
    assert "4111" not in page
    assert agent.get("/v1/runs/shown").ok()["tenant"] == "acme <b>"
    asked = agent.post("/v1/evaluate", {**PUSH, "runId": "shown"}).ok()["approval"]["approvalId"]
    assert "for tenant <code>acme &lt;b&gt;</code>" in rita.get(f"/approvals/{asked}").body.decode()


def test_a_misspelt_field_is_a_warning_on_the_page_and_can_be_saved(shared: Running) -> None:
    agent, rita = shared.agent("ann"), shared.signed_in("rita", Role.ADMIN)
    agent.post("/v1/runs", {"metadata": {"ticket": "T-1"}}).ok(201)
    agent.post("/v1/evaluate", {"toolName": "refund_order", "inputPayload": {"amount": 5, "order": 1}}).ok()
    form = {
        "policyId": "misspelt",
        "action": "block",
        "field": ["toolName", "inputPayload"],
        "path": ["", "amuont"],
        "operator": ["equals", "gt"],
        "value": ["refund_order", "5"],
        "when": "run.metadata.tikcet == 'inputPayload.x'",
        "outside": "Mon-Fri 09:00-17:00 Europe/Berlin",
        "enabled": "on",
        "button": "save",
    }
    forms = rita.having(content_type="application/x-www-form-urlencoded")
    warnings = [
        "no known call of `refund_order` has the field `amuont`; did you mean `amount`?",
        "no known run has the metadata `tikcet`; did you mean `ticket`?",
    ]
    assert forms.send("POST", "/policies/new/check", urlencode(form, True).encode()).data == {
        "error": "",
        "warnings": warnings,
        "place": {},
    }
    assert forms.send("POST", "/policies/new", urlencode(form, True).encode()).status == 303
    page = rita.get("/policies/misspelt").body.decode()
    assert page.count('class="notice"') == 2
    assert "did you mean <code>amount</code>?" in page
    assert 'value="Mon-Fri 09:00-17:00 Europe/Berlin"' in page
    wrong = urlencode({**form, "outside": "Mon-Fri 09:00-17:00 Europe/Berln"}, True).encode()
    assert "did you mean `Europe/Berlin`?" in forms.send("POST", "/policies/new/check", wrong).data["error"]


def test_a_simulation_decides_at_the_time_of_each_action(shared: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, reviewer = shared.agent("ann"), shared.reviewer()
    agent.post("/v1/runs", {"runId": "past", "metadata": {"ticket": "T-9"}, "tenant": "initech"}).ok(201)
    moments = [now()._replace(wall=seconds * MICROSECONDS) for seconds in (1_767_600_000, 1_767_643_200)]
    for moment in moments:  # 5 January 2026, at 9:00 and at 21:00 in Berlin
        monkeypatch.setattr("interlock.gate.run_decider.now", lambda moment=moment: moment)
        agent.post("/v1/evaluate", {"toolName": "note", "runId": "past"}).ok()

    def changed(**policy: Any) -> tuple[int, int]:
        draft = {"policyId": "draft", "action": "block", **policy}
        found = reviewer.post("/v1/policies/simulate", {"policies": [draft], "runId": "past"}).ok()
        return found["changed"], found["unknown"]

    assert changed(outside="Mon-Fri 09:00-17:00 Europe/Berlin") == (1, 0)
    assert changed(when='now.getHours("Europe/Berlin") == 9') == (1, 0)
    assert changed(when='run.metadata.ticket == "T-9"') == (2, 0)
    assert changed(conditions=[{"field": "tenant", "operator": "equals", "value": "initech"}]) == (2, 0)
    assert changed(when="run.calls > 0") == (0, 2), "what the run had done by then was not recorded"
    assert changed(when="'card' in data.classes") == (0, 2)
