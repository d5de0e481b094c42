"""Observe mode at a server: by agent and by key, in answers, pages and reports. No caller can switch it on."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.access.keys import AccessKeys
from interlock.access.roles import Role
from interlock.cli import main
from tests.server.conftest import OTHERS_ANSWER, Serve
from tests.server.live_server import ASKS, SAFE, Running, bearer

DAY = 86_400_000_000
WIPE = {"toolName": "Bash", "inputPayload": {"command": "rm -rf /"}}


@pytest.fixture
def server(serve: Serve, own: Path) -> Running:
    (own / "interlock.toml").write_text(f'{OTHERS_ANSWER}[observe]\nagents = ["bot"]\n')
    return serve()


def test_an_observed_agent_goes_on_and_the_answer_says_what_would_have_been(server: Running) -> None:
    bot = server.agent("ann", "bot")
    found = bot.post("/v1/evaluate", {**ASKS, "runId": "r1"}).ok()
    assert (found["allowed"], found["verdict"], found["approval"], found["needs"]) == (True, "allow", None, None)
    assert found["wouldHave"]["verdict"] == "require_approval"
    assert bot.post("/v1/evaluate", WIPE).ok()["verdict"] == "block"
    reviewer = server.signed_in("rita", Role.REVIEWER)
    assert reviewer.get("/v1/approvals").ok()["items"] == []
    assert "Would have required approval" in reviewer.get("/runs/r1").body.decode()
    report = reviewer.get("/v1/metrics/observed", days=1).ok()
    assert (report["actions"], report["asked"], report["refused"]) == (2, 1, 1)
    page = reviewer.get("/observe").body.decode()
    assert "Of 2 actions in 7 days, 1 would have required approval and none would have been blocked (50%)." in page
    assert "git push --force origin main" in page
    assert "<code>observe.agents</code>" in page


def test_no_field_of_a_caller_observes(server: Running) -> None:
    clerk, fleet = server.agent("ann", "clerk"), server.key(Role.ADMIN, "ann", "fleet")
    assert clerk.post("/v1/evaluate", {**ASKS, "agentId": "bot"}).status == 403
    claims = {"agentId": "bot", "metadata": {"observe": True}, "hints": {"observe": True}}
    assert not fleet.post("/v1/evaluate", {**ASKS, **claims}).ok()["allowed"], "this key belongs to no agent"
    assert clerk.post("/v1/evaluate", {**ASKS, "observe": True}).status == 400
    call = {"tool_name": "Bash", "tool_input": ASKS["inputPayload"], "session_id": "s", "agent_type": "../bot"}
    said = clerk.post("/v1/hooks/claude-code", {**call, "hook_event_name": "PreToolUse"}).ok()
    assert said["hookSpecificOutput"]["permissionDecision"] != "allow"
    assert said["hookSpecificOutput"]["permissionDecision"] in ("ask", "deny")


def test_a_key_is_observed_until_its_end_and_enforced_again(server: Running) -> None:
    admin, clerk = server.admin("eve"), server.agent("ann", "clerk")
    [key] = [one for one in admin.get("/v1/keys").ok()["items"] if one["name"] == "clerk"]
    path = f"/v1/keys/{key['keyId']}"
    assert server.reviewer().post(f"{path}/observe", {}).status == 403
    assert clerk.post(f"{path}/observe", {}).status == 403
    assert admin.post(f"{path}/observe", {"until": 1}).status == 422
    assert admin.post("/v1/keys/clerk/observe", {}).status == 404, "a complete id is needed"
    assert not clerk.post("/v1/evaluate", ASKS).ok()["allowed"]
    changed = admin.post(f"{path}/observe", {"until": key["createdAt"] + 7 * DAY}).ok()
    assert changed["observe"]["by"] == "eve"
    found = clerk.post("/v1/evaluate", ASKS).ok()
    assert (found["allowed"], found["wouldHave"]["verdict"]) == (True, "require_approval")
    admin.post(f"{path}/enforce").ok()
    assert not clerk.post("/v1/evaluate", ASKS).ok()["allowed"]
    assert server.admin("zoe").post(f"{path}/observe", {"until": 2**62}).status == 400


def test_keys_of_one_run_are_each_treated_as_they_are(server: Running) -> None:
    keys, shared = AccessKeys(server.service.journal), {"runId": "shared"}
    one, first = keys.create("one", Role.ADMIN, owner="ann", actor="test")
    _, second = keys.create("two", Role.ADMIN, owner="ann", actor="test")
    keys.observe(one.key_id, "test")
    assert bearer(server.port, first).post("/v1/evaluate", {**ASKS, **shared}).ok()["allowed"]
    assert not bearer(server.port, second).post("/v1/evaluate", {**ASKS, **shared}).ok()["allowed"]
    assert bearer(server.port, first).post("/v1/evaluate", {**ASKS, **shared}).ok()["allowed"]


def test_the_command_line_observes_a_key_for_a_person_alone(
    own: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("interlock.cli.access.require_person", lambda _: None)
        assert main(["keys", "create", "bot"]) == 0
        assert main(["keys", "observe", "bot", "--days", "7"]) == 0
        assert "are only observed until" in capsys.readouterr().out
        assert main(["keys", "observe", "bot", "--until", "2001-01-01"]) == 1
        assert "in the past" in capsys.readouterr().err
        assert main(["keys", "observe", "bot", "--until", "tomorrow"]) == 1
        assert main(["keys", "observe", "bot", "--until", "2999-01-01", "--days", "1"]) == 1
        assert main(["keys", "observe", "bott"]) == 1
        assert "there is no key `bott`" in capsys.readouterr().err
    assert main(["observe"]) == 0
    told = capsys.readouterr().out
    assert "key `bot` until" in told
    assert "interlock keys enforce bot" in told
    assert main(["keys", "observe", "bot"]) == 1, "not without a person"
    assert main(["keys", "enforce", "bot"]) == 0
    assert main(["observe"]) == 0
    assert "every verdict is enforced" in capsys.readouterr().out


def test_a_key_whose_row_was_changed_outside_is_not_observed(server: Running) -> None:
    clerk = server.agent("ann", "clerk")
    assert clerk.post("/v1/evaluate", SAFE).ok()["allowed"]
    with server.service.journal.database.write() as connection:
        forged = '{"since":1,"by":"eve","until":null}'
        connection.run("UPDATE interlock_access SET observe = :observe WHERE name = 'clerk'", observe=forged)
    server.service.authenticator.clear_cache()
    assert clerk.post("/v1/evaluate", ASKS).status == 503
    assert "changed outside Interlock" in clerk.post("/v1/evaluate", ASKS).detail
