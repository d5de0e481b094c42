"""Stops: every action of an agent, or of all, is refused at once, at every server, until somebody lifts that."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from interlock import Action, ActionRefused, Gate
from interlock.access.roles import Role
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.stops import Stops
from interlock.audit.verify import verify
from interlock.cli import main
from tests.server.client import PATIENCE
from tests.server.conftest import OTHERS_ANSWER, Serve
from tests.server.live_server import ASKS, SAFE, Running, until
from tests.server.test_remote_gate import connect
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
    made = here.reviewer("bob").post("/v1/stops", {"reason": "odd emails"}).ok(201)
    assert (made["agentId"], made["stoppedBy"]) == (None, "bob")
    for agent in agents:
        found = agent.post("/v1/evaluate", SAFE).ok()
        assert (found["allowed"], found["verdict"]) == (False, "block")
        assert re.fullmatch(r"all agents are stopped by bob since [-\d]+ [:\d]+ UTC: odd emails", found["because"])
        assert "until a person lifts the stop" in found["advice"]
    assert there.reviewer("rita").post("/v1/stops/lift", {}).status == 403
    assert there.reviewer("rita").post("/v1/stops", {}).status == 409
    there.admin("eve").post("/v1/stops/lift", {}).ok()
    assert all(agent.post("/v1/evaluate", SAFE).ok()["allowed"] for agent in agents)
    assert there.admin("eve").post("/v1/stops/lift", {}).status == 404


def test_the_first_action_after_a_stop_is_refused_and_the_first_after_lifting_runs(
    pair: tuple[Running, Running],
) -> None:
    here, there = pair
    admin, bot, clerk = here.admin("eve"), there.agent("ann", "bot"), here.agent("ann", "clerk")
    for _ in range(5):
        admin.post("/v1/stops", {"agentId": "bot"}).ok(201)
        assert not bot.post("/v1/evaluate", SAFE).ok()["allowed"]
        assert clerk.post("/v1/evaluate", SAFE).ok()["allowed"]
        admin.post("/v1/stops/lift", {"agentId": "bot"}).ok()
        assert bot.post("/v1/evaluate", SAFE).ok()["allowed"]
    records = there.service.journal.database
    with records.read() as connection:
        query = "SELECT count(*) FROM interlock_records WHERE kind = 'decision' AND body LIKE :of"
        assert connection.value(query, of='%"agentId":"bot"%') == 10, "each action is decided and recorded once"


def test_a_key_stops_whatever_agent_its_actions_name(pair: tuple[Running, Running]) -> None:
    here, there = pair
    fleet, bot, admin = there.key(Role.ADMIN, "ann", "fleet"), there.agent("ann", "bot"), here.admin("eve")
    made = here.reviewer("bob").post("/v1/stops", {"key": "fleet", "reason": "leaked"}).ok(201)
    assert made["keyName"] == "fleet"
    for agent_id in (None, "bot", "anybody"):
        found = fleet.post("/v1/evaluate", {**SAFE, "agentId": agent_id, "runId": "shared"}).ok()
        assert not found["allowed"]
        assert found["because"].startswith("key `fleet` is stopped by bob since ")
    other = there.key(Role.ADMIN, "ann", "second")
    assert other.post("/v1/evaluate", {**SAFE, "runId": "shared"}).ok()["allowed"], "the same run, with another key"
    assert bot.post("/v1/evaluate", SAFE).ok()["allowed"]
    assert admin.post("/v1/stops", {"key": "fleet", "agentId": "bot"}).status == 422
    assert admin.post("/v1/stops", {"key": "fleat"}).status == 404
    admin.post("/v1/stops/lift", {"key": made["keyId"]}).ok()
    assert fleet.post("/v1/evaluate", SAFE).ok()["allowed"]


def test_two_gates_on_one_file(own: Path) -> None:
    with Gate() as here, Gate() as there:
        for _ in range(5):
            there.check(Action.shell("ls"))
            here.stop(reason="a drill")
            with pytest.raises(ActionRefused, match="a drill"):
                there.check(Action.shell("ls"))
            here.lift_stop()
        there.check(Action.shell("ls"))


def test_an_agent_cannot_act_under_another_name_than_its_run_has(own: Path) -> None:
    with Gate() as gate, gate.run("bot"):
        gate.stop("bot")
        with pytest.raises(ActionRefused, match="agent `bot` is stopped"):
            gate.check(Action.shell("ls", agent_id="clerk"))


def test_a_stop_that_was_seen_holds_while_the_store_cannot_be_reached(own: Path) -> None:
    (own / "interlock.toml").write_text('[audit]\nunwritable = "spool"\n')
    with Gate() as gate, Gate() as elsewhere:
        elsewhere.stop("bot")
        with pytest.raises(ActionRefused):
            gate.check(Action.shell("ls", agent_id="bot"))
        (own / "interlock.db").rename(own / "gone.db")
        (own / "interlock.db").mkdir()
        gate.journal.database.close()
        gate.check(Action.shell("ls", agent_id="clerk"))
        with pytest.raises(ActionRefused, match="agent `bot` is stopped"):
            gate.check(Action.shell("ls", agent_id="bot"))


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


def test_a_waiting_call_is_told_who_stopped_it(serve: Serve) -> None:
    server = serve()
    reviewer, said = server.reviewer("bob"), []
    with connect(server, "bot") as gate, ThreadPoolExecutor() as pool:

        def check() -> None:
            try:
                gate.check(Action.shell("git push --force origin main"))
            except ActionRefused as refused:
                said.append(str(refused))

        waiting = pool.submit(check)
        evaluated = pool.submit(server.agent("ann", "clerk").post, "/v1/evaluate?wait=20", ASKS)
        pending = until(lambda: found if len(found := server.service.gate.approvals.list()) == 2 else None)
        reviewer.post("/v1/stops", {"reason": "a drill"}).ok(201)
        for approval in pending:
            server.approve(reviewer, approval.approval_id).ok()
        waiting.result(PATIENCE)
        answer = evaluated.result(PATIENCE).ok()
    assert "all agents are stopped by bob" in said[0]
    assert "a drill; do nothing more until a person lifts the stop" in said[0]
    assert (answer["allowed"], answer["verdict"]) == (False, "block")
    assert "all agents are stopped by bob" in answer["because"]


def test_the_page_has_a_button_and_says_who_did_it(serve: Serve) -> None:
    server = serve()
    reviewer, admin = server.signed_in("rita", Role.REVIEWER), server.signed_in("adam", Role.ADMIN)
    assert 'href="/stops">Pause or stop' in reviewer.get("/").body.decode()
    server.service.gate.stop(actor="rita", reason="<b>odd</b>")
    page = reviewer.get("/").body.decode()
    assert "All agents were stopped by <strong>rita</strong> " in page
    assert ": &lt;b&gt;odd" in page
    assert "<button>Resume all agents" not in page
    assert "<button>Resume all agents" in admin.get("/").body.decode()
    server.key(Role.AGENT, "ann", "ci")
    form = reviewer.having(content_type="application/x-www-form-urlencoded")
    asked = form.post("/stops", b"target=key&agent=&key=ci&reason=leaked").body.decode()
    assert "Only admins can resume; you cannot." in asked
    assert len(Stops(server.service.journal).list()) == 1, "nothing happens before it is confirmed"
    assert form.post("/stops", b"agent=&key=ci&reason=leaked&confirmed=yes").status == 303
    assert "API key <code>ci</code> was stopped by <strong>rita</strong>" in reviewer.get("/").body.decode()


def test_the_command_line(own: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with Gate() as gate:
        assert main(["stop"]) == 1
        assert "name one agent, or use `--key NAME` or `--all`" in capsys.readouterr().err
        assert main(["stop", "--all", "--reason", "a drill"]) == 0
        with pytest.raises(ActionRefused, match=r"all agents are stopped by .* since .*: a drill"):
            gate.check(Action.shell("ls"))
        assert main(["stop", "--list"]) == 0
        assert "a drill" in capsys.readouterr().out
        assert main(["stop", "--all", "--lift"]) == 1, "not without a person"
        monkeypatch.setattr("interlock.cli.stop.require_person", lambda _: None)
        assert main(["stop", "--all", "--lift"]) == 0
        gate.check(Action.shell("ls"))
        assert verify(gate.journal.database, KeyRing([SigningKey.at(own).public]), folder=own).good
