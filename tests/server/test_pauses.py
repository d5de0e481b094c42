"""Pauses: callers that wait are held and go on once the agent is resumed; others are refused, and told until when."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from interlock import Action, ActionRefused, Gate
from interlock.access.roles import Role
from interlock.agents.call_runs import ToolCall
from interlock.agents.framework import Checker
from interlock.agents.hook.answer import answer_call
from interlock.agents.reply import AnswerOptions
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.read import RecordFilter, read_all
from interlock.audit.sentences import describe_record
from interlock.audit.stops import Stops
from interlock.audit.verify import verify
from interlock.cli import main
from tests.server.client import PATIENCE
from tests.server.conftest import Serve
from tests.server.live_server import ASKS, SAFE, Running, until
from tests.server.test_remote_gate import connect

ADVICE = "try again when the pause ends, or ask the person who paused it or an admin to resume it"


def decisions(gate: Gate, agent: str) -> list[str | None]:
    """Return the outcomes of the recorded decisions on an agent's actions."""
    found = read_all(gate.journal.database, RecordFilter(kind="decision"))
    return [line.record.outcome for line in found if line.record.agent_id == agent]


def is_held(future: Future[Any]) -> bool:
    """Whether a call is still running after a moment."""
    time.sleep(0.7)
    return not future.done()


def test_a_caller_that_waits_gets_its_normal_decision(shared: Running) -> None:
    bot, bob, rita = shared.agent("ann", "held"), shared.reviewer("bob"), shared.reviewer("rita")
    made = bob.post("/v1/pauses", {"agentId": "held", "seconds": 900, "reason": "release"}).ok(201)
    assert (made["pauses"], made["stoppedBy"], made["endsAt"] - made["stoppedAt"]) == (True, "bob", 900_000_000)
    refused = bot.post("/v1/evaluate", SAFE).ok()
    assert (refused["allowed"], refused["verdict"], refused["advice"]) == (False, "block", ADVICE)
    told = r"agent `held` is paused by bob until ([-\d]+ )?\d\d:\d\d UTC: release"
    assert re.fullmatch(told, refused["because"])
    assert [one["stopId"] for one in bob.get("/v1/stops").ok()["items"]] == [made["stopId"]]
    assert bob.post("/v1/pauses", {"agentId": "held"}).status == 409, "it is paused"
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(bot.post, "/v1/evaluate?wait=20", SAFE)
        assert is_held(waiting)
        assert rita.post("/v1/pauses/end", {"agentId": "held"}).status == 403, "neither paused it nor manages"
        bob.post("/v1/pauses/end", {"agentId": "held"}).ok()
        assert waiting.result(PATIENCE).ok()["allowed"]
    assert decisions(shared.service.gate, "held") == ["block", "allow"], "what was held is recorded once"
    assert bob.post("/v1/pauses/end", {"agentId": "held"}).status == 404


def test_a_pause_ends_by_itself_and_a_stop_takes_precedence(serve: Serve, store: str, own: Path) -> None:
    server = serve(store)
    bot, bob = server.agent("ann", "bot"), server.reviewer("bob")
    bob.post("/v1/pauses", {"agentId": "bot", "seconds": 1}).ok(201)
    assert bot.post("/v1/evaluate?wait=20", SAFE).ok()["allowed"], "the pause is over before the wait is"
    Stops(server.service.journal).end_due()  # as servers do in the background
    sentences = [describe_record(one.record) for one in read_all(server.service.journal.database, RecordFilter())]
    assert any(re.fullmatch(r"bob paused agent bot until [-\d]+ [:\d]+ UTC", one) for one in sentences)
    assert sentences.count("The pause of agent bot ended") == 1
    bob.post("/v1/pauses", {"agentId": "bot"}).ok(201)
    assert "is paused by bob until a person resumes it" in bot.post("/v1/evaluate?wait=0.2", SAFE).ok()["because"]
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(bot.post, "/v1/evaluate?wait=20", SAFE)
        assert is_held(waiting)
        bob.post("/v1/stops", {"agentId": "bot"}).ok(201)
        stopped = waiting.result(PATIENCE).ok()
    assert "is stopped by bob" in stopped["because"]
    admin = server.admin("eve")
    admin.post("/v1/stops/lift", {"agentId": "bot"}).ok()
    assert "is paused" in bot.post("/v1/evaluate", SAFE).ok()["because"]
    admin.post("/v1/pauses/end", {"agentId": "bot"}).ok()
    assert bot.post("/v1/evaluate", SAFE).ok()["allowed"]
    database = server.service.journal.database
    assert verify(database, KeyRing([SigningKey.at(own).public]), folder=own).good


