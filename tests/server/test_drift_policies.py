"""Actions that arrive over the API are compared with the baseline of the agent in the key, whatever they claim."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interlock import Action, Gate
from interlock.access.roles import Role
from interlock.policy.expression_problems import find_expression_problem
from tests.learning.past import DAY, Clock
from tests.server.client import Client
from tests.server.live_server import Running, served

POLICY = '[[policies]]\npolicy_id = "drift"\naction = "block"\nconditions = ["drift.new_host=true"]\n'
FETCH = "curl https://known.example/x"
KNOWN = {"toolName": "Bash", "inputPayload": {"command": FETCH}}
NEW = {"toolName": "Bash", "inputPayload": {"command": "curl https://new.example/x"}}


@pytest.fixture
def server(own: Path, store: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A server whose agent `bot` has fetched from one host for some days."""
    clock = Clock(monkeypatch)
    with Gate(store=store) as gate:
        for days in (4, 3, 2):
            clock.behind = days * DAY
            session = gate.session_of("ann", f"past-{days}", "bot", None)
            for _ in range(18):
                assert session.decide(Action.shell(FETCH, agent_id="bot")).allowed
    clock.come_back()
    (own / "interlock.toml").write_text(POLICY)
    with Gate(store=store) as gate, served(gate) as found:
        yield found


def check(client: Client, form: dict[str, Any], run: str, once: str, **claims: Any) -> Any:
    return client.post("/v1/check", {"forms": [{**form, "runId": run, **claims}], "once": once})


def test_checks_compare_with_the_baseline_of_the_key(server: Running) -> None:
    bot, thief = server.key(Role.AGENT, "ann", "bot"), server.key(Role.AGENT, "ann", "thief")
    assert check(bot, KNOWN, "r1", "a").ok()["allowed"]
    assert not check(bot, NEW, "r1", "b").ok()["allowed"]
    assert not check(thief, KNOWN, "r2", "a").ok()["allowed"], "it has no baseline"
    reply = check(thief, KNOWN, "r2", "b", agentId="bot")
    assert reply.status >= 400 or not reply.ok()["allowed"], "another name does not lend its baseline"
    reply = check(thief, KNOWN, "r3", "c", agentId="bot")
    assert reply.status >= 400 or not reply.ok()["allowed"], "nor does a run that begins with it"


def test_the_editor_explains_what_would_loosen() -> None:
    found = find_expression_problem("!drift.new_host")
    assert found is not None
    assert "can only make a policy stricter" in found.message
    assert find_expression_problem("drift.new_host || drift.rate > 5") is None


def test_policies_that_would_loosen_are_refused(server: Running) -> None:
    admin = server.key(Role.ADMIN, "root")
    loose = {"policyId": "loose", "action": "allow", "when": "drift.new_host"}
    reply = admin.post("/v1/policies", loose)
    assert reply.status in (400, 422)
    assert "cannot allow anything" in str(reply.body)
