"""Hooks of coding agents over HTTP: responses are in the agent's format, and failures refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interlock.access.roles import Role
from interlock.agents.coding import NAMES
from interlock.agents.coding.agent import HookOutput
from interlock.policy.pins import Pins
from tests.agents.hook_calls import PUSH, WIPE, call, meant
from tests.server.client import Client
from tests.server.conftest import Serve
from tests.server.live_server import Running
from tests.server.payloads import beside


def hook(agent: Client, name: str, given: bytes, query: str = "") -> str:
    reply = agent.send("POST", f"/v1/hooks/{name}{query}", given)
    assert reply.status == 200
    return "silent" if reply.body == b"{}" else meant(HookOutput(reply.body))


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_is_answered_as_its_command_would_be(shared: Running, name: str) -> None:
    agent = shared.agent("ann", f"bot-{name}")
    own = {command: call(name, command).replace(b"s1", name.encode()) for command in ("ls", PUSH, WIPE)}
    assert hook(agent, name, own["ls"]) in ("silent", "allow")
    assert hook(agent, name, own[PUSH]) in ("ask", "deny")
    assert hook(agent, name, own[WIPE]) == "deny"


@pytest.mark.parametrize("name", [*NAMES, "nobody"])
@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'{"tool_name": 7}', b"\xff", b"[" * 50_000])
def test_bad_input_is_a_refusal_and_no_error(shared: Running, name: str, raw: bytes) -> None:
    agent = shared.agent("ann")
    reply = agent.send("POST", f"/v1/hooks/{name}", raw)
    assert reply.status == 200
    assert meant(HookOutput(reply.body)) == "deny"


def test_a_hook_call_that_needs_approval_waits_at_the_server(server: Running) -> None:
    agent, reviewer = server.agent("ann", "bot"), server.reviewer("bob")
    said = agent.send("POST", "/v1/hooks/codex", call("codex", PUSH)).data
    [waiting] = reviewer.get("/v1/approvals", state="pending").ok()["items"]
    assert f"http://127.0.0.1:{server.port}/approvals/{waiting['approvalId']}" in said["systemMessage"]
    assert waiting["agentId"] == "bot/codex"
    answer = beside(lambda: agent.send("POST", "/v1/hooks/codex?wait=20", call("codex", PUSH)))
    server.approve(reviewer, waiting["approvalId"])
    assert answer().body == b"{}"


def test_an_agents_own_prompt_counts_for_one_person_or_a_key_that_asks_its_user(serve: Serve) -> None:
    running = serve(configured="")
    running.signed_in("ann", Role.ADMIN)
    bot, asking = running.agent("ann", "bot"), running.key(Role.AGENT, "ann", "asking", pins=Pins(asks_user=True))
    alone = hook(bot, "claude-code", call("claude-code", PUSH).replace(b"s1", b"s2"))
    running.signed_in("bob", Role.REVIEWER)
    assert alone == "ask"
    assert hook(bot, "claude-code", call("claude-code", PUSH).replace(b"s1", b"s3")) == "deny", "bob has to approve"
    assert hook(asking, "claude-code", call("claude-code", PUSH)) == "ask", "an admin lets the users of this key answer"


def test_outcomes_are_recorded_in_the_run_of_the_key(server: Running) -> None:
    agent, other = server.agent("ann", "bot"), server.agent("cid", "else")
    hook(agent, "claude-code", call("claude-code", "ls"))
    done: dict[str, Any] = json.loads(call("claude-code", "ls")) | {"hook_event_name": "PostToolUse"}
    assert agent.send("POST", "/v1/hooks/claude-code", json.dumps(done).encode()).body == b"{}"
    assert agent.get("/v1/runs/s1").ok()["timeline"][1]["reported"] == "completed"
    assert hook(other, "claude-code", call("claude-code", "ls")) == "deny", "it is somebody else's run"


@pytest.mark.parametrize("name", NAMES)
def test_an_error_is_a_refusal_in_the_format_of_the_agent(shared: Running, name: str) -> None:
    """Agents take any error response for "go on"."""
    given = call(name, "ls")
    stranger, revoked = Client(shared.port), Client(shared.port, {"authorization": "Bearer ilk_" + "x" * 43})
    large = json.dumps({**json.loads(given), "padding": "x" * 9_000_000}).encode()
    for client, raw, status in ((stranger, given, "401"), (revoked, given, "401"), (shared.agent("ann"), large, "413")):
        reply = client.send("POST", f"/v1/hooks/{name}", raw)
        assert reply.status == 200
        assert reply.headers["interlock-status"] == status
        assert meant(HookOutput(reply.body)) == "deny"