@pytest.mark.parametrize("action", [SAFE, ASKS], ids=["safe", "asks"])
def test_a_gate_at_a_server_is_held(shared: Running, action: dict[str, Any]) -> None:
    command, bob = action["inputPayload"]["command"], shared.reviewer("bob")
    name = f"remote-{len(command)}"
    with connect(shared, name) as gate, ThreadPoolExecutor() as pool:
        shared.service.gate.pause(name, actor="bob") if action is SAFE else None
        waiting = pool.submit(gate.check, Action.shell(command))
        if action is ASKS:  # it is paused while it waits for its approval, and approved meanwhile
            asked = until(lambda: [one for one in shared.service.gate.approvals.list() if one.agent_id == name])
            shared.service.gate.pause(name, actor="bob")
            shared.approve(bob, asked[0].approval_id).ok()
        assert is_held(waiting)
        shared.service.gate.resume(name, actor="bob")
        assert waiting.result(PATIENCE).by == ("decision" if action is SAFE else "approval")
    assert decisions(shared.service.gate, name) == ["allow" if action is SAFE else "require_approval"]


def test_an_allowed_action_is_not_repeated_to_an_agent_that_is_paused_now(shared: Running) -> None:
    bot = shared.agent("ann", "again")
    body = {"forms": [{**SAFE, "runId": "again"}], "once": "same"}
    assert bot.post("/v1/check", body).ok()["allowed"]
    shared.service.gate.pause("again", actor="bob")
    answer = bot.post("/v1/check", body).ok()
    assert (answer["allowed"], answer["held"]) == (False, False)
    held = bot.post("/v1/check", {**body, "once": "new", "holds": True}).ok()
    assert (held["allowed"], held["held"], held["decisionId"]) == (False, True, "")
    shared.service.gate.resume("again", actor="bob")


def _hook(gate: Gate, wait: float) -> str:
    call = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    raw = json.dumps({**call, "cwd": "/tmp"}).encode()
    options = AnswerOptions(wait=wait)
    return answer_call("claude-code", raw, lambda: nullcontext(gate), options=options).stdout.decode()


def _guard(gate: Gate, wait: float) -> str:
    checker = Checker(gate, "claude-code", wait=wait)
    call = ToolCall(conversation="c", call_id="1", tool="Bash", arguments={"command": "ls"})
    return asyncio.run(checker.acheck(call)).why


def _check(gate: Gate, wait: float) -> str:
    asyncio.run(gate.acheck(Action.shell("ls", agent_id="claude-code")))
    return gate.check(Action.shell("ls", agent_id="claude-code")).by


@pytest.mark.parametrize("call", [_hook, _guard, _check])
def test_hooks_guards_and_checks_that_wait_are_held(own: Path, call: Callable[[Gate, float], str]) -> None:
    (own / "interlock.toml").write_text('[approvals]\nunattended = "wait"\n' if call is _check else "")
    with Gate() as gate, ThreadPoolExecutor() as pool:
        gate.pause("claude-code", seconds=600, actor="ann")
        waiting = pool.submit(call, gate, 20.0)
        assert is_held(waiting)
        gate.resume("claude-code", actor="ann")
        assert "paused" not in waiting.result(PATIENCE)
        if call is not _check:
            gate.pause("claude-code", actor="ann")
            assert f"is paused by ann until a person resumes it; {ADVICE}" in call(gate, 0.0)


def test_the_pages_pause_resume_and_reject_open_requests(serve: Serve) -> None:
    server = serve()
    bot, rita, adam = (
        server.agent("ann", "bot"),
        server.signed_in("rita", Role.REVIEWER),
        server.signed_in("adam", Role.ADMIN),
    )
    bot.post("/v1/evaluate", SAFE).ok()
    server.asked(bot)
    server.asked(bot, {**ASKS, "agentId": "bot/helper"})
    server.asked(server.agent("ann", "botany"))
    page = rita.get("/agents/bot").body.decode()
    assert "Pause now" in page
    assert "Stop now" in page
    form = rita.having(content_type="application/x-www-form-urlencoded")
    assert form.post("/pauses", b"agent=bot&for=3h&confirmed=yes").status == 422
    assert form.post("/pauses", b"agent=bot&for=1h&reason=<b>release&confirmed=yes").status == 303
    page = rita.get("/agents/bot").body.decode()
    assert ">paused</span>" in page
    assert "was paused by <strong>rita</strong>" in page
    assert "&lt;b&gt;release" in page
    assert "Resume agent" in page
    assert "Resume agent" not in server.signed_in("rob", Role.REVIEWER).get("/agents/bot").body.decode()
    assert "Resume agent" in adam.get("/").body.decode()
    assert form.post("/pauses/end", b"agent=bot").status == 303
    assert form.post("/agents/stop", b"agent=bot&reject=1").status == 303
    pending = [one.agent_id for one in server.service.gate.approvals.list()]
    assert pending == ["botany"], "requests of the agent and of those below it are rejected"


