"""Stops: every action of an agent, or of all, is refused at once, at every server, until somebody lifts that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from interlock import Action, ActionRefused, Gate
from interlock.access.roles import Role
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.verify import verify
from interlock.cli import main
from tests.server.conftest import OTHERS_ANSWER, Serve
from tests.server.live_server import ASKS, SAFE, Running, until
from tests.world.postgres import Server


@pytest.fixture
def pair(
    serve: Serve, postgres: Server, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Running, Running]:
    store, elsewhere = postgres.new(), tmp_path / "elsewhere"
    keys = [SigningKey.at(folder).public for folder in (own, elsewhere)]
    for folder in (own, elsewhere):
        (folder / "interlock.toml").write_text(f"{OTHERS_ANSWER}[audit]\nkeys = {json.dumps(keys)}\n")
    here = serve(store)
    monkeypatch.setenv("INTERLOCK_HOME", str(elsewhere))
    return here, serve(store)


def test_everything_stops_at_every_server_and_goes_on(pair: tuple[Running, Running]) -> None:
    here, there = pair
    agents = [here.agent("ann", "bot"), there.agent("ann", "clerk")]
    for agent in agents:
        assert agent.post("/v1/evaluate", SAFE).ok()["allowed"]
    made = here.reviewer("bob").post("/v1/stops", {"reason": "strange mails"}).ok(201)
    assert (made["agentId"], made["stoppedBy"]) == (None, "bob")
    for agent in agents:
        found = agent.post("/v1/evaluate", SAFE).ok()
        assert (found["allowed"], found["verdict"]) == (False, "block")
        assert found["because"] == "all agents are stopped by bob: strange mails"
        assert "until a person lifts the stop" in found["advice"]
    assert there.reviewer("rita").post("/v1/stops/lift", {}).status == 403
    assert there.reviewer("rita").post("/v1/stops", {}).status == 409
    there.admin("eve").post("/v1/stops/lift", {}).ok()
    until(lambda: all(agent.post("/v1/evaluate", SAFE).ok()["allowed"] for agent in agents))
    assert there.admin("eve").post("/v1/stops/lift", {}).status == 404


def test_one_agent_stops_with_those_below_it(serve: Serve) -> None:
    server = serve()
    bot, clerk = server.agent("ann", "bot"), server.agent("ann", "clerk")
    server.reviewer("bob").post("/v1/stops", {"agentId": "bot"}).ok(201)
    assert not bot.post("/v1/evaluate", SAFE).ok()["allowed"]
    assert not bot.post("/v1/evaluate", {**SAFE, "agentId": "bot/helper"}).ok()["allowed"]
    assert clerk.post("/v1/evaluate", SAFE).ok()["allowed"]
    [listed] = server.reviewer("rita").get("/v1/stops").ok()["items"]
    assert (listed["agentId"], listed["stoppedBy"]) == ("bot", "bob")


def test_an_approval_does_not_help_an_agent_that_was_stopped(serve: Serve) -> None:
    server = serve()
    bot, reviewer = server.agent("ann", "bot"), server.reviewer("bob")
    approval_id = server.asked(bot)["approval"]["approvalId"]
    server.approve(reviewer, approval_id).ok()
    reviewer.post("/v1/stops", {"agentId": "bot"}).ok(201)
    assert not bot.post("/v1/evaluate", ASKS).ok()["allowed"]


def test_the_page_has_a_button_and_says_who_did_it(serve: Serve) -> None:
    server = serve()
    reviewer, admin = server.signed_in("rita", Role.REVIEWER), server.signed_in("adam", Role.ADMIN)
    assert "Stop now" in reviewer.get("/").body.decode()
    server.service.gate.stop(actor="rita", reason="<b>odd</b>")
    page = reviewer.get("/").body.decode()
    assert "All agents are stopped by rita: &lt;b&gt;odd" in page
    assert "<button>Let them" not in page
    assert "<button>Let them" in admin.get("/").body.decode()


def test_the_command_line(own: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with Gate() as gate:
        assert main(["stop"]) == 1
        assert "name one agent, or write `--all`" in capsys.readouterr().err
        assert main(["stop", "--all", "--reason", "a drill"]) == 0
        with pytest.raises(ActionRefused, match=r"all agents are stopped by .*: a drill"):
            gate.check(Action.shell("ls"))
        assert main(["stop", "--list"]) == 0
        assert "a drill" in capsys.readouterr().out
        assert main(["stop", "--all", "--lift"]) == 1, "not without a person"
        monkeypatch.setattr("interlock.cli.stop.require_person", lambda _: None)
        assert main(["stop", "--all", "--lift"]) == 0
        gate.check(Action.shell("ls"))
        assert verify(gate.journal.database, KeyRing([SigningKey.at(own).public]), folder=own).good