def test_the_pages_pause_a_key_and_everything_and_say_first_what_is_affected(serve: Serve) -> None:
    server = serve()
    bot, ci = server.agent("ann", "bot"), server.key(Role.ADMIN, "eve", "ci")
    rita, rob = server.signed_in("rita", Role.REVIEWER), server.signed_in("rob", Role.REVIEWER)
    adam = server.signed_in("adam", Role.ADMIN)
    for caller, agent in ((bot, "bot"), (bot, "bot/tests"), (ci, "nightly")):
        caller.post("/v1/evaluate", {**SAFE, "agentId": agent, "runId": agent}).ok()
    server.asked(bot)
    keys = {key.name: key.key_id for key in server.service.authenticator.keys.list()}
    assert f'href="/stops?keyId={keys["bot"]}"' in rita.get("/settings/keys").body.decode()
    assert f'href="/stops?keyId={keys["bot"]}"' in rita.get(f"/settings/keys/{keys['bot']}").body.decode()
    assert f'<option value="{keys["bot"]}" selected>' in rita.get("/stops", keyId=keys["bot"]).body.decode()
    form = rita.having(content_type="application/x-www-form-urlencoded")

    def ask(body: str) -> str:
        return form.post("/pauses", f"for=15m&{body}".encode()).body.decode()

    assert "2 agents are affected (<code>bot</code> and <code>bot/tests</code>), all of them" in ask("key=bot")
    assert "with 1 open request." in ask("key=bot")
    assert "1 agent is affected (<code>nightly</code>)" in ask("target=key&key=ci&agent=bot")
    asked = ask("target=all&agent=bot&reason=<i>")
    assert "3 agents are affected" in asked
    assert "The pause lasts 15 minutes." in asked
    assert "You and admins can resume" in asked
    assert "Reason: &lt;i&gt;" in asked
    assert "No agent of this name has acted yet" in ask("target=agent&agent=bto")
    for body, said in (("target=agent", "Enter the name of the agent"), ("target=key", "Choose the API key")):
        assert said in ask(body)
    assert not Stops(server.service.journal).list(), "nothing happens before it is confirmed"

    assert form.post("/pauses", f"key={keys['bot']}&for=1d&confirmed=yes".encode()).status == 303
    assert "key `bot` is paused by rita" in bot.post("/v1/evaluate", SAFE).ok()["because"]
    assert "is paused by rita until" in ask("key=bot&confirmed=yes"), "it is paused"
    page = rita.get(f"/settings/keys/{keys['bot']}").body.decode()
    assert ">paused</span>" in page
    assert "Resume key" in page
    assert rob.having(content_type="application/x-www-form-urlencoded").post("/pauses/end", b"key=bot").status == 403
    assert form.post("/pauses/end", b"key=bot").status == 303

    assert form.post("/pauses", b"target=all&for=resumed&confirmed=yes").status == 303
    assert "all agents are paused by rita" in ci.post("/v1/evaluate", SAFE).ok()["because"]
    assert "Resume all agents" not in rob.get("/stops").body.decode()
    assert "Resume all agents" in adam.get("/stops").body.decode()
    assert adam.having(content_type="application/x-www-form-urlencoded").post("/pauses/end", b"").status == 303
    assert "Nothing is stopped or paused." in adam.get("/stops").body.decode()
    sentences = [describe_record(one.record) for one in read_all(server.service.journal.database, RecordFilter())]
    assert "adam resumed all agents" in sentences
    assert any("rita paused" in one and "key bot until" in one for one in sentences), sentences


def test_the_command_line(own: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with Gate() as gate:
        assert main(["pause", "bot", "--for", "soon"]) == 1
        assert "write 30s, 15m, 2h or 1d" in capsys.readouterr().err
        assert main(["pause", "bot", "--for", "15m", "--reason", "release"]) == 0
        with pytest.raises(ActionRefused, match=r"`bot` is paused by .* UTC: release; try again when the pause ends"):
            gate.check(Action.shell("ls", agent_id="bot"))
        assert main(["stop", "--list"]) == 0
        assert "paused" in capsys.readouterr().out
        assert main(["resume", "bot"]) == 1, "not without a person"
        monkeypatch.setattr("interlock.cli.pause.require_person", lambda _: None)
        assert main(["resume", "bot"]) == 0
        gate.check(Action.shell("ls", agent_id="bot"))
